# SPDX-License-Identifier: GPL-2.0-or-later
# Code of a kernel, as it is patched when a kernel starts. Read by run.sh, whose functions it uses.
# shellcheck shell=sh disable=SC2154 # $compilers, $work and $SIMULATE are run.sh's

# Captures for a profile and judges with it: verdict, profile, compiler and options, target, more.
judge_kernel() {
    verdict=$1
    profile=$2
    how=$3
    shift 3
    # shellcheck disable=SC2086
    if ! "$SIMULATE" capture "$@" --profile "$profile" -o "$work/t.yaml" -- $how \
        > "$work/report" 2>&1; then
        bad "$* for $profile with $how cannot be captured"
        return
    fi
    [ ! -s "$work/more.yaml" ] || cat "$work/more.yaml" >> "$work/t.yaml"
    "$SIMULATE" -q -p "$profile" "$work/t.yaml" > "$work/report" 2>&1
    if grep -q "^$verdict  " "$work/report"; then
        good
    else
        bad "$* for $profile with $how is not: $verdict" 30
    fi
}

# What the last trace has as code, in its comments.
has_code() {
    if grep -qF -- "$1" "$work/t.yaml"; then
        good
    else
        cp "$work/t.yaml" "$work/report"
        bad "the trace lacks: $1" 60
    fi
}

# Two fences before WRMSR: Intel's parts keep them, AMD's need and get none.
for compiler in $compilers; do
    for layout in 12 13 14; do
        for profile in intel amd zen4; do
            cat > "$work/more.yaml" << 'MORE'
handlers:
  - {cpu: P1, vector: 0xf2, asm: "mov ebx, dword ptr [msg]\nmov dword ptr [done], 1\niretq\n"}
MORE
            judge_kernel pass $profile "$compiler -O2 -DLAYOUT=$layout" x2apic.c:P0,P1 \
                --observe P1:ebx --expect 'never: P1:ebx == 0'
            case $profile in
            intel) has_code 'mfence' ;;
            *) has_code 'nop word ptr [rax + rax]' ;;
            esac
        done
        judge_kernel violation intel "$compiler -O2 -DLAYOUT=$layout -DBROKEN" x2apic.c:P0,P1 \
            --observe P1:ebx --expect 'never: P1:ebx == 0'
        judge_kernel pass amd "$compiler -O2 -DLAYOUT=$layout -DBROKEN" x2apic.c:P0,P1 \
            --observe P1:ebx --expect 'never: P1:ebx == 0'
        : > "$work/more.yaml"
    done
done

# Paravirtual operations: by the table's value, or (gcc describes it) by the names in its type.
for compiler in $compilers; do
    for options in '' -DABSOLUTE '-DLAYOUT=13'; do
        how="$compiler -O2 -fno-pic $options"
        judge_kernel violation intel "$how -DWITH_TABLE" kernel.c:P0,P1 \
            --expect 'never: P0:eax == 0 && P1:eax == 0'
        has_code ' cli'
        has_code ' sti'
        judge_kernel pass intel "$how -DWITH_TABLE" kernel.c:identity --arg P0:rdi=77 \
            --expect 'always: P0:rax == 77'
        judge_kernel pass intel "$how -DWITH_TABLE" kernel.c:nothing --expect 'always: x == 1'
        judge_kernel pass intel "$how -DWITH_TABLE" kernel.c:delays --expect 'always: P0:eax == 1'
        judge_kernel pass intel "$how" kernel.c:alternative_call --expect 'always: P0:eax == 2'
        judge_kernel pass intel "$how" kernel.c:alternative_call --expect 'always: P0:eax == 1' \
            --feature '9*32+9=off'
        judge_kernel pass amd "gcc -O2 -fno-pic $options" kernel.c:identity --arg P0:rdi=77 \
            --expect 'always: P0:rax == 77'
        judge_kernel pass amd "gcc -O2 -fno-pic $options" kernel.c:delays \
            --stub pv_ops.io_delay --expect 'always: P0:eax == 0'
    done
    how="$compiler -O2 -fno-pic"
    judge_kernel pass amd "$how -DWITH_TABLE" kernel.c:direct_call --expect 'always: P0:eax == 10'
    judge_kernel pass amd "$how" kernel.c:off_and_on --expect 'always: x == 1'
    has_code '4 alternatives, as amd parts get them'
    has_code ' cli'
    has_code ' sti'
