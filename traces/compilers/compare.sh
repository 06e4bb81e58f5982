#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Store buffering with C11 atomics, by compiler and level of optimisation: which instruction orders
# the store before the load, whether it does, and what a turn costs. For each row sb.c is compiled
# and captured; for the cost P0 is looped, with a NOP for its return.
#
#   compare.sh [PROFILE]     default zen4; SIMULATE says which program, COMPILERS which compilers
profile=${1:-zen4}
SIMULATE=${SIMULATE:-simulate}
COMPILERS=${COMPILERS:-gcc clang}
case $SIMULATE in */*) SIMULATE=$(cd "$(dirname "$SIMULATE")" && pwd)/$(basename "$SIMULATE") ;; esac
cd "$(dirname "$0")" || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# A compiler's row: its name, the level, how the order is asked for.
row() {
    define=
    [ "$3" = store ] || define=-DFENCE
    # Word splitting is meant: $define may be nothing.
    # shellcheck disable=SC2086
    "$SIMULATE" capture sb.c:P0,P1 --expect 'never: P0:eax == 0 && P1:eax == 0' \
        -o "$work/order.yaml" -- "$1" "$2" $define || return
    # shellcheck disable=SC2086
    "$SIMULATE" capture sb.c:P0 -o "$work/cost.yaml" -- "$1" "$2" $define || return
    sed -i '/ ret$/s/"c3"/"90"/' "$work/cost.yaml"
    echo 'loop: {cpu: P0, iterations: 2000}' >> "$work/cost.yaml"
    fence=$(sed -n '/name: P1/q; s/.*# +[0-9]* \(xchg [dq].*\|lock .*\|mfence\)$/\1/p' "$work/order.yaml")
    verdict=$("$SIMULATE" -q -p "$profile" --only order "$work/order.yaml" | cut -d ' ' -f 1)
    case $verdict in
    pass) verdict=yes ;;
    violation) verdict=no ;;
    esac
    cycles=$("$SIMULATE" -p "$profile" --only time "$work/cost.yaml" |
        sed -n 's/.*cycles: P0 \([0-9.]*\) per iteration/\1/p')
    # shellcheck disable=SC2016
    printf '| %s | %s | %s | `%s` | %s | %s |\n' "$1" "$2" "$3" "${fence:-none}" "$verdict" "$cycles"
}

printf '| compiler | level | asked for by | orders by | SB forbidden? | cycles a turn, %s |\n' "$profile"
printf '|---|---|---|---|---|--:|\n'
for how in store fence; do
    for compiler in $COMPILERS; do
        for level in -O0 -O1 -O2 -O3; do
            row "$compiler" "$level" "$how"
        done
    done
done
