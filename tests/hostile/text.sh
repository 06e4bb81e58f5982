#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Hostile disassemblies and dumps: damaged ones must be captured or refused, soon, without a word
# from a sanitizer; nothing may be left half written.
#
#   text.sh [SIMULATE]   see common.sh
cd "$(dirname "$0")/../.." || exit 2
# shellcheck disable=SC1091
. tests/hostile/common.sh

${CC:-cc} -std=gnu11 -O1 -o "$work/mutate" tests/hostile/mutate_text.c || exit 2

# All mutants of a text.
try() {
    rm -rf "$work/inputs"
    mkdir "$work/inputs"
    "$work/mutate" "$seed" "$count" "$work/inputs" "$1" || exit 2
    for input in "$work"/inputs/*.txt; do
        capture "$input" --text "$input"
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
