#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Hostile ELF files: damaged objects, archives and executables must be captured or refused, soon,
# without a word from a sanitizer; nothing may be left half written.
#
#   capture.sh [SIMULATE]   see common.sh
cd "$(dirname "$0")/../.." || exit 2
# shellcheck disable=SC1091
. tests/hostile/common.sh
kinds=0

${CC:-cc} -std=gnu11 -O1 -o "$work/mutate" tests/hostile/mutate.c || exit 2
${CC:-cc} -g -O1 -c -o "$work/data.o" tests/capture/data.c || exit 2
${CC:-cc} -g -O1 -c -o "$work/jumps.o" tests/capture/jumps.c || exit 2
${CC:-cc} -g -O1 -DMAIN -o "$work/data" tests/capture/data.c || exit 2
for name in kernel percpu static_keys thunks; do
    ${CC:-cc} -g -O1 -fno-pic -DWITH_TABLE -DINSIDE -c -o "$work/$name.o" tests/capture/$name.c || exit 2
done
ar rcs "$work/data.a" "$work/data.o" || exit 2

# All mutants of a file, captured from one function.
try() {
    kinds=$((kinds + 1))
    rm -rf "$work/inputs"
    mkdir "$work/inputs"
    "$work/mutate" "$seed" "$count" "$work/inputs" "$work/$1" || exit 2
    for input in "$work"/inputs/*.elf; do
        # shellcheck disable=SC2086
        capture "$input" "$input:$2" --arg P0:rdi=1 $3
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
