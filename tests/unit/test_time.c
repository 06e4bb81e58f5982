/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cycle model, mechanism by mechanism. What is expected follows from the rule and the
 * profile's parameters, worked out by hand in the comment; nothing is copied from output.
 */
#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/time/interpret.h"
#include "sim/time/time.h"
#include "tests/unit/reading.h"

void add_time_tests(void);

enum { TEXT = 16384 };

/* A program with its timed run. */
static struct bench {
    struct reading reading;
    struct exec *exec;
    const struct profile *profile;
    struct timed *timed;
} bench;

static void bench_run(const char *profile, const char *text, uint64_t limit)
{
    reading_open(&bench.reading, text);
    struct reading *reading = &bench.reading;
    CU_ASSERT_PTR_NOT_NULL_FATAL(reading->program);
    CU_ASSERT_FATAL(assemble(&reading->sources, &reading->diagnostics));
    trace_finish(reading->program, &reading->diagnostics);
    bench.profile = profile_load(&reading->region, profile, &reading->diagnostics);
    CU_ASSERT_EQUAL_FATAL(reading->diagnostics.count, 0);
    CU_ASSERT_FATAL(bench.profile->has_cycles);
    bench.exec = exec_open(&reading->region, reading->program);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bench.exec);
    struct time_options options = {.max_instructions = limit};
    bench.timed =
        time_run(&reading->region, bench.exec, reading->program, 0, bench.profile, &options);
}

static void bench_close(void)
{
    exec_close(bench.exec);
    reading_close(&bench.reading);
}

static void trace_text(char *text, const char *setup, const char *body, unsigned iterations)
{
    int used = snprintf(text, TEXT,
                        "trace: 1\nname: t\nmemory:\n  a: {size: 64KiB}\n"
                        "  l2: {size: 128KiB, init: chase, resident: L2}\n"
                        "  dram: {size: 2MiB, resident: DRAM}\n"
                        "cpus:\n  - regs: {rdi: a, rsi: a+0x8000, rbp: l2, r14: dram}\n"
                        "    setup: \"%s\"\n    asm: |\n      %s\n",
                        setup, body);
    if (iterations > 0)
        snprintf(text + used, (size_t)(TEXT - used), "loop: {cpu: P0, iterations: %u}\n",
                 iterations);
}

static double loop_on(const char *profile, const char *setup, const char *body, unsigned iterations)
{
    static char text[TEXT];
    trace_text(text, setup, body, iterations);
    bench_run(profile, text, 0);
    CU_ASSERT(bench.timed->complete);
    CU_ASSERT_EQUAL(bench.timed->unmodelled_count, 0);
    CU_ASSERT(bench.timed->cpus[0].has_iterations);
    double cycles = bench.timed->cpus[0].per_iteration;
    bench_close();
    return cycles;
}

static double loop(const char *body) { return loop_on("zen4", "", body, 400); }

static double straight(const char *body)
{
    static char text[TEXT];
    trace_text(text, "", body, 0);
    bench_run("zen4", text, 0);
    CU_ASSERT(bench.timed->complete);
    double cycles = bench.timed->cpus[0].cycles;
    bench_close();
    return cycles;
}

/* `piece` n times; a %d in it becomes `step` times its number. */
static const char *times(int n, const char *piece, int step)
{
    static char text[4][TEXT / 2];
    static int next;
    char *out = text[next++ % 4];
    int used = 0;
    out[0] = 0;
    for (int i = 0; i < n; i++)
        used += snprintf(out + used, (size_t)(TEXT / 2 - used), piece, i * step);
    return out;
}

static const char *join(const char *first, const char *second)
{
    static char text[4][TEXT];
    static int next;
    char *out = text[next++ % 4];
    snprintf(out, TEXT, "%s%s", first, second);
    return out;
}

#define CLOSE(actual, expected) CU_ASSERT_DOUBLE_EQUAL(actual, expected, 0.011)

/* ---- front end and execution ---- */

