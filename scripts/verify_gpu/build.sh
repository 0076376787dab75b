# Prepares the programs of scripts/verify_gpu.sh, which sources this file: packages for a machine without network, the
# build, and a folder with everything that runs on a GPU.
# shellcheck shell=bash disable=SC2154
# $python: an interpreter with PyTorch. $nvcc. $packages: a folder of Debian packages, or empty. $architectures: as nvcc
# names them, separated by ";". $mode: "build" on a machine without a GPU. $build: the build folder. $built: the folder
# of the finished programs.

readonly libraries=(libcli11-dev libeigen3-dev libfmt-dev libfmt9 libspdlog-dev libspdlog1.10 nlohmann-json3-dev
  libnanoflann-dev libpugixml-dev libpugixml1v5 libspng-dev libspng0
  libjpeg62-turbo-dev libjpeg62-turbo libwebp-dev libwebp7
  libgtest-dev libssl-dev libssl3 zlib1g-dev zlib1g)
# Libraries that are packed with the programs, because a machine with a GPU may not have them.
readonly taken_along='lib(fmt|spdlog|pugixml|spng|jpeg|webp|crypto)\.so'
readonly most_megabytes=64 # limit for the packed folder of one architecture
# The tests' models are created below the project's root, on the machine that runs the tests.
readonly fixtures=build-gpu/fixtures test_models=build-gpu/fixtures/test_models

readonly executables='p2mpp p2mpp_kernel_times test_cuda_reasoning_device test_backends_golden test_backends_cuda_device
  test_engine'
export taken_along most_megabytes fixtures test_models executables # steps run in a shell of their own

