#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The loop x = i - j; lock add; j = x: as a trace with N iterations, or as the text that
# llvm-mca reads. Writing r15 keeps the run from ending when it has become steady.
#   loop.sh trace N | loop.sh mca
body='mov eax, r8d
sub eax, r9d
mov dword ptr [r10], eax
lock add dword ptr [rsp-64], 0
mov r9d, dword ptr [r10]
add r8d, 1
lea r15, [r15]'
if [ "$1" = mca ]; then
    printf '.intel_syntax noprefix\n%s\ndec r15\njnz .\n' "$body"
    exit
fi
printf 'trace: 1\nname: loop\nmemory: {x: {size: 4}}\ncpus:\n'
printf '  - regs: {r10: x, r8: 1}\n    asm: |\n'
printf '%s\n' "$body" | sed 's/^/      /'
printf 'loop: {cpu: P0, iterations: %s}\n' "$2"
