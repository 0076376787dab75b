#!/usr/bin/env bash
# Installs the dependencies, builds, and runs the tests: both backends compared with golden values and the GPU
# emulation, the command line, pages in a browser, kills and resume, a crash replayed, the quality floor, checkpoints of the
# real TensorFlow, the readers of files with AddressSanitizer.
# usage: scripts/test.sh [--all]
# --all: also the tests with the label "slow" (Ray clusters; photographs to a mesh; the bundled model on all samples;
# packages on a bare Debian, as root on Debian 12; resources of all kernels, if a CUDA toolkit is found), the sanitizers, if
# clang is installed, the fuzzers, and, if a cross-compiler and qemu-user are installed, tests on 64-bit Arm.
# The last line of the output is the number of tests passed; the lines before it show the time of each part.
set -euo pipefail
all=false
case "$*" in
  "") ;;
  --all) all=true ;;
  *) echo "usage: scripts/test.sh [--all]" >&2; exit 2 ;;
esac
# shellcheck source-path=SCRIPTDIR source=setup.sh
. "$(dirname "$0")/setup.sh"

passed=0 failed=0 skipped=0 problems=0
times=()
failures=$(mktemp)
trap 'rm -f "$failures"' EXIT

# timed NAME COMMAND...: runs a command and adds a line to the table of times.
timed() {
  local name=$1 begin=$SECONDS
  shift
  "$@" || return
  times+=("$(printf '%-24s %5d s' "$name" $((SECONDS - begin)))")
}

# run_tests PRESET OPTION...: runs the tests, with one line of output per test, and adds to the counts.
run_tests() {
  local preset=$1 log total bad skips
  shift
  log=$(build_folder "$preset")/logs/tests.log
  say "tests: $preset"
  ctest --preset "$preset" --parallel "$(nproc)" "$@" 2>&1 | tee "$log" | sed -u '/^ *Start  *[0-9]*: /d' ||
    problems=$((problems + 1))
  read -r bad total < <(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+)$/\1 \2/p' "$log") || true
  skips=$(grep -cE '\*\*\*Skipped' "$log" || true)
  # The output of failed tests, without the cases of a suite that passed.
  awk -v preset="$preset" '/^ *(Start +[0-9]+:|[0-9]+\/[0-9]+ Test +#)|% tests passed/ {
      if (inside && begun != "") print begun # it crashed
      inside = 0; begun = ""
    }
    /^ *[0-9]+\/[0-9]+ Test +#.*(\*\*\*|Subprocess)/ && !/\*\*\*Skipped/ { inside = 1; print "[" preset "]" }
    !inside || /^\[-+\]/ { next }
    /^\[ RUN / { begun = $0; next }
    /^\[ +OK \]/ { begun = ""; next }
    begun != "" { print begun; begun = "" }
    { print }' "$log" >>"$failures"
  failed=$((failed + ${bad:-0}))
  skipped=$((skipped + skips))
  passed=$((passed + ${total:-0} - ${bad:-0} - skips))
}

# label_times PRESET: prints ctest's time of each label, as lines of the table of times.
label_times() {
  sed -nE 's/^([a-z_]+) += +([0-9]+)[.0-9]* sec\*proc \(([0-9]+) tests?\)$/\1 \2 \3/p' "$(build_folder "$1")/logs/tests.log" |
    sort -k2nr | while read -r label seconds count; do
    printf '  %-22s %5d s of one core, %d tests\n' "$label" "$seconds" "$count"
  done
}

# check PRESET "TARGET..." OPTION...: configures, builds the targets, and runs the tests of the preset with these options of
# ctest. A failed build counts as a problem: the other presets are tried, and the failures of those before it are printed.
check() {
  local preset=$1 targets
  read -ra targets <<<"$2"
  shift 2
  if ! { timed "configure $preset" configure "$preset" && timed "build $preset" build "$preset" "${targets[@]}"; }; then
    echo "[$preset] not built" >>"$failures"
    problems=$((problems + 1))
    return
  fi
  timed "tests $preset" run_tests "$preset" "$@"
  times+=("$(label_times "$preset")")
}