done

# Captures from a linked kernel, and judges.
judge_linked() {
    target=$1
    shift
    if "$SIMULATE" capture "$work/kernel:$target" --profile intel -o "$work/t.yaml" "$@" \
        > "$work/report" 2>&1 &&
        "$SIMULATE" -q -p intel "$work/t.yaml" > "$work/report" 2>&1; then
        good
    else
        bad "$target of a linked kernel, $compiler $options"
    fi
}

# The same once linked: replacements count from where they stand, the table holds addresses.
for compiler in $compilers; do
    for options in -DABSOLUTE -DLAYOUT=13 ''; do
        # shellcheck disable=SC2086
        $compiler -g -O2 -fno-pic -no-pie -nostdlib -Wl,-e,P0 -DWITH_TABLE -DLINKED $options \
            -o "$work/kernel" kernel.c
        judge_linked identity --arg P0:rdi=77 --expect 'always: P0:rax == 77'
        judge_linked nothing --expect 'always: x == 1'
        judge_linked delays --expect 'always: P0:eax == 1'
        judge_linked alternative_call --expect 'always: P0:eax == 2'
        judge_linked alternative_operand --init x=5 --expect 'always: P0:eax == 5'
        judge_linked alternative_operand --expect 'always: P0:eax == 1' \
            --feature '9*32+9=off'
    done
    judge_linked direct_call --expect 'always: P0:eax == 10'
    judge_linked off_and_on --expect 'always: x == 1'
    has_code ' cli'
done
refuse "goes to 'pv_ops.io_delay', which is in none of the files" kernel.c:delays \
    --profile intel -o "$work/kept.yaml" -- gcc -O2 -fno-pic

# Retpolines, return thunks and calls for tracing become what they are without mitigation.
for compiler in $compilers; do
    case $compiler in
    gcc) thunks='-mindirect-branch=thunk-extern -mfunction-return=thunk-extern' ;;
    *) thunks=-mretpoline-external-thunk ;;
    esac
    built="$compiler -O2 $thunks -pg -mfentry -fcf-protection=branch"
    judge_one pass "$built" thunks.c:written --expect 'always: calls == 2'
    judge_one pass "$built -fno-pic" thunks.c:written --init calls=5 --expect 'always: calls == 11'
    has_code 'retpolines are plain indirect branches'
    has_code 'return thunks are plain returns'
    has_code ' endbr64'
    judge_one unknown "$built" thunks.c:through --expect 'always: P0:eax == 1'
    has_code ' call r'
    judge_one unknown "$built" thunks.c:tail --expect 'always: pointer == 0'
    has_code ' jmp r'
    # What has a table of faults is taken as it is; a BUG() that is reached is told.
    judge_one pass "$built" thunks.c:bug --expect 'always: P0:eax == 1'
    judge_one unknown "$built" thunks.c:bug --arg P0:rdi=1 --expect 'always: P0:eax == 1'
    grep -q 'ud2' "$work/report" || bad 'nothing says that a BUG() was reached'
    judge_one pass "$built" thunks.c:guarded --arg P0:rdi=calls --expect 'always: P0:eax == 0'
done
# A thunk that the file itself has runs as it is.
judge_one pass 'gcc -O2 -mfunction-return=thunk' thunks.c:bug --expect 'always: P0:eax == 1'
has_code '# __x86_return_thunk'

