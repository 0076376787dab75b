#!/usr/bin/env bash
# Sets everything up, then reconstructs a sample: one of those in data/, or yours. The last line is the mesh's path.
# usage: scripts/demo.sh [SAMPLE_FOLDER]
set -euo pipefail
sample=${1:+$(realpath -- "$1")}
# shellcheck source-path=SCRIPTDIR source=bootstrap.sh
. "$(dirname "$0")/bootstrap.sh"

# The folder of the first sample in the bundled list: CATEGORY_MODEL_00.dat is at data/CATEGORY/MODEL.
bundled_sample() {
  local id
  read -r id <data/test_list.txt
  id=${id%_00.dat}
  echo "data/${id%%_*}/${id#*_}"
}

bootstrap p2mpp
rm -rf demo-output
build/p2mpp predict "${sample:-$(bundled_sample)}" --model models/default --out demo-output
realpath demo-output/*_predict.obj
