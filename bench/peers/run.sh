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

environment() {
  local hash
  hash=$(sha256sum <requirements.txt)
  [ "$(cat $stamp 2>/dev/null)" != "$hash" ] || return 0
  say "installing requirements.txt into bench/peers/.venv"
  make_environment
  install -r requirements.txt
  echo "$hash" >$stamp
}

if [ ! -e $root/build/libp2mpp_torchscript.so ]; then $root/scripts/setup.sh --all; fi
environment
interpreter=$PWD/$python
PYTHONPATH=$PWD:$(realpath ..):$(realpath $root/python)
export PYTHONPATH
cd "$called_from"
exec "$interpreter" -m peers "$@"
