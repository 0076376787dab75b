#!/usr/bin/env bash
# Measures the CPU engine in every precision, beside its peers, in one run, and prints the table of its targets (Markdown).
# Writes the figures of all programs to FOLDER (build/bench-cpu by default). Nothing else should run at the same time.
# usage: bench/cpu.sh [--out FOLDER] [--rounds N] [--without-peers]
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
out=build/bench-cpu rounds=3 peers=yes
while [ $# -gt 0 ]; do
  case $1 in
    --out) out=$2; shift 2 ;;
    --rounds) rounds=$2; shift 2 ;;
    --without-peers) peers=no; shift ;;
    *) sed -n '2,4s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
  esac
done
readonly precisions=fp32,bf16x3,bf16
say() { printf 'cpu: %s\n' "$*" >&2; }

mkdir -p "$out"
rm -f "$out"/*.json
say "all CPU kernels against plain loops"
build/p2mpp selftest --device cpu --quiet >"$out/selftest.txt" || { grep FAILED "$out/selftest.txt" >&2; exit 1; }
for round in $(seq "$rounds"); do
  say "the engine, round $round of $rounds"
  build/p2mpp bench --device cpu --backend fused --precision $precisions --no-baseline --json --quiet >"$out/bench$round.json"
done
if [ $peers = yes ]; then
  say "peers"
  bench/peers/run.sh --precision $precisions --rounds "$rounds" --output "$out/peers.json" >&2 || say "no figures of peers"
fi
say "evaluation from end to end"
bench/scale/measure.py --what end_to_end --device cpu --precisions bf16 --rounds "$rounds" >"$out/scale.json"
python3 bench/cpu_table.py "$out"
