/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupts, MSRs and the timer in timed runs, which must end as some execution does. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/timing_bench.h"

void add_time_system_tests(void);

#define HEADER  "trace: 1\nname: t\nmemory: {x: {size: 8, init: 7}, lvt: {size: 4, type: uc}}\n"
#define HANDLER "handlers:\n  - {cpu: P0, vector: 0xf2, asm: \"inc ebx; iretq\"}\n"
#define ARM(at) "mov ecx, 0x6e0; xor edx, edx; mov eax, " #at "; wrmsr; "

/* What the one term of `observe` is at the end of a straight run on Zen 4. */
static uint64_t ends_in(const char *more, const char *code, const char *term)
{
    static char text[TEXT];
    snprintf(text, sizeof text,
             HEADER "%scpus:\n  - regs: {gs_base: x, rax: 5, rdx: 6}\n    asm: \"%s\"\n"
                    "observe: [%s]\n",
             more, code, term);
    timed_run("zen4", text, 100000);
    CU_ASSERT_FATAL(timed_bench.timed->complete);
    uint64_t value = timed_bench.timed->values[0];
    timed_close();
    return value;
}

static void test_msrs(void)
{
    CU_ASSERT_EQUAL(ends_in("msrs: {0x123: 9}\n", "mov ecx, 0x123; rdmsr", "P0:eax"), 9);
    CU_ASSERT_EQUAL(
        ends_in("msrs: {0x123: 9}\n", "mov ecx, 0x123; wrmsr; xor eax, eax; rdmsr", "P0:eax"), 5);
    CU_ASSERT_EQUAL(ends_in("", "mov ecx, 0xc0000103; wrmsr; rdtscp", "P0:ecx"), 5);
    CU_ASSERT_EQUAL(
        ends_in("", "lea rax, [x]; xor edx, edx; mov ecx, 0xc0000100; wrmsr; mov rsi, fs:[0]",
                "P0:rsi"),
        7);
    CU_ASSERT_EQUAL(ends_in("", "swapgs", "P0:eax"), 5);
    CU_ASSERT_EQUAL(ends_in("", "swapgs; swapgs; mov rsi, gs:[0]", "P0:rsi"), 7);
    CU_ASSERT_EQUAL(ends_in("", "mov cr3, rax; xor eax, eax; mov rsi, cr3", "P0:rsi"), 5);
}

static void test_timer(void)
{
    const char *plain = "timer: {vector: 0xf2}\n" HANDLER;
    const char *by_lvt = "timer: {vector: 0xf2, lvt: lvt}\n" HANDLER;
    CU_ASSERT_EQUAL(ends_in(plain, ARM(5000), "P0:ebx"), 1);
    CU_ASSERT_EQUAL(ends_in(plain, ARM(5000) ARM(6000), "P0:ebx"), 1); /* one deadline at a time */
    CU_ASSERT_EQUAL(ends_in(plain, ARM(5000) ARM(0), "P0:ebx"), 0);    /* disarmed */
    CU_ASSERT_EQUAL(ends_in(plain, ARM(1) "cpuid; cpuid; mov ebx, 0; " ARM(0), "P0:ebx"), 0);
    CU_ASSERT_EQUAL(ends_in(by_lvt, ARM(5000), "P0:ebx"), 0); /* not in deadline mode */
    CU_ASSERT_EQUAL(ends_in(by_lvt, "mov dword ptr [lvt], 0x40000; mfence; " ARM(5000), "P0:ebx"),
                    1);
}

/* Requests of one vector that come before the first is taken are one. */
static void test_merged_interrupts(void)
{
    const char *twice = "cli; mov ecx, 0x83f; mov eax, 0xf2; wrmsr; wrmsr; cpuid; cpuid; cpuid; "
                        "cpuid; cpuid; cpuid; xor ebx, ebx; sti; nop; nop";
    CU_ASSERT_EQUAL(ends_in(HANDLER, twice, "P0:ebx"), 1);
    /* all three are on their way when the first can be taken */
    CU_ASSERT_EQUAL(ends_in(HANDLER,
                            "cli; xor ebx, ebx; mov ecx, 0x830; mov eax, 0xf2; xor edx, edx; "
                            "wrmsr; wrmsr; wrmsr; sti; nop",
                            "P0:ebx"),
                    1);
}

