#!/usr/bin/env bash
# Makes build-arm64/sysroot: Debian's libraries for 64-bit Arm, for cmake/aarch64-linux-gnu.cmake. apt resolves and downloads
# the packages (42 MB) into a folder of its own, so nothing is installed and no root is needed. (Some of them cannot be
# installed beside those for x86.) build-arm64/dpkg records, as /var/lib/dpkg would, which package each library is from, for
# scripts/package.sh. A second run does nothing.
# usage: scripts/arm64_sysroot.sh
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=setup.sh
. "$(dirname "$0")/setup.sh"

readonly folder=$PWD/build-arm64 root=$PWD/build-arm64/sysroot admin=$PWD/build-arm64/dpkg
readonly packages=("${program_packages[@]}" libssl-dev zlib1g-dev libgtest-dev)

# apt of a machine of that processor on which nothing is installed.
apt_of_arm() {
  "$1" -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State="$folder/apt" \
    -o Dir::State::status="$folder/apt/status" -o Dir::Cache="$folder/apt/cache" -o Debug::NoLocking=1 \
    -o APT::Sandbox::User="$(id -un)" "${@:2}"
}

# record DEB: if the package has libraries, adds it to the installed ones.
record() {
  local name control
  control=$(mktemp -d)
  dpkg-deb -e "$1" "$control"
  if [ -e "$control/shlibs" ]; then
    # shellcheck disable=SC2016 # dpkg-deb expands it
    name=$(dpkg-deb -W --showformat '${Package}:${Architecture}' "$1")
    { cat "$control/control"; printf 'Status: install ok installed\n\n'; } >>"$admin/status"
    dpkg-deb --fsys-tarfile "$1" | tar -t | sed -n "s|^\.\(/.*[^/]\)\$|$root\1|p" >"$admin/info/$name.list"
    for kind in shlibs symbols; do
      [ ! -e "$control/$kind" ] || cp "$control/$kind" "$admin/info/$name.$kind"
    done
  fi
  rm -r "$control"
}

stamp=$({ echo "${packages[@]}"; cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null || true; } | sha256sum)
if [ "$(cat "$folder/sysroot.sha256" 2>/dev/null)" = "$stamp" ]; then
  say "sysroot: up to date"
  exit
fi
command -v apt-get >/dev/null || die "sysroot: not a Debian system; expected apt-get"
rm -rf "$folder/apt" "$root" "$admin" "$folder/configuration.sha256"
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$root" "$admin/info"
: >"$folder/apt/status"
say "sysroot: downloading packages for arm64"
# A source without arm64 is an error to apt, and none here if the others suffice.
quietly "$folder/logs/sysroot-update.log" apt_of_arm apt-get update || say "sysroot: not all sources have arm64"
quietly "$folder/logs/sysroot-download.log" apt_of_arm apt-get install -y --download-only --no-install-recommends \
  "${packages[@]}" || die "sysroot: no packages for arm64; expected Debian's sources"
say "sysroot: unpacking"
echo 1 >"$admin/info/format"
for package in "$folder"/apt/cache/archives/*.deb; do
  dpkg-deb -x "$package" "$root"
  record "$package"
done
rm -r "$folder/apt"
echo "$stamp" >"$folder/sysroot.sha256"
