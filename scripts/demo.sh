#!/usr/bin/env bash
# Builds p2mpp, reconstructs the bundled samples and scores them, or reconstructs a given sample. Fails if the scores are
# lower than they should be. Installs missing system packages that the program needs; needs no Python. The last line of
# the output is the path of a mesh.
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

system_packages "${program_packages[@]}"
build_program p2mpp
rm -rf demo-output
if [ -n "$sample" ]; then
  build/p2mpp predict "$sample" --out demo-output
else
  reconstruct data demo-output/shapes
  reconstruct data/people demo-output/people
fi
has_torchscript || say "scripts/setup.sh --all adds the reference backend (torchscript) and the exporter: 5 GB of PyTorch"
find "$PWD/demo-output" -name '*_predict.obj' | sort | head -n 1
