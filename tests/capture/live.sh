#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Threads of a running program, captured while they run. Where ptrace is forbidden, as in some
# containers, that is said and nothing is tested.
cd "$(dirname "$0")/../.." || exit 2
top=$(pwd)
SIMULATE=${SIMULATE:-./simulate}
case $SIMULATE in /*) ;; *) SIMULATE=$top/$SIMULATE ;; esac
work=$(mktemp -d) || exit 2
running=
trap '[ -z "$running" ] || kill -9 "$running" 2> /dev/null; rm -rf "$work"' EXIT
# shellcheck disable=SC1091
. tests/count.sh
never='never: P0:eax == 0 && P1:eax == 0'

gcc -g -O2 -pthread -o "$work/relaxed" tests/capture/live.c || exit 2
gcc -g -O2 -pthread -DFENCE -o "$work/fenced" tests/capture/live.c || exit 2
gcc -g -O2 -pthread -DFENCE -no-pie -static -o "$work/static" tests/capture/live.c || exit 2

"$SIMULATE" capture --live P0 -o "$work/t.yaml" -- "$work/relaxed" > "$work/report" 2>&1
if grep -q 'container forbids ptrace\|ptrace_scope' "$work/report"; then
    echo 'ptrace is forbidden here: not tested'
    exit 0
fi

judged() {
    verdict=$1
    what=$2
    shift 2
    "$SIMULATE" capture "$@" > "$work/report" 2>&1
    "$SIMULATE" "$work/t.yaml" >> "$work/report" 2>&1
    if grep -q "^$verdict  " "$work/report"; then
        good
    else
        bad "$what is not: $verdict"
    fi
}

# Both threads stop at their first turn, when all is 0.
for functions in P0,P1 raise_flag,raise_flag; do
    judged violation "$functions without fences" --live $functions --expect "$never" -o "$work/t.yaml" -- "$work/relaxed"
    grep -q '(live.c:[0-9]*)' "$work/report" || bad 'no lines of source'
    judged pass "$functions with fences" --live $functions --expect "$never" -o "$work/t.yaml" -- "$work/fenced"
    judged pass "$functions, static" --live $functions --expect "$never" -o "$work/t.yaml" -- "$work/static"
done
# An argument, thread-local data and a call: 3 and what the other one's y was.
judged pass 'count' --live count,count --expect 'always: P0:eax == 3 || P0:eax == 4' -o "$work/t.yaml" -- "$work/fenced"

# A process that was running before goes on as it was, and two captures of it are the same.
"$work/fenced" &
running=$!
tries=0
while [ $tries -lt 100 ] && ! grep -q '^Threads:	2$' "/proc/$running/status"; do
    tries=$((tries + 1))
    sleep 0.1
done
for file in one two; do
    "$SIMULATE" capture --pid "$running" --function raise_flag,raise_flag --name live \
        -o "$work/$file.yaml" > "$work/report" 2>&1 || bad "--pid, $file"
done
for file in one two; do
    sed '/data: .*init/d' "$work/$file.yaml" | sort | sed 's/rdi: one/rdi: F/; s/rdi: two/rdi: F/' > "$work/$file.sorted"
done
if cmp -s "$work/one.sorted" "$work/two.sorted"; then good; else bad 'two captures differ'; fi
"$SIMULATE" capture --pid "$running" --function never --max-seconds 0.1 > "$work/report" 2>&1
if grep -q "'never' was not reached by a thread of its own in 0.1 s" "$work/report"; then
    good
else
    bad 'a function that is not reached'
fi
sleep 0.1
if grep -q '^TracerPid:	0$' "/proc/$running/status" && grep -q '^State:	[RS]' "/proc/$running/status" &&
    grep -q '^Threads:	2$' "/proc/$running/status"; then
    good
else
    bad 'the process does not go on'
fi
kill -9 "$running"
wait "$running" 2> /dev/null
running=

refuse() {
    words=$1
    shift
    echo old > "$work/kept.yaml"
    "$SIMULATE" capture -o "$work/kept.yaml" "$@" > "$work/report" 2>&1
    if [ $? -eq 2 ] && grep -qF -- "$words" "$work/report" && [ "$(cat "$work/kept.yaml")" = old ]; then
        good
    else
        bad "capture $*: nothing says '$words'"
    fi
}
strip -o "$work/stripped" "$work/relaxed"
refuse "did you mean 'never'" --live nevr -- "$work/relaxed"
refuse 'it is stripped' --live P0 -- "$work/stripped"
refuse "ended before 'never', 'P0' was reached" --live never,P0 -- "$work/relaxed" 7
refuse "'P0' was not reached" --live P0,P0,P0 --max-seconds 0.2 -- "$work/relaxed"
refuse 'could not be run: No such file' --live P0 -- "$work/none"
refuse 'there is no such process' --pid 2147483646 --function P0
refuse 'expected the number of a process' --pid x --function P0
refuse 'belong together' --pid 1
refuse 'belong together' --function P0
refuse 'expected the program to run' --live P0
refuse 'expected a number of seconds' --live P0 --max-seconds 0 -- "$work/relaxed"

finish
