#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Hostile input: damaged traces and random bytes as code must end with a status of the
# command's own, soon, and without a word from a sanitizer.
#
#   run.sh [SIMULATE]   the program, best a sanitized one; build/san/simulate by default
#
# HOSTILE_COUNT and HOSTILE_SEED choose how many inputs and which; HOSTILE_KEEP is a
# directory to leave the bad ones in.
cd "$(dirname "$0")/../.." || exit 2
simulate=${1:-build/san/simulate}
count=${HOSTILE_COUNT:-220}
seed=${HOSTILE_SEED:-1}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

# Sanitizers end with a status that the command itself never has.
export ASAN_OPTIONS="exitcode=99:detect_leaks=1:hard_rss_limit_mb=4000:$ASAN_OPTIONS"
export UBSAN_OPTIONS="exitcode=99:print_stacktrace=1:$UBSAN_OPTIONS"

mkdir "$work/inputs"
${CC:-cc} -std=gnu11 -O1 -o "$work/generate" tests/hostile/generate.c || exit 2
"$work/generate" "$seed" "$count" "$work/inputs" traces/*/*.yaml || exit 2

complain() {
    printf '%s: %s\n' "$(basename "$1")" "$2"
    tail -n 12 "$work/output"
    [ -z "$HOSTILE_KEEP" ] || cp "$1" "$HOSTILE_KEEP"
    failed=$((failed + 1))
}

for input in "$work"/inputs/*.yaml; do
    case $input in
    *[08].yaml) how='-q' ;;
    *[37].yaml) how='-p zen4 -f html' ;;
    *2.yaml) how='-f junit' ;;
    *4.yaml) how='-f sarif' ;;
    *6.yaml) how='-p zen4 -p oostore -f gcc' ;;
    *9.yaml) how='-f tap --witness all' ;;
    *) how='-p zen4 -p oostore -f json --witness all' ;;
    esac
    # Word splitting is meant: $how is a list.
    # shellcheck disable=SC2086
    timeout 20 "$simulate" $how --max-states 2000 --max-seconds 5 --max-memory 256MiB "$input" \
        > "$work/output" 2>&1 < /dev/null
    status=$?
    if grep -q 'Sanitizer\|runtime error:' "$work/output"; then
        complain "$input" "a sanitizer spoke, status $status"
    elif [ "$status" -eq 124 ]; then
        complain "$input" 'not done after 20 seconds'
    elif [ "$status" -gt 3 ]; then
        complain "$input" "status $status"
    fi
done
printf '%d inputs, %d failed\n' "$count" "$failed"
[ "$failed" -eq 0 ]
