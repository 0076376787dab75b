#!/usr/bin/env bash
# Builds p2mpp, reconstructs the bundled samples and scores them, or reconstructs a given sample. Installs missing
# system packages that the program needs; needs no Python. The last line of the output is the path of a mesh.
# usage: scripts/demo.sh [SAMPLE_FOLDER]
set -euo pipefail
sample=${1:+$(realpath -- "$1")}
# shellcheck source-path=SCRIPTDIR source=setup.sh
. "$(dirname "$0")/setup.sh"

system_packages "${program_packages[@]}"
build_program p2mpp
rm -rf demo-output
if [ -n "$sample" ]; then
  build/p2mpp predict "$sample" --out demo-output
else
  build/p2mpp eval --list data/test_list.txt --images-root data --truth-root data --out demo-output
fi
has_torchscript || say "scripts/setup.sh --all adds the reference backend (torchscript) and the exporter: 5 GB of PyTorch"
find "$PWD/demo-output" -name '*_predict.obj' | sort | head -n 1
