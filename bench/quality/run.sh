#!/usr/bin/env bash
# Measures how well a model reconstructs, and what it is held against; writes QUALITY.md's tables between its marks, and
# draws the pictures of the model's card into OUT.
# usage: bench/quality/run.sh DATA HELD_OUT SHARDS LIBRARIES OUT [MODEL]
#   DATA        samples as p2mpp-generate makes them, with the ground truth in it
#   HELD_OUT    ids of samples that the model was not trained on
#   SHARDS      training shapes made by p2mpp-shards, for the nearest training shape
#   LIBRARIES   furniture libraries unpacked by p2mpp-shards
#   OUT         folder for meshes and tables
set -euo pipefail
[ $# -ge 5 ] || { sed -n '2,10s/^# //p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
data=$(realpath "$1") held_out=$(realpath "$2") shards=$(realpath "$3") libraries=$(realpath "$4") out=$5
model=${6:-$root/models/p2mpp-shapes}
python=$root/.venv/bin/python
mkdir -p "$out"

for precision in fp32 bf16; do
  "$root/build/p2mpp" eval --overwrite --model "$model" --precision "$precision" --list "$held_out" --images-root "$data" \
    --truth-root "$data" --out "$out/$precision" --quiet >"$out/$precision.txt"
done
"$python" "$root/bench/quality/baselines.py" --data "$data" --list "$held_out" --shards "$shards" --out "$out"
"$root/build/p2mpp" eval --overwrite --model "$model" --list "$root/data/test_list.txt" --images-root "$root/data" \
  --truth-root "$root/data" --out "$out/bundled" --quiet >"$out/bundled.txt"
"$python" "$root/bench/quality/table.py" "$out" "$root/bench/QUALITY.md"
"$python" "$root/bench/quality/captures.py" --model "$model" --out "$out/captures" --document "$root/bench/QUALITY.md"
"$python" "$root/bench/quality/recolour.py" --model "$model" --out "$out/recoloured" --document "$root/bench/QUALITY.md"
"$python" "$root/bench/quality/people.py" --model "$model" --libraries "$libraries" \
  --library KatorLegaz BlendSwap-CC-BY --shards "$shards" --out "$out/people" --document "$root/bench/QUALITY.md"
"$python" "$root/bench/quality/poses.py" --model "$model" --out "$out/poses" --document "$root/bench/QUALITY.md"

# Samples of the bundled ones, those that come out well and those that do not.
"$python" "$root/bench/quality/pictures.py" --model "$model" --out "$out/pictures.png" 02691156_p2mpp0002_00 \
  02876657_p2mpp0002_00 02958343_p2mpp0001_00 03001627_p2mpp0003_00 03636649_p2mpp0003_00 02933112_p2mpp0002_00
"$python" "$root/bench/quality/pictures.py" --model "$model" --out "$out/failures.png" 03001627_p2mpp0001_00 \
  04379243_p2mpp0001_00 03211117_p2mpp0003_00 02691156_p2mpp0003_00
