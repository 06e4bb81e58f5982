# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
# To be read by test scripts: counts what passes and fails. $work is the script's folder; what is
# in its file `report` is shown with a failure.
passed=0
failed=0

good() { passed=$((passed + 1)); }

bad() {
    failed=$((failed + 1))
    printf 'FAILED: %s\n' "$1"
    [ ! -s "$work/report" ] || head -n "${2:-12}" "$work/report"
}

# By an exit status, and what to say unless it is 0.
result() { if [ "$1" -eq 0 ]; then good; else bad "$2"; fi; }

# The last command of a script, whose status says whether all passed.
finish() {
    printf '%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ]
}
