#!/usr/bin/env bash
# Loads the completion script in fish, if fish is installed, and asks for completions.
set -euo pipefail
command -v fish >/dev/null || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME=$scratch XDG_CONFIG_HOME=$scratch
"$1" completion fish > "$scratch/p2mpp.fish"
fish --no-execute "$scratch/p2mpp.fish"
ask() { fish -c "source $scratch/p2mpp.fish; complete -C 'p2mpp $1'" | cut -f 1 | sort | tr '\n' ' '; }
[[ $(ask '') == 'bench check compare completion eval finish import info merge metrics morph predict refine render selftest serve texture worker ' ]]
[[ $(ask '--device c') == 'cpu cuda ' ]]
[[ $(ask 'predict --frame ') == 'auto camera0 source world ' ]]
[[ $(ask 'completion ') == 'bash fish zsh ' ]]
