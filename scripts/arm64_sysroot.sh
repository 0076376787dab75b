#!/usr/bin/env bash
# Makes build-arm64/sysroot: Debian's libraries for 64-bit Arm, for cmake/aarch64-linux-gnu.cmake. apt resolves and downloads
# the packages (42 MB) into a folder of its own, so nothing is installed and no root is needed. (Some of them cannot be
# installed beside those for x86.) A second run does nothing.
# usage: scripts/arm64_sysroot.sh
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=setup.sh
. "$(dirname "$0")/setup.sh"

readonly folder=$PWD/build-arm64 root=$PWD/build-arm64/sysroot
readonly packages=("${program_packages[@]}" libssl-dev zlib1g-dev libgtest-dev)

# apt of a machine of that processor on which nothing is installed.
apt_of_arm() {
  "$1" -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State="$folder/apt" \
    -o Dir::State::status="$folder/apt/status" -o Dir::Cache="$folder/apt/cache" -o Debug::NoLocking=1 \
    -o APT::Sandbox::User="$(id -un)" "${@:2}"
}

stamp=$({ echo "${packages[@]}"; cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null || true; } | sha256sum)
if [ "$(cat "$folder/sysroot.sha256" 2>/dev/null)" = "$stamp" ]; then
  say "sysroot: up to date"
  exit
fi
command -v apt-get >/dev/null || die "sysroot: not a Debian system; expected apt-get"
rm -rf "$folder/apt" "$root" "$folder/configuration.sha256"
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$root"
: >"$folder/apt/status"
say "sysroot: downloading packages for arm64"
# A source without arm64 is an error to apt, and none here if the others suffice.
quietly "$folder/logs/sysroot-update.log" apt_of_arm apt-get update || say "sysroot: not all sources have arm64"
quietly "$folder/logs/sysroot-download.log" apt_of_arm apt-get install -y --download-only --no-install-recommends \
  "${packages[@]}" || die "sysroot: no packages for arm64; expected Debian's sources"
say "sysroot: unpacking"
for package in "$folder"/apt/cache/archives/*.deb; do
  dpkg-deb -x "$package" "$root"
done
rm -r "$folder/apt"
echo "$stamp" >"$folder/sysroot.sha256"
