#!/usr/bin/env bash
# Proves and measures the CUDA engine on a machine with a GPU and the CUDA toolkit: builds it for that GPU, runs every test
# that needs one, an evaluation with a trace, memcheck and racecheck on a small case, and the benchmark. Within ten minutes on
# 16 cores.
# usage: scripts/verify_gpu.sh [--packages FOLDER] [--out FOLDER] [--quick]
#        scripts/verify_gpu.sh --collect FOLDER
# --packages: Debian packages of the libraries that p2mpp is built with, for a machine without network; --collect downloads
# them (9 MB) where there is one. --out (default: gpu-results) gets verified.json, measured.json, measured.md, scale.json and logs; eval/
# and trace.json are of an evaluation with --profile and --trace. --quick: no benchmark. LibTorch is that of the python3 that can
# import torch, else of .venv.
set -uo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

readonly libraries=(libcli11-dev libeigen3-dev libfmt-dev libfmt9 libspdlog-dev libspdlog1.10 nlohmann-json3-dev libnanoflann-dev
  libtinyobjloader-dev libtinyobjloader2rc10 libspng-dev libspng0 libjpeg62-turbo-dev libjpeg62-turbo libgtest-dev
  libssl-dev libssl3 zlib1g-dev)
packages='' out=gpu-results quick=false
readonly build=build-gpu

say() { printf 'verify: %s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

collect() {
  mkdir -p "$1" && cd "$1" || exit 1
  local package
  for package in "${libraries[@]}"; do
    apt-get download "$package" >/dev/null 2>&1 || say "apt-get has no $package here; going on without"
  done
  say "$(ls ./*.deb | wc -l) packages in $PWD"
}

while [ $# -gt 0 ]; do
  case $1 in
    --collect) collect "${2:?--collect needs a folder}"; exit ;;
    --packages) packages=$(realpath "${2:?--packages needs a folder}") || exit 2; shift 2 ;;
    --out) out=${2:?--out needs a folder}; shift 2 ;;
    --quick) quick=true; shift ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done

mkdir -p "$out"
out=$(realpath "$out")
declare -A result=() seconds=()
steps=()

# step NAME COMMAND...: runs it with a log of its own; what it gave is part of the summary. Fails if it does.
step() {
  local name=$1 begin=$SECONDS status=0
  shift
  say "$name"
  "$@" >"$out/$name.log" 2>&1 || status=$?
  steps+=("$name")
  seconds[$name]=$((SECONDS - begin))
  result[$name]=$([ $status = 0 ] && echo passed || echo "failed ($status)")
  [ $status = 0 ] || { say "$name: failed; the end of $out/$name.log:"; tail -25 "$out/$name.log" >&2; }
  return $status
}

skip() {
  steps+=("$1")
  seconds[$1]=0
  result[$1]="skipped: $2"
}

find_python() {
  local candidate
  for candidate in python3 .venv/bin/python; do
    if "$candidate" -c 'import torch, numpy, PIL' 2>/dev/null; then command -v "$candidate"; return; fi
  done
  return 1
}

find_nvcc() { command -v nvcc || ls /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc 2>/dev/null | head -1; }

