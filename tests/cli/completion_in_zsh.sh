#!/usr/bin/env bash
# Loads the completion script in zsh, if zsh is installed.
set -euo pipefail
command -v zsh >/dev/null || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$1" completion zsh > "$scratch/_p2mpp"
zsh -n "$scratch/_p2mpp"
zsh -fc 'fpath=('"$scratch"' $fpath); autoload -Uz compinit && compinit -D -u; [[ $_comps[p2mpp] == _p2mpp ]] && autoload +X _p2mpp'
