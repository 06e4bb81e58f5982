#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Captured code: compiles the sources beside it with every compiler that is there, captures, and
# looks at the verdict, at the lines of source in the report, and at what errors say. Sources
# whose header is not installed are left out, which is said. With SLOW=1 at more levels of
# optimisation.
cd "$(dirname "$0")/../.." || exit 2
top=$(pwd)
SIMULATE=${SIMULATE:-./simulate}
case $SIMULATE in /*) ;; *) SIMULATE=$top/$SIMULATE ;; esac
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp"
export TMPDIR="$work/tmp"
# shellcheck disable=SC1091
. tests/count.sh
cd tests/capture || exit 2
levels=-O2
[ -z "$SLOW" ] || levels='-O1 -O2 -O3'
compilers=
for compiler in gcc clang; do
    if command -v $compiler > /dev/null; then
        compilers="$compilers $compiler"
    else
        echo "$compiler is not installed: not tested"
    fi
done

# Captures with one compiler and judges: verdict, compiler and options, SOURCE:FUNCTIONS, more.
judge_one() {
    verdict=$1
    how=$2
    target=$3
    shift 3
    # Word splitting is meant: $how is a compiler with its options.
    # shellcheck disable=SC2086
    if ! "$SIMULATE" capture "$target" "$@" -o "$work/t.yaml" -- $how > "$work/report" 2>&1; then
        bad "$target with $how cannot be captured"
        return
    fi
    "$SIMULATE" "$work/t.yaml" > "$work/report" 2>&1
    if ! grep -q "^$verdict  " "$work/report"; then
        bad "$target with $how is not: $verdict" 30
        return
    fi
    # A violation shows the lines that the source marks as part of it.
    if [ "$verdict" = violation ]; then
        # shellcheck disable=SC2013
        for line in $(sed -n '/\* seen \*/=' "${target%%:*}"); do
            if ! grep -q "(${target%%:*}:$line)" "$work/report" && ! is_left_out "$line" "${target%%:*}"; then
                bad "$target with $how: no step at line $line" 30
                return
            fi
        done
    fi
    good
}

# Whether a marked line is not compiled with BROKEN.
is_left_out() {
    gcc -DBROKEN -fsyntax-only -E "$2" 2> /dev/null | grep -qF "$(sed -n "$1s, */[*].*,,p" "$2")" && return 1
    return 0
}

# The working source passes and the broken one fails, with every compiler at several levels.
judge() {
    for compiler in $compilers; do
        for level in $levels; do
            judge_one pass "$compiler $level $options" "$@"
            judge_one violation "$compiler $level $options -DBROKEN" "$@"
        done
    done
}

has_header() {
    echo "#include <$1>" | gcc -fsyntax-only -xc - 2> /dev/null && return
    echo "$1 is not installed: not tested"
    return 1
}

options=
judge peterson.c:P0,P1 --expect 'never: count != 2'
judge seqlock.c:P0,P1 --expect 'never: P1:eax != 0 && P1:eax != 11'
judge spsc.c:push,pop --arg P0:rdi=ring --arg P0:rsi=5 --arg P1:rdi=ring \
    --expect 'never: P1:eax != 5 && P1:eax != 0xffffffff'
judge treiber.c:push,push --arg P0:rdi=stack --arg P1:rdi=stack --arg P0:rsi=one \
    --arg P1:rsi=two --init stack=0 --expect 'never: one_next == 0 && two_next == 0'
judge wait_wake.c:waiter,waker --expect 'never: P0:eax == 0 && P1:eax == 0'
judge chase_lev.c:pop,steal_two --expect 'never: P0:eax == 8 && (P1:eax == 78 || P1:eax == 8)'
judge sb.c:P0,P1 --expect 'never: P0:eax == 0 && P1:eax == 0'
judge ticket.c:enter,enter --expect 'never: count != 2'
if has_header urcu/uatomic.h; then
    judge urcu.c:P0,P1 --expect 'never: P0:eax == 0 && P1:eax == 0'
fi
if has_header ck_ring.h; then
    judge ck.c:add,add --expect 'never: count != 2'
    judge ck_ring.c:put,take --expect 'never: P1:eax != 5 && P1:eax != 0xffffffff'
fi

# A pop of one node and a push of another: the popped value is the top's of some moment.
for compiler in $compilers; do
    judge_one pass "$compiler -O2" treiber.c:push,pop --arg P0:rdi=stack --arg P0:rsi=two \
        --arg P1:rdi=stack --expect 'never: P1:rax != 1 && P1:rax != 2' \
        --expect 'sometimes: P1:rax == 1' --expect 'sometimes: P1:rax == 2'
