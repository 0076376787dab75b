#!/bin/sh
# Runs a compiler and keeps what it says beside the object as OBJECT.messages; says it, too, where the compiler fails.
# usage: keep-messages.sh COMPILER ARGUMENT...
object=
previous=
for argument in "$@"; do
  [ "$previous" != -o ] || object=$argument
  previous=$argument
done
"$@" >"$object.messages" 2>&1
status=$?
[ $status = 0 ] || cat "$object.messages" >&2
exit $status
