#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures start-up, exploration and timing, and compares with tools/bench-baseline.txt: not
# seconds, which depend on the machine, but each figure's cost relative to a calibration of
# the machine made in the same moment. Exit status 1 when one is more than FACTOR times the
# baseline.
#
#   bench.sh check      measures and compares
#   bench.sh save       measures and rewrites the baseline
#
# `make bench` and `make bench-save` build what it needs and set BENCH and SIMULATE.
verb=${1:-check}
cd "$(dirname "$0")/.." || exit 2
SIMULATE=${SIMULATE:-./simulate}
BENCH=${BENCH:-build/bench}
FACTOR=${FACTOR:-1.5}
baseline=tools/bench-baseline.txt
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

explore() { # name, generator and its arguments
    name=$1
    shift
    sh "$@" > "$work/trace.yaml"
    "$BENCH" explore "$name" "$work/trace.yaml"
}

# llvm-mca on the same loop, where it is installed.
mca() {
    iterations=20000
    if ! command -v llvm-mca > /dev/null; then
        echo 'llvm-mca is not installed: nothing to compare the timing with' >&2
        return
    fi
    sh tools/bench/loop.sh mca > "$work/loop.s"
    "$BENCH" command 'llvm-mca on the same loop' $((iterations * 9)) \
        llvm-mca -march=x86-64 -mcpu=znver3 -iterations=$iterations "$work/loop.s"
}

measure() {
    "$BENCH" startup "$SIMULATE" traces/classic/SB.yaml
    explore 'SB ring of 6' tools/bench/stores.sh 6 1
    explore 'SB ring of 8' tools/bench/stores.sh 8 1
    explore '4 x 8 stores to one variable' tools/bench/stores.sh 4 8 shared
    for lock in spin ticket mcs; do
        explore "$lock lock, 4 threads" tools/bench/locks.sh $lock 4
    done
    explore 'spin lock, 16 threads alike' tools/bench/locks.sh spin 16 alike
    explore 'in cache' tools/bench/stores.sh 3 6
    sh tools/bench/stores.sh 4 16 > "$work/trace.yaml"
    "$BENCH" large 'large' "$work/trace.yaml" 10000000
    sh tools/bench/loop.sh trace 300000 > "$work/trace.yaml"
    "$BENCH" time 'timed instructions' "$work/trace.yaml"
    mca
    mkdir "$work/litmus"
    sh tools/bench/litmus.sh "$work/litmus"
    "$BENCH" many "$SIMULATE" "$work/litmus" 4096
}

# Lines of name, figure, unit, cost; beside the baseline's lines of name and cost.
report() {
    awk -F '\t' -v factor="$FACTOR" '
        NR == FNR { if ($0 !~ /^#/) base[$1] = $2; next }
        FNR == 1 { printf "%-40s %10s %-24s %s\n", "", "", "", "against baseline" }
        {
            against = $4 + 0 == 0 ? "" : ($1 in base) ? sprintf("%.2f", $4 / base[$1]) : "new"
            bad = $4 + 0 > 0 && ($1 in base) && $4 / base[$1] > factor
            printf "%-40s %10s %-24s %s%s\n", $1, $2, $3, against, bad ? "  SLOWER" : ""
            worse += bad
        }
        END { exit worse > 0 }' "$baseline" "$1"
}

measure > "$work/figures" || exit 2
[ -e "$baseline" ] || : > "$baseline"
if [ "$verb" = save ]; then
    {
        echo '# Costs relative to the calibration, written by tools/bench.sh save.'
        awk -F '\t' '$4 + 0 > 0 { print $1 "\t" $4 }' "$work/figures"
    } > "$work/baseline"
    cp "$work/baseline" "$baseline"
fi
report "$work/figures"
