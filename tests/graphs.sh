#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Graphs that others must be able to read: graphviz takes every digraph, an XML parser the SVG,
# in which no label stands on another one or on a box.
# SIMULATE says what to test.
cd "$(dirname "$0")/.." || exit 2
SIMULATE=${SIMULATE:-./simulate}
if ! command -v dot > /dev/null || ! command -v python3 > /dev/null; then
    echo 'skipped: graphviz or python3 is missing'
    exit 0
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

# What is drawn of the traces named: digraphs and, in the SVG, executions must be as many.
check() {
    "$SIMULATE" -f dot --only order --findings none "$@" > "$work/g.dot"
    "$SIMULATE" -f svg --only order --findings none "$@" > "$work/g.svg"
    dot -Tsvg "$work/g.dot" > "$work/drawn.svg" 2> "$work/errors" || failed=1
    python3 tests/labels.py "$work/g.svg" || failed=1
    if [ -s "$work/errors" ]; then
        head -n 5 "$work/errors"
        failed=1
    fi
    graphs=$(grep -c '^digraph ' "$work/g.dot")
    drawn=$(grep -c '<g transform=' "$work/g.svg")
    if [ "$graphs" != "$drawn" ] || [ "$graphs" -lt 1 ]; then
        printf '%s digraphs, %s executions drawn\n' "$graphs" "$drawn"
        failed=1
    fi
}

check traces/classic traces/field
check tests/golden/odd_names.yaml
[ "$failed" -eq 0 ] && echo 'all graphs are well-formed'
exit "$failed"
