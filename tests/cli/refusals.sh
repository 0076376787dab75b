#!/usr/bin/env bash
# Runs the command lines of a table that the program must refuse, each in an empty folder.
# usage: refusals.sh PROGRAM INPUTS TABLE FOLDER
# INPUTS: the folder that make_inputs.py has filled. FOLDER: where to run; it is emptied.
# A line of the table: EXIT-CODE COMMAND => REGEX. COMMAND is a line for bash, in which p2mpp is the program, and $MODELS,
# $SAMPLES, $CAPTURES and $FILES are folders of INPUTS. $TINY is "--model $MODELS/tiny". REGEX (extended) is in the log. The
# log has one line "p2mpp: error: ...", stdout is empty, and no file is written; where COMMAND prepares something first,
# none is written below out/.
set -u
program=$(realpath "$1") inputs=$(realpath "$2") table=$(realpath "$3") folder=$4
for variable in "${!P2MPP_@}" NO_COLOR; do unset "$variable"; done
export P2MPP_DEVICE=cpu P2MPP_THREADS=1
PATH=$(dirname "$program"):$PATH
# Relative, so that no path has a space.
export INPUTS=../inputs MODELS=../inputs/models SAMPLES=../inputs/samples CAPTURES=../inputs/captures FILES=../inputs/files
export TINY="--model $MODELS/tiny"
rm -rf "$folder"
mkdir -p "$folder" && cd "$folder" && ln -s "$inputs" inputs || exit 1

lines=0 failures=0
while IFS= read -r line; do
  case $line in '' | '#'*) continue ;; esac
  lines=$((lines + 1))
  code=${line%% *} regex=${line##* => }
  command=${line#* } command=${command% => *}
  mkdir "$lines" && cd "$lines" || exit 1
  bash -c "$command" >../stdout 2>../stderr </dev/null
  found=$? problems=''
  log=$(tr -d '\0' <../stderr)
  [ "$found" = "$code" ] || problems+="  exit code $found; expected $code"$'\n'
  [[ $log =~ $regex ]] || problems+="  stderr does not match: $regex"$'\n'
  [ "$(grep -c '^p2mpp: error: ' <<<"$log")" = 1 ] || problems+="  expected one error line"$'\n'
  [ ! -s ../stdout ] || problems+="  stdout is not empty"$'\n'
  case $command in *\;* | *'&&'*) where=out ;; *) where=. ;; esac
  files=$(find "$where" -type f 2>/dev/null)
  [ -z "$files" ] || problems+="  written: $files"$'\n'
  if [ -n "$problems" ]; then
    failures=$((failures + 1))
    printf 'FAILED: %s\n%s--- stdout\n%s\n--- stderr\n%s\n' "$command" "$problems" "$(cat ../stdout)" "$log"
  fi
  cd ..
done <"$table"
echo "$lines command lines, $failures failed"
[ "$lines" -gt 0 ] && [ "$failures" = 0 ]
