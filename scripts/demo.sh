#!/usr/bin/env bash
# Sets everything up, then reconstructs the bundled samples and says how near the truth they come; or a sample of yours.
# The last line is a mesh's path.
# usage: scripts/demo.sh [SAMPLE_FOLDER]
set -euo pipefail
sample=${1:+$(realpath -- "$1")}
# shellcheck source-path=SCRIPTDIR source=bootstrap.sh
. "$(dirname "$0")/bootstrap.sh"

bootstrap p2mpp
rm -rf demo-output
if [ -n "$sample" ]; then
  build/p2mpp predict "$sample" --out demo-output
else
  build/p2mpp eval --list data/test_list.txt --images-root data --truth-root data --out demo-output
fi
find "$PWD/demo-output" -name '*_predict.obj' | sort | head -n 1
