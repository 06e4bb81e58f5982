# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034
# To be read by the scripts beside it, in the top of the tree, with their arguments: the program
# (best a sanitized one; build/san/simulate by default), how many inputs of each kind, what was
# wrong with one.
#
# HOSTILE_COUNT and HOSTILE_SEED choose how many of each kind and which; HOSTILE_KEEP is a
# directory to leave the bad ones in.
simulate=${1:-build/san/simulate}
count=${HOSTILE_COUNT:-120}
seed=${HOSTILE_SEED:-1}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
captured=0

# Sanitizers end with a status that the command itself never has.
export ASAN_OPTIONS="exitcode=99:detect_leaks=1:hard_rss_limit_mb=4000:$ASAN_OPTIONS"
export UBSAN_OPTIONS="exitcode=99:print_stacktrace=1:$UBSAN_OPTIONS"

complain() {
    printf '%s: %s\n' "$1" "$2"
    tail -n 12 "$work/output"
    [ -z "$HOSTILE_KEEP" ] || cp "$1" "$HOSTILE_KEEP"
    failed=$((failed + 1))
}

# Runs the command on an input, and looks at how that ends: on_input INPUT ARGUMENTS...
on_input() {
    input=$1
    shift
    timeout 20 "$simulate" "$@" > "$work/output" 2>&1 < /dev/null
    status=$?
    if grep -q 'Sanitizer\|runtime error:' "$work/output"; then
        complain "$input" "a sanitizer spoke, status $status"
    elif [ "$status" -eq 124 ]; then
        complain "$input" 'not done after 20 seconds'
    elif [ "$status" -gt 3 ]; then
        complain "$input" "status $status"
    fi
}

# Captures from an input; what could be captured is also run.
capture() {
    captured_from=$1
    shift
    rm -f "$work/t.yaml"
    on_input "$captured_from" capture "$@" --trap '*' -o "$work/t.yaml"
    if [ "$status" -eq 2 ] && [ -e "$work/t.yaml" ]; then
        complain "$captured_from" 'refused, but something was written'
    fi
    [ -e "$work/t.yaml" ] || return
    captured=$((captured + 1))
    on_input "$work/t.yaml" -q --max-states 2000 --max-seconds 5 "$work/t.yaml"
}
