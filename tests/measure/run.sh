#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measuring loops on this machine: dependent additions take a cycle each on every processor that the
# program knows, whatever else they cost, and code that dies or never ends is left out.
cd "$(dirname "$0")/../.." || exit 2
SIMULATE=${SIMULATE:-./simulate}
export SIMULATE
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/count.sh
. tests/count.sh

# What must hold, then the command that says whether it does.
holds() {
    what=$1
    shift
    "$@"
    result $? "$what"
}
if [ -n "${SANITIZERS:-}" ]; then
    echo 'skipped: what code costs is not measured with sanitizers'
    exit 0
fi
make -s measure > "$work/make" 2>&1 || cat "$work/make"

cat > "$work/loops" <<'END'
{"name": "additions", "asm": "add rax, rbx; add rax, rbx; add rax, rbx; add rax, rbx; add rax, rbx; add rax, rbx; add rax, rbx; add rax, rbx; add rax, rbx; add rax, rbx; add rax, rbx; add rax, rbx; add rax, rbx; add rax, rbx; add rax, rbx; add rax, rbx; add rax, rbx; add rax, rbx; add rax, rbx; add rax, rbx", "cycles": 1}
{"name": "chase", "asm": "mov rbx, qword ptr [rbx]", "memory": {"r": {"size": "4KiB", "init": "chase"}}, "regs": {"rbx": "r"}, "setup": "mov rbx, qword ptr [rbx]", "cycles": 1}
{"name": "for ever", "asm": "1: jmp 1b", "cycles": 1}
{"name": "fault", "asm": "mov rax, qword ptr [8]", "cycles": 1}
{"name": "old", "asm": ".Lloop:\nmovq (%rdi), %rax\naddq %rbx, %rcx\ndecq %r15\njnz .Lloop", "median": 3, "min": 2}
END
build/measure -c 0 -n 5 -t 1 "$work/loops" > "$work/out" 2> "$work/err"
status=$?
if grep -q 'samples were undisturbed' "$work/err"; then
    echo 'skipped: this machine is too busy to measure anything'
    exit 0
fi
holds 'something was left out' [ "$status" -eq 1 ]
holds 'the fault is named' grep -q '^fault: left out: Segmentation fault' "$work/err"
holds 'what never ends is named' grep -q '^for ever: left out: Alarm clock' "$work/err"
holds 'three lines remain' [ "$(wc -l < "$work/out")" -eq 3 ]
# On a machine that is busy with something else an iteration may look longer, not shorter.
cycles=$(sed -n 's/.*"name":"additions".*"cycles":\([0-9.]*\).*/\1/p' "$work/out")
holds "20 dependent additions take 20 cycles ($cycles)" \
    awk -v cycles="$cycles" 'BEGIN { exit !(cycles > 19.5 && cycles < 24) }'
holds 'an old line keeps its keys' grep -q '"median":.*"min":\|"min":.*"median":' "$work/out"
holds 'what was measured can be read again' \
    sh -c "$SIMULATE fit '$work/out' --base zen4 --free cli_hold -q > /dev/null"
holds 'no number' sh -c 'build/measure -n 5x /dev/null 2> /dev/null; [ $? -eq 2 ]'
holds 'no file' sh -c 'build/measure /no/such/file 2> /dev/null; [ $? -eq 2 ]'
tools/measure/loops.sh > "$work/questions"
holds 'the loops for a new part are read' \
    sh -c "$SIMULATE fit '$work/questions' --base zen4 --free cli_hold --max-seconds 1 -q > /dev/null 2>&1; [ \$? -ne 2 ]"
finish