static void test_front_end(void)
{
    CLOSE(loop("nop"), 1);                             /* one taken branch a cycle */
    CLOSE(loop(times(50, "nop;", 0)), (25 + 1) / 6.0); /* half a slot each, six slots */
    CLOSE(loop(times(20, "add rax, 1;", 0)), 20);
    CLOSE(loop(times(5, "imul rax, rax;", 0)), 15);
    /* four ALUs for 40 adds and the dec */
    CLOSE(loop(times(10, "add rax, 1; add rbx, 1; add rcx, 1; add rdx, 1;", 0)), 41 / 4.0);
    CLOSE(loop(times(20, "mov rax, rbx; xor ecx, ecx;", 0)), 41 / 6.0); /* renamed: slots only */
}

static void test_loads(void)
{
    CLOSE(loop_on("zen4", "mov [rdi], rdi", "mov rdi, [rdi]", 400), 4);
    CLOSE(loop("mov rbp, [rbp]"), 14);
    /* independent misses: as many at once as there are miss buffers */
    const char *misses = "add r14, 4160; mov rax, [r14]";
    CU_ASSERT_DOUBLE_EQUAL(loop_on("zen4", "", misses, 360), 475 / 18.0, 0.5);
}

static void test_forwarding(void)
{
    CLOSE(loop("mov [rdi], rax; mov rax, [rdi]; add rax, 1"), 1); /* renamed */
    CLOSE(loop("mov [rdi], al; movzx eax, byte ptr [rdi]"), 6);   /* forwarded */
    CLOSE(loop("mov [rdi], rax; mov rax, [rdi + 4]"), 19);        /* 1 to commit, 18 more */
    CLOSE(loop_on("haswell", "", "mov [rdi], rax; mov rax, [rdi]", 400), 5.25);
}

/* A start, then a line in so many cycles, by part: what 64 lines more cost. */
static double lines_by_rep(const char *profile)
{
    double few = loop_on(profile, "mov r8, rdi", "mov rdi, r8; mov ecx, 4736; rep stosb", 40);
    double many = loop_on(profile, "mov r8, rdi", "mov rdi, r8; mov ecx, 8832; rep stosb", 40);
    return many - few;
}

static void test_repeated_strings(void)
{
    CLOSE(lines_by_rep("zen4"), 2 * 64);
    CLOSE(lines_by_rep("zen1"), 4 * 64);
    CLOSE(lines_by_rep("icelake"), 64);
    CLOSE(loop_on("zen4", "", "xor ecx, ecx; rep movsb", 40), 1);
}

/* Chains of four cycles on pipes of which other work has the choice: it keeps out of their way. */
static void test_balanced_pipes(void)
{
    const char *chains = "cmp edx, ecx; cmovb r9d, edx; imul r9, r9; cmp r9d, edx;"
                         "cmove ebx, edx; cmp r9d, edx; cmovs r11d, eax";
    CLOSE(loop_on("zen4", "", chains, 400), 4);
}

/* ---- stores and barriers ---- */

static const char *lines(int n) { return times(n, "mov [rdi + %d], rax;", 64); }
static const char *words(int n) { return times(n, "mov [rdi + %d], rax;", 0); }

static void test_stores(void)
{
    CLOSE(loop(lines(8)), 8); /* one line a cycle */
    CLOSE(loop(words(8)), 4); /* two stores a cycle to one line */
    CLOSE(loop("mov [rdi + 16], rax; mov [rdi + 8], rax; mov [rdi], rax"), 2); /* not downwards */
    CLOSE(loop(join(lines(8), "sfence")), 9); /* one more entry of the queue */
    CLOSE(loop("mov [rdi + 60], rax"), 2);    /* across two lines */
}

static void test_lfence(void)
{
    CLOSE(loop("lfence"), 18); /* 17 and the dec's cycle */
    CLOSE(loop("lfence; lfence; lfence; lfence"), 18 + 3 * 17);
    CLOSE(loop(join(times(10, "imul rax, rax;", 0), "lfence")), 15 + 30);
    CLOSE(loop(join(lines(1), "lfence")), 21);  /* the store's address: 4 - 1 more */
    CLOSE(loop(join(lines(64), "lfence")), 64); /* does not wait for the drain */
}

