#!/usr/bin/env bash
# Times p2mpp and its peers in turn on this machine's CPU, checks that all give the same mesh, and writes the table into
# bench/RESULTS.md. Sets up an environment of its own first (2 GB of disk beside the project's .venv).
# usage: bench/peers/run.sh [--repeats N] [--rounds N] [--output FILE]     (--help lists more)
set -euo pipefail
called_from=$PWD
cd -P "$(dirname "${BASH_SOURCE[0]}")"
readonly root=../.. python=.venv/bin/python stamp=.venv/requirements.sha256

say() { printf 'peers: %s\n' "$*" >&2; }

install() { "$python" -m pip install --quiet --disable-pip-version-check "$@" >&2; }

# PyTorch is large: the project's own .venv lends its packages where there is one.
make_environment() {
  local lender=$root/.venv/bin/python maker=python3
  [ ! -x $lender ] || maker=$lender
  "$maker" -m venv --clear .venv
  if [ $maker = $lender ]; then
    "$lender" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
      >"$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/project.pth"
  fi
}

# What cannot be installed leaves its peer out, with the reason in its row.
install_packages() {
  local line
  if ! install -r requirements.txt; then
    say "not all packages can be installed together; one by one"
    while read -r line; do
      # shellcheck disable=SC2086  # "-r FILE" is two words
      install $line || say "cannot be installed: $line"
    done < <(grep -v '^#' requirements.txt)
  fi
}

environment() {
  local hash
  hash=$(cat requirements.txt $root/scripts/requirements.txt | sha256sum)
  [ "$(cat $stamp 2>/dev/null)" != "$hash" ] || return 0
  say "installing requirements.txt into bench/peers/.venv"
  make_environment
  install_packages
  echo "$hash" >$stamp
}

if [ ! -e $root/build/libp2mpp_torchscript.so ]; then $root/scripts/setup.sh --all; fi
environment
interpreter=$PWD/$python
PYTHONPATH=$PWD:$(realpath $root/scripts):$(realpath $root/training)
export PYTHONPATH
cd "$called_from"
exec "$interpreter" -m peers "$@"
