#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A trace that is large on purpose: N CPUs, each with S stores to a variable of its own (or,
# with `shared`, all to one) and a load of the next one's.
#   stores.sh N S [shared]
cpus=$1
stores=$2
shared=${3:-}
printf 'trace: 1\nname: stores-%s-%s%s\nmemory:\n' "$cpus" "$stores" "$shared"
i=0
while [ "$i" -lt "$cpus" ]; do
    printf '  v%s: {size: 4}\n' "$i"
    i=$((i + 1))
done
printf 'cpus:\n'
i=0
while [ "$i" -lt "$cpus" ]; do
    own=$i
    next=$(((i + 1) % cpus))
    if [ -n "$shared" ]; then
        own=0
        next=0
    fi
    printf '  - asm: |\n'
    s=1
    while [ "$s" -le "$stores" ]; do
        printf '      mov dword ptr [v%s], %s\n' "$own" $((i * stores + s))
        s=$((s + 1))
    done
    printf '      mov eax, dword ptr [v%s]\n' "$next"
    i=$((i + 1))
done
printf 'observe: [P0:eax]\n'
