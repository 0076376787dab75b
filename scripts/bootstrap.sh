#!/usr/bin/env bash
# Sets up all that p2mpp needs and builds it; what is already there is left alone, so a second run takes seconds.
# usage: scripts/bootstrap.sh [TARGET...]     (CMake targets to build; default: p2mpp)
# scripts/demo.sh and scripts/test.sh source this file. Everything it says goes to stderr.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."

readonly python=.venv/bin/python
readonly minimum_python=3.10
readonly required_packages=(g++ cmake ninja-build git ca-certificates pkg-config python3 python3-venv libssl-dev zlib1g-dev)
# Without these the build goes on: CMake fetches the libraries' sources instead, but for Embree and three.js, without which
# there are no pictures of meshes and no 3D viewer.
optional_packages=(libcli11-dev libeigen3-dev libfmt-dev libspdlog-dev nlohmann-json3-dev libnanoflann-dev
  libtinyobjloader-dev libspng-dev libjpeg-dev libembree-dev libjs-three libgtest-dev libbenchmark-dev ccache)

say() { printf 'set-up: %s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# The given packages that are not installed.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null | sed -n 's/ installed$//p') || true
  for package in "$@"; do
    grep -Fqx -- "$package" <<<"$installed" || printf '%s\n' "$package"
  done
}

# The given packages that apt knows of.
available_packages() {
  for package in "$@"; do
    if apt-cache show "$package" >/dev/null 2>&1; then printf '%s\n' "$package"; fi
  done
}

# Prints the command that runs another as root ("env" where that is nothing special); fails where there is none.
root_command() {
  if [ "$(id -u)" = 0 ]; then echo env; elif sudo -n true 2>/dev/null; then echo sudo; else return 1; fi
}

install_packages() {
  local as_root wanted
  as_root=$(root_command) || return 1
  say "system packages: installing $*"
  $as_root apt-get update -qq >&2
  mapfile -t wanted < <(available_packages "$@")
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${wanted[@]}" >&2
}

system_packages_with_apt() {
  local required wanted
  mapfile -t required < <(missing_packages "${required_packages[@]}")
  mapfile -t wanted < <(missing_packages "${optional_packages[@]}")
  # Where apt has lists already, do not ask it again and again for what they lack.
  if apt-cache show g++ >/dev/null 2>&1; then mapfile -t wanted < <(available_packages "${wanted[@]}"); fi
  if [ $((${#required[@]} + ${#wanted[@]})) = 0 ]; then
    say "system packages: all there"
  elif install_packages "${required[@]}" "${wanted[@]}"; then
    mapfile -t required < <(missing_packages "${required_packages[@]}")
    [ ${#required[@]} = 0 ] || die "apt-get did not install: ${required[*]}"
  elif [ ${#required[@]} -gt 0 ]; then
    die "missing packages; install them first: sudo apt-get install ${required[*]} ${wanted[*]}"
  else
    say "system packages: going on without some (sources are fetched instead); or: sudo apt-get install ${wanted[*]}"
  fi
}

system_packages_without_apt() {
  local missing=()
  for program in c++ cmake ninja git python3; do
    command -v "$program" >/dev/null || missing+=("$program")
  done
  [ ${#missing[@]} = 0 ] || die "missing programs: ${missing[*]}; install them, and OpenSSL's and zlib's headers"
  say "system packages: not a Debian system; the programs are there, libraries that are not will be fetched"
}

system_packages() {
  if command -v apt-get >/dev/null; then system_packages_with_apt; else system_packages_without_apt; fi
}

# python_packages FILE WHAT: installs what scripts/FILE names into .venv, unless that was done for just these contents.
python_packages() {
  local file=scripts/$1 stamp=.venv/$1.sha256 hash quiet=()
  hash=$("$python" --version | cat - "$file" | sha256sum)
  if [ "$(cat "$stamp" 2>/dev/null)" = "$hash" ]; then
    say "Python packages: those of $file are there"
    return
  fi
  say "Python packages: installing $file into .venv ($2)"
  [ -t 2 ] || quiet=(--quiet)
  "$python" -m pip install "${quiet[@]}" --disable-pip-version-check -r "$file" >&2
  echo "$hash" >"$stamp"
}

python_environment() {
  if ! "$python" -m pip --version >/dev/null 2>&1; then
    python3 -c "import sys; sys.exit(sys.version_info < (${minimum_python/./, }))" ||
      die "python3 is $(python3 --version); expected Python $minimum_python or newer"
    say "Python: making .venv"
    python3 -m venv --clear .venv
  fi
  python_packages requirements.txt "PyTorch: 5 GB, a few minutes"
}

# How many compilers fit: one a core, 1.5 GB each (what including LibTorch takes).
build_jobs() {
  local cores memory_kb jobs
  cores=$(nproc)
  memory_kb=$(awk '/^MemAvailable/ {print $2}' /proc/meminfo)
  jobs=$((memory_kb / 1500000))
  echo $((jobs < 1 ? 1 : jobs < cores ? jobs : cores))
}

# build PRESET TARGET...: configures where that was not done, not in this place, or with another LibTorch; then builds.
build() {
  local preset=$1 folder=build
  shift
  [ "$preset" = release ] || folder=build-$preset
  if ! grep -qsx "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$folder/CMakeCache.txt"; then
    rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles" "$folder/build.ninja"
  fi
  if [ ! "$folder/build.ninja" -nt .venv/requirements.txt.sha256 ]; then
    say "configure: $folder"
    cmake --preset "$preset" >&2
  fi
  say "build: $folder ($*)"
  cmake --build "$folder" --parallel "$(build_jobs)" --target "$@" >&2
}

# bootstrap TARGET...: all of it.
bootstrap() {
  system_packages
  python_environment
  build release "$@"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  bootstrap "${@:-p2mpp}"
  say "done: build/p2mpp"
fi
