#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Hostile disassemblies and dumps: damaged ones must be captured or refused, soon, without a word
# from a sanitizer; nothing may be left half written.
#
#   text.sh [SIMULATE]   the program, best a sanitized one; build/san/simulate by default
#
# HOSTILE_COUNT and HOSTILE_SEED choose how many of each kind and which; HOSTILE_KEEP is a
# directory to leave the bad ones in.
cd "$(dirname "$0")/../.." || exit 2
simulate=${1:-build/san/simulate}
count=${HOSTILE_COUNT:-120}
seed=${HOSTILE_SEED:-1}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
captured=0

export ASAN_OPTIONS="exitcode=99:detect_leaks=1:hard_rss_limit_mb=4000:$ASAN_OPTIONS"
export UBSAN_OPTIONS="exitcode=99:print_stacktrace=1:$UBSAN_OPTIONS"

${CC:-cc} -std=gnu11 -O1 -o "$work/mutate" tests/hostile/mutate_text.c || exit 2

complain() {
    printf '%s: %s\n' "$1" "$2"
    tail -n 12 "$work/output"
    [ -z "$HOSTILE_KEEP" ] || cp "$1" "$HOSTILE_KEEP"
    failed=$((failed + 1))
}

look() {
    if grep -q 'Sanitizer\|runtime error:' "$work/output"; then
        complain "$1" "a sanitizer spoke, status $2"
    elif [ "$2" -eq 124 ]; then
        complain "$1" 'not done after 20 seconds'
    elif [ "$2" -gt 3 ]; then
        complain "$1" "status $2"
    elif [ "$2" -eq 2 ] && [ -e "$work/t.yaml" ]; then
        complain "$1" 'refused, but something was written'
    fi
}

# All mutants of a text; what can be captured is also run.
try() {
    rm -rf "$work/inputs"
    mkdir "$work/inputs"
    "$work/mutate" "$seed" "$count" "$work/inputs" "$1" || exit 2
    for input in "$work"/inputs/*.txt; do
        rm -f "$work/t.yaml"
        timeout 20 "$simulate" capture --text "$input" --trap '*' -o "$work/t.yaml" \
            > "$work/output" 2>&1 < /dev/null
        look "$input" $?
        [ -e "$work/t.yaml" ] || continue
        captured=$((captured + 1))
        timeout 20 "$simulate" -q --max-states 2000 --max-seconds 5 "$work/t.yaml" \
            > "$work/output" 2>&1 < /dev/null
        look "$work/t.yaml" $?
    done
}

head -c 300 "$simulate" > "$work/bytes"
printf '\307\006\001\000\000\000\213\007\303' > "$work/code"
od -tx1 "$work/bytes" > "$work/od.txt"
od -An -tx1 "$work/code" > "$work/plain.txt"
{ printf '00000000: c706 0100 0000 8b07 0f1f 4000 9090 9090  ........\n*\n'
    printf '00000030: c3                                       .\n'; } > "$work/xxd.txt"
try tests/capture/text/sb.objdump
try tests/capture/text/sb.dr
try tests/capture/text/sb.gdb
try "$work/od.txt"
try "$work/plain.txt"
try "$work/xxd.txt"
printf '%d damaged texts, %d captured all the same, %d failed\n' $((6 * count)) "$captured" "$failed"
[ "$failed" -eq 0 ]