done

# The mutex of a C library, out of its archive.
musl=/usr/lib/x86_64-linux-musl/libc.a
if [ -e $musl ]; then
    options='-nostdinc -isystem /usr/include/x86_64-linux-musl'
    judge mutex.c:add,add $musl --expect 'never: count != 2'
    options=
else
    echo 'musl is not installed: not tested'
fi
glibc=$(gcc -print-file-name=libc.a)
case $glibc in
/*)
    for compiler in $compilers; do
        judge_one pass "$compiler -O2" mutex.c:add,add "$glibc" --trap '*' \
            --expect 'never: count != 2'
    done
    ;;
esac

# Code that a kernel patches: Intel's parts get the fence, AMD's do not; in both layouts of the table.
judge_patched() {
    profile=$1
    patched_with=$2
    verdict=$3
    # shellcheck disable=SC2086
    "$SIMULATE" capture alternative.c:P0,P1 --profile "$profile" \
        --expect 'never: P0:eax == 0 && P1:eax == 0' -o "$work/t.yaml" -- $patched_with > "$work/report" 2>&1
    "$SIMULATE" -q -p "$profile" "$work/t.yaml" >> "$work/report" 2>&1
    if grep -q "^$verdict" "$work/report"; then
        good
    else
        bad "alternative.c for $profile with $patched_with is not: $verdict"
    fi
}
for compiler in $compilers; do
    for layout in '' -DINVERTED -DOLD '-DOLD -DINVERTED'; do
        judge_patched intel "$compiler -O2 $layout" pass
        judge_patched amd "$compiler -O2 $layout" violation
    done
done
judge_one pass 'gcc -O2' alternative.c:patched_call --profile amd --expect 'always: calls == 1'

# ---- every way to reach data and functions, beside what the machine does ----

# The values that the trace ends with are those that the program printed.
compare_data() {
    what=$1
    shift
    if ! "$SIMULATE" capture "$@" --arg P0:rdi=1 --observe P0:eax --observe common_one \
        --observe table_0 --observe P0_counter --observe P0_sums_1 \
        -o "$work/t.yaml" > "$work/report" 2>&1; then
        bad "$what cannot be captured"
        return
    fi
    "$SIMULATE" --only order "$work/t.yaml" > "$work/report" 2>&1
    # Large values are printed as hex there.
    sed -n 's/^    \(P0:eax=.*\)$/\1/p' "$work/report" | tr ' ' '\n' |
        while IFS='=' read -r name value; do printf '%s=%d ' "$name" "$((value))"; done |
        sed 's/ $//' > "$work/found"
    if [ "$(cat "$work/found")" = "$expected" ]; then
        good
    else
        bad "$what: expected $expected, found $(cat "$work/found")" 20
    fi
}

for compiler in $compilers; do
    $compiler -DMAIN -o "$work/main" data.c && expected=$("$work/main")
    for flags in -O0 -O1 -O2 -O3 '-O2 -fcommon' '-O2 -fno-pic' '-Os -ffunction-sections -fdata-sections' \
        '-O2 -fPIC -ftls-model=initial-exec' '-O2 -fPIC -fno-plt -ftls-model=initial-exec'; do
        # shellcheck disable=SC2086
        $compiler -g $flags -c -o "$work/data.o" data.c &&
            $compiler -g $flags -c -o "$work/elsewhere.o" elsewhere.c
        compare_data "data.o, $compiler $flags" "$work/data.o:all" "$work/elsewhere.o"
        compare_data "data.o with a stub, $compiler $flags" "$work/data.o:all" \
            --stub "elsewhere=$(printf '%s' "$expected" | sed 's/P0:eax=\([0-9]*\).*/\1/')"
    done
    rm -f "$work/libdata.a"
    ar rcs "$work/libdata.a" "$work/elsewhere.o" "$work/data.o"
    compare_data "an archive, $compiler" "$work/libdata.a:all"
    for flags in '-O2' '-O2 -static' '-O2 -fno-pic -no-pie' '-O2 -fno-pic -no-pie -Wl,--emit-relocs'; do
        # shellcheck disable=SC2086
        $compiler -g -DMAIN $flags -o "$work/data" data.c 2> /dev/null
        compare_data "an executable, $compiler $flags" "$work/data:all"
    done
    $compiler -g -O2 -fPIC -ftls-model=initial-exec -shared -o "$work/libdata.so" data.c elsewhere.c
    compare_data "a shared library, $compiler" "$work/libdata.so:all"
done

