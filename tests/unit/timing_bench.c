/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/timing_bench.h"

#include <CUnit/CUnit.h>
#include <stdio.h>

struct timing_bench timed_bench;

void timed_run(const char *profile, const char *text, uint64_t limit)
{
    reading_open(&timed_bench.reading, text);
    struct reading *reading = &timed_bench.reading;
    CU_ASSERT_PTR_NOT_NULL_FATAL(reading->program);
    CU_ASSERT_FATAL(assemble(&reading->sources, &reading->diagnostics));
    trace_finish(reading->program, &reading->diagnostics);
    timed_bench.profile = profile_load(&reading->region, profile, &reading->diagnostics);
    CU_ASSERT_EQUAL_FATAL(reading->diagnostics.count, 0);
    CU_ASSERT_FATAL(timed_bench.profile->has_cycles);
    timed_bench.exec = exec_open(&reading->region, reading->program);
    CU_ASSERT_PTR_NOT_NULL_FATAL(timed_bench.exec);
    struct time_options options = {.max_instructions = limit};
    timed_bench.timed = time_run(&reading->region, timed_bench.exec, reading->program, 0,
                                 timed_bench.profile, &options);
}

void timed_close(void)
{
    exec_close(timed_bench.exec);
    reading_close(&timed_bench.reading);
}

void trace_text(char *text, const char *setup, const char *body, unsigned iterations)
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

double loop_on(const char *profile, const char *setup, const char *body, unsigned iterations)
{
    static char text[TEXT];
    trace_text(text, setup, body, iterations);
    timed_run(profile, text, 0);
    CU_ASSERT(timed_bench.timed->complete);
    CU_ASSERT_EQUAL(timed_bench.timed->unmodelled_count, 0);
    CU_ASSERT(timed_bench.timed->cpus[0].has_iterations);
    double cycles = timed_bench.timed->cpus[0].per_iteration;
    timed_close();
    return cycles;
}

double loop(const char *body) { return loop_on("zen4", "", body, 400); }

double straight(const char *body)
{
    static char text[TEXT];
    trace_text(text, "", body, 0);
    timed_run("zen4", text, 0);
    CU_ASSERT(timed_bench.timed->complete);
    double cycles = timed_bench.timed->cpus[0].cycles;
    timed_close();
    return cycles;
}

const char *times(int n, const char *piece, int step)
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

const char *join(const char *first, const char *second)
{
    static char text[4][TEXT];
    static int next;
    char *out = text[next++ % 4];
    snprintf(out, TEXT, "%s%s", first, second);
    return out;
}
