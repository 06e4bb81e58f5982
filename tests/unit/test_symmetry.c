/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPUs that are alike: the same finals as without reduction, and what makes them differ. */
#include <stdlib.h>
#include <string.h>

#include "sim/explore/witness.h"
#include "tests/unit/exploring.h"

void add_symmetry_tests(void);

static const struct explore_options reduced = {.reduce = true}, unreduced = {.reduce = false};

#define MEMORY                                                                                     \
    "trace: 1\nname: t\nmemory: {x: {size: 8}, y: {size: 8}, z: {size: 8}, wide: {size: "          \
    "131072}}\n"

static size_t terms_compared; /* by compare_finals, which qsort gives nothing else */

static int compare_finals(const void *left, const void *right)
{
    const struct final_state *a = left, *b = right;
    for (size_t i = 0; i < terms_compared; i++)
        if (a->values[i] != b->values[i])
            return a->values[i] < b->values[i] ? -1 : 1;
    return a->is_stuck - b->is_stuck;
}

/* Both have found the same final states, and each way to one ends in its values. */
static void expect_same_finals(struct exploration *a, struct exploration *b)
{
    CU_ASSERT_TRUE(a->complete);
    CU_ASSERT_TRUE(b->complete);
    CU_ASSERT_EQUAL(a->can_stick, b->can_stick);
    CU_ASSERT_EQUAL_FATAL(a->final_count, b->final_count);
    terms_compared = a->term_count;
    qsort(a->finals, a->final_count, sizeof *a->finals, compare_finals);
    qsort(b->finals, b->final_count, sizeof *b->finals, compare_finals);
    for (size_t i = 0; i < a->final_count; i++) {
        CU_ASSERT_EQUAL(compare_finals(&a->finals[i], &b->finals[i]), 0);
        for (size_t cpu = 0; a->finals[i].is_stuck && cpu < a->program->cpu_count; cpu++)
            CU_ASSERT_EQUAL(a->finals[i].stuck[cpu], b->finals[i].stuck[cpu]);
    }
}

struct alike_case {
    const char *cpus;
    bool alike; /* whether any CPUs stay alike to the end */
};

static void run_case(const struct alike_case *tried)
{
    struct exploring e;
    char text[2000];
    const char *dot = strstr(tried->cpus, "count") ? "." : "";
    snprintf(text, sizeof text, MEMORY "%sobserve: [P%s0:rax, P%s1:rax, P%s1:rcx, x, y]\n",
             tried->cpus, dot, dot, dot);
    exploring_open(&e, text, "x86");
    struct exploration *with = exploring_run(&e, "x86", &reduced);
    struct exploration *without = exploring_run(&e, "x86", &unreduced);
    CU_ASSERT_EQUAL(with->components.symmetry.any, tried->alike);
    CU_ASSERT_FALSE(without->components.symmetry.any);
    CU_ASSERT_TRUE(with->state_count < without->state_count);
    expect_same_finals(with, without);
    exploring_close(&e);
}

#define TWO(code)   "cpus:\n  - {name: P, count: 2, asm: \"" code "\"}\n"
#define THREE(code) "cpus:\n  - {name: P, count: 3, asm: \"" code "\"}\n"
#define AND(code)   "  - {name: Q, asm: \"" code "\"}\n"