static void test_mfence(void)
{
    double bare = loop("mfence");
    CU_ASSERT_DOUBLE_EQUAL(bare, 59, 0.5);
    /* n more lines, n more cycles; two more stores to one line, one more cycle */
    CLOSE(loop(join(lines(48), "mfence")) - loop(join(lines(32), "mfence")), 16);
    CLOSE(loop(join(words(48), "mfence")) - loop(join(words(32), "mfence")), 8);
    /* behind it the decoders give 4 instructions a cycle */
    CLOSE(loop(join("mfence;", times(80, "nop;", 0))) - loop(join("mfence;", times(40, "nop;", 0))),
          10);
    double last = 0;
    for (int n = 0; n <= 64; n += 8) {
        double now = loop(join(lines(n), "mfence"));
        CU_ASSERT(now >= last);
        last = now;
    }
}

static void test_locks(void)
{
    CLOSE(loop("lock add dword ptr [rsi], 0"), 7.25);
    CLOSE(loop("xchg [rsi], ecx"), 7.8);
    CLOSE(loop(join("lock add dword ptr [rsi], 0;", times(30, "add rax, 1;", 0))), 30);
    CLOSE(loop("sfence; lock add dword ptr [rsi], 0"), 7.25 + 7.4);
    CLOSE(loop("xadd [rsi], rcx"), 8); /* without the prefix too */
    /* a word that crosses a line locks the bus */
    CLOSE(loop("lock add qword ptr [rsi + 60], 0"), 3820);
}

static void test_write_combining(void)
{
    /* a word of one line again and again stays in its buffer */
    CLOSE(loop("movnti [rdi], rax"), 1);
    CU_ASSERT(loop("movnti [rdi], rax; sfence") > 300);
    CU_ASSERT(loop("movnti [rdi], rax; mfence") > 300);
    CU_ASSERT(loop("movnti [rdi], rax; lfence") < 40);
    /* write-back, then the line comes back from memory for the next store */
    CU_ASSERT(loop("mov [rdi], rax; clflush [rdi]") > 530 + 475);
    CLOSE(loop("clflush [rdi]"), 206);
}

/* ---- whole profiles ---- */

static void test_haswell_barriers(void)
{
    /* the loop x = i - j; barrier; j = x as reported for the full barriers of the kernel */
    static const struct {
        const char *barrier;
        double reported;
    } rows[] = {
        {"xchg [rsp - 4], r10d", 19.10},
        {"lock add dword ptr [rsp], 0", 19.08},
        {"mfence", 45.61},
        {"lfence", 17.08},
        {"sfence", 7.22},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char body[256];
        snprintf(body, sizeof body,
                 "mov eax, r8d; sub eax, r9d; mov [rdi], eax; %s; mov r9d, [rdi]; add r8d, 1",
                 rows[i].barrier);
        double cycles = loop_on("haswell", "", body, 400);
        CU_ASSERT(fabs(cycles - rows[i].reported) <= 0.10 * rows[i].reported);
    }
}

static void test_intel_alone(void)
{
    static const struct {
        const char *profile, *body;
        double cycles;
    } rows[] = {
        {"haswell", "mfence", 33.2},
        {"skylake", "mfence", 33.2},
        {"haswell", "sfence", 6},
        {"skylake", "sfence", 6},
        {"haswell", "pause", 9},
        {"skylake", "pause", 140},
        {"haswell", "rdtsc", 24},
        {"skylake", "rdtsc", 25},
        {"skylake", "xchg [rsi], rax", 23},
        {"skylake", "lock add qword ptr [rsi], 1", 23},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double cycles = loop_on(rows[i].profile, "", rows[i].body, 400);
        CU_ASSERT(fabs(cycles - rows[i].cycles) <= 0.10 * rows[i].cycles);
    }
}

/* ---- properties ---- */