# Jump tables: what each number leads to.
set -- 11,0 7,1 1,0 2,5 109,9 110,10 66,0 4294967295,0 88,0 4294967295,0
number=0
for expected in "$@"; do
    for compiler in $compilers; do
        for flags in -O0 -O2 '-O2 -fno-pic' '-O2 -fPIC'; do
            case $SLOW$number in [1267]) continue ;; esac
            judge_one pass "$compiler $flags" jumps.c:choose --arg P0:rdi=$number \
                --expect "always: P0:eax == ${expected%,*} && seen == ${expected#*,}"
        done
    done
    number=$((number + 1))
done

# The shipped comparison of compilers: a row each, and all of them in order.
SIMULATE="$SIMULATE" COMPILERS=gcc ../../traces/compilers/compare.sh > "$work/report" 2>&1
if [ "$(grep -c '| yes | [0-9.]* |$' "$work/report")" -eq 8 ]; then
    good
else
    bad 'traces/compilers/compare.sh' 20
fi

# Addresses of functions are the same for all who know them, of different ones different.
for compiler in $compilers; do
    for flags in -O0 -O2 '-O2 -fPIC' '-O2 -ffunction-sections' '-O2 -fno-pic'; do
        judge_one pass "$compiler $flags" addresses.c:publish,compare --expect 'always: P1:eax == 1'
        judge_one pass "$compiler $flags" addresses.c:publish_called,compare_called \
            --expect 'always: P1:eax == 11'
        judge_one pass "$compiler $flags" addresses.c:same_in_data --expect 'always: P0:eax == 11'
    done
done

for compiler in $compilers; do
    for flags in -O0 -O2 '-O2 -fPIC' '-O2 -fno-pic'; do
        judge_one pass "$compiler $flags" addresses.c:go_to --arg P0:rdi=4 --expect 'always: P0:eax == 110'
    done
    judge_one pass "$compiler -O2 -fsanitize=signed-integer-overflow -fsanitize-undefined-trap-on-error" \
        addresses.c:overflows --arg P0:rdi=4 --expect 'always: P0:eax == 5'
    # What is not modelled is called by its name.
    judge_one unknown "$compiler -O2" addresses.c:through_data
    if grep -q 'the object code_f, where it has no code' "$work/report"; then good; else
        bad 'addresses.c:through_data does not say where it jumps to'
    fi
done

# As a linker has it: a strong definition counts, and of weak ones the first, for all files.
printf 'int x __attribute__((weak)) = 1; int flag; static int f(void) { return 1; } void *one = f;
__attribute__((weak)) int get(void) { return 1; }
int P0(void) { x = 2; __atomic_store_n(&flag, 1, __ATOMIC_RELEASE); return get(); }\n' > "$work/weak.c"
printf 'int x = 5; extern int flag; extern void *one; static int f(void) { return 2; } void *two = f;
int get(void) { return 2; }
int P1(void) { while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) ; return x; }
int same(void) { return one == two; }\n' > "$work/strong.c"
printf '__attribute__((weak)) int x = 3; extern int flag;
int P2(void) { while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) ; return x; }\n' > "$work/third.c"
judge_one pass 'gcc -O2' "$work/weak.c:P0" "$work/third.c:P2" "$work/strong.c:P1" \
    --expect 'always: P0:eax == 2 && P1:eax == 2 && P2:eax == 2'
judge_one pass 'gcc -O2' "$work/third.c:P2" "$work/weak.c:P0" --expect 'always: P2:eax == 2'
judge_one pass 'gcc -O2' "$work/weak.c" "$work/strong.c:same" --expect 'always: P0:eax == 0'

# The end of an array is an address, also where nothing is behind it.
gcc -g -O2 -o "$work/data" -DMAIN addresses.c
for cpu in last_of_data last_of_constants; do
    "$SIMULATE" capture "$work/data:$cpu" --expect 'always: P0:eax == 16' -o "$work/t.yaml" > "$work/report" 2>&1
    "$SIMULATE" -q "$work/t.yaml" >> "$work/report" 2>&1
    if grep -q '^pass' "$work/report"; then good; else bad "addresses.c:$cpu"; fi
done

# What the trace does not have is named: constructors, and functions that are left out.
if command -v g++ > /dev/null; then
    printf 'extern "C" int f(); int x = f(); extern "C" int P0() { return x + f(); }\n' > "$work/made.cc"
    "$SIMULATE" capture "$work/made.cc:P0" --trap f -o "$work/t.yaml" -- g++ -O2 > "$work/report" 2>&1
    "$SIMULATE" "$work/t.yaml" >> "$work/report" 2>&1
    if grep -q 'constructors of .*made.cc, which run before main, were not run' "$work/t.yaml" &&
        grep -q 'int3: no model covers it  (f, left out)' "$work/report"; then good; else bad made.cc; fi
