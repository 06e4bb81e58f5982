#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Litmus tests for a folder: every two threads of two accesses each to two variables, with every
# fence between the accesses. 4,096 files.
#   litmus.sh FOLDER
awk -v folder="$1" '
    # Access number n (0 to 3: store or load, x or y) of a thread, with a value and a register.
    function access(n, value, to,    place) {
        place = n % 2 ? "(y)" : "(x)"
        return n < 2 ? "movl $" value "," place : "movl " place ",%" to
    }
    BEGIN {
        split("nop mfence lfence sfence", fences, " ")
        for (n = 0; n < 64 * 64; n++) {
            a = n % 64
            b = int(n / 64)
            file = sprintf("%s/t%04d.litmus", folder, n)
            printf "X86_64 t%04d\n{ x=0; y=0; }\n P0 | P1 ;\n", n > file
            printf " %s | %s ;\n", access(a % 4, 1, "eax"), access(b % 4, 3, "eax") > file
            printf " %s | %s ;\n", fences[int(a / 16) + 1], fences[int(b / 16) + 1] > file
            printf " %s | %s ;\n", access(int(a / 4) % 4, 2, "ebx"),
                access(int(b / 4) % 4, 4, "ebx") > file
            printf "locations [x; y; 0:rax; 0:rbx; 1:rax; 1:rbx;]\nexists (x=0)\n" > file
            close(file)
        }
    }'