static void test_iterations_do_not_matter(void)
{
    static const char *const bodies[] = {
        "mov [rdi], rax; mfence; mov rax, [rdi]",
        "lock add [rsi], ecx; imul rax, rax",
        "lfence; add rax, 1",
        "mov rbp, [rbp]; sfence",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
        CU_ASSERT_DOUBLE_EQUAL(loop_on("zen4", "", bodies[i], 400),
                               loop_on("zen4", "", bodies[i], 1000), 0.02);
}

/* A loop that settles is not run to its end; a table that is walked is. */
static void test_steady_state(void)
{
    static char text[TEXT];
    trace_text(text, "", "mov [rdi], rax; lfence; add rcx, 1", 10000000);
    bench_run("zen4", text, 0);
    CU_ASSERT(bench.timed->complete);
    CU_ASSERT(bench.timed->instructions < 20000);
    CLOSE(bench.timed->cpus[0].per_iteration, 21);
    CU_ASSERT_DOUBLE_EQUAL(bench.timed->cpus[0].cycles / 10000000, 21, 0.01);
    bench_close();
    trace_text(text, "", "mov rax, [rdi + rcx]; add rcx, 8; and rcx, 0xfff8", 20000);
    bench_run("zen4", text, 0);
    CU_ASSERT_EQUAL(bench.timed->instructions, 80000);
    bench_close();
    /* the second half takes another way */
    trace_text(text, "", "cmp r15, 15000; jb 1f; lfence; 1:", 20000);
    bench_run("zen4", text, 0);
    CU_ASSERT(bench.timed->instructions > 60000);
    bench_close();
}

/* Appending to a dependent straight line never makes it shorter. */
static void test_appending(void)
{
    static const char *const pieces[] = {
        "add rax, 1;", "mov [rdi], rax;",       "mov rax, [rdi];", "imul rax, rax;",
        "mfence;",     "lock xadd [rsi], rax;", "lfence;",         "mov rax, [rdi + 2];",
        "sfence;"};
    char body[TEXT] = "nop;";
    double last = straight(body);
    unsigned seed = 1;
    for (int i = 0; i < 40; i++) {
        seed = seed * 1103515245 + 12345;
        strcat(body, pieces[(seed >> 16) % (sizeof pieces / sizeof pieces[0])]);
        double now = straight(body);
        CU_ASSERT(now >= last);
        last = now;
    }
}

static double sum_of(const struct timed_cpu *cpu, bool by_stall)
{
    double sum = 0;
    for (size_t i = 0; i < cpu->insn_count; i++) {
        if (!by_stall)
            sum += cpu->insns[i].cycles;
        for (int cause = 0; by_stall && cause < STALL_COUNT; cause++)
            sum += cpu->insns[i].stall[cause];
    }
    return sum;
}

static void test_every_cycle_has_a_place(void)
{
    static char text[TEXT];
    const char *body =
        "mov [rdi], rax; mfence; mov rbx, [rdi]; lock add [rsi], ecx; mov [rdi], rax";
    trace_text(text, "", body, 400);
    bench_run("zen4", text, 0);
    const struct timed_cpu *cpu = &bench.timed->cpus[0];
    CU_ASSERT_DOUBLE_EQUAL(sum_of(cpu, false), cpu->per_iteration, 0.001);
    CU_ASSERT_DOUBLE_EQUAL(sum_of(cpu, true), cpu->per_iteration, 0.001);
    bench_close();
    trace_text(text, "", body, 0);
    bench_run("zen4", text, 0);
    cpu = &bench.timed->cpus[0];
    CU_ASSERT_DOUBLE_EQUAL(sum_of(cpu, false), cpu->cycles, 0.001);
    CU_ASSERT_DOUBLE_EQUAL(sum_of(cpu, true), cpu->cycles, 0.001);
    bench_close();
}

/* ---- several CPUs, and programs that go wrong ---- */

#define TWO_CPUS(first, second)                                                                    \
    "trace: 1\nname: t\nmemory: {x: {size: 4}, y: {size: 4}}\ncpus:\n"                             \
    "  - regs: {rdi: x, rsi: y}\n    asm: |\n      " first "\n"                                    \
    "  - regs: {rdi: x, rsi: y}\n    asm: |\n      " second "\n"

static void test_waiting_for_another_cpu(void)
{
    bench_run("zen4",
              TWO_CPUS("cpuid; mov dword ptr [rdi], 1", "1: mov eax, [rdi]; test eax, eax; jz 1b"),
              0);
    CU_ASSERT(bench.timed->complete);
    CU_ASSERT_EQUAL(bench.timed->cpu_count, 2);
    /* It spins until the other's cpuid is over. */
    CU_ASSERT(bench.timed->cpus[1].cycles > bench.profile->cycles.cpuid_hold);
    bench_close();
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
    bench_run("zen4", text, 0);
    bool stale = true;
    for (size_t i = 0; i < 2; i++)
        stale = stale && bench.timed->cpus[i].cycles < bench.profile->cycles.cpuid_hold;
    bench_close();
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
    bench_run("zen4", text, 0);
    CU_ASSERT(bench.timed->complete);
    double cycles = bench.timed->cpus[0].per_iteration;
    bench_close();
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
    bench_run("haswell", text, 200000);
    CU_ASSERT(bench.timed->complete);
    double twice = 2 * bench.profile->cycles.wbinvd_hold;
    CU_ASSERT(bench.timed->cpus[1].cycles > twice && bench.timed->cpus[1].cycles < twice + 2000);
    bench_close();
    snprintf(text, sizeof text, TWO_CPUS("%s", "%s"), wait, wait);
    bench_run("haswell", text, 200000);
    CU_ASSERT(!bench.timed->complete);
    CU_ASSERT_PTR_NOT_NULL(strstr(bench.timed->reason, "for ever"));
    bench_close();
}

/* The time of the CPU that sends, and of the one that is interrupted, at the end. */
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
    bench_run("zen4", text, 0);
    CU_ASSERT(bench.timed->complete);
    cycles[0] = bench.timed->cpus[0].cycles;
    cycles[1] = bench.timed->cpus[1].cycles;
    bench_close();
}

