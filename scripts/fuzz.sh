#!/usr/bin/env bash
# Runs libFuzzer targets, starting from the repository's seeds and the inputs found before. Memory is limited to 512 MB.
# usage: scripts/fuzz.sh [--runs N] [--seconds N] [NAME...]     (default: 1200000 runs of each target, without a time
# limit)
# Needs clang. New inputs are added to build-fuzz/corpus/NAME; findings are saved as build-fuzz/finding-*.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
runs=1200000 seconds=0 names=()
while [ $# -gt 0 ]; do
  case $1 in
    --runs) runs=$2; shift 2 ;;
    --seconds) seconds=$2; shift 2 ;;
    -*) echo "usage: scripts/fuzz.sh [--runs N] [--seconds N] [NAME...]" >&2; exit 2 ;;
    *) names+=("$1"); shift ;;
  esac
done
if [ ! -f build-fuzz/build.ninja ]; then cmake --preset fuzz >&2; fi
if [ ${#names[@]} = 0 ]; then
  cmake --build --preset fuzz --target fuzzers >&2
  for seeds in build-fuzz/tests/fuzz/*.seeds; do names+=("$(basename "$seeds" .seeds)"); done
fi
# Targets that make folders are ten times as fast in memory.
if [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi
# Return freed memory to the system early, so that the limit applies to the memory in use.
export ASAN_OPTIONS=quarantine_size_mb=16:allocator_release_to_os_interval_ms=100
# Without entropic: its book-keeping takes most of the time of these targets.
for name in "${names[@]}"; do
  corpus=build-fuzz/corpus/$name
  mkdir -p "$corpus"
  echo "fuzz: $name"
  build-fuzz/tests/fuzz/fuzz_"$name" -runs="$runs" -max_total_time="$seconds" -rss_limit_mb=512 -timeout=20 \
    -entropic=0 -print_final_stats=1 -verbosity=0 -artifact_prefix="build-fuzz/finding-$name-" \
    "$corpus" "$(cat "build-fuzz/tests/fuzz/$name.seeds")"
done