static void test_alike(void)
{
    static const struct alike_case cases[] = {
        {THREE("mov eax, 1; lock xadd [x], eax; mov [y], eax; mov rcx, [y]"), true},
        {TWO("mov dword ptr [x], 1; mov eax, [y]") AND("mov dword ptr [y], 1; mov eax, [x]"), true},
        /* its own stack, by every way that says nothing of where it is */
        {TWO("push 5; sub rsp, 16; mov eax, [x]; mov [rsp+8], rax; inc dword ptr [rsp+8]; "
             "mov rcx, [rsp+8]; mov [x], rcx; lea rsp, [rsp+16]; pop rax"),
         true},
        {TWO("1: xor ecx, ecx; mov eax, 1; lock cmpxchg [x], ecx; test eax, eax; jnz 1b"), true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run_case(&cases[i]);
}

static void test_told_apart(void)
{
    static const struct alike_case cases[] = {
        {TWO("mov [x], rsp; mov eax, [x]"), false}, /* where its stack is */
        {TWO("lea rcx, [rsp-8]; mov [x], rcx; mov rax, [x]"), false},
        {TWO("push rsp; pop rcx; mov [x], rcx; mov rax, [x]"), false},
        {TWO("mov rbp, rsp; mov [x], rbp; mov rax, [x]"), false},
        {TWO("call 1f; 1: pop rcx; mov [x], rcx; mov rax, [x]"), false}, /* where its code is */
        /* another CPU's stack: that of P.0, then that of P.1 */
        {TWO("mov [rsp-8], rax; mov eax, [x]; mov rcx, [rsp-8]; mov [y], ecx")
             AND("mov dword ptr [0x70008000], 3; mov dword ptr [x], 1"),
         false},
        {TWO("mov [rsp-8], rax; mov eax, [x]; mov rcx, [rsp-8]; mov [y], ecx")
             AND("mov dword ptr [0x70018000], 3; mov dword ptr [x], 1"),
         false},
        {TWO("mov ecx, 0x70018000; mov [x], ecx; mov dword ptr [rcx], 1; mov eax, [rsp-8]"), false},
        /* the flags say where the stack is: a carry out of all of it, and out of a part */
        {TWO("sub rsp, 0x70010000; setc al; add rsp, 0x70010000; mov [x], rax; mov rcx, [x]"),
         false},
        {TWO("sub sp, 0x7000; pushfq; pop rax; mov [x], rax; mov rcx, [x]"), false},
        /* rsp counts as it goes on from stack to stack, without an access */
        {TWO("1: inc eax; sub rsp, 0x8000; cmp eax, 3; jne 1b; mov [x], rax; mov rcx, [x]"), false},
        /* what lies at a distance of the stack: an object for the first, another for the second */
        {TWO("mov eax, 1; lock xadd [rsp+0x20000100-0x70008008], eax; mov rcx, [y]"), false},
        {TWO("add rsp, 0x20000108-0x70008008; push 7; pop rax; mov [x], rax; mov rcx, [y]"), false},
        /* on in the code of the second, whoever it is */
        {TWO("inc ecx; cmp ecx, 2; je 1f; push 0x440000; ret; 1: mov [x], rcx; mov rax, [y]"),
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run_case(&cases[i]);
}

/* The same text, but not the same CPU. */
static void test_never_alike(void)
{
    static const struct alike_case cases[] = {
        {"cpus:\n  - {name: P0, regs: {rcx: 1}, asm: \"mov [x], rcx; mov eax, [x]\"}\n"
         "  - {name: P1, regs: {rcx: 2}, asm: \"mov [x], rcx; mov eax, [x]\"}\n",
         false},
        {"cpus:\n  - {name: P0, setup: \"mov ecx, 1\", asm: \"mov [x], rcx; mov eax, [x]\"}\n"
         "  - {name: P1, asm: \"mov [x], rcx; mov eax, [x]\"}\n",
         false},
        /* numbers that differ by as much as the places of the instructions */
        {"cpus:\n  - {name: P0, asm: \"mov eax, 0x40001; xchg [x], eax; mov rcx, [y]\"}\n"
         "  - {name: P1, asm: \"mov eax, 1; xchg [x], eax; mov rcx, [y]\"}\n",
         false},
        {"cpus:\n  - {name: P0, asm: \"mov dword ptr [x], 0x1fbffff5; mov rax, [x]\"}\n"
         "  - {name: P1, asm: \"mov dword ptr [x], 0x1fbbfff5; mov rax, [x]\"}\n",
         false},
        /* what somebody's setup put on the stack of the second */
        {TWO("mov eax, [rsp-8]; mov [x], eax; mov rcx, [x]") "  - {name: Q, setup: \"mov dword ptr "
                                                             "[0x70018000], 5\", asm: nop}\n",
         false},
        {"cpus:\n  - {name: P0, agent: device, asm: \"mov [x], rcx; mov eax, [y]\"}\n"
         "  - {name: P1, asm: \"mov [x], rcx; mov eax, [y]\"}\n",
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run_case(&cases[i]);
}

/* Code relative to rip is the same when it leads to the same place. */
static void test_relative(void)
{
    static const struct alike_case cases[] = {
        {"cpus:\n  - {name: P0, asm: \"mov dword ptr x[rip], 1; mov eax, y[rip]\"}\n"
         "  - {name: P1, asm: \"mov dword ptr x[rip], 1; mov eax, y[rip]\"}\n"
         "  - {name: Q, asm: \"mov dword ptr [y], 1; mov eax, [x]\"}\n",
         true},
    };
    run_case(&cases[0]);
    /* The same bytes, which lead to x for one of them and beyond all objects for the other. */
    struct exploring e;
    exploring_open(&e,
                   MEMORY "cpus:\n  - {code: \"8b 0d fa ff bf 1f\"}\n"
                          "  - {code: \"8b 0d fa ff bf 1f\"}\n",
                   "x86");
    struct exploration *found = exploring_run(&e, "x86", &reduced);
    CU_ASSERT_FALSE(found->components.symmetry.any);
    CU_ASSERT_EQUAL_FATAL(found->issue_count, 1);
    CU_ASSERT_EQUAL(found->issues[0].cpu, 1);
    exploring_close(&e);
}

static void test_stuck_alike(void)
{
    struct exploring e;
    exploring_open(&e,
                   MEMORY "cpus:\n  - name: P\n    count: 3\n    asm: |\n"
                          "      1: lock bts dword ptr [x], 0; jc 1b\n"
                          "expect:\n"
                          "  - never: P.0:stuck && P.1:stuck && !P.2:stuck\n"
                          "  - never: P.0:stuck && !P.1:stuck && P.2:stuck\n"
                          "  - never: P.0:stuck && P.1:stuck && P.2:stuck\n",
                   "x86");
    struct exploration *with = exploring_run(&e, "x86", &reduced);
    struct exploration *without = exploring_run(&e, "x86", &unreduced);
    CU_ASSERT_TRUE(with->components.symmetry.any);
    CU_ASSERT_EQUAL(with->final_count, without->final_count);
    CU_ASSERT_TRUE(exploring_finds(&e, with, 0));
    CU_ASSERT_TRUE(exploring_finds(&e, with, 1));
    CU_ASSERT_FALSE(exploring_finds(&e, with, 2));
    exploring_close(&e);
}

/* A witness says which of them did what, although only one order of them was explored. */
static void test_witness_of_alike(void)
{
    struct exploring e;
    exploring_open(&e,
                   MEMORY "cpus:\n  - name: P\n    count: 3\n"
                          "    asm: \"mov eax, 1; lock xadd [x], eax\"\n"
                          "observe: [P.0:eax, P.1:eax, P.2:eax]\n",
                   "x86");
    struct exploration *found = exploring_run(&e, "x86", &reduced);
    CU_ASSERT_EQUAL(found->final_count, 6);
    for (size_t i = 0; i < found->final_count; i++) {
        const struct final_state *final = &found->finals[i];
        struct witness *witness = witness_new(&e.reading.region, found, final->state, final->tuple);
        uint64_t next = 0; /* in the order in which they got their numbers */
        for (size_t n = 0; n < witness->count; n++)
            if (witness->steps[n].size)
                CU_ASSERT_EQUAL(final->values[witness->steps[n].cpu], next++);
        CU_ASSERT_EQUAL(next, 3);
    }
    exploring_close(&e);
}

static void test_fault_of_alike(void)
{
    struct exploring e;
    exploring_open(&e,
                   MEMORY
                   "cpus:\n  - name: P\n    count: 3\n"
                   "    asm: \"mov eax, 1; lock xadd [x], eax; cmp eax, 1; jne 1f; ud2; 1:\"\n",
                   "x86");
    struct exploration *found = exploring_run(&e, "x86", &reduced);
    bool seen[3] = {false};
    CU_ASSERT_FALSE(found->complete);
    CU_ASSERT_EQUAL(found->issue_count, 3);
    for (size_t i = 0; i < found->issue_count; i++) {
        uint32_t cpu = found->issues[i].cpu;
        seen[cpu] = true;
        uint64_t base = e.oracle->code[cpu]->snippet->address;
        CU_ASSERT_TRUE(found->issues[i].insn->address - base < 64);
    }
    CU_ASSERT_TRUE(seen[0] && seen[1] && seen[2]);
    exploring_close(&e);
}

void add_symmetry_tests(void)
{
    CU_pSuite suite = CU_add_suite("symmetry", NULL, NULL);
    CU_add_test(suite, "alike: the same finals", test_alike);
    CU_add_test(suite, "told apart by what they do", test_told_apart);
    CU_add_test(suite, "not the same CPU", test_never_alike);
    CU_add_test(suite, "relative to rip", test_relative);
    CU_add_test(suite, "stuck, whoever it is", test_stuck_alike);
    CU_add_test(suite, "a witness names each", test_witness_of_alike);
    CU_add_test(suite, "a fault of any is one of each", test_fault_of_alike);
}
