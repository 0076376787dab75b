#!/bin/sh
# Makes the manual pages of the program and its subcommands from --help:
# manual_pages.sh HELP2MAN PROGRAM FOLDER [EMULATOR...]     (EMULATOR: runs PROGRAM, if it is for another processor)
set -eu
help2man=$1 program=$2 folder=$3
shift 3
if [ $# -gt 0 ]; then # help2man runs one program, which must be called p2mpp
  emulated=$folder/../emulated
  mkdir -p "$emulated"
  printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$*" "$program" >"$emulated/p2mpp"
  chmod +x "$emulated/p2mpp"
  program=$emulated/p2mpp
fi
PATH=$(dirname "$program"):$PATH
# The rest of --version's line is about the machine that built it.
version=$("$program" --version | sed 's/ (.*//; q')

make_page() {  # PAGE NAME COMMAND...
  page=$1 name=$2
  shift 2
  "$help2man" --no-info --no-discard-stderr --name "$name" --version-string "$version" --output "$page" "$*"
  # help2man fills the lines of examples like those of a paragraph.
  sed -i '/^\.SH EXAMPLES$/,$ { s/^\.IP$/.nf\n.RS 4/; $ s/$/\n.RE\n.fi/ }' "$page"
}

rm -f "$folder"/*
make_page "$folder/p2mpp.1" 'reconstruct a triangle mesh from a few photographs' p2mpp
for command in $("$program" --help | sed -n '/^Subcommands:/,/^$/ s/^  \([a-z]\+\) .*/\1/p'); do
  page=$folder/p2mpp-$command.1
  make_page "$page" "$("$program" "$command" --help | sed 's/^\(.\)/\L\1/; s/\.$//; q')" p2mpp "$command"
  sed -i "s/^\.TH P2MPP /.TH P2MPP-$(echo "$command" | tr '[:lower:]' '[:upper:]') /; s/^p2mpp \\\\- /p2mpp\\\\-$command \\\\- /" "$page"
done
