#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Hostile ELF files: damaged objects, archives and executables must be captured or refused, soon,
# without a word from a sanitizer; nothing may be left half written.
#
#   capture.sh [SIMULATE]   the program, best a sanitized one; build/san/simulate by default
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
kinds=0

export ASAN_OPTIONS="exitcode=99:detect_leaks=1:hard_rss_limit_mb=4000:$ASAN_OPTIONS"
export UBSAN_OPTIONS="exitcode=99:print_stacktrace=1:$UBSAN_OPTIONS"

${CC:-cc} -std=gnu11 -O1 -o "$work/mutate" tests/hostile/mutate.c || exit 2
${CC:-cc} -g -O1 -c -o "$work/data.o" tests/capture/data.c || exit 2
${CC:-cc} -g -O1 -c -o "$work/jumps.o" tests/capture/jumps.c || exit 2
${CC:-cc} -g -O1 -DMAIN -o "$work/data" tests/capture/data.c || exit 2
for name in kernel percpu static_keys thunks; do
    ${CC:-cc} -g -O1 -fno-pic -DWITH_TABLE -DINSIDE -c -o "$work/$name.o" tests/capture/$name.c || exit 2
done
ar rcs "$work/data.a" "$work/data.o" || exit 2

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

# All mutants of a file, captured from one function; what can be is also run.
try() {
    kinds=$((kinds + 1))
    rm -rf "$work/inputs"
    mkdir "$work/inputs"
    "$work/mutate" "$seed" "$count" "$work/inputs" "$work/$1" || exit 2
    for input in "$work"/inputs/*.elf; do
        rm -f "$work/t.yaml"
        # shellcheck disable=SC2086
        timeout 20 "$simulate" capture "$input:$2" --trap '*' --arg P0:rdi=1 $3 -o "$work/t.yaml" \
            > "$work/output" 2>&1 < /dev/null
        look "$input" $?
        [ -e "$work/t.yaml" ] || continue
        captured=$((captured + 1))
        timeout 20 "$simulate" -q --max-states 2000 --max-seconds 5 "$work/t.yaml" \
            > "$work/output" 2>&1 < /dev/null
        look "$work/t.yaml" $?
    done
}

try data.o all
try jumps.o choose
try data all
try data.a all
try kernel.o P0,P1,delays,direct_call,off_and_on,alternative_call '--profile intel'
try percpu.o count,walk,exchange
try static_keys.o unlikely,likely,static_call --static-key=slow=off
try thunks.o written,bug
printf '%d damaged files, %d captured all the same, %d failed\n' $((kinds * count)) "$captured" "$failed"
[ "$failed" -eq 0 ]