else
    echo 'g++ is not installed: not tested'
fi

# ---- what cannot be captured ----

# An executable and the library whose data it has a copy of, or shares.
printf 'int shared = 5, flag;
int P1(void) { while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) ; return shared; }\n' > "$work/library.c"
printf 'extern int shared, flag;
void P0(void) { shared = 42; __atomic_store_n(&flag, 1, __ATOMIC_RELEASE); }
int main(void) { return 0; }\n' > "$work/program.c"
gcc -O2 -fPIC -shared -o "$work/library.so" "$work/library.c"
gcc -O2 -fPIC -o "$work/shares" "$work/program.c" "$work/library.so"
gcc -O2 -fno-pic -no-pie -o "$work/copies" "$work/program.c" "$work/library.so"
"$SIMULATE" capture "$work/shares:P0" "$work/library.so:P1" --expect 'always: P1:eax == 42' \
    -o "$work/t.yaml" > "$work/report" 2>&1
"$SIMULATE" -q "$work/t.yaml" >> "$work/report" 2>&1
if grep -q '^pass' "$work/report"; then good; else bad 'an executable and its library'; fi

# Must end with 2, say `words`, and leave the output file as it was.
refuse() {
    words=$1
    shift
    echo old > "$work/kept.yaml"
    "$SIMULATE" capture "$@" > "$work/report" 2>&1
    status=$?
    if [ $status -ne 2 ]; then
        bad "capture $*: status $status"
    elif ! grep -qF -- "$words" "$work/report"; then
        bad "capture $*: nothing says '$words'"
    elif [ "$(cat "$work/kept.yaml")" != old ]; then
        bad "capture $*: the output was touched"
    else
        good
    fi
}

# Reads more tests, of a kernel's code.
# shellcheck disable=SC1091
. ./kernel.sh

cat > "$work/odd.c" << 'END'
extern int missing(int);
extern _Thread_local int other;
int number = 3;
int calls(int i) { return missing(i) + 1; }
int thread(void) { return other; }
static int local(int i) { return i; }
int uses(int i) { return local(i); }
int through_gs(void) { int i; asm volatile("movl %%gs:number(%%rip), %0" : "=r"(i)); return i; }
int counts(void) { return number++; }
void reads_code(void);
asm(".globl reads_code; .type reads_code,@function; reads_code: movzbl calls(%rip), %eax; ret;"
    ".size reads_code, .-reads_code");
void cut(void);
asm(".text; .globl cut; .type cut,@function; cut: .byte 0xc7,0x05; .size cut,2");
void runs_off(void);
asm(".globl runs_off; .type runs_off,@function; runs_off: movl $1, %eax; .size runs_off, .-runs_off; nop");
void jumps_out(void);
asm(".globl jumps_out; .type jumps_out,@function; jumps_out: jmp .Lnowhere; .size jumps_out, .-jumps_out;"
    ".section .strange,\"ax\"; .Lnowhere: ret; .text");
END
echo 'void _ZN1a6writerEv(void) {}' > "$work/mangled.c"
out=$work/kept.yaml
gcc -g -O1 -c -o "$work/odd.o" "$work/odd.c"
cp "$work/odd.o" "$work/stripped.o" && strip "$work/stripped.o"
head -c 1000 "$work/odd.o" > "$work/truncated.o"
{ head -c 18 "$work/odd.o"; printf '\267\000'; tail -c +21 "$work/odd.o"; } > "$work/arm.o"
{ head -c 4 "$work/odd.o"; printf '\001'; tail -c +6 "$work/odd.o"; } > "$work/small.o"
: > "$work/empty.o"
ar rcS "$work/no_table.a" "$work/odd.o"
refuse 'No such file' "$work/none.o:f" -o "$out"
refuse 'neither an ELF file nor an archive' "$work/odd.c:f" -o "$out"
refuse 'neither an ELF file nor an archive' "$work/empty.o:f" -o "$out"
refuse 'is no file' "$work:f" -o "$out"
refuse "has no function 'cals' (did you mean 'calls'" "$work/odd.o:cals" -o "$out"
refuse "holds data, not a function, named 'number'" "$work/odd.o:number" -o "$out"
refuse 'it is stripped' "$work/stripped.o:calls" -o "$out"
refuse 'truncated' "$work/truncated.o:calls" -o "$out"
refuse 'for another machine (number 183)' "$work/arm.o:calls" -o "$out"
refuse 'a 32-bit ELF file' "$work/small.o:calls" -o "$out"
refuse 'run ranlib' "$work/no_table.a:calls" -o "$out"
refuse "goes to 'missing', which is in none of the files" "$work/odd.o:calls" -o "$out"
refuse "thread-local data" "$work/odd.o:thread" -o "$out"
refuse "through gs to data that is not" "$work/odd.o:through_gs" -o "$out"
refuse "has the byte 0xc7 at offset 0, which cannot be decoded" "$work/odd.o:cut" -o "$out"
refuse "runs off its end" "$work/odd.o:runs_off" -o "$out"
refuse "leaves its function for .strange+0x0" "$work/odd.o:jumps_out" -o "$out"
refuse "expected CPU:REGISTER=VALUE" "$work/odd.o:uses" --arg rdi=1 -o "$out"
cp "$work/odd.o" "$work/again.o"
refuse "again.o: error: defines 'number', which $work/odd.o defines, too" "$work/odd.o:counts" \
    "$work/again.o" -o "$out"
