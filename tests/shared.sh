#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs suites that lie outside of the repository: shared.sh DIRECTORY, which holds
# data/traces/malformed with its EXPECT.tsv, data/traces/classic and data/field-cases, each
# of them optional, and suite with litmus tests. A trace fails when an expectation does not
# hold, and also when it is unknown whether it does.
set -euo pipefail
directory=$(cd "${1:?usage: shared.sh DIRECTORY}" && pwd)
cd "$(dirname "$0")/.."
SIMULATE=${SIMULATE:-./simulate}
log=$(mktemp)
trap 'rm -f "$log" "$log.none"' EXIT
failures=0

# Every file with the exit status and at least one of the places that its line names.
malformed() {
    local file status places place got passed=0 failed=0 good
    while IFS=$'\t' read -r file status _ places _; do
        [[ $file == file || -z $file ]] && continue
        got=0
        good=no
        timeout 20 "$SIMULATE" "$1/$file" > /dev/null 2> "$log" < /dev/null || got=$?
        for place in ${places//,/ }; do
            if grep -qF "$file:$place:" "$log"; then good=yes; fi
        done
        if [[ $got == "$status" && $good == yes ]]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            printf '%s: status %s, expected %s at %s\n' "$file" "$got" "$status" "$places"
            head -n 3 "$log"
        fi
    done < "$1/EXPECT.tsv"
    printf 'malformed: %d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ]
}

# Every trace of a directory: its expectations hold.
traces() {
    local file got passed=0 failed=0
    for file in "$1"/*.yaml "$1"/*.litmus; do
        [ -e "$file" ] || continue
        got=0
        timeout 120 "$SIMULATE" -q "$file" > "$log" 2>&1 < /dev/null || got=$?
        if [ "$got" -eq 0 ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            printf '%s: status %s\n' "$file" "$got"
            head -n 5 "$log"
        fi
    done
    printf '%s: %d passed, %d failed\n' "$(basename "$1")" "$passed" "$failed"
    [ "$failed" -eq 0 ]
}

# Litmus tests with recorded answers: 99.7 % agree at least. What is known to differ is in
# docs/DIFFERENCES.md (non-temporal stores; states recorded twice).
litmus() {
    local line agree total
    line=$(python3 "$directory/tools/check_suite.py" --simulate "$SIMULATE" --show 0 "$1" | tail -n 1)
    printf 'litmus: %s\n' "$line"
    agree=${line%% *}
    total=$(cut -d' ' -f3 <<< "$line")
    [ $((agree * 1000)) -ge $((total * 997)) ]
}

# The same answers without reduction, where that ends: all folders but the one that grows.
reduction() {
    local folder failed=0
    for folder in "$1"/*/; do
        [ "$(basename "$folder")" = scaling ] && continue
        "$SIMULATE" --only order -f herd "$folder" > "$log" 2>&1 || true
        "$SIMULATE" --only order -f herd --reduction none "$folder" > "$log.none" 2>&1 || true
        cmp -s "$log" "$log.none" || failed=$((failed + 1))
    done
    printf 'reduction: %d folders differ\n' "$failed"
    [ "$failed" -eq 0 ]
}

if [ -d "$directory/data/traces/malformed" ]; then
    malformed "$directory/data/traces/malformed" || failures=$((failures + 1))
fi
for suite in data/traces/classic data/field-cases; do
    if [ -d "$directory/$suite" ]; then
        traces "$directory/$suite" || failures=$((failures + 1))
    fi
done
if [ -d "$directory/suite" ] && command -v python3 > /dev/null; then
    litmus "$directory/suite" || failures=$((failures + 1))
    reduction "$directory/suite" || failures=$((failures + 1))
fi
[ "$failures" -eq 0 ]
