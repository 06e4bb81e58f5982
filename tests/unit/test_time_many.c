/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cycle model with several CPUs, and with programs that go wrong. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/timing_bench.h"

void add_time_many_tests(void);

#define TWO_CPUS(first, second)                                                                    \
    "trace: 1\nname: t\nmemory: {x: {size: 4}, y: {size: 4}}\ncpus:\n"                             \
    "  - regs: {rdi: x, rsi: y}\n    asm: |\n      " first "\n"                                    \
    "  - regs: {rdi: x, rsi: y}\n    asm: |\n      " second "\n"

static void test_waiting_for_another_cpu(void)
{
    timed_run("zen4",
              TWO_CPUS("cpuid; mov dword ptr [rdi], 1", "1: mov eax, [rdi]; test eax, eax; jz 1b"),
              0);
    CU_ASSERT(timed_bench.timed->complete);
    CU_ASSERT_EQUAL(timed_bench.timed->cpu_count, 2);
    /* It spins until the other's cpuid is over. */
    CU_ASSERT(timed_bench.timed->cpus[1].cycles > timed_bench.profile->cycles.cpuid_hold);
    timed_close();
}

/* The CPU that reads 0 spends no cpuid: rdtsc is what the test can see of a value. */
static bool reads_stale_value(const char *barrier)
{
    static char text[TEXT];
    snprintf(text, sizeof text,
             TWO_CPUS("mov dword ptr [rdi], 1; %s; mov eax, [rsi]; test eax, eax; jnz 1f;"
                      " nop; ret; 1: cpuid",
                      "mov dword ptr [rsi], 1; %s; mov eax, [rdi]; test eax, eax; jnz 1f;"
                      " nop; ret; 1: cpuid"),
             barrier, barrier);
    timed_run("zen4", text, 0);
    bool stale = true;
    for (size_t i = 0; i < 2; i++)
        stale = stale && timed_bench.timed->cpus[i].cycles < timed_bench.profile->cycles.cpuid_hold;
    timed_close();
    return stale;
}

static void test_store_buffering(void)
{
    CU_ASSERT_TRUE(reads_stale_value("nop"));
    CU_ASSERT_FALSE(reads_stale_value("mfence"));
    CU_ASSERT_FALSE(reads_stale_value("lock or dword ptr [rsp - 64], 0"));
}

static double both_loop(const char *place, const char *first, const char *second)
{
    static char text[TEXT];
    snprintf(text, sizeof text,
             "trace: 1\nname: t\nmemory: {x: {size: 8}, y: {size: 8}}\ncpus:\n"
             "  - {name: P0, regs: {rdi: x, rsi: y, r8: 1}, place: a, asm: \"%s\"}\n"
             "  - {name: P1, regs: {rdi: x, rsi: y, r8: 1}, place: %s, asm: \"%s\"}\n"
             "loop: {cpu: [P0, P1], iterations: 600}\n",
             first, place, second);
    timed_run("zen4", text, 0);
    CU_ASSERT(timed_bench.timed->complete);
    double cycles = timed_bench.timed->cpus[0].per_iteration;
    timed_close();
    return cycles;
}

/* A flag line each: per round two writes that take the line from a reader, and two reads. */
static void test_lines_between_cpus(void)
{
    const char *first = "mov [rdi], r8; 1: cmp [rsi], r8; jne 1b; inc r8";
    const char *second = "1: cmp [rdi], r8; jne 1b; mov [rsi], r8; inc r8";
    double near = both_loop("a", first, second), far = both_loop("b", first, second);
    CU_ASSERT(near >= 4 * 94 && near < 4 * 94 + 60);
    CU_ASSERT(far >= 4 * 475 && far < 4 * 475 + 60);
    CLOSE(both_loop("a", "mov rax, [rdi]", "mov rax, [rdi]"), 1); /* readers share */
    /* a transfer every so often: between the bare interval and a transfer at every operation */
    double contended = both_loop("a", "lock inc qword ptr [rdi]", "lock inc qword ptr [rdi]");
    CU_ASSERT(contended > 2 * 7.25 && contended < 94);
}

/* Waits of milliseconds cost nothing here, and a wait for ever is found. */
static void test_long_waits(void)
{
    const char *wait = "1: pause; cmp dword ptr [rdi], 0; je 1b";
    static char text[TEXT];
    snprintf(text, sizeof text, TWO_CPUS("wbinvd; wbinvd; mov dword ptr [rdi], 1", "%s"), wait);
    timed_run("haswell", text, 200000);
    CU_ASSERT(timed_bench.timed->complete);
    double twice = 2 * timed_bench.profile->cycles.wbinvd_hold;
    CU_ASSERT(timed_bench.timed->cpus[1].cycles > twice &&
              timed_bench.timed->cpus[1].cycles < twice + 2000);
    timed_close();
    snprintf(text, sizeof text, TWO_CPUS("%s", "%s"), wait, wait);
    timed_run("haswell", text, 200000);
    CU_ASSERT(!timed_bench.timed->complete);
    CU_ASSERT_PTR_NOT_NULL(strstr(timed_bench.timed->reason, "for ever"));
    timed_close();
}

