#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# All tests that need nothing but the build: unit, command line, bad input, shipped traces.
# SIMULATE and UNIT_TESTS say what to test; `make check` sets them.
cd "$(dirname "$0")/.." || exit 2
SIMULATE=${SIMULATE:-./simulate}
UNIT_TESTS=${UNIT_TESTS:-build/unit_tests}
export SIMULATE
passed=0
failed=0

# Runs one kind of test: its name, then the command.
run() {
    name=$1
    shift
    printf '== %s\n' "$name"
    if "$@"; then
        passed=$((passed + 1))
    else
        printf 'FAILED: %s\n' "$name"
        failed=$((failed + 1))
    fi
}

run 'directions' sh tests/directions.sh
run 'unit tests' "$UNIT_TESTS"
run 'command line' sh tests/golden/run.sh check
run 'graphs' sh tests/graphs.sh
run 'terminal' sh tests/terminal.sh
run 'bad input' sh tests/malformed/run.sh
run 'captured code' sh tests/capture/run.sh
run 'captured text' sh tests/capture/formats.sh
run 'captured threads' sh tests/capture/live.sh
run 'library' sh tests/api/run.sh
run 'manual' sh tests/man/run.sh
run 'completion' sh tests/completion/run.sh
run 'schemas and formats for tools' sh tests/formats/run.sh
run 'shipped traces' "$SIMULATE" check traces
run 'course' sh tests/course.sh

printf '%d kinds of tests passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
