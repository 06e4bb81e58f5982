#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The completion of each shell that is there: what is typed must become what is expected. A
# shell that is missing is named; CI installs all.
cd "$(dirname "$0")/../.." || exit 2
SIMULATE=${SIMULATE:-./simulate}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC1091
. tests/count.sh
missing=

mkdir "$work/folder"
touch "$work/folder/one.yaml" "$work/folder/other.txt" "$work/costs.json"
for shell in bash zsh fish; do
    "$SIMULATE" completion $shell > "$work/$shell" || exit 1
done

# Typed before the cursor, and the only way on. fish offers all files after those that fit.
cat > "$work/cases" << 'END'
simulate -p skylake-m|skylake-mfence56
simulate --only o|order
simulate --witness f|first
simulate -f sar|sarif
simulate --toler|--tolerance
simulate explain red-|red-zone-store
simulate profiles zen1-|zen1-lfence
simulate completion f|fish
simulate conver|convert
simulate -q --color ne|never
simulate --baseline cos|costs.json
simulate check folder/on|folder/one.yaml
END
echo 'simulate folder/|folder/one.yaml' > "$work/cases-files"

check() {
    if [ "$2" = "$3" ]; then
        good
    else
        bad "$shell: '$1' gives '$2', expected '$3'"
    fi
}

run_bash() {
    # The words of a line as bash passes them.
    cat > "$work/run.bash" << 'END'
source "$1/bash"
cd "$1" || exit 2
compopt() { :; } # which only works while completing
read -ra COMP_WORDS <<< "$2"
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_simulate
printf '%s\n' "${COMPREPLY[@]}"
END
    bash "$work/run.bash" "$work" "$1"
}

run_fish() {
    fish --no-config -c "source $work/fish; cd $work; complete -C '$1'" 2> /dev/null | cut -f 1
}

# Types into an interactive shell and has it print its line.
run_zsh() {
    cat > "$work/run.zsh" << 'END'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "cd $1; PS1=; PS2=; autoload -U compinit; compinit -D -u; source $1/zsh"
zpty -w shell 'show() { print -r -- "<$BUFFER>"; BUFFER=; zle accept-line }; zle -N show; bindkey "^B" show'
zpty -w shell 'setopt no_auto_list no_beep no_list_ambiguous; print re""ady'
zpty -r -m shell seen '*ready*'
zpty -w -n shell "$2"$'\t\C-b'
zpty -r -m shell seen '*<*>*'
print -r -- "$seen"
zpty -d shell
END
    timeout 60 zsh -f "$work/run.zsh" "$work" "$1" 2> /dev/null |
        sed -n 's/.*<\([^>]*\)>.*/\1/p' | tail -n 1 | sed 's/[ =]*$//; s/.* //'
}

for shell in bash zsh fish; do
    command -v $shell > /dev/null || {
        missing="$missing $shell"
        continue
    }
    [ $shell = fish ] || cat "$work/cases-files" >> "$work/cases-$shell"
    cat "$work/cases" >> "$work/cases-$shell"
    while IFS='|' read -r typed expected; do
        check "$typed" "$(run_$shell "$typed")" "$expected"
    done < "$work/cases-$shell"
done
[ -z "$missing" ] || printf 'skipped, as they are missing:%s\n' "$missing"
finish