collect() { # collect FOLDER
  local package missing=()
  mkdir -p "$1" && cd "$1" || return 1
  for package in "${libraries[@]}"; do
    apt-get download "$package" >/dev/null 2>&1 || missing+=("$package")
  done
  say "$(find . -name '*.deb' | wc -l) packages in $PWD"
  [ ${#missing[@]} = 0 ] || die "apt-get has no ${missing[*]}; expected Debian 12's packages"
}

find_python() {
  local candidate
  for candidate in ${PYTHON:-python3 .venv/bin/python}; do
    if timeout -k 5 120 "$candidate" -c 'import torch, numpy, PIL' 2>/dev/null; then command -v "$candidate"; return; fi
  done
  return 1
}

# shellcheck disable=SC2012 # two known places
find_nvcc() { command -v nvcc || ls /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc 2>/dev/null | head -1; }

# Prints the architecture to compile for, for a compute capability such as 9.0: its own, or the first of its major number
# if nvcc does not know it.
architecture_of() {
  local own=${1/./}
  if [ "$1" = 9.0 ]; then
    echo 90a
  elif "$nvcc" --list-gpu-code 2>/dev/null | grep -qx "sm_$own"; then
    echo "$own"
  else
    echo "${own%?}0"
  fi
}

# serves ARCHITECTURE CAPABILITY: whether code for an architecture runs on a GPU: code for 86 on 8.6 to 8.9, for 90a on
# 9.0 alone.
serves() {
  local from=${1%a} own=${2/./}
  if [ "$1" != "$from" ]; then [ "$own" = "$from" ]; else [ "${own%?}" = "${from%?}" ] && [ "$own" -ge "$from" ]; fi
}

torch_folder() { timeout -k 5 120 "$python" -c 'import torch; print(torch.__path__[0])'; }
torch_version() { timeout -k 5 120 "$python" -c 'import torch; print(torch.__version__)'; }

# Empties $built, or fails with the reason why it cannot be used.
prepare_folder() {
  if [ ! -e "$built/built.txt" ] && [ -n "$(ls -A "$built" 2>/dev/null)" ]; then
    die "$built: not empty, and not a folder that --build-into has made"
  fi
  rm -rf "$built"
  mkdir -p "$built/lib" || exit 1
  printf 'commit %s\narchitectures %s\nLibTorch %s\n' "$commit" "$architectures" \
    "${python:+$(torch_version)}" >"$built/built.txt"
}

# Whether the programs were built from this source, for this GPU and for this LibTorch.
check_built() {
  local fits=1 made_at made_for architecture
  cat "$built/built.txt" || return 1
  made_at=$(sed -n 's/^commit //p' "$built/built.txt")
  made_for=$(sed -n 's/^architectures //p' "$built/built.txt")
  for architecture in ${made_for//;/ }; do
    if serves "$architecture" "$capability"; then fits=0; fi
  done
  [ $fits = 0 ] || echo "made for $made_for; this GPU has compute capability $capability"
  case unknown in
    "$commit" | "$made_at") ;; # there is no git
    *) [ "$made_at" = "$commit" ] || { echo "this source is of commit $commit" && fits=1; } ;;
  esac
  grep -qx "LibTorch $(torch_version)" "$built/built.txt" ||
    { echo "this python3 has another PyTorch" && fits=1; }
  return $fits
}

# Compiles the probe first: it takes one call of nvcc and needs no library.
build_probe() {
  local architecture flags=()
  for architecture in ${architectures//;/ }; do
    flags+=("-gencode=arch=compute_$architecture,code=sm_$architecture")
  done
  "$nvcc" -std=c++20 -O3 -I include -I src -I tests "${flags[@]}" tests/backends/cuda/probe.cu \
    tests/backends/cuda/guarded_checks.cc src/backends/cuda/packed_weights.cc -o "$built/probe"
}

configure() {
  local prefixes root package folder includes='' rpath='$ORIGIN/lib'
  prefixes=$(torch_folder) || return 1
  if [ -n "$packages" ]; then
    root=$(realpath -m "$build/packages")
    rm -rf "$root" && mkdir -p "$root"
    for package in "$packages"/*.deb; do dpkg -x "$package" "$root" || return 1; done
    prefixes="$root/usr;$prefixes"
    # Debian has some headers in a folder of the architecture, which compilers only search below /usr.
    for folder in "$root"/usr/include/*-linux-gnu; do includes+=" -isystem $folder"; done
    for folder in "$root"/usr/lib/*-linux-gnu; do rpath+=";$folder"; done
  fi
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DP2MPP_CUDA=on -DP2MPP_UNITY_BUILD=ON \
    -DCUDAToolkit_ROOT="$(dirname "$(dirname "$nvcc")")" -DP2MPP_CUDA_ARCHITECTURES="${architectures//;/-real;}-real" \
    -DCMAKE_PREFIX_PATH="$prefixes" -DP2MPP_PYTHON="$python" \
    -DCMAKE_C_FLAGS="$includes" -DCMAKE_CXX_FLAGS="$includes" -DP2MPP_FETCH=NEVER -DP2MPP_FIXTURES=$fixtures \
    -DCMAKE_DISABLE_FIND_PACKAGE_embree=ON -DCMAKE_DISABLE_FIND_PACKAGE_draco=ON -DCMAKE_DISABLE_FIND_PACKAGE_meshoptimizer=ON \
    -DP2MPP_BUILD_TESTS=ON -DP2MPP_WARNINGS_AS_ERRORS=OFF \
    -DCMAKE_BUILD_RPATH="$rpath" -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags \
    -DCMAKE_MODULE_LINKER_FLAGS=-Wl,--disable-new-dtags
}

# Builds as many targets as possible, even if some fail.
compile() {
  # shellcheck disable=SC2086 # names without spaces
  cmake --build "$build" --parallel "$(nproc)" \
    --target $executables p2mpp_cuda_library p2mpp_torchscript_library -- -k 0
}

# Checks ptxas's report on the kernels: no spills, no serialised products.
resources() {
  P2MPP=$(realpath "$build")/p2mpp P2MPP_CUDA_SOME_ARCHITECTURES=1 \
    "$python" -m unittest -v tests/python/installation/test_kernel_resources.py 2>&1 | fail_if 'this build has no CUDA kernels'
}

# Copies everything that runs on a GPU, stripped, into $built, with the libraries that a machine may not have. LibTorch
# is taken from that machine's python3.
pack() {
  local name path megabytes missing=()
  for name in $executables libp2mpp_cuda.so libp2mpp_torchscript.so; do
    path=$(find "$build" -name "$name" -type f -not -path '*/CMakeFiles/*' | head -1)
    if [ -n "$path" ]; then install -s "$path" "$built/$name"; else missing+=("$name"); fi
  done
  for path in "$built"/*; do
    [ ! -f "$path" ] || ldd "$path" 2>/dev/null | awk -v names="$taken_along" '$1 ~ names && $3 ~ /^\// { print $3 }'
  done | sort -u | xargs -r cp -Lt "$built/lib"
  megabytes=$(du -sm "$built" | cut -f1)
  echo "$megabytes MB in $built"
  [ ${#missing[@]} = 0 ] || { echo "not built: ${missing[*]}"; return 1; }
  case $architectures in *\;*) return 0 ;; esac
  [ "$megabytes" -le $most_megabytes ] || { echo "expected at most $most_megabytes MB"; return 1; }
}

build_programs() {
  if step configure 180 configure && $compiles; then
    # Time on a machine with a GPU is expensive, so the limit is lower there.
    step compile "$([ "$mode" = build ] && echo 5400 || echo 900)" compile
    step resources 60 resources
    step pack 60 pack
  fi
}
export -f build_probe check_built serves torch_folder torch_version configure compile resources pack
