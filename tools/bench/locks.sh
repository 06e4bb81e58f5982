#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# N threads that take a lock once, count, and give it back. Each has a node of its own in rdi, by
# which they differ, unless they are to be alike.
#   locks.sh spin|ticket|mcs N [alike]
kind=$1
threads=$2
printf 'trace: 1\nname: %s-%s\nmemory:\n  count: {size: 8}\n  lock: {size: 8}\n  owner: {size: 8}\n' \
    "$kind" "$threads"
i=0
while [ "$i" -lt "$threads" ]; do
    printf '  node%s: {size: 16}\n' "$i"
    i=$((i + 1))
done
printf 'cpus:\n'
i=0
while [ "$i" -lt "$threads" ]; do
    if [ "${3:-}" = alike ]; then
        printf '  - asm: |\n'
    else
        printf '  - regs: {rdi: node%s}\n    asm: |\n' "$i"
    fi
    case $kind in
    spin) cat << 'END' ;;
      1: mov eax, 1
      xchg dword ptr [lock], eax
      test eax, eax
      jz 3f
      2: pause
      cmp dword ptr [lock], 0
      jne 2b
      jmp 1b
      3: inc dword ptr [count]
      mov dword ptr [lock], 0
END
    ticket) cat << 'END' ;;
      mov eax, 1
      lock xadd dword ptr [lock], eax
      1: cmp eax, dword ptr [owner]
      je 2f
      pause
      jmp 1b
      2: inc dword ptr [count]
      inc dword ptr [owner]
END
    mcs) cat << 'END' ;;
      mov qword ptr [rdi], 0
      mov qword ptr [rdi+8], 1
      mov rax, rdi
      xchg qword ptr [lock], rax
      test rax, rax
      jz 2f
      mov qword ptr [rax], rdi
      1: pause
      cmp qword ptr [rdi+8], 0
      jne 1b
      2: inc dword ptr [count]
      mov rdx, qword ptr [rdi]
      test rdx, rdx
      jnz 4f
      mov rax, rdi
      xor ecx, ecx
      lock cmpxchg qword ptr [lock], rcx
      jz 5f
      3: pause
      mov rdx, qword ptr [rdi]
      test rdx, rdx
      jz 3b
      4: mov qword ptr [rdx+8], 0
      5: nop
END
    esac
    i=$((i + 1))
done
printf 'observe: [count]\nexpect:\n  - always: count == %s\n' "$threads"
