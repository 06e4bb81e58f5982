/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cycle model, mechanism by mechanism. What is expected follows from the rule and the
 * profile's parameters, worked out by hand in the comment; nothing is copied from output.
 */
#include <CUnit/CUnit.h>
#include <math.h>
#include <string.h>

#include "tests/unit/timing_bench.h"

void add_time_tests(void);

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

/* The carry goes its own way: through dec, which leaves it alone, and beside the other flags. */
static void test_carry(void)
{
    CLOSE(loop("adc rax, r8; adc rbx, r8; adc rcx, r8; adc rdx, r8"), 4);
    CLOSE(loop(times(8, "adcx rax, r8; adox rbx, r8;", 0)), 8); /* two chains */
    CLOSE(loop("sbb rax, rax; sub rcx, r8"), 1);                /* one behind the other anew */
}

/* Chains end where the value does not depend on the register. */
static void test_idioms(void)
{
    CLOSE(loop("mulps xmm0, xmm1; pcmpeqd xmm0, xmm0"), 1);
    CLOSE(loop("vmulps ymm0, ymm0, ymm1; vpcmpgtd ymm0, ymm0, ymm0"), 1);
    CLOSE(loop("mulps xmm0, xmm1; pcmpeqd xmm0, xmm1"), 4);
    CLOSE(loop("imul rax, r8; cmp rbx, rcx; sbb rax, rax"), 1);
    CLOSE(loop("imul rax, r8; cmp rbx, rcx; sbb rax, rdx"), 4);
    CLOSE(loop_on("skylake", "", "imul rax, r8; cmp rbx, rcx; sbb rax, rax", 400), 4);
}

/* AVX costs what SSE does; FMA takes 4 cycles, two start in one. */
static void test_vectors(void)
{
    CLOSE(loop("vfmadd231pd ymm0, ymm1, ymm2; vfmadd213ss xmm3, xmm4, xmm5"), 4);
    CLOSE(loop(times(8,
                     "vmulps ymm0, ymm1, ymm2; vfnmadd132sd xmm3, xmm4, xmm5; vpxor xmm3, "
                     "xmm3, xmm3;",
                     0)),
          8);
    CLOSE(loop("vaddsd xmm0, xmm0, xmm1"), 3);
    CLOSE(loop("vdivps ymm0, ymm0, ymm1"), 11); /* of zeros: a NaN and a NaN */
    /* one unit divides and takes roots */
    CLOSE(loop("divsd xmm0, xmm8; sqrtsd xmm1, xmm8; xorps xmm0, xmm0; xorps xmm1, xmm1"), 5 + 9);
    CLOSE(loop("divss xmm0, xmm8; sqrtss xmm1, xmm8; xorps xmm0, xmm0; xorps xmm1, xmm1"), 3 + 5);
    CLOSE(loop("vpsllvd ymm0, ymm0, ymm1; vinserti128 ymm0, ymm0, xmm1, 1"), 2);
    CLOSE(loop("vpermq ymm0, ymm0, 0x1b"), 4);
    CLOSE(loop(times(4, "vpermq ymm0, ymm1, 0x1b;", 0)), 4); /* two operations each */
    CLOSE(loop("vcvtps2pd ymm0, xmm0"), 4);
    CLOSE(loop("vcvtpd2ps xmm0, ymm0"), 6);
    /* from memory only the load ports work: two a cycle into vector registers */
    CLOSE(loop(times(4, "vbroadcastss ymm0, dword ptr [rdi]; vbroadcastsd ymm1, [rdi];", 0)), 4);
    CLOSE(loop_on("haswell", "", "vfmadd231pd ymm0, ymm1, ymm2", 400), 5);
}

static void test_loads(void)
{
    CLOSE(loop_on("zen4", "mov [rdi], rdi", "mov rdi, [rdi]", 400), 4);
    CLOSE(loop("mov rbp, [rbp]"), 14);
    /* independent misses: as many at once as there are miss buffers */
    const char *misses = "add r14, 4160; mov rax, [r14]";
    CU_ASSERT_DOUBLE_EQUAL(loop_on("zen4", "", misses, 360), 475 / 18.0, 0.5);
}

/*
 * A prefetch takes a load port. Ten ahead of a chain of misses, and asked for before the own load
 * returns: eleven lines come in the time of one.
 */
