#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Bad input: every file that EXPECT.tsv lists must end with its exit status, and standard
# error must name every place listed (and hold the given words, where there are some). Columns,
# separated by tabs: file (.jsonl: measured
# loops, for `simulate fit`), exit status, places (LINE:COLUMN or LINE, separated by spaces or
# commas), part of the message. Lines with # are comments.
#
#   run.sh [DIRECTORY]   the directory of EXPECT.tsv, this one by default
directory=$(cd "${1:-$(dirname "$0")}" && pwd) || exit 2
cd "$(dirname "$0")/../.." || exit 2
SIMULATE=${SIMULATE:-./simulate}
errors=$(mktemp) || exit 2
trap 'rm -f "$errors"' EXIT
tab=$(printf '\t')
passed=0
failed=0

complain() {
    printf '%s: %s\n' "$file" "$1"
    good=no
}

[ -e "$directory/EXPECT.tsv" ] || { echo "0 passed, 0 failed"; exit 0; }
while IFS="$tab" read -r file status places words; do
    case $file in '' | '#'* | file) continue ;; esac
    good=yes
    case $file in
    *.jsonl) set -- fit --base zen4 "$directory/$file" ;;
    *) set -- "$directory/$file" ;;
    esac
    timeout 20 "$SIMULATE" "$@" > /dev/null 2> "$errors" < /dev/null
    got=$?
    [ "$got" -eq "$status" ] || complain "exit status $got, expected $status"
    for place in $(printf '%s' "$places" | tr ',' ' '); do
        grep -qF "$file:$place:" "$errors" || complain "no error at $place"
    done
    if [ -n "$words" ] && ! grep -qF -- "$words" "$errors"; then
        complain "no error says '$words'"
    fi
    if [ $good = yes ]; then
        passed=$((passed + 1))
    else
        head -n 5 "$errors"
        failed=$((failed + 1))
    fi
done < "$directory/EXPECT.tsv"
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
