#!/bin/sh
# Runs a compiler and saves its messages beside the object as OBJECT.messages. If the compiler fails, also prints them.
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
