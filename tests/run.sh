#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# All tests that need nothing but the build: unit, command line, bad input, shipped traces.
# SIMULATE and UNIT_TESTS say what to test; `make check` sets them. Kinds of tests run side by
# side, as many as there are cores (JOBS says otherwise); what each has to say comes at the end.
cd "$(dirname "$0")/.." || exit 2
SIMULATE=${SIMULATE:-./simulate}
UNIT_TESTS=${UNIT_TESTS:-build/unit_tests}
export SIMULATE
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
count=0

# Adds a kind of test: its name, then the command. The long ones come first.
kind() {
    count=$((count + 1))
    printf '%s\n' "$1" > "$work/$count.name"
    shift
    printf '%s\n' "$*" > "$work/$count.command"
}

kind 'unit tests' "$UNIT_TESTS"
kind 'captured code' sh tests/capture/run.sh
kind 'schemas and formats for tools' sh tests/formats/run.sh
kind 'command line' sh tests/golden/run.sh check
kind 'captured text' sh tests/capture/formats.sh
kind 'captured threads' sh tests/capture/live.sh
kind 'shipped traces' "$SIMULATE" check traces
kind 'bad input' sh tests/malformed/run.sh
kind 'graphs' sh tests/graphs.sh
kind 'terminal' sh tests/terminal.sh
kind 'library' sh tests/api/run.sh
kind 'manual' sh tests/man/run.sh
kind 'completion' sh tests/completion/run.sh
kind 'course' sh tests/course.sh
kind 'directions' sh tests/directions.sh
kind 'measuring' sh tests/measure/run.sh

# The words are the inner shell's.
# shellcheck disable=SC2016
seq "$count" | xargs -P "${JOBS:-$(nproc)}" -n 1 sh -c '
    start=$(date +%s)
    sh "$1/$2.command" > "$1/$2.log" 2>&1 < /dev/null
    echo $? > "$1/$2.status"
    printf "%s: %s s\n" "$(cat "$1/$2.name")" $(($(date +%s) - start))' run "$work"

passed=0
failed=0
for number in $(seq "$count"); do
    printf '== %s\n' "$(cat "$work/$number.name")"
    cat "$work/$number.log"
    if [ "$(cat "$work/$number.status")" = 0 ]; then
        passed=$((passed + 1))
    else
        printf 'FAILED: %s\n' "$(cat "$work/$number.name")"
        failed=$((failed + 1))
    fi
done
printf '%d kinds of tests passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
