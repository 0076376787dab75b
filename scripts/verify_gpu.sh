#!/usr/bin/env bash
# Tests and measures the CUDA engine on a machine with a GPU: a probe of the instructions that it uses, the build for
# that GPU, every test that needs one, an evaluation with a trace, the benchmark, memcheck and racecheck on a small
# case. Every step has a time limit, and every step runs even if an earlier one failed.
# usage: scripts/verify_gpu.sh [--packages FOLDER] [--build FOLDER] [--out FOLDER] [--quick]
#        scripts/verify_gpu.sh --built FOLDER [--out FOLDER] [--quick]
#        scripts/verify_gpu.sh --build-into FOLDER [--architectures 90a,100] [--packages FOLDER] [--build FOLDER]
#                              [--out FOLDER] [--configure]
#        scripts/verify_gpu.sh --collect FOLDER
# --packages: Debian packages of the libraries that p2mpp is built with, for a machine without network. --collect
# downloads them (10 MB) on a machine with network. --build-into builds on a machine without a GPU, for the given
# architectures (default: 90a). --built runs the result on a machine with a GPU, in a clone of the same commit, so that
# no time is spent on compiling there; with --configure it stops before compiling, to find out whether a machine has what
# the build needs. --build: the build folder (default: build-gpu). --out: the folder (default: gpu-results) for
# verified.json, which is written after every step, measured.json, measured.md, scale.json, targets.json, logs, and eval/
# and trace.json of an evaluation with --profile and --trace. --quick: no benchmark.
# LibTorch is taken from python3 if that can import torch, else from .venv; PYTHON names another interpreter.
# shellcheck source-path=SCRIPTDIR/.. disable=SC2034
set -uo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. scripts/verify_gpu/steps.sh
. scripts/verify_gpu/build.sh
. scripts/verify_gpu/on_gpu.sh

usage() { sed -n '2,/^# shellcheck/{/^# shellcheck/d;s/^# \{0,1\}//p}' "$0" >&2; exit 2; }

mode=here packages='' out=gpu-results quick=false compiles=true build=build-gpu built='' architectures='' capability=''
while [ $# -gt 0 ]; do
  case $1 in
    --collect) collect "${2:?--collect needs a folder}"; exit ;;
    --packages) packages=$(realpath -e "${2:?--packages needs a folder}") || exit 2; shift 2 ;;
    --built) mode=built; built=$(realpath -e "${2:?--built needs a folder}") || exit 2; shift 2 ;;
    --build-into) mode=build; built=$(realpath -m "${2:?--build-into needs a folder}"); shift 2 ;;
    --architectures) architectures=${2:?--architectures needs a list}; architectures=${architectures//,/;}; shift 2 ;;
    --build) build=${2:?--build needs a folder}; shift 2 ;;
    --out) out=${2:?--out needs a folder}; shift 2 ;;
    --quick) quick=true; shift ;;
    --configure) compiles=false; shift ;;
    *) usage ;;
  esac
done

$compiles || [ $mode = build ] || usage

find_gpu() {
  timeout -k 5 30 nvidia-smi -L >/dev/null 2>&1 || die "no NVIDIA driver answers (nvidia-smi)"
  subject=$(timeout -k 5 30 nvidia-smi --query-gpu=name,driver_version --format=csv,noheader -i 0)
  capability=$(timeout -k 5 30 nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0 | tr -d ' ')
}

find_compiler() {
  nvcc=$(find_nvcc)
  [ -n "$nvcc" ] || die "no nvcc; expected a CUDA toolkit, 12.8 or newer"
}

# Find the GPU, nvcc and PyTorch, as far as the mode needs them.
case $mode in
  here)
    find_gpu
    find_compiler
    [ -z "$architectures" ] || die "--architectures goes with --build-into"
    architectures=$(architecture_of "$capability")
    built=$(realpath -m "$build/built")
    ;;
  build)
    find_compiler
    subject="none: built for ${architectures:=90a}"
    ;;
  built)
    find_gpu
    nvcc=''
    ;;
esac
python=$(find_python) || python=''
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
commit=$(git describe --always --dirty 2>/dev/null || echo unknown)
mkdir -p "$out"
out=$(realpath "$out")
# Programs that were built on another machine find LibTorch here.
if [ $mode != build ] && [ -n "$python" ]; then
  LD_LIBRARY_PATH=$(torch_folder)/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi
export LD_LIBRARY_PATH python nvcc packages architectures build built out capability quick sanitizer commit
trap stop INT TERM

write_record false
[ $mode = built ] || prepare_folder
# Neither the probe nor its build needs PyTorch.
if [ $mode = built ]; then step built 60 check_built; else step build-probe 120 build_probe; fi
[ $mode = build ] || step probe 300 "$built/probe"
if [ -z "$python" ]; then
  record python "failed: no python3 with torch, numpy and Pillow; expected one, or .venv by scripts/setup.sh --all" 0
else
  [ $mode = built ] || build_programs
  [ $mode = build ] || run_programs
fi
if [ $mode != build ] && [ -n "$python" ]; then
  [ ! -e "$out/measured.md" ] || cat "$out/measured.md"
  timeout -k 5 60 "$python" bench/gpu/targets.py "$out"
fi
summary
