#!/usr/bin/env bash
# Sources the completion script as a user does and asks for completions of command lines.
set -uo pipefail  # not -e: completion functions fail where they find nothing
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir "a folder" models
touch a.obj "b c.xyz"
source <("$program" completion bash)

failures=0

# expect EXPECTED WORD...: the words after `p2mpp`, the last one under the cursor; EXPECTED are the completions in their order,
# joined by '|'.
expect() {
  local expected=$1 found
  shift
  COMP_WORDS=(p2mpp "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _p2mpp
  found=$(IFS='|'; echo "${COMPREPLY[*]}")
  if [[ $found != "$expected" ]]; then
    echo "p2mpp $*: got '$found'; expected '$expected'"
    failures=$((failures + 1))
  fi
}

expect 'predict|refine|texture|finish|import|check|eval|merge|compare|worker|serve|bench|metrics|render|morph|selftest|info|completion' ''
expect 'predict' pr
expect 'predict' --device cpu pr
expect 'predict' --model info pr
expect 'merge|metrics|morph' --json m
expect 'auto|cpu|cuda' predict --device ''
expect 'cpu|cuda' --device c
expect 'cpu|cuda' --device = c
expect 'auto|cpu|cuda' predict x --device =
expect 'auto|camera0|world|source' predict --frame ''
expect 'auto|camera0|world' render --frame ''
expect '' info --frame ''
expect 'bash|zsh|fish' completion ''
expect '--views|--verbose|--version' info --ve --v
expect '--frame' predict --fr
expect '' info --fr
expect '--config|--cameras|--clockwise|--centre|--coarse' predict --c
expect 'auto' predict --batch ''
expect '' predict --memory-share ''
expect 'a folder' predict a 'a folder' 'a f'
expect 'a folder' predict --out 'a f'
expect 'models' --model m
expect 'a.obj' metrics a.
expect 'b c.xyz' metrics a.obj b
expect 'a.obj' predict --cameras a.o
expect 'auto|textured|smooth|flat' morph --shading ''
expect 'a.obj' render a.o

[[ $(complete -p p2mpp) == 'complete -F _p2mpp p2mpp' ]] || { echo 'p2mpp is not registered'; failures=$((failures + 1)); }
exit $((failures > 0))