/* The time of the CPU that sends, and of the one that is interrupted, at the end. The run stays
 * open. */
static void interrupt_times(const char *fence, const char *waiting, double cycles[2])
{
    static char text[TEXT];
    snprintf(text, sizeof text,
             "trace: 1\nname: t\nmemory: {m: {size: 4}, got: {size: 4}}\ncpus:\n"
             "  - {name: S, asm: \"mov dword ptr [m], 1; %s mov ecx, 0x830; mov edx, 1;"
             " mov eax, 0xf2; wrmsr\"}\n"
             "  - {name: T, asm: \"%s\"}\n"
             "handlers:\n"
             "  - {cpu: T, vector: 0xf2, asm: \"mov eax, [m]; mov [got], eax; iretq\"}\n",
             fence, waiting);
    timed_run("zen4", text, 0);
    CU_ASSERT(timed_bench.timed->complete);
    cycles[0] = timed_bench.timed->cpus[0].cycles;
    cycles[1] = timed_bench.timed->cpus[1].cycles;
}

static void interrupt_cycles(const char *fence, const char *waiting, double cycles[2])
{
    interrupt_times(fence, waiting, cycles);
    timed_close();
}

/* Sleep and handlers are in the rows of instructions, too: HLT's, or the handler's first one. */
static void test_sleep_rows(void)
{
    static const char *const waits[] = {"nop", "hlt", "1: mov eax, [got]; test eax, eax; jz 1b"};
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        double cycles[2], sum = 0, sleep = 0;
        interrupt_times("", waits[i], cycles);
        const struct timed_cpu *cpu = &timed_bench.timed->cpus[1];
        const struct timed_insn *sleeper = NULL;
        for (size_t n = 0; n < cpu->insn_count; n++) {
            sum += cpu->insns[n].cycles;
            sleep += cpu->insns[n].stall[STALL_SLEEP];
            if (cpu->insns[n].stall[STALL_SLEEP] > 0)
                sleeper = &cpu->insns[n];
        }
        CU_ASSERT_DOUBLE_EQUAL(sum, cycles[1], 0.001);
        CU_ASSERT_EQUAL(sleep > 2000, i < 2);
        CU_ASSERT_EQUAL(sleeper != NULL, i < 2);
        if (sleeper != NULL)
            CU_ASSERT_STRING_EQUAL(sleeper->text, i == 1 ? "hlt" : "mov eax, dword ptr [m]");
        timed_close();
    }
}

static void test_interrupts(void)
{
    double plain[2], fenced[2], asleep[2], spinning[2];
    interrupt_cycles("", "nop", plain);
    interrupt_cycles("mfence; lfence;", "nop", fenced);
    interrupt_cycles("", "hlt", asleep);
    interrupt_cycles("", "1: mov eax, [got]; test eax, eax; jz 1b", spinning);
    /* the handler runs one latency after the WRMSR, whatever the CPU does meanwhile */
    CU_ASSERT(plain[1] - plain[0] > 2137 && plain[1] - plain[0] < 2137 + 500);
    CU_ASSERT(asleep[1] - plain[1] < 20 && spinning[1] - plain[1] < 60);
    /* mfence 59 and lfence 14 at least, and what the store needs to be visible */
    CU_ASSERT(fenced[1] - plain[1] > 73 && fenced[1] - plain[1] < 73 + 94 + 10);
}

static void expect_incomplete(const char *body, const char *word)
{
    static char text[TEXT];
    trace_text(text, "", body, 0);
    timed_run("zen4", text, 20000);
    CU_ASSERT(!timed_bench.timed->complete);
    CU_ASSERT_PTR_NOT_NULL_FATAL(timed_bench.timed->reason);
    CU_ASSERT_PTR_NOT_NULL(strstr(timed_bench.timed->reason, word));
    timed_close();
}

static void test_programs_that_go_wrong(void)
{
    expect_incomplete("1: jmp 1b", "round for ever");
    expect_incomplete("1: add rax, 1; jmp 1b", "limit of 20000 instructions");
    expect_incomplete("mov eax, [rip + 0x100]", "page fault");
    expect_incomplete("xor ecx, ecx; div ecx", "exception 0");
    expect_incomplete("hlt", "nothing wakes it");
    expect_incomplete("in al, 0x60", "not modelled");
    expect_incomplete("mov eax, 0x1234; jmp rax", "no code at 0x1234");
    expect_incomplete("clflush [rip + 0x100]", "page fault");
    expect_incomplete("xor esp, esp; push rax", "page fault");
}

void add_time_many_tests(void)
{
    CU_pSuite suite = CU_add_suite("time of several CPUs", NULL, NULL);
    CU_add_test(suite, "waiting for another CPU", test_waiting_for_another_cpu);
    CU_add_test(suite, "store buffering in time", test_store_buffering);
    CU_add_test(suite, "lines between CPUs", test_lines_between_cpus);
    CU_add_test(suite, "interrupts", test_interrupts);
    CU_add_test(suite, "sleep and handlers, by instruction", test_sleep_rows);
    CU_add_test(suite, "long waits", test_long_waits);
    CU_add_test(suite, "programs that go wrong", test_programs_that_go_wrong);
}
