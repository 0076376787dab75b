#!/usr/bin/env bash
# Installs the dependencies of p2mpp and builds it. Anything already installed is left alone: a second run takes
# seconds.
# usage: scripts/setup.sh [--all] [--photos] [TARGET...]     (CMake targets to build; default: p2mpp)
# --all: also installs PyTorch into .venv and builds the backend torchscript, which links its LibTorch. Only the
# exporter (p2mpp-export) and the reference backend need it.
# --photos: also installs what p2mpp-photos needs into .venv, with the learned model for masks.
# scripts/demo.sh and scripts/test.sh source this file. All its messages go to stderr.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."

readonly python=.venv/bin/python
readonly minimum_python=3.10
readonly required_packages=(g++ cmake ninja-build pkg-config libssl-dev zlib1g-dev)
# CMake fetches the sources of missing ones with git.
readonly library_packages=(libcli11-dev libeigen3-dev libfmt-dev libspdlog-dev nlohmann-json3-dev libnanoflann-dev
  libtinyobjloader-dev libpugixml-dev libspng-dev libjpeg-dev libwebp-dev)
# Without Embree, meshes cannot be drawn; without Draco and meshoptimizer, compressed glTF is refused; without three.js,
# there is no 3D viewer; without Boost, no HTTP server.
readonly program_packages=("${library_packages[@]}" libembree-dev libdraco-dev libmeshoptimizer-dev libjs-three
  libboost-dev)
# Installed sizes.
declare -rA python_sizes=([requirements.txt]="PyTorch, 5 GB" [requirements-data.txt]="manifold3d, 4 MB"
  [requirements-test.txt]="SciPy, trimesh, OpenUSD and Jupyter's kernel, 0.4 GB" [requirements-training.txt]="Numba, 0.2 GB"
  [requirements-ray.txt]="Ray, 0.25 GB" [requirements-photos.txt]="pycolmap and OpenCV, 0.3 GB"
  [requirements-tensorflow.txt]="TensorFlow, 1.5 GB")

say() { printf 'set-up: %s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# quietly LOG COMMAND...: runs a command and writes its output to LOG. If it fails, prints the end of the output and
# fails.
quietly() {
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 </dev/null && return
  tail -n 60 "$log" >&2
  say "failed: $* (all of its output: $log)"
  return 1
}

# Prints the given packages that are not installed.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null | sed -n 's/ installed$//p') || true
  for package in "$@"; do
    grep -Fqx -- "$package" <<<"$installed" || printf '%s\n' "$package"
  done
}

# Prints the given packages that apt can install.
available_packages() {
  apt-cache policy "$@" 2>/dev/null | awk '/^[^ ]+:$/ { name = substr($1, 1, length($1) - 1) }
    /^  Candidate:/ && $2 != "(none)" { print name }'
}

# Prints the command that runs another one as root ("env" if nothing is needed); fails if there is none.
root_command() {
  if [ "$(id -u)" = 0 ]; then echo env; elif sudo -n true 2>/dev/null; then echo sudo; else return 1; fi
}

# Prints "108 MB to download, 436 MB on the disk", as reported by apt. Arguments: the answer of root_command, then
# packages.
installed_size() {
  LC_ALL=C "$1" apt-get install --assume-no --no-install-recommends "${@:2}" 2>/dev/null |
    sed -nE 's|^Need to get ([0-9.,]+ [kMG]?B/)?([0-9.,]+ [kMG]?B) of archives.*|\2 to download|p
      s/^After this operation, ([0-9.,]+ [kMG]?B) of additional.*/, \1 on the disk/p' | tr -d '\n'
}

