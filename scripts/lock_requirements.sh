#!/usr/bin/env bash
# Writes every requirements*.txt from the requirements*.in beside it: all packages with versions and hashes, the same
# versions in all files. Needs uv (pip install uv). Run it after a change of a .in file, and to take newer packages.
# usage: scripts/lock_requirements.sh
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
command -v uv >/dev/null || { echo "lock_requirements.sh: uv is missing; expected: pip install uv" >&2; exit 1; }
sources=(scripts/requirements*.in bench/peers/requirements.in)
together=$(mktemp -d)
trap 'rm -rf "$together"' EXIT

lock() { uv pip compile --quiet --universal --python-version 3.10 --no-header --no-annotate "$@"; }

for source in "${sources[@]}"; do printf -- '-r %s\n' "$PWD/$source"; done >"$together/all.in"
lock "$together/all.in" --output-file "$together/all.txt" >/dev/null
for source in "${sources[@]}"; do
  {
    printf '# From %s, by scripts/lock_requirements.sh.\n' "$(basename "$source")"
    lock --generate-hashes --constraint "$together/all.txt" "$source"
  } >"$together/locked"
  mv "$together/locked" "${source%.in}.txt"
done