static void test_prefetches(void)
{
    CLOSE(loop(times(10, "prefetcht0 [rdi + %d];", 64)), 10 / 2.5);
    CLOSE(loop(join(times(5, "prefetcht0 [rdi + %d];", 64), times(5, "mov eax, [rdi];", 0))),
          10 / 2.5);
    CLOSE(loop("prefetcht0 [0]"), 1); /* outside of all memory */
    const char *chain = "mov rax, [r14]; lea r14, [r14 + rax]; add r14, 4160";
    const char *ahead = "prefetcht0 [r14 + 41600]; mov rax, [r14]; lea r14, [r14 + rax]; "
                        "add r14, 4160";
    CU_ASSERT_DOUBLE_EQUAL(loop_on("zen4", "", chain, 360), 475 + 2, 1);
    CU_ASSERT_DOUBLE_EQUAL(loop_on("zen4", "", ahead, 360), (475 + 2) / 11.0, 1);
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
    timed_run("zen4", text, 0);
    CU_ASSERT(timed_bench.timed->complete);
    CU_ASSERT(timed_bench.timed->instructions < 20000);
    CLOSE(timed_bench.timed->cpus[0].per_iteration, 21);
    CU_ASSERT_DOUBLE_EQUAL(timed_bench.timed->cpus[0].cycles / 10000000, 21, 0.01);
    timed_close();
    trace_text(text, "", "mov rax, [rdi + rcx]; add rcx, 8; and rcx, 0xfff8", 20000);
    timed_run("zen4", text, 0);
    CU_ASSERT_EQUAL(timed_bench.timed->instructions, 80000);
    timed_close();
    /* the second half takes another way */
    trace_text(text, "", "cmp r15, 15000; jb 1f; lfence; 1:", 20000);
    timed_run("zen4", text, 0);
    CU_ASSERT(timed_bench.timed->instructions > 60000);
    timed_close();
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
    timed_run("zen4", text, 0);
    const struct timed_cpu *cpu = &timed_bench.timed->cpus[0];
    CU_ASSERT_DOUBLE_EQUAL(sum_of(cpu, false), cpu->per_iteration, 0.001);
    CU_ASSERT_DOUBLE_EQUAL(sum_of(cpu, true), cpu->per_iteration, 0.001);
    timed_close();
    /* Steady in three windows of 240, but the half comes before the fourth was measured. */
    trace_text(text, "", "lock inc dword ptr [rdi]", 2000);
    timed_run("sandybridge", text, 0);
    cpu = &timed_bench.timed->cpus[0];
    CU_ASSERT_DOUBLE_EQUAL(sum_of(cpu, false), cpu->per_iteration, 0.001);
    timed_close();
    trace_text(text, "", body, 0);
    timed_run("zen4", text, 0);
    cpu = &timed_bench.timed->cpus[0];
    CU_ASSERT_DOUBLE_EQUAL(sum_of(cpu, false), cpu->cycles, 0.001);
    CU_ASSERT_DOUBLE_EQUAL(sum_of(cpu, true), cpu->cycles, 0.001);
    timed_close();
    /* The last of the stores drains, not the first one with its text; a load leaves nothing. */
    trace_text(text, "", "mov [rdi], rax; mov rdi, r14; mov [rdi], rax; mov rbx, [r14 + 4096]", 0);
    timed_run("zen4", text, 0);
    cpu = &timed_bench.timed->cpus[0];
    CU_ASSERT_DOUBLE_EQUAL(sum_of(cpu, false), cpu->cycles, 0.001);
    CU_ASSERT_EQUAL(cpu->insns[0].stall[STALL_STORE_DRAIN], 0);
    CU_ASSERT(cpu->insns[2].stall[STALL_STORE_DRAIN] > 0);
    timed_close();
    trace_text(text, "", "mov rbx, [r14]", 0);
    timed_run("zen4", text, 0);
    cpu = &timed_bench.timed->cpus[0];
    CU_ASSERT_DOUBLE_EQUAL(sum_of(cpu, false), cpu->cycles, 0.001);
    timed_close();
}

void add_time_tests(void)
{
    CU_pSuite suite = CU_add_suite("time", NULL, NULL);
    CU_add_test(suite, "front end and ALUs", test_front_end);
    CU_add_test(suite, "carry", test_carry);
    CU_add_test(suite, "idioms", test_idioms);
    CU_add_test(suite, "vectors", test_vectors);
    CU_add_test(suite, "loads", test_loads);
    CU_add_test(suite, "prefetches", test_prefetches);
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
}