/* What is not modelled ends the run and is named, as in exploration. */
static void test_refusals(void)
{
    static const struct {
        const char *code, *reason;
    } rows[] = {
        {"mov ecx, 0x1234; wrmsr", "MSR 0x1234 is not known"},
        {"mov ecx, 0x1234; rdmsr", "MSR 0x1234 is not known"},
        {"mov ecx, 0x1b; rdmsr", "value of this MSR is not modelled"},
        {"mov ecx, 0x830; mov eax, 0x4f2; xor edx, edx; wrmsr", "not of fixed delivery"},
        {"mov ecx, 0x830; mov eax, 0xc00f2; xor edx, edx; wrmsr", "to all CPUs at once"},
        {"mov ecx, 0x830; mov eax, 5; xor edx, edx; wrmsr", "illegal vector"},
        {"mov ecx, 0x830; mov eax, 0xf2; mov edx, 9; wrmsr", "an IPI to nobody"},
        {"mov ecx, 0x830; mov eax, 0xf3; xor edx, edx; wrmsr", "P0 has no handler"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static char text[TEXT];
        snprintf(text, sizeof text, HEADER HANDLER "cpus:\n  - {asm: \"%s\"}\n", rows[i].code);
        timed_run("zen4", text, 100000);
        CU_ASSERT(!timed_bench.timed->complete);
        bool named = timed_bench.timed->reason != NULL &&
                     strstr(timed_bench.timed->reason, rows[i].reason) != NULL;
        CU_ASSERT(named);
        if (!named)
            printf("%s: %s\n", rows[i].code, timed_bench.timed->reason);
        timed_close();
    }
}

/* The shorthand "self" of the ICR, whatever the destination. */
static void test_shorthand(void)
{
    CU_ASSERT_EQUAL(
        ends_in(HANDLER, "mov ecx, 0x830; mov edx, 9; mov eax, 0x400f2; wrmsr", "P0:ebx"), 1);
}

/* What goes on as before until an interrupt comes is not steady. */
static void test_interrupt_of_steady_loop(void)
{
    static char text[TEXT];
    snprintf(text, sizeof text,
             HEADER "timer: {vector: 0xf2}\n" HANDLER "cpus:\n  - regs: {rcx: 0x6e0, rax: 20000}\n"
                    "    asm: \"test r8d, r8d; jnz 1f; mov r8d, 1; wrmsr; 1: test ebx, ebx;"
                    " jz 2f; mfence; 2:\"\n"
                    "loop: {cpu: P0, iterations: 30000}\n");
    timed_run("zen4", text, 0);
    CU_ASSERT(timed_bench.timed->complete);
    CU_ASSERT(timed_bench.timed->cpus[0].per_iteration > 50);
    timed_close();
}

static void interrupt_itself(unsigned iterations)
{
    static char text[TEXT];
    snprintf(text, sizeof text,
             HEADER HANDLER "cpus:\n  - asm: \"mov ecx, 0x83f; mov eax, 0xf2; wrmsr\"\n"
                            "loop: {cpu: P0, iterations: %u}\n",
             iterations);
    timed_run("zen4", text, 1000000);
    CU_ASSERT(timed_bench.timed->complete);
}

/* Interrupts that come after a loop's end, as the last of these, do not start it again. */
static void test_interrupts_of_loops(void)
{
    interrupt_itself(90);
    CU_ASSERT(timed_bench.timed->instructions < 1000);
    size_t few = timed_bench.reading.region.bytes;
    timed_close();
    interrupt_itself(900);
    CU_ASSERT(timed_bench.timed->instructions > 4 * 900);
    CU_ASSERT(timed_bench.reading.region.bytes < few + 65536); /* they take no memory each */
    timed_close();
}

/* A body that sets the loop's counter anew: the rest is not what its first value said. */
static void test_counter_in_the_body(void)
{
    static char text[TEXT];
    trace_text(text, "", "cmp r15, 2; jne 1f; test bl, bl; jne 1f; inc bl; mov r15, 1000; 1:", 10);
    timed_run("zen4", text, 0);
    CU_ASSERT(timed_bench.timed->complete);
    CU_ASSERT(timed_bench.timed->cpus[0].cycles > 1000);
    CU_ASSERT(timed_bench.timed->cpus[0].cycles < 10000);
    timed_close();
}

void add_time_system_tests(void)
{
    CU_pSuite suite = CU_add_suite("time of system instructions", NULL, NULL);
    CU_add_test(suite, "MSRs and control registers", test_msrs);
    CU_add_test(suite, "the timer", test_timer);
    CU_add_test(suite, "interrupts of one vector", test_merged_interrupts);
    CU_add_test(suite, "the shorthand of an IPI", test_shorthand);
    CU_add_test(suite, "what is not modelled", test_refusals);
    CU_add_test(suite, "an interrupt of a steady loop", test_interrupt_of_steady_loop);
    CU_add_test(suite, "interrupts of loops", test_interrupts_of_loops);
    CU_add_test(suite, "a loop's counter", test_counter_in_the_body);
}