install_packages() {
  local as_root wanted
  as_root=$(root_command) || return 1
  say "system packages: updating apt's lists"
  quietly build/logs/apt-update.log "$as_root" apt-get update ||
    say "system packages: continuing with the existing lists"
  mapfile -t wanted < <(available_packages "$@")
  [ ${#wanted[@]} -gt 0 ] || return 1
  say "system packages: installing $(installed_size "$as_root" "${wanted[@]}"): ${wanted[*]}"
  quietly build/logs/apt-install.log \
    "$as_root" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${wanted[@]}"
}

# system_packages PACKAGE...: installs the required packages and these, which are optional.
system_packages_with_apt() {
  local required wanted
  mapfile -t required < <(missing_packages "${required_packages[@]}")
  mapfile -t wanted < <(missing_packages "$@")
  # Do not ask again for packages that this release of the system does not have.
  if [ ${#wanted[@]} -gt 0 ] && [ -n "$(available_packages g++)" ]; then
    mapfile -t wanted < <(available_packages "${wanted[@]}")
  fi
  if [ $((${#required[@]} + ${#wanted[@]})) = 0 ]; then
    say "system packages: all installed"
  elif install_packages "${required[@]}" "${wanted[@]}"; then
    mapfile -t required < <(missing_packages "${required_packages[@]}")
    [ ${#required[@]} = 0 ] || die "apt-get did not install: ${required[*]}"
  elif [ ${#required[@]} -gt 0 ]; then
    die "missing packages; install them first: sudo apt-get install ${required[*]} ${wanted[*]}"
  else
    say "system packages: continuing without optional packages; to install them: sudo apt-get install ${wanted[*]}"
  fi
  # Missing libraries are cloned with git.
  if [ -n "$(missing_packages "${library_packages[@]}")" ] && ! command -v git >/dev/null; then
    install_packages git ca-certificates || die "git is missing; it is needed to fetch missing libraries"
  fi
}

system_packages_without_apt() {
  local missing=()
  for program in c++ cmake ninja git; do
    command -v "$program" >/dev/null || missing+=("$program")
  done
  [ ${#missing[@]} = 0 ] || die "missing programs: ${missing[*]}; install them, and the headers of OpenSSL and zlib"
  say "system packages: not a Debian system; CMake fetches the libraries that are missing"
}

system_packages() {
  if command -v apt-get >/dev/null; then system_packages_with_apt "$@"; else system_packages_without_apt; fi
}

make_python_environment() {
  if "$python" -m pip --version >/dev/null 2>&1; then return; fi
  command -v python3 >/dev/null || die "python3 is missing; expected Python $minimum_python or newer"
  python3 -c "import sys; sys.exit(sys.version_info < (${minimum_python/./, }))" ||
    die "python3 is $(python3 --version); expected Python $minimum_python or newer"
  say "Python: creating .venv"
  quietly build/logs/venv.log python3 -m venv --clear .venv || return
}

# Lets .venv import the Python package of this source tree and run its commands (pyproject.toml).
link_python_package() {
  local site name function
  site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  echo "$PWD/python" >"$site/p2mpp-source.pth"
  while read -r name function; do
    # As pip writes them: a shell script that runs itself with this interpreter, whose path may contain spaces.
    cat >".venv/bin/$name" <<EOF
#!/bin/sh
'''exec' "$PWD/$python" "\$0" "\$@"
' '''
import sys

from p2mpp.commands import $function

sys.exit($function())
EOF
    chmod +x ".venv/bin/$name"
  done < <(sed -nE 's/^(p2mpp-[a-z0-9-]+) = "p2mpp\.commands:([a-z0-9_]+)"$/\1 \2/p' pyproject.toml)
}

# python_environment FILE...: installs the packages listed in these files of scripts/ into .venv, unless it is up to
# date. Needs python3 and its module venv.
python_environment() {
  make_python_environment || return
  link_python_package
  local file hash missing=() arguments=() sizes=''
  for file in "$@"; do
    hash=$("$python" --version | cat - "scripts/$file" | sha256sum)
    [ "$(cat ".venv/$file.sha256" 2>/dev/null)" = "$hash" ] || missing+=("$file")
  done
  if [ ${#missing[@]} = 0 ]; then
    say "Python packages: all installed"
    return
  fi
  for file in "${missing[@]}"; do
    arguments+=(-r "scripts/$file")
    sizes+="${sizes:+, }${python_sizes[$file]}"
  done
  say "Python packages: installing into .venv, with sizes on the disk: $sizes"
  # Python compiles the modules that are imported; pip would compile all.
  quietly build/logs/pip.log "$python" -m pip install --disable-pip-version-check --no-compile --require-hashes \
    "${arguments[@]}" || return
  for file in "${missing[@]}"; do
    "$python" --version | cat - "scripts/$file" | sha256sum >".venv/$file.sha256"
  done
}

# What p2mpp-photos needs, with its learned model.
photographs_environment() {
  python_environment requirements-photos.txt "$@" && quietly build/logs/photos-model.log "$python" -m p2mpp.photos.model
}

# Number of parallel compilers: one per core, as far as memory suffices for 1.8 GB each (a group of sources
# takes that much).
build_jobs() {
  local cores memory_kb jobs
  cores=$(nproc)
  memory_kb=$(awk '/^MemAvailable/ {print $2}' /proc/meminfo)
  jobs=$((memory_kb / 1800000))
  echo $((jobs < 1 ? 1 : jobs < cores ? jobs : cores))
}

build_folder() { if [ "$1" = release ]; then echo build; else echo "build-$1"; fi; }

# A hash of everything that determines what CMake finds: the presets, system packages, LibTorch, the CUDA toolkit and the
# GPUs.
configuration_stamp() {
  {
    cat CMakePresets.json .venv/requirements.txt.sha256
    echo "${CMAKE_PREFIX_PATH:-}"
    dpkg-query --show "${program_packages[@]}" libgtest-dev
    readlink -f "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)"
    nvidia-smi --query-gpu=compute_cap --format=csv
  } 2>/dev/null | sha256sum || true
}

# configure PRESET NAME=VALUE...: configures, unless that was done before with the same options, source folder, LibTorch
# and GPUs. Prints which backends are built.
configure() {
  local preset=$1 folder option stamp
  folder=$(build_folder "$preset")
  shift
  local cache=$folder/CMakeCache.txt up_to_date=true
  if ! grep -qsx "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$cache"; then
    rm -rf "$cache" "$folder/CMakeFiles" "$folder/build.ninja"
  fi
  stamp=$(configuration_stamp)
  [ "$(cat "$folder/configuration.sha256" 2>/dev/null)" = "$stamp" ] && [ -e "$folder/build.ninja" ] || up_to_date=false
  for option in "$@"; do
    grep -qsE "^${option%%=*}:[A-Z]+=${option#*=}\$" "$cache" || up_to_date=false
  done
  if $up_to_date; then return; fi
  say "configure: $folder"
  quietly "$folder/logs/configure.log" cmake --preset "$preset" "${@/#/-D}" || return
  sed -nE 's/^-- ((LibTorch|CUDA toolkit|Tests): .*)/set-up:   \1/p; s/^ +(.* missing \(.*)/set-up:   \1/p' \
    "$folder/logs/configure.log" >&2
  echo "$stamp" >"$folder/configuration.sha256"
}

# build PRESET TARGET...: builds targets of a configured preset.
build() {
  local folder begin=$SECONDS
  folder=$(build_folder "$1")
  shift
  say "build: $folder ($*)"
  if [ -t 2 ]; then
    cmake --build "$folder" --parallel "$(build_jobs)" --target "$@" >&2 || return
  else
    quietly "$folder/logs/build.log" cmake --build "$folder" --parallel "$(build_jobs)" --target "$@" || return
  fi
  say "build: $((SECONDS - begin)) s"
}

# Prints ON if the build folder is new, and otherwise what it was configured with: a first build in groups of sources is
# faster, and somebody who has configured by hand wants fast edits.
unity_build() {
  if [ ! -e build/CMakeCache.txt ] || grep -qsx 'P2MPP_UNITY_BUILD:BOOL=ON' build/CMakeCache.txt; then echo ON; else echo OFF; fi
}

# build_program TARGET...: configures and builds; without tests, unless the build folder already has them.
build_program() {
  local tests=OFF
  if grep -qsx 'P2MPP_BUILD_TESTS:BOOL=ON' build/CMakeCache.txt; then tests=ON; fi
  configure release P2MPP_BUILD_TESTS=$tests P2MPP_UNITY_BUILD="$(unity_build)"
  build release "$@"
}

# Whether the backend torchscript was built.
has_torchscript() { [ -e build/libp2mpp_torchscript.so ]; }

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  packages=("${program_packages[@]}") requirements=() photos=false
  while :; do
    case ${1:-} in
      --all) requirements+=(requirements.txt) ;;
      --photos) photos=true ;;
      -*) echo "usage: scripts/setup.sh [--all] [--photos] [TARGET...]" >&2; exit 2 ;;
      *) break ;;
    esac
    shift
  done
  if $photos || [ ${#requirements[@]} -gt 0 ]; then packages+=(python3-venv); fi
  system_packages "${packages[@]}"
  if $photos; then
    photographs_environment "${requirements[@]}"
  elif [ ${#requirements[@]} -gt 0 ]; then
    python_environment "${requirements[@]}"
  fi
  build_program "${@:-p2mpp}"
  say "done: build/p2mpp"
  if $photos; then say "done: .venv/bin/p2mpp-photos"; fi
fi
