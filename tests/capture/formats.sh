#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Bad disassemblies and dumps: each must end with 2, name the place, and write nothing. What gdb,
# objdump and od make of a compiled program is captured and must be judged like the program.
cd "$(dirname "$0")/../.." || exit 2
top=$(pwd)
SIMULATE=${SIMULATE:-./simulate}
case $SIMULATE in /*) ;; *) SIMULATE=$top/$SIMULATE ;; esac
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC1091
. tests/count.sh

# Text (as printf has it), the place that must be named, words of the message, more options.
refuse() {
    text=$1
    place=$2
    words=$3
    shift 3
    echo old > "$work/kept.yaml"
    # The text is a format on purpose.
    # shellcheck disable=SC2059
    printf "$text" | "$SIMULATE" capture --text - "$@" -o "$work/kept.yaml" > "$work/report" 2>&1
    status=$?
    if [ $status -ne 2 ]; then
        bad "'$text': status $status"
    elif ! grep -qF -- "-:$place" "$work/report"; then
        bad "'$text': no error at $place"
    elif ! grep -qF -- "$words" "$work/report"; then
        bad "'$text': nothing says '$words'"
    elif [ "$(cat "$work/kept.yaml")" != old ]; then
        bad "'$text': the output was touched"
    else
        good
    fi
}

refuse '' 1:1: 'found no code'
refuse '# nothing\n\n' 1:1: 'found no code'
refuse 'c3 9\n' 1:4: 'an odd number of digits'
refuse '90\nc3 xy\n' 2:4: 'found something else'
refuse '90 c3\000\n' 1:6: 'found a zero byte'
refuse '0000000 05c7 0001\n' 1:9: 'words of 4 digits'
refuse '00000000: 90 90  ..\n00000010: c3  .\n' 2:1: 'expected 0x2'
refuse '0000009 90 c3\n' 1:1: 'a wrong offset'
refuse '90 06\n' ' error' "has the byte 0x06 at offset 1"
refuse '8b 05 00 00 00 00 c3\n' ' error' 'use objdump -dr'
refuse '  401000:\tc3\n  401001:\n' 2:1: 'found nothing behind the address'
refuse '  401000:\tc7 05 00 00\n  401008:\tc3 \tret\n' 2:3: 'a line is missing'
refuse '  401000:\tmov eax, nonsense[\n  401005:\tret\n' 1:11: ''
refuse '  401000:\tmov eax, 1; ret\n' 1:21: 'the character 0x3b'
refuse '  401000:\t.incbin "/etc/passwd"\n' 1:19: 'the character 0x22'
refuse '  401000:\t.byte 1\n' 1:11: 'expected an instruction'
refuse '  401000:\tmov eax, 1\n  401003:\tret\n' 1:11: 'has 3 bytes in the listing, which GNU as makes 5'
refuse '  401000:\tje     402000 <far>\n  401002:\tret\n' 1:11: 'does not reach its target in 2 bytes'
refuse '  0:\te8 00 00 00 00\tcall 5\n\t\t\t1: R_X86_64_STRANGE\tx-0x4\n' 2:7: 'a relocation that is not supported'
refuse '  401000:\tc3\tret\n401000 <f>:\n  401000:\t90\tnop\n  401001:\tc3\tret\n' 3:3: 'other bytes at 0x401000'
refuse '  401000:\te8 fb 00 00 00\tcall 401100 <puts@plt>\n  401005:\tc3\tret\n' ' error' \
    "goes to 'puts', which is in none of the files"

refuse_command() {
    words=$1
    shift
    "$SIMULATE" capture "$@" > "$work/report" 2>&1
    if [ $? -eq 2 ] && grep -qF -- "$words" "$work/report"; then
        good
    else
        bad "capture $*: nothing says '$words'"
    fi
}
printf '\303' > "$work/raw"
refuse_command 'No such file' --text "$work/none"
refuse_command 'is a directory' --text "$work"
refuse_command "has no function 'g'" --text tests/capture/text/sb.objdump:g
refuse_command 'has 1 bytes from 0 on, expected 2' --raw "$work/raw" --length 2
refuse_command 'has no bytes at 1' --raw "$work/raw" --offset 1
refuse_command 'expected --raw FILE before it' --offset 1
refuse_command "found '-1', expected a number" --raw "$work/raw" --offset -1
refuse_command "found '0', expected a number" --raw "$work/raw" --length 0

# The same program by its file and by what tools show of it: the same code, the same verdict.
judged() {
    what=$1
    shift
    if "$SIMULATE" capture "$@" --expect 'never: P0:eax == 0 && P1:eax == 0' -o "$work/t.yaml" \
        > "$work/report" 2>&1; then
        "$SIMULATE" -q "$work/t.yaml" > "$work/report" 2>&1
    fi
    if grep -q "^$verdict" "$work/report"; then
        good
    else
        bad "$what is not: $verdict"
    fi
}
for options in '' -DBROKEN; do
    verdict=pass
    [ -z "$options" ] || verdict=violation
    # shellcheck disable=SC2086
    gcc -O2 $options -c -o "$work/sb.o" tests/capture/sb.c
    echo 'int P0(void), P1(void); int main(void) { return P0() + P1(); }' > "$work/main.c"
    for linked in -pie -no-pie; do
        gcc $linked -o "$work/sb" "$work/sb.o" "$work/main.c"
        for how in '-d' '-d -Mintel' '-d --no-show-raw-insn' '-d -w' '-d -Mintel --no-show-raw-insn'; do
            # shellcheck disable=SC2086
            objdump $how "$work/sb" > "$work/sb.txt"
            judged "objdump $how, $options $linked" --text "$work/sb.txt:P0,P1"
        done
        if command -v gdb > /dev/null; then # x/4i: all that P0 has
            gdb -nx -batch -ex 'x/4i P0' -ex 'disassemble /r P1' "$work/sb" > "$work/sb.txt" 2> /dev/null
            judged "gdb, $options $linked" --text "$work/sb.txt:P0,P1"
        fi
    done
    objdump -dr "$work/sb.o" > "$work/sb.txt"
    judged "objdump -dr, $options" --text "$work/sb.txt"
done

finish
