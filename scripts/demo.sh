#!/usr/bin/env bash
# Builds p2mpp, reconstructs the bundled samples and scores them, and makes a mesh of bundled photographs; or reconstructs a
# given sample. Fails if the scores are lower than they should be. Installs missing system packages. Only the photographs
# need Python: without it, or without a package index, they are left out. The last line of the output is the path of a mesh.
# usage: scripts/demo.sh [SAMPLE_FOLDER]
set -euo pipefail
sample=${1:+$(realpath -- "$1")}
# shellcheck source-path=SCRIPTDIR source=setup.sh
. "$(dirname "$0")/setup.sh"

# reconstruct FOLDER OUT: reconstructs and scores the samples of a folder; their mean F1@tau must reach its floor.
reconstruct() {
  local floor
  floor=$(awk -v folder="$1" '$1 == folder { print $2 }' data/floors.txt)
  [ -n "$floor" ] || die "data/floors.txt: no floor for $1"
  build/p2mpp eval --list "$1/test_list.txt" --images-root "$1" --truth-root "$1" --out "$2"
  awk -F, -v floor="$floor" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "vertices_f1_tau") column = i; next }
    { sum += $column } END { exit !(column && NR > 1 && sum / (NR - 1) >= floor) }' "$2/results.csv" ||
    die "$1: F1@tau is below $floor; run build/p2mpp selftest"
}

# from_photographs FOLDER OUT: a textured mesh of photographs alone, and a page to look at.
from_photographs() {
  .venv/bin/p2mpp-photos "$1" --out "$2" -- --resolution 160 || die "$1: no good mesh; look at $2"
  say "from photographs: open $PWD/$2/report.html"
}

if [ -n "$sample" ]; then
  system_packages "${program_packages[@]}"
else
  system_packages "${program_packages[@]}" python3-venv
  photographs_environment &  # pip downloads while the compiler works
  environment=$!
fi
build_program p2mpp
rm -rf demo-output
if [ -n "$sample" ]; then
  build/p2mpp predict "$sample" --out demo-output
else
  reconstruct data demo-output/shapes
  reconstruct data/people demo-output/people
  if wait "$environment"; then
    from_photographs data/photographs/bus demo-output/bus >/dev/null
  else
    say "from photographs: left out; scripts/setup.sh --photos says what is missing"
  fi
fi
has_torchscript || say "scripts/setup.sh --all adds the reference backend (torchscript) and the exporter: 5 GB of PyTorch"
find "$PWD/demo-output" -name '*_predict.obj' -o -name bus.glb | sort | head -n 1