static void test_interrupts(void)
{
    double plain[2], fenced[2], asleep[2], spinning[2];
    interrupt_times("", "nop", plain);
    interrupt_times("mfence; lfence;", "nop", fenced);
    interrupt_times("", "hlt", asleep);
    interrupt_times("", "1: mov eax, [got]; test eax, eax; jz 1b", spinning);
    /* the handler runs one latency after the WRMSR, whatever the CPU does meanwhile */
    CU_ASSERT(plain[1] - plain[0] > 2400 && plain[1] - plain[0] < 2400 + 500);
    CU_ASSERT(asleep[1] - plain[1] < 20 && spinning[1] - plain[1] < 60);
    /* mfence 59 and lfence 14 at least, and what the store needs to be visible */
    CU_ASSERT(fenced[1] - plain[1] > 73 && fenced[1] - plain[1] < 73 + 94 + 10);
}

static void expect_incomplete(const char *body, const char *word)
{
    static char text[TEXT];
    trace_text(text, "", body, 0);
    bench_run("zen4", text, 20000);
    CU_ASSERT(!bench.timed->complete);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bench.timed->reason);
    CU_ASSERT_PTR_NOT_NULL(strstr(bench.timed->reason, word));
    bench_close();
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

/* ---- the interpreter against the oracle ---- */

static const char *const forms[] = {
    "add rax, rbx",
    "add eax, 5",
    "adc cl, dl",
    "sbb rax, -3",
    "sub r8d, r9d",
    "and ax, bx",
    "or r10, 0x1000",
    "xor cl, 7",
    "cmp rax, rcx",
    "cmp al, 0x80",
    "test eax, ebx",
    "inc r9",
    "dec cl",
    "neg rdx",
    "not eax",
    "imul rax, rbx",
    "imul ecx, edx, 77",
    "imul r9, r8, -1000",
    "shl rax, 3",
    "shr ecx, 31",
    "sar rdx, 1",
    "sar r8d, 5",
    "shl eax, 1",
    "movzx eax, cl",
    "movsx rdx, bx",
    "movsxd rax, ecx",
    "mov rax, 0x123456789abcdef",
    "mov ebx, eax",
    "mov dl, al",
    "lea rax, [rbx + rcx*4 - 3]",
    "lea r8d, [rax + rdx]",
    "lea ecx, [eax + 1]",
    "nop",
    "mov ah, cl",
    "bswap rax",
    "cmovz rax, rbx",
    "setc al",
};

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t value = *seed ^ *seed >> 29;
    return value >> 60 < 4 ? value % 3 - 1 : value; /* often 0, 1, -1 */
}