# Per-CPU data: in the file or in none, with an offset from the area's start or from rip.
for compiler in $compilers; do
    for options in '' -DINSIDE -DABSOLUTE '-DABSOLUTE -DINSIDE'; do
        built="$compiler -O2 -fno-pic $options"
        judge_one pass "$built" percpu.c:count,count \
            --expect 'always: P0:eax == 60 && P1:eax == 61 && P0_counter == 6 && P1_counter == 6'
        judge_one pass "$built" percpu.c:walk --expect 'always: P0:rax == 931'
        judge_one pass "$built" percpu.c:exchange,exchange \
            --expect 'never: P0:eax == 0 && P1:eax == 0' --expect 'sometimes: P1:eax == 1'
        judge_one violation "$built -DBROKEN" percpu.c:exchange,exchange \
            --expect 'never: P0:eax == 0 && P1:eax == 0'
        judge_one pass "$built" percpu.c:count,count --init P0_counter=7 \
            --expect 'always: P0:eax == 80 && P1:eax == 61'
        judge_one pass "$built" percpu.c:read,read --arg P0:rdi=counter --arg P1:rdi=counter \
            --expect 'always: P0:eax == 5 && P1:eax == 5'
        judge_one pass "$built" percpu.c:guard --expect 'always: P0:rax == 0'
    done
    cat > "$work/kernel.lds" << 'SCRIPT'
SECTIONS
{
    /DISCARD/ : { *(.note*) *(.comment) *(.eh_frame*) }
    .data..percpu 0 : { *(.data..percpu*) }
    .text 0x1000000 : { *(.text*) }
    .data : { *(.data) }
    .bss : { *(.bss) }
}
SCRIPT
    for options in '' -DABSOLUTE; do
        # shellcheck disable=SC2086
        $compiler -g -O2 -fno-pic -no-pie -nostdlib -DINSIDE -DLINKED $options \
            -Wl,-e,count,-T,"$work/kernel.lds" -o "$work/kernel" percpu.c 2> "$work/report"
        judge_linked count,count \
            --expect 'always: P0:eax == 60 && P1:eax == 61 && P0_counter == 6 && P1_counter == 6'
        judge_linked walk --expect 'always: P0:rax == 931'
        judge_linked exchange,exchange --expect 'never: P0:eax == 0 && P1:eax == 0' \
            --expect 'sometimes: P1:eax == 1'
    done
done

# Static keys: as compiled, or as told; static calls go where their trampolines do.
for compiler in $compilers; do
    for options in '' -DOLD; do
        built="$compiler -O2 -fno-pic $options"
        while read -r function key result; do
            # shellcheck disable=SC2086
            judge_one pass "$built" "static_keys.c:$function" ${key:+$key} \
                --expect "always: P0:eax == $result"
        done << 'ROWS'
unlikely --static-key=fast=off 1
unlikely --static-key=fast=on 2
likely --static-key=slow=off 2
likely --static-key=slow=on 1
rebuilt --static-key=local=off 1
rebuilt --static-key=local=on 2
small --static-key=local=off 1
small --static-key=local=on 2
ROWS
        for row in unlikely=1 likely=2 rebuilt=1 small=1; do
            judge_one pass "$built" "static_keys.c:${row%=*}" \
                --expect "always: P0:eax == ${row#*=}"
            has_code 'as compiled'
        done
        judge_one pass "$built" static_keys.c:static_call --expect 'always: P0:eax == 3'
    done
done

# The same linked.
for options in '' -DOLD; do
    # shellcheck disable=SC2086
    gcc -g -O2 -fno-pic -no-pie -nostdlib -Wl,-e,chosen $options -o "$work/kernel" static_keys.c
    judge_linked unlikely --expect 'always: P0:eax == 1'
    judge_linked unlikely --static-key fast=on --expect 'always: P0:eax == 2'
    judge_linked likely --static-key slow=on --expect 'always: P0:eax == 1'
    judge_linked small --static-key local=on --expect 'always: P0:eax == 2'
    judge_linked static_call --expect 'always: P0:eax == 3'
done
