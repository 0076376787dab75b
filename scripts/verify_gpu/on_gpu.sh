# The steps that scripts/verify_gpu.sh, which sources this file, runs on a GPU with the programs in $built. Kernels run
# before programs, separate kernel launches before recorded ones, and sanitizers last.
# shellcheck shell=bash disable=SC2154
# $python, $out, $built, $test_models: as in build.sh. $capability: the GPU's compute capability, such as 9.0. $quick:
# true or false.

export P2MPP_REQUIRE_GPU=1
# The self-check at an engine's start must not hide what else works: the steps kernels.* and selftest.* judge it.
export P2MPP_SELF_CHECK=warn

precisions() { echo fp32 tf32 bf16 fp16; [ "$capability" != 9.0 ] || echo fp8; }

make_test_models() { "$python" tests/fixtures/make_test_models.py "$test_models"; }

# Runs one test of an executable. A skipped test counts as failed.
run_test() { "$1" --gtest_filter="$2" | fail_if 'SKIPPED'; }

# each_test NAME LIMIT EXECUTABLE FILTER: runs each of the tests as a step.
each_test() {
  local name=$1 limit=$2 executable=$built/$3 filter=$4 listed suite='' line count=0
  if ! listed=$(timeout --kill-after=10 60 "$executable" --gtest_list_tests --gtest_filter="$filter" 2>&1); then
    record "$name" "failed: $3 does not start" 0
    echo "$listed" | tee "$out/$name.log" >&2
    return
  fi
  while IFS= read -r line; do
    line=${line%%  #*}
    case $line in
      '  '*)
        count=$((count + 1))
        step "$name.$(tr / - <<<"${line#  }")" "$limit" run_test "$executable" "$suite${line#  }"
        ;;
      *.) suite=$line ;;
    esac
  done <<<"$listed"
  [ $count -gt 0 ] || record "$name" "failed: $3 has no test $filter" 0
}

# Its whole networks are recorded, so it comes after the tests of separate launches.
selftest() { "$built/p2mpp" selftest --device cuda --precision "$1" --json >"$out/selftest-$1.json"; }

info() { "$built/p2mpp" info --device cuda --backend fused; }

# Scores the bundled samples: every precision must be as good as fp32.
quality() {
  mkdir -p "$out/quality"
  P2MPP=$built/p2mpp P2MPP_QUALITY_DEVICE=cuda P2MPP_QUALITY_CAPABILITY=$capability P2MPP_QUALITY_OUT=$out/quality \
    "$python" -m unittest -v tests/python/quality/test_quality.py tests/python/quality/test_quality_of_all.py
}

# Evaluates the bundled samples with two batches in flight, with a profile and a trace that has the device's spans on
# the host's clock.
profile() {
  rm -rf "$out/eval"
  "$built/p2mpp" eval --list data/test_list.txt --images-root data --out "$out/eval" --device cuda --backend fused \
    --precision bf16 --batch 4 --profile --trace "$out/trace.json" && "$python" bench/gpu/check_trace.py "$out/trace.json"
}

measure() {
  "$python" bench/gpu/measure.py --build "$built" --model models/p2mpp-shapes --sample data/02691156/p2mpp0001 \
    --out "$out" --seconds 240
}

# Measures the throughput of eval, end to end, as a share of bench's.
scale() {
  "$python" bench/scale/measure.py --build "$built" --device cuda --precisions bf16 --batch 16 --repeats 100 \
    --copies 20 --what end_to_end,watching >"$out/scale.json.new" && mv "$out/scale.json.new" "$out/scale.json"
}

sanitize() { # sanitize TOOL
  "$sanitizer" --tool "$1" --error-exitcode 9 "$built/test_backends_cuda_device" --gtest_filter='*SmallestPass*' |
    fail_if 'SKIPPED' &&
    # fp8 needs a calibrated model, but its kernel alone does not.
    "$sanitizer" --tool "$1" --error-exitcode 9 "$built/test_cuda_reasoning_device" | fail_if 'SKIPPED'
}

kernels() {
  step test-models 120 make_test_models
  each_test kernels 60 test_cuda_reasoning_device '*'
  each_test kernels 60 test_backends_cuda_device '*Neighbours*'
}

# The golden tests request intermediate results, for which the host launches the kernels one by one.
programs() { each_test golden 60 test_backends_golden '*cuda*'; }

recorded_programs() {
  local precision
  for precision in $(precisions); do step "selftest.$precision" 60 selftest "$precision"; done
  each_test backend 90 test_backends_cuda_device '-*Neighbours*'
  each_test engine 60 test_engine 'Engine.Cuda*'
  step info 30 info
  step quality 180 quality
  step profile 60 profile
  if $quick; then
    skip measure "--quick"
    skip scale "--quick"
  else
    step measure 360 measure
    step scale 240 scale
  fi
}

sanitizers() {
  local tool
  for tool in memcheck racecheck; do
    if [ -n "$sanitizer" ]; then step "$tool" 300 sanitize "$tool"; else skip "$tool" "no compute-sanitizer"; fi
  done
}

run_programs() {
  kernels
  programs
  recorded_programs
  sanitizers
}
export -f make_test_models run_test selftest info quality profile measure scale sanitize