static void no_memory(void *context, uint64_t address, unsigned size, uint8_t *data)
{
    (void)context, (void)address;
    memset(data, 0, size);
}

static void compare_once(const struct insn *insn, uint64_t *seed)
{
    struct interpreted interpreted;
    interpret_decode(&interpreted, insn);
    if (interpreted.operation == OPERATION_NONE)
        return;
    struct registers mine, theirs;
    memset(&mine, 0, sizeof mine);
    for (int i = 0; i < 16; i++)
        mine.gpr[i] = i == 4 ? STACK_BASE + 0x8000 : next_random(seed);
    mine.rip = insn->address;
    mine.rflags = 0x202 | (next_random(seed) & 0x8d5);
    theirs = mine;
    struct transfer transfer = {0};
    struct exec_result result;
    interpret(&interpreted, insn, &mine, &transfer);
    exec_step(bench.exec, insn, &theirs, no_memory, NULL, &result);
    uint64_t undefined = strstr(insn->text, "imul")                            ? 0xd4
                         : insn->text[0] == 's' && strchr("ha", insn->text[1]) ? 0x810
                                                                               : 0;
    undefined |= strstr("and or xor test", insn->mnemonic) ? 0x10 : 0;
    CU_ASSERT_EQUAL(result.status, EXEC_OK);
    CU_ASSERT_EQUAL(memcmp(mine.gpr, theirs.gpr, sizeof mine.gpr), 0);
    CU_ASSERT_EQUAL(mine.rip, theirs.rip);
    CU_ASSERT_EQUAL(mine.rflags & 0x8d5 & ~undefined, theirs.rflags & 0x8d5 & ~undefined);
}

static void test_interpreter(void)
{
    static char text[TEXT];
    char body[TEXT] = "";
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        strcat(body, forms[i]);
        strcat(body, ";");
    }
    trace_text(text, "", body, 0);
    bench_run("zen4", text, 0);
    const struct snippet *snippet = bench.reading.program->variants[0].code[0];
    struct code code;
    code_init(&code, &bench.reading.region, snippet);
    uint64_t seed = 42;
    for (uint64_t at = snippet->address; at < snippet->address + snippet->size;) {
        const struct insn *insn = code_at(&code, at);
        CU_ASSERT_PTR_NOT_NULL_FATAL(insn);
        for (int i = 0; i < 200; i++)
            compare_once(insn, &seed);
        at += insn->length;
    }
    bench_close();
}

void add_time_tests(void)
{
    CU_pSuite suite = CU_add_suite("time", NULL, NULL);
    CU_add_test(suite, "front end and ALUs", test_front_end);
    CU_add_test(suite, "loads", test_loads);
    CU_add_test(suite, "store forwarding", test_forwarding);
    CU_add_test(suite, "pipes are balanced", test_balanced_pipes);
    CU_add_test(suite, "repeated strings", test_repeated_strings);
    CU_add_test(suite, "stores", test_stores);
    CU_add_test(suite, "lfence", test_lfence);
    CU_add_test(suite, "mfence", test_mfence);
    CU_add_test(suite, "locked operations", test_locks);
    CU_add_test(suite, "write combining and flushes", test_write_combining);
    CU_add_test(suite, "Haswell's barriers", test_haswell_barriers);
    CU_add_test(suite, "Intel instructions alone", test_intel_alone);
    CU_add_test(suite, "the number of iterations does not matter", test_iterations_do_not_matter);
    CU_add_test(suite, "a loop's steady state", test_steady_state);
    CU_add_test(suite, "appending never shortens", test_appending);
    CU_add_test(suite, "every cycle has a place", test_every_cycle_has_a_place);
    CU_add_test(suite, "waiting for another CPU", test_waiting_for_another_cpu);
    CU_add_test(suite, "store buffering in time", test_store_buffering);
    CU_add_test(suite, "lines between CPUs", test_lines_between_cpus);
    CU_add_test(suite, "interrupts", test_interrupts);
    CU_add_test(suite, "long waits", test_long_waits);
    CU_add_test(suite, "programs that go wrong", test_programs_that_go_wrong);
    CU_add_test(suite, "the interpreter agrees with the oracle", test_interpreter);
}
