#!/bin/sh
# Makes a manual page from --help: manual_page.sh HELP2MAN PROGRAM PAGE [COMMAND]
set -eu
folder=$(dirname "$2")
PATH=$folder:$PATH
if [ -z "${4:-}" ]; then
  exec "$1" --no-info --name 'reconstruct a triangle mesh from a few photographs' --output "$3" p2mpp
fi
name=$("$2" "$4" --help | head -n 1 | sed 's/^\(.\)/\L\1/; s/\.$//')
"$1" --no-info --no-discard-stderr --name "$name" --version-string "$("$2" --version | head -n 1)" --output "$3" "p2mpp $4"
sed -i "s/^\.TH P2MPP /.TH P2MPP-$(echo "$4" | tr a-z A-Z) /; s/^p2mpp \\\\- /p2mpp\\\\-$4 \\\\- /" "$3"
