#!/usr/bin/env bash
# Sets everything up, then runs all tests; those of what parses and of the CPU's operations once more under
# AddressSanitizer and UndefinedBehaviorSanitizer, those of the operations, the evaluation's pipeline and the worker under
# ThreadSanitizer, too; and the fuzzers for a few seconds each where clang is there. The last line says how many passed.
# usage: scripts/test.sh [--quick]     (--quick: without the sanitizers)
set -euo pipefail
quick=false
case "$*" in
  "") ;;
  --quick) quick=true ;;
  *) echo "usage: scripts/test.sh [--quick]" >&2; exit 2 ;;
esac
# shellcheck source-path=SCRIPTDIR source=bootstrap.sh
. "$(dirname "$0")/bootstrap.sh"

passed=0 failed=0 skipped=0 problems=0
failures=$(mktemp)
trap 'rm -f "$failures"' EXIT

# run_tests PRESET: runs them and adds to the counts.
run_tests() {
  local log total bad skips
  log=$(mktemp)
  say "tests: $1"
  ctest --preset "$1" --parallel "$(nproc)" 2>&1 | tee "$log" || problems=$((problems + 1))
  read -r bad total < <(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+)$/\1 \2/p' "$log") || true
  skips=$(grep -cE '\*\*\*Skipped' "$log" || true)
  awk -v preset="$1" '/^ *(Start +[0-9]+:|[0-9]+\/[0-9]+ Test +#)|% tests passed/ { inside = 0 }
    /^ *[0-9]+\/[0-9]+ Test +#.*(\*\*\*|Subprocess)/ && !/\*\*\*Skipped/ { inside = 1; print "[" preset "]" }
    inside' "$log" >>"$failures"
  rm -f "$log"
  failed=$((failed + ${bad:-0}))
  skipped=$((skipped + skips))
  passed=$((passed + ${total:-0} - ${bad:-0} - skips))
}

# Whether clang links a fuzzer: its run-time libraries are a package of their own.
has_libfuzzer() {
  local fuzzer status=0
  fuzzer=$(mktemp)
  echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    clang++ -x c++ -fsanitize=fuzzer,address,undefined -o "$fuzzer" - 2>/dev/null || status=1
  rm -f "$fuzzer"
  return $status
}

optional_packages+=(zsh fish clang libclang-rt-dev) # whose completion is tried out; whose libFuzzer is used
optional_packages+=(chromium fonts-dejavu-core libtinygltf-dev) # pages are looked at, GLB files read by another program
bootstrap all
python_packages requirements-data.txt "what the sample generator needs"
python_packages requirements-test.txt "what metrics are held against"
python_packages requirements-ray.txt "Ray, on which an evaluation is spread out"
python_packages requirements-tensorflow.txt "TensorFlow, whose checkpoints are read"
run_tests release
if ! $quick; then
  build asan geometry_tests io_tests render_tests model_tests ops_tests report_tests cli_tests
  run_tests asan
  build tsan ops_tests test_eval_{bounded_queue,evaluation,request_queue,run_manifest,trace,worker}
  run_tests tsan
  if has_libfuzzer; then
    build fuzz fuzzers
    run_tests fuzz
  else
    say "tests: no clang with libFuzzer, so nothing is fuzzed"
  fi
fi
if [ -s "$failures" ]; then
  say "what failed"
  cat "$failures"
fi
echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ $((failed + problems)) = 0 ] && [ "$passed" -gt 0 ]