refuse "reads_code+3 reads or writes bytes among code" "$work/odd.o:reads_code" -o "$out"
refuse 'does not fit into 4 bytes' "$work/odd.o:counts" --init number=4294967296 -o "$out"
refuse 'does not fit into 4 bytes' "$work/odd.o:counts" --init number=-2147483649 -o "$out"
refuse 'does not fit into 4 bytes' "$work/odd.o:counts" --init number=99999999999999999999 -o "$out"
refuse '--stub mising: no function is called that' "$work/odd.o:uses" --stub mising -o "$out"
refuse '--trap local=: no function' "$work/odd.o:calls" --trap local= --stub missing -o "$out"
refuse '--feature 3: expected a number' "$work/odd.o:uses" --feature 3 -o "$out"
refuse '--feature 3=ON: expected a number' "$work/odd.o:uses" --feature 3=ON -o "$out"
refuse 'nothing is patched without --profile' "$work/odd.o:uses" --feature 3=on -o "$out"
refuse "has thread-local data named 'other'" "$work/odd.o:thread" -o "$out"
refuse 'compile without -flto' "$work/odd.c:uses" -o "$out" -- gcc -flto -fno-fat-lto-objects
refuse 'the compiler made no object file' "$work/odd.c:uses" -o "$out" -- gcc -S
refuse "did you mean '_ZN1a6writerEv'" "$work/mangled.c:writer" -o "$out" -- gcc
refuse "has a copy of 'flag' of $work/library.so" "$work/copies:P0" "$work/library.so:P1" -o "$out"
refuse "refers to '__stop_numbers', which a linker makes" addresses.c:bounds -o "$out" -- gcc -O2
refuse "there is no CPU 'P1'" "$work/odd.o:uses" --arg P1:rdi=1 -o "$out"
refuse "no whole register" "$work/odd.o:uses" --arg P0:edi=1 -o "$out"
refuse "'nothing', which the files do not have" "$work/odd.o:uses" --arg P0:rdi=nothing -o "$out"
refuse "refers to no data named 'x'" "$work/odd.o:uses" --init x=1 -o "$out"
refuse "expected a condition" "$work/odd.o:uses" --expect 'never: ' -o "$out"
refuse "'z'" "$work/odd.o:uses" --observe z -o "$out"
refuse 'control character' "$work/odd.o:uses" --memory "x: {size: 8}
cpus: []" -o "$out"
refuse "no function to capture" "$work/odd.o" -o "$out"
refuse "nothing to capture" -o "$out"
refuse "did not compile it" "$work/none.c:f" -o "$out" -- gcc
refuse "could not be run" "$work/odd.c:f" -o "$out" -- no-such-compiler
refuse "feature 9*32+12, of which the profile says nothing" alternative.c:unknown_feature \
    --profile amd -o "$out" -- gcc -O2
refuse "expected a number of Linux's" alternative.c:P0 --profile amd --feature 9*32+x=on \
    -o "$out" -- gcc -O2
refuse "expected a number of Linux's" alternative.c:P0 --profile amd --feature 300=yes \
    -o "$out" -- gcc -O2
refuse "expected NAME=on or =off" alternative.c:P0 --static-key debug -o "$out" -- gcc -O2
refuse "the captured code has no such key" alternative.c:P0 --static-key debug=on \
    -o "$out" -- gcc -O2
refuse "is of no vendor" alternative.c:P0 --profile x86 -o "$out" -- gcc -O2
refuse "expected a compiler" "$work/odd.c:f" -o "$out" --
[ -z "$(ls "$work/tmp")" ] || bad 'a temporary folder was left behind'

finish
