# The step runner of scripts/verify_gpu.sh, which sources this file: steps with time limits, each with a log, and
# verified.json, which is rewritten after every step. Nothing here depends on a GPU.
# shellcheck shell=bash disable=SC2154
# $out: the folder of logs and verified.json. $subject and $commit: the GPU and the source, for verified.json.
: "${kill_after:=10}" # seconds between the signal to end a step and SIGKILL

declare -A result=() seconds=()
steps=()
running='' # the process of the step that runs

say() { printf 'verify: %s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

in_json() { local text=${1//\\/\\\\}; printf '"%s"' "${text//\"/\\\"}"; }

# write_record FINISHED: writes verified.json atomically.
write_record() {
  local name separator=''
  {
    printf '{\n  "gpu": %s,\n  "commit": %s,\n  "finished": %s,\n  "steps": {' "$(in_json "$subject")" \
      "$(in_json "$commit")" "$1"
    for name in "${steps[@]}"; do
      printf '%s\n    %s: {"result": %s, "seconds": %s}' "$separator" "$(in_json "$name")" \
        "$(in_json "${result[$name]}")" "${seconds[$name]}"
      separator=,
    done
    printf '\n  }\n}\n'
  } >"$out/verified.json.new"
  mv -f "$out/verified.json.new" "$out/verified.json"
}

record() { # record NAME RESULT SECONDS
  [ -n "${result[$1]+known}" ] || steps+=("$1")
  result[$1]=$2
  seconds[$1]=$3
  write_record false
}

# step NAME LIMIT COMMAND...: runs a command or an exported function for at most LIMIT seconds, with its own log. A
# failure is recorded and returned; the following steps run nevertheless.
step() {
  local name=$1 limit=$2 begin=$SECONDS status=0 verdict=passed
  shift 2
  say "$name"
  record "$name" running 0
  # timeout creates a process group and ends all of it.
  timeout --kill-after="$kill_after" "$limit" bash -c 'set -uo pipefail; "$@"' "$name" "$@" \
    >"$out/$name.log" 2>&1 </dev/null &
  running=$!
  wait "$running" || status=$?
  running=''
  case $status in
    0) ;;
    124) verdict="failed: ended after $limit s" ;;
    137) verdict="failed: killed after $((SECONDS - begin)) s, at most $limit" ;;
    *) verdict="failed: exit code $status" ;;
  esac
  record "$name" "$verdict" $((SECONDS - begin))
  [ $status = 0 ] || { say "$name: $verdict; the end of $out/$name.log:"; tail -25 "$out/$name.log" >&2; }
  return $status
}

# Copies its input to the output, and fails if a line matches the pattern. Used to treat a skipped test as failed.
fail_if() { awk -v pattern="$1" '{ print; fflush() } $0 ~ pattern { found = 1 } END { exit found }'; }
export -f fail_if

skip() { record "$1" "skipped: $2" 0; } # skip NAME REASON

# On a signal: ends the running step and writes verified.json.
stop() {
  trap - INT TERM
  [ -z "$running" ] || kill "$running" 2>/dev/null
  say "stopped by a signal"
  exit 130
}

# Prints the results of all steps; fails if one failed.
summary() {
  local name failed=0
  write_record true
  echo
  for name in "${steps[@]}"; do
    printf '%-44s %4s s  %s\n' "$name" "${seconds[$name]}" "${result[$name]}"
    case ${result[$name]} in failed*) failed=$((failed + 1)) ;; esac
  done
  if [ $failed -gt 0 ]; then
    echo "verify: $failed of ${#steps[@]} steps failed"
    return 1
  fi
  echo "verify: everything passed"
}
