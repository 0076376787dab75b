#!/bin/sh
# Makes a manual page from --help: manual_page.sh HELP2MAN PROGRAM PAGE [COMMAND]
set -eu
help2man=$1 program=$2 page=$3 command=${4:-}
PATH=$(dirname "$program"):$PATH
# The rest of --version's line is about the machine that built it.
version=$("$program" --version | sed 's/ (.*//; q')
if [ -z "$command" ]; then
  name='reconstruct a triangle mesh from a few photographs'
else
  name=$("$program" "$command" --help | sed 's/^\(.\)/\L\1/; s/\.$//; q')
fi
"$help2man" --no-info --no-discard-stderr --name "$name" --version-string "$version" --output "$page" "p2mpp${command:+ $command}"
if [ -n "$command" ]; then
  sed -i "s/^\.TH P2MPP /.TH P2MPP-$(echo "$command" | tr '[:lower:]' '[:upper:]') /; s/^p2mpp \\\\- /p2mpp\\\\-$command \\\\- /" "$page"
fi
# help2man fills the lines of examples like those of a paragraph.
sed -i '/^\.SH EXAMPLES$/,$ { s/^\.IP$/.nf\n.RS 4/; $ s/$/\n.RE\n.fi/ }' "$page"
