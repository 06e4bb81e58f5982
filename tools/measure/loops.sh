#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Loops that ask a processor for what the cycle model has parameters for, as a file of loops
# (docs/FIT.md) whose cycles are to be measured:
#   tools/measure/loops.sh > loops.jsonl; build/measure loops.jsonl > mine.jsonl
exec awk '
function out(group, name, code, memory, regs, setup) {
    printf "{\"name\": \"%s\", \"group\": \"%s\", \"asm\": \"%s\"", name, group, code
    if (memory == "") memory = "\"a\": {\"size\": \"64KiB\", \"align\": \"4KiB\"}, \"b\": {\"size\": \"64KiB\", \"align\": \"4KiB\"}"
    printf ", \"memory\": {%s}", memory
    if (regs == "") regs = "\"rdi\": \"a\", \"rsi\": \"b\""
    printf ", \"regs\": {%s}", regs
    if (setup != "") printf ", \"setup\": \"%s\"", setup
    print ", \"cycles\": 1}"
}
# n copies; every # in the text is the number of the copy times `step`.
function times(n, text, step,    i, all, one) {
    if (n > 4 && text !~ /#/) return ".rept " n "\\n" text "\\n.endr\\n"
    all = ""
    for (i = 0; i < n; i++) { one = text; gsub(/#/, i * step, one); all = all one "; " }
    return all
}
function random(n) { seed = (seed * 1103515245 + 12345) % 2147483648; return int(seed / 65536) % n }

function alone(    i) {
    for (i = 1; i in kind; i++) {
        out("alone", kind[i], kind[i])
        if (i <= 8) out("alone", "four times " kind[i], times(4, kind[i], 0))
    }
    for (i = 1; i in barrier; i++) {
        out("pairs", barrier[i] " and mfence", barrier[i] "; mfence")
        out("pairs", barrier[i] " and lfence", barrier[i] "; lfence")
        out("pairs", barrier[i] " and sfence", barrier[i] "; sfence")
        out("pairs", barrier[i] " and lock add", barrier[i] "; lock add dword ptr [rsp-64], 0")
    }
    out("pairs", "lfence and rdtsc", "lfence; rdtsc")
    out("pairs", "mfence, lfence and rdtsc", "mfence; lfence; rdtsc")
}
function widths(    n) {
    split("1 6 16 24 48 100", counts, " ")
    for (n = 1; n in counts; n++) {
        out("width", counts[n] " nops", times(counts[n], "nop", 0))
        out("width", counts[n] " adds", times(counts[n] / 4 + 1, "add rax, 1; add rbx, 1; add rcx, 1; add rdx, 1", 0))
        out("width", counts[n] " loads of a line", times(counts[n], "mov rax, qword ptr [rdi]", 0))
        out("width", counts[n] " loads of lines", times(counts[n], "mov rax, qword ptr [rdi + #]", 72))
        out("width", counts[n] " stores to lines", times(counts[n], "mov qword ptr [rdi + #], rax", 64))
        out("width", counts[n] " stores to a line", times(counts[n], "mov qword ptr [rdi], rax", 0))
        out("width", counts[n] " leas", times(counts[n], "lea rax, [rbx + rcx]", 0))
    }
    out("width", "slow leas", times(12, "lea rax, [rbx + rcx * 4 + 8]", 0))
    out("width", "multiplications", times(12, "mov rax, rbx; imul rax, rcx", 0))
    out("width", "shifts", times(12, "mov rax, rbx; shl rax, 3", 0))
    out("width", "selections", times(12, "cmovz rax, rbx", 0))
    out("width", "population counts", times(12, "popcnt rax, rbx", 0))
    out("width", "additions to words", times(8, "add dword ptr [rdi + #], 1", 64))
    out("width", "loads and a store", times(6, "mov rax, qword ptr [rdi + #]", 72) "mov qword ptr [rsi], rbx")
    out("width", "loads and two stores", times(6, "mov rax, qword ptr [rdi + #]", 72) "mov qword ptr [rsi], rbx; mov qword ptr [rsi + 64], rbx")
}
function chains(    i, n) {
    split("2 5 10 20 40 80", counts, " ")
    for (i = 0; i in fence; i++) {
        for (n = 1; n in counts; n++) {
            if (n % 2) out("chain", counts[n] " multiplications, " fence[i], times(counts[n], "imul rax, rax", 0) fence[i])
            if (n <= 5) out("chain", counts[n] * 2 " additions, " fence[i], times(counts[n] * 2, "add rax, rbx", 0) fence[i])
            if (n <= 4) out("chain", counts[n] " independent additions, " fence[i], times(counts[n], "lea rax, [rbx + 1]", 0) fence[i])
            if (n <= 4) out("chain", counts[n] " loads, " fence[i], times(counts[n], "mov rax, qword ptr [rdi + #]", 72) fence[i])
        }
        out("chain", "5 loads in a chain, " fence[i], "xor eax, eax; " times(5, "mov rax, qword ptr [rdi + rax]", 0) fence[i])
        out("chain", "100 nops, " fence[i], times(100, "nop", 0) fence[i])
    }
    out("chain", "20 fresh multiplications", "mov eax, 1; " times(20, "imul rax, rax", 0))
    out("chain", "20 additions that are not needed", "mov eax, 1; " times(20, "add rax, rbx", 0))
}
function drains(    i, n) {
    split("1 2 4 8 16 32 64", counts, " ")
    for (i = 0; i in fence; i++) {
        for (n = 1; n in counts; n++) {
            out("drain", counts[n] " stores to lines, " fence[i], times(counts[n], "mov qword ptr [rdi + #], rax", 64) fence[i])
            if (n < 7) out("drain", counts[n] " stores to a line, " fence[i], times(counts[n], "mov qword ptr [rdi + #], rax", 1) fence[i])
        }
    }
}
function forwarding(    i, n) {
    split("byte ptr|word ptr|dword ptr|qword ptr", width, "|")
    split("al|ax|eax|rax", name, "|")
    for (i = 1; i <= 4; i++)
        for (n = i; n <= 4; n++)
            out("forwarding", width[n] " store, " width[i] " load", "mov " width[n] " [rdi], " name[n] "; mov " name[i] ", " width[i] " [rdi]; add eax, 1")
    out("forwarding", "larger load", "mov dword ptr [rdi], eax; mov rax, qword ptr [rdi]; add rax, 1")
    out("forwarding", "upper half", "mov qword ptr [rdi], rax; mov eax, dword ptr [rdi + 4]; add eax, 1")
    out("forwarding", "overlap", "mov qword ptr [rdi + 4], rax; mov rax, qword ptr [rdi]; add rax, 1")
    out("forwarding", "across a line", "mov qword ptr [rdi + 60], rax; mov rax, qword ptr [rdi + 60]; add rax, 1")
    out("forwarding", "vector", "movaps xmmword ptr [rdi], xmm0; movaps xmm0, xmmword ptr [rdi]; paddd xmm0, xmm1")
    out("forwarding", "vector from halves", "movq qword ptr [rdi], xmm0; movups xmm0, xmmword ptr [rdi]; paddd xmm0, xmm1")
    out("forwarding", "four in a row", times(4, "mov qword ptr [rdi + #], rax; mov rax, qword ptr [rdi + #]; add rax, 1", 64))
    out("forwarding", "byte, four in a row", times(4, "mov byte ptr [rdi + #], al; mov al, byte ptr [rdi + #]; add al, 1", 64))
    out("forwarding", "increments of a word", "add qword ptr [rdi], 1; add qword ptr [rdi], 1")
    out("forwarding", "store, lock of half", "mov qword ptr [rdi], rax; lock add dword ptr [rdi], 1")
    out("forwarding", "store, lock of more", "mov dword ptr [rdi], eax; lock add qword ptr [rdi], 1")
    out("forwarding", "lock, load", "lock add qword ptr [rdi], 1; mov rax, qword ptr [rdi]")
    out("forwarding", "lock, larger load", "lock add dword ptr [rdi], 1; mov rax, qword ptr [rdi]")
    out("forwarding", "page behind", "mov qword ptr [rdi], rax; mov rax, qword ptr [rdi + 4096]; and eax, 0; lea rdi, [rdi + rax]")
    out("forwarding", "call and return", "call 1f; jmp 2f; 1: ret; 2:")
    out("forwarding", "push and pop", "push rax; push rbx; pop rbx; pop rax; add rax, 1")
}
# Across lines and pages, vectors, products, strings: a loop or two each.
function single() {
    out("single", "store across a line", "mov qword ptr [rdi + 60], rax")
    out("single", "store across a page", "mov qword ptr [rdi + 4092], rax")
    out("single", "store and load across a page", "mov qword ptr [rdi + 4092], rax; mov rax, qword ptr [rdi + 4092]")
    out("single", "word stored, loaded and lfence", "mov qword ptr [rdi], r8; mov rax, qword ptr [rdi]; lfence")
    out("single", "store, load of another word and lfence", "mov qword ptr [rdi], r8; mov rax, qword ptr [rdi + 64]; lfence")
    out("single", "byte stored and extended", "mov byte ptr [rdi], al; movzx eax, byte ptr [rdi]")
    out("single", "word stored and extended", "mov word ptr [rdi], ax; movzx eax, word ptr [rdi]")
    out("single", "ymm stored and loaded", "vmovups ymmword ptr [rdi], ymm0; vmovups ymm0, ymmword ptr [rdi]")
    out("single", "vector additions and shuffles", "paddd xmm0, xmm1; pshufd xmm0, xmm0, 27")
    out("single", "roots in a chain", "sqrtsd xmm0, xmm0")
    out("single", "independent roots", "pxor xmm1, xmm1; sqrtsd xmm1, xmm2; addsd xmm3, xmm1")
    out("single", "independent single roots", "pxor xmm1, xmm1; sqrtss xmm1, xmm2; addss xmm3, xmm1")
    out("single", "independent divisions", "pxor xmm1, xmm1; divsd xmm1, xmm2; addsd xmm3, xmm1")
    out("single", "independent single divisions", "movaps xmm1, xmm4; divss xmm1, xmm2; addss xmm3, xmm1")
    out("single", "low half of a product", "mul rbx; add rcx, rdx")
    out("single", "high half of a product", "mov rax, rcx; mul rbx; add rcx, rdx")
    out("single", "rep stosb of 64 bytes", "mov ecx, 64; mov r8, rdi; rep stosb; mov rdi, r8")
    out("single", "rep stosb of 1024 bytes", "mov ecx, 1024; mov r8, rdi; rep stosb; mov rdi, r8")
    out("single", "100 rounds", "mov ecx, 100; 1: dec ecx; jnz 1b")
}
function windows(    n) {
    split("32 64 96 104 112 128 160 192 224 256 320 448 512", counts, " ")
    root = times(6, "sqrtsd xmm0, xmm0", 0)
    for (n = 1; n in counts; n++) {
        if (n < 8) out("window", "roots, " counts[n] " stores, roots", root times(counts[n], "mov qword ptr [rsi + #], rax", 8) times(6, "sqrtsd xmm1, xmm1", 0), "", "", "mov eax, 2; cvtsi2sd xmm0, eax; cvtsi2sd xmm1, eax")
        if (n > 3) out("window", "roots, " counts[n] " additions, roots", root times(counts[n], "lea rax, [rbx + 1]", 0) times(6, "sqrtsd xmm1, xmm1", 0), "", "", "mov eax, 2; cvtsi2sd xmm0, eax; cvtsi2sd xmm1, eax")
        if (n > 3) out("window", "roots, " counts[n] " nops, roots", root times(counts[n], "nop", 0) times(6, "sqrtsd xmm1, xmm1", 0), "", "", "mov eax, 2; cvtsi2sd xmm0, eax; cvtsi2sd xmm1, eax")
        if (n > 1 && n < 12) out("window", "roots, " counts[n] " loads, roots", root times(counts[n], "mov rax, qword ptr [rsi + #]", 8) times(6, "sqrtsd xmm1, xmm1", 0), "", "", "mov eax, 2; cvtsi2sd xmm0, eax; cvtsi2sd xmm1, eax")
    }
}
function misses(    i, n, ring, level, size) {
    split("L2 L3 DRAM", levels, " "); split("256KiB 4MiB 8MiB", sizes, " ")
    for (n = 1; n <= 3; n++) {
        level = levels[n]; size = sizes[n]
        ring = "\"r\": {\"size\": \"" size "\", \"init\": \"chase\", \"resident\": \"" level "\"}, \"s\": {\"size\": \"" size "\", \"init\": \"chase\", \"resident\": \"" level "\"}, \"a\": {\"size\": 64}"
        for (i = 0; i in fence; i++) {
            out("miss", level " chase, " fence[i], "mov rbx, qword ptr [rbx]; " fence[i], ring, "\"rbx\": \"r\", \"rdi\": \"a\"")
            out("miss", level " two chases, " fence[i], "mov rbx, qword ptr [rbx]; " fence[i] "; mov rcx, qword ptr [rcx]; " fence[i], ring, "\"rbx\": \"r\", \"rcx\": \"s\", \"rdi\": \"a\"")
            out("miss", level " stores to lines, " fence[i], "mov qword ptr [rbx], rax; " fence[i] "; add rbx, 64; and rbx, rdx; or rbx, rcx", "\"r\": {\"size\": \"" size "\", \"align\": \"" size "\", \"resident\": \"" level "\"}, \"a\": {\"size\": 64}", "\"rbx\": \"r\", \"rcx\": \"r\", \"rdx\": \"" (n == 1 ? 262143 : n == 2 ? 4194303 : 8388607) "\"", "or rdx, rcx")
        }
        out("miss", level " chase by lock xadd", "mov eax, 0; lock xadd qword ptr [rbx], rax; mov rbx, rax", ring, "\"rbx\": \"r\"")
    }
}
function streams(    i) {
    for (i = 0; i in fence; i++) {
        out("streams", "one word, " fence[i], "movnti qword ptr [rdi], rax; " fence[i])
        out("streams", "a line, " fence[i], times(8, "movnti qword ptr [rdi + #], rax", 8) fence[i])
        out("streams", "four lines, " fence[i], times(32, "movnti qword ptr [rdi + #], rax", 8) fence[i])
        out("streams", "eight parts of lines, " fence[i], times(8, "movnti qword ptr [rdi + #], rax", 64) fence[i])
        out("flush", "clflushopt, " fence[i], "clflushopt byte ptr [rdi]; " fence[i])
        out("flush", "store and clflushopt, " fence[i], "mov dword ptr [rdi], eax; clflushopt byte ptr [rdi]; " fence[i])
        out("flush", "store and clwb, " fence[i], "mov dword ptr [rdi], eax; clwb byte ptr [rdi]; " fence[i])
    }
}
# Straight lines of everything; `barriers` of them.
function mix(number, barriers,    i, n, code, r) {
    split("rax rbx rcx rdx r8 r9 r10 r11 r12 r13", reg, " ")
    code = ""; n = 8 + random(16)
    for (i = 0; i < n; i++) {
        r = random(20)
        if (r < 4) code = code "add " reg[1 + random(10)] ", " reg[1 + random(10)] "; "
        else if (r < 6) code = code "imul " reg[1 + random(10)] ", " reg[1 + random(10)] "; "
        else if (r < 8) code = code "lea " reg[1 + random(10)] ", [" reg[1 + random(10)] " + " reg[1 + random(10)] " * 2 + 8]; "
        else if (r < 9) code = code "xor " reg[1 + random(10)] ", " reg[1 + random(10)] "; "
        else if (r < 10) code = code "shr " reg[1 + random(10)] ", " 1 + random(9) "; "
        else if (r < 15) code = code "mov " reg[1 + random(10)] ", qword ptr [" (random(2) ? "rdi" : "rsi") " + " 8 * random(24) "]; "
        else code = code "mov qword ptr [" (random(2) ? "rdi" : "rsi") " + " 8 * random(24) "], " reg[1 + random(10)] "; "
        if (barriers > 0 && i == int(n / 2)) { code = code fence[1 + random(5)] "; "; barriers-- }
    }
    for (; barriers > 0; barriers--) code = code fence[1 + random(5)] "; "
    out("mix", "mix " number, code)
}
BEGIN {
    seed = 1
    split("mfence|lfence|sfence|lock add dword ptr [rdi], 0|xchg dword ptr [rdi], eax|lock xadd qword ptr [rdi], rax|lock cmpxchg qword ptr [rdi], rbx|lock bts dword ptr [rdi], 3|xadd qword ptr [rdi], rax|cmpxchg qword ptr [rdi], rbx|bts dword ptr [rdi], 3|lock cmpxchg8b qword ptr [rdi]|lock cmpxchg16b xmmword ptr [rdi]|cmpxchg8b qword ptr [rdi]|cmpxchg16b xmmword ptr [rdi]|lock inc qword ptr [rdi]|lock or dword ptr [rsp-64], 0|rdtsc|rdtscp|pause|rdpid rax|rdfsbase rax|rdgsbase rax|cld|xgetbv|clflushopt byte ptr [rdi]|clflush byte ptr [rdi]|clwb byte ptr [rdi]|movnti qword ptr [rdi], rax|prefetcht0 byte ptr [rdi]|prefetchw byte ptr [rdi]", kind, "|")
    split("mfence|lfence|sfence|lock add dword ptr [rdi], 0|xchg dword ptr [rdi], eax|lock xadd qword ptr [rdi], rax", barrier, "|")
    fence[0] = ""; for (i = 1; i <= 5; i++) fence[i] = barrier[i]
    fence[4] = "lock add dword ptr [rsp-64], 0"; fence[5] = "xchg dword ptr [rsp-64], eax"
    alone(); widths(); chains(); drains(); forwarding(); single(); windows(); misses(); streams()
    for (i = 1; i <= 60; i++) mix(i, i % 3)
}'
