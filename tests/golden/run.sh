#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Golden tests of the command line. A case NAME is NAME.cmd, a shell command run from the top
# of the tree with the program as ./simulate, and what it must give: NAME.out (standard
# output), NAME.status (exit status, 0 without the file), NAME.err (standard error; not
# looked at without the file).
#
#   run.sh check [NAME...]     compares
#   run.sh rebase [NAME...]    rewrites what is expected
verb=${1:-check}
[ $# -gt 0 ] && shift
cd "$(dirname "$0")/../.." || exit 2
SIMULATE=${SIMULATE:-./simulate}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# Runs a case; leaves out, err and status in $work.
run_case() {
    command=$(sed "s|\\./simulate|$SIMULATE|g" "$1.cmd")
    timeout 60 sh -c "$command" > "$work/out" 2> "$work/err" < /dev/null
    echo $? > "$work/status"
}

compare() {
    if [ "$2" = "$1.status" ] && [ ! -e "$2" ]; then
        echo 0 > "$work/expected"
        set -- "$1" "$work/expected" "$3"
    fi
    diff -u "$2" "$3" > "$work/diff" 2>&1 && return
    printf '%s: %s differs\n' "$1" "$(basename "$3")"
    head -n 40 "$work/diff"
    good=no
}

check_case() {
    good=yes
    run_case "$1"
    compare "$1" "$1.out" "$work/out"
    compare "$1" "$1.status" "$work/status"
    [ ! -e "$1.err" ] || compare "$1" "$1.err" "$work/err"
    if [ $good = yes ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
}

rebase_case() {
    run_case "$1"
    cp "$work/out" "$1.out"
    [ ! -e "$1.err" ] || cp "$work/err" "$1.err"
    rm -f "$1.status"
    [ "$(cat "$work/status")" = 0 ] || cp "$work/status" "$1.status"
}

if [ $# -eq 0 ]; then
    set -- tests/golden/*.cmd
    [ -e "$1" ] || set --
fi
for name in "$@"; do
    name=tests/golden/$(basename "$name" .cmd)
    case $verb in
    check) check_case "$name" ;;
    rebase) rebase_case "$name" ;;
    *) echo "usage: $0 check|rebase [NAME...]" >&2; exit 2 ;;
    esac
done
[ "$verb" = rebase ] && exit
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
