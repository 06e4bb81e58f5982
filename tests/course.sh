#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The course: a reader who types what a lesson shows gets what the lesson shows. In a page NAME.md
#   ```console  is a session in the top of the tree: commands after `$ `, and what they print
#   ```yaml     is part of the lesson's trace, traces/course/NAME.yaml
# A line `...` in either stands for any lines or none. Errors of the shell, of usage and of input
# must be shown, as [exit status N]. What a session keeps in /tmp/ is kept elsewhere here.
#
#   course.sh [PAGE...]   docs/course/*.md by default
cd "$(dirname "$0")/.." || exit 2
SIMULATE=${SIMULATE:-./simulate}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

complain() {
    printf '%s: %s\n' "$1" "$2"
    failed=$((failed + 1))
}

# Every fenced block of a page becomes $work/LINE.KIND, LINE being where its first line is.
# shellcheck disable=SC2016
split='
/^```/ {
    if (inside) { close(file) }
    else { file = work "/" sprintf("%04d.", NR + 1) (length($0) > 3 ? substr($0, 4) : "plain"); printf "" > file }
    inside = !inside
    next
}
inside { print > file }'

# Plays the commands of a session and shows it as a terminal would.
play() {
    status=0
    while IFS= read -r line <&3; do
        case $line in "\$ "*) ;; *) continue ;; esac
        printf '%s\n' "$line"
        command=$(printf '%s\n' "${line#??}" | sed "s|\\./simulate|$SIMULATE|g; s|/tmp/|$work/tmp/|g")
        {
            timeout 60 sh -c "(exit $status); $command" < /dev/null 2>&1
            echo $? > "$work/status"
        } | sed "s|$work/tmp/|/tmp/|g"
        status=$(cat "$work/status")
        case $status in 0 | 1 | 3) ;; *) printf '[exit status %d]\n' "$status" ;; esac
    done 3< "$1"
}

# Whether the second file is as the first one says; blanks at the ends of lines do not count.
# shellcheck disable=SC2016
compare='
{ sub(/[ \t]+$/, "") }
NR == FNR { wanted[++wants] = $0; next }
{ given[++gives] = $0 }
function fits(at,    k) {
    for (k = 0; k < size; k++)
        if (wanted[i + k] != given[at + k]) return 0
    return 1
}
END {
    at = 1
    for (i = 1; i <= wants; i += size) {
        if (wanted[i] == "...") { any = 1; size = 1; continue }
        for (size = 1; i + size <= wants && wanted[i + size] != "..."; size++) ;
        last = gives - size + 1
        if (any && i + size > wants && last > at) at = last
        while (any && at < last && !fits(at)) at++
        if (at > last || !fits(at)) exit 1
        at += size
        any = 0
    }
    exit !(any || at == gives + 1)
}'

check() {
    if awk "$compare" "$2" "$3"; then
        passed=$((passed + 1))
    else
        complain "$1" 'shows something else than'
        diff -u "$2" "$3" | sed '1,2d' | head -n 60
    fi
}

check_page() {
    rm -rf "${work:?}"/*
    mkdir "$work/tmp"
    name=$(basename "$1" .md)
    awk -v work="$work" "$split" "$1"
    sessions=0
    for block in "$work"/*.*; do
        place=$1:$(basename "${block%.*}" | sed 's/^0*//')
        case $block in
        *.console)
            play "$block" > "$work/given"
            check "$place" "$block" "$work/given"
            sessions=$((sessions + 1))
            ;;
        *.yaml)
            { echo ...; cat "$block"; echo ...; } > "$work/excerpt"
            check "$place" "$work/excerpt" "traces/course/$name.yaml"
            ;;
        esac
    done
    case $name in
    [0-9]*)
        [ $sessions -gt 0 ] || complain "$1" 'has no session'
        [ "$(wc -l < "$1")" -lt 80 ] || complain "$1" 'has 80 lines or more'
        grep -qF "($name.md)" docs/course/README.md || complain "$1" 'is not in the list of lessons'
        ;;
    esac
}

[ $# -gt 0 ] || set -- docs/course/*.md
for page in "$@"; do
    check_page "$page"
done
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
