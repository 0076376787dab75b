#!/usr/bin/env bash
# Measures how well a model and two baselines reconstruct. It writes the tables of QUALITY.md and of the model's card
# between their marks, and draws the card's pictures into OUT. It continues an interrupted run: another model needs
# another OUT, which may have links to people/data and views/data.
# usage: bench/quality/run.sh --data SHAPES --list HELD_OUT --shards SHARDS --libraries LIBRARIES
#          --plane FOLDER --out OUT [OPTIONS]
#   --data SHAPES          samples as p2mpp-generate makes them, with the ground truth in it
#   --list HELD_OUT        ids of samples that the model was not trained on
#   --shards SHARDS        training shapes made by p2mpp-shards, for the nearest training shape
#   --libraries LIBRARIES  furniture libraries unpacked by p2mpp-shards
#   --plane FOLDER         the sample of the plane demo
#   --out OUT              gets meshes, scores and pictures
#   --model MODEL          (default: models/p2mpp-shapes)
#   --log FILE             log.csv of p2mpp-train, for the card
#   --document FILE        (default: bench/QUALITY.md)
#   --card FILE            (default: models/p2mpp-shapes/MODEL_CARD.md)
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
usage() { sed -n '/^# usage/,/^set/{/^set/!s/^# //p}' "$0" >&2; exit 2; }
data='' list='' shards='' libraries='' plane='' out='' log=''
model=$root/models/p2mpp-shapes document=$root/bench/QUALITY.md card=$root/models/p2mpp-shapes/MODEL_CARD.md
while [ $# -gt 0 ]; do
  case $1 in
    --data | --list | --shards | --libraries | --plane | --out | --log | --model | --document | --card)
      [ $# -ge 2 ] || usage
      declare "${1#--}=$(realpath -m "$2")" && shift 2 ;;
    *) usage ;;
  esac
done
for each in data list shards libraries plane out; do [ -n "${!each}" ] || usage; done
python=$root/.venv/bin/python quality=$root/bench/quality
common=(--model "$model" --document "$document")
mkdir -p "$out"

measure() { "$python" "$quality/$1.py" --out "$out/$2" "${@:3}" "${common[@]}"; }
evaluate() {  # evaluate NAME LIST DATA [OPTIONS]
  "$root/build/p2mpp" eval --resume --model "$model" --list "$2" --images-root "$3" --truth-root "$3" --out "$out/$1" \
    --quiet "${@:4}" >"$out/$1.txt"
}

for precision in fp32 bf16; do evaluate $precision "$list" "$data" --precision $precision; done
evaluate bundled "$root/data/test_list.txt" "$root/data"
"$python" "$quality/baselines.py" --data "$data" --list "$list" --shards "$shards" --out "$out"
"$python" "$quality/table.py" "$out" "$document"
measure recolour recoloured --shapes 6
measure people people --libraries "$libraries" --library KatorLegaz BlendSwap-CC-BY --shards "$shards"
measure poses poses
measure plane plane --sample "$plane"
measure typical_iou typical-iou
[ -e "$out/fp8/d/summary.json" ] || "$python" "$quality/fp8.py" --model "$model" --schemes d --out "$out/fp8"
"$python" "$quality/targets.py" "$out" --document "$document" --card "$card" ${log:+--log "$log"}
measure captures captures --shapes 5
measure views views --shapes 10

# Samples of the bundled ones, those that come out well and those that do not.
"$python" "$quality/pictures.py" --model "$model" --out "$out/pictures.png" 02691156_p2mpp0002_00 \
  02876657_p2mpp0002_00 02958343_p2mpp0001_00 03001627_p2mpp0003_00 03636649_p2mpp0003_00 02933112_p2mpp0002_00
"$python" "$quality/pictures.py" --model "$model" --out "$out/failures.png" 03001627_p2mpp0001_00 \
  04379243_p2mpp0001_00 03211117_p2mpp0003_00 02691156_p2mpp0003_00