# Whether clang can link a fuzzer: its run-time libraries are a separate package.
has_libfuzzer() {
  local fuzzer status=0
  fuzzer=$(mktemp)
  echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    clang++ -x c++ -fsanitize=fuzzer,address,undefined -o "$fuzzer" - 2>/dev/null || status=1
  rm -f "$fuzzer"
  return $status
}

# Prepares what the preset arm64 needs, if the compiler and the emulator are installed.
prepare_arm64() {
  command -v aarch64-linux-gnu-g++ >/dev/null && command -v qemu-aarch64 >/dev/null && scripts/arm64_sysroot.sh
}

packages=("${program_packages[@]}" python3-venv libgtest-dev
  python3-dev                          # the Python module
  help2man groff-base                  # manual pages
  dpkg-dev file binutils               # what is installed and packaged
  zsh fish                             # tests of completion
  chromium fonts-dejavu-core)          # tests of HTML pages
requirements=(requirements.txt requirements-data.txt requirements-training.txt requirements-test.txt
  requirements-tensorflow.txt requirements-photos.txt)
options=(P2MPP_BUILD_TESTS=ON "P2MPP_UNITY_BUILD=$(unity_build)")
selection=(--label-exclude '^slow$')
if $all; then
  packages+=(clang libclang-rt-dev # libFuzzer
    ccache                         # the wheel is made of what the build has compiled
    debootstrap                    # a bare machine, to build and to install packages on
    prusa-slicer                   # a slicer
    g++-aarch64-linux-gnu qemu-user) # 64-bit Arm
  requirements+=(requirements-ray.txt)
  options+=(P2MPP_CUDA_ARCHITECTURES=all)
  selection=()
fi

timed "system packages" system_packages "${packages[@]}"
# The readers of images, meshes, pickles and lists with mutated input; with --all, all tests and the fuzzers in one build.
sanitizer=asan sanitized_targets=(test_io) sanitized_selection=(--label-regex '^io$')
if $all; then
  sanitized_targets=(tests) sanitized_selection=()
  if has_libfuzzer; then
    sanitizer=fuzz sanitized_targets+=(fuzzers)
  else
    say "tests: clang with libFuzzer not found; the fuzzers are skipped"
  fi
fi
# The sanitizer's build needs no Python packages. They are mostly downloaded and unpacked meanwhile.
python_environment_and_sanitized() {
  python_environment "${requirements[@]}" &
  local environment=$!
  { configure "$sanitizer" && build "$sanitizer" "${sanitized_targets[@]}"; } || true # check tries again, and reports it
  wait "$environment"
}
timed "Python, sanitizer" python_environment_and_sanitized
timed "configure release" configure release "${options[@]}"
timed "build release" build release all
if $all; then
  # All of about 8,000 faults (P2MPP_FAULTS=all) take 20 minutes.
  export P2MPP_FAULTS=600 P2MPP_CRASHES=120
  P2MPP_FAULT_REPORT=$(mktemp)
  export P2MPP_FAULT_REPORT
fi
timed "tests release" run_tests release "${selection[@]}"
if $all; then
  mapfile -t -O "${#times[@]}" times < <(sed 's/^/  /' "$P2MPP_FAULT_REPORT")
  rm -f "$P2MPP_FAULT_REPORT"
fi
times+=("$(label_times release)")
check "$sanitizer" "${sanitized_targets[*]}" "${sanitized_selection[@]}"
if $all; then
  check tsan tests
  if prepare_arm64; then
    check arm64 "p2mpp tests"
  else
    say "tests: a compiler for 64-bit Arm, its libraries or qemu-aarch64 not found; the tests on Arm are skipped"
  fi
fi
if [ -s "$failures" ]; then
  say "failures:"
  cat "$failures"
fi
printf '%s\n' "${times[@]}" >&2
echo "$passed passed, $failed failed, $skipped skipped"
[ $((failed + problems)) = 0 ] && [ "$passed" -gt 0 ]