configure() {
  local prefixes architecture
  prefixes=$("$python" -c 'import torch; print(torch.__path__[0])')
  if [ -n "$packages" ]; then
    mkdir -p $build/packages
    for package in "$packages"/*.deb; do dpkg -x "$package" $build/packages; done
    # Their pkg-config files name paths below /usr.
    export PKG_CONFIG_PATH=$PWD/$build/packages/usr/lib/x86_64-linux-gnu/pkgconfig PKG_CONFIG_SYSROOT_DIR=$PWD/$build/packages
    prefixes="$PWD/$build/packages/usr;$prefixes"
  fi
  architecture=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0 | tr -d '. ')
  [ "$architecture" != 90 ] || architecture=90a
  cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DP2MPP_CUDA=on -DCUDAToolkit_ROOT="$(dirname "$(dirname "$nvcc")")" \
    -DCMAKE_CUDA_ARCHITECTURES="$architecture-real" -DCMAKE_PREFIX_PATH="$prefixes" -DP2MPP_PYTHON="$python" \
    -DP2MPP_BUILD_BENCHMARKS=OFF -DP2MPP_WARNINGS_AS_ERRORS=OFF
}

targets=(p2mpp p2mpp_cuda_library p2mpp_torchscript_library p2mpp_kernel_times test_backend_cuda_device test_backend_golden
  test_cuda_reasoning_device test_engine_engine)

compile() { cmake --build $build --parallel "$(nproc)" --target "${targets[@]}"; }

gpu_tests() {
  "$python" tests/fixtures/make_test_models.py build-fixtures/test_models &&
    P2MPP_REQUIRE_GPU=1 $build/tests/backend/test_backend_cuda_device &&
    P2MPP_REQUIRE_GPU=1 $build/tests/cuda/test_cuda_reasoning_device &&
    $build/tests/backend/test_backend_golden --gtest_filter='*cuda*' &&
    $build/tests/engine/test_engine_engine --gtest_filter='*Cuda*'
}

sanitize() { # sanitize TOOL
  "$sanitizer" --tool "$1" --error-exitcode 9 $build/tests/backend/test_backend_cuda_device --gtest_filter='*SmallestPass*'
}

# What ptxas made of the kernels: nothing spilled, no product serialised.
resources() {
  P2MPP=$PWD/$build/p2mpp P2MPP_CUDA_SOME_ARCHITECTURES=1 "$python" -m unittest -v tests/python/test_kernel_resources.py
}

# The bundled samples, scored: every precision is as good as fp32.
quality() {
  local capability
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0 | tr -d ' ')
  P2MPP=$PWD/$build/p2mpp P2MPP_QUALITY_DEVICE=cuda P2MPP_QUALITY_CAPABILITY=$capability "$python" -m unittest -v tests/python/test_quality.py &&
    $build/p2mpp info --device cuda
}

# The bundled samples with two batches in flight: where the time went, and a trace whose device is on the host's clock.
profile() {
  rm -rf "$out/eval"
  $build/p2mpp eval --list data/test_list.txt --images-root data --out "$out/eval" --device cuda --precision bf16 --batch 4 \
    --profile --trace "$out/trace.json" && "$python" bench/gpu/check_trace.py "$out/trace.json"
}

measure() {
  "$python" bench/gpu/measure.py --build $build --model models/p2mpp-shapes --sample data/02691156/p2mpp0001 --out "$out" \
    --seconds 240
}

# What eval reaches end to end, of what bench reaches.
scale() {
  "$python" bench/scale/measure.py --build $build --device cuda --precisions bf16 --batch 16 --repeats 100 --copies 20 \
    --what end_to_end,watching >"$out/scale.json"
}

summary() {
  local name failed=0
  {
    printf '{\n  "gpu": "%s",\n  "steps": {\n' "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader -i 0)"
    for name in "${steps[@]}"; do
      printf '    "%s": {"result": "%s", "seconds": %s}%s\n' "$name" "${result[$name]}" "${seconds[$name]}" \
        "$([ "$name" = "${steps[-1]}" ] || echo ,)"
    done
    printf '  }\n}\n'
  } >"$out/verified.json"
  [ ! -e "$out/measured.md" ] || cat "$out/measured.md"
  echo
  for name in "${steps[@]}"; do
    printf '%-12s %4s s  %s\n' "$name" "${seconds[$name]}" "${result[$name]}"
    case ${result[$name]} in failed*) failed=$((failed + 1)) ;; esac
  done
  if [ $failed = 0 ]; then echo "verify: everything passed"; else echo "verify: $failed of ${#steps[@]} steps failed"; fi
  return $failed
}

command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null || die "no NVIDIA driver answers (nvidia-smi)"
nvcc=$(find_nvcc)
[ -n "$nvcc" ] || die "no nvcc; expected a CUDA toolkit, 12.8 or newer"
python=$(find_python) || die "no python3 with torch, numpy and Pillow; expected one, or .venv by scripts/setup.sh --all"
sanitizer=$(command -v compute-sanitizer || ls "$(dirname "$nvcc")"/compute-sanitizer 2>/dev/null)

if step configure configure && step compile compile; then
  step resources resources
  step gpu-tests gpu_tests
  step quality quality
  step profile profile
  if $quick; then
    skip measure "--quick"
  else
    step measure measure
    step scale scale
  fi
  if [ -n "$sanitizer" ]; then
    step memcheck sanitize memcheck
    step racecheck sanitize racecheck
  else
    skip memcheck "no compute-sanitizer"
  fi
fi
summary
