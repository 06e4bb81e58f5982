/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The figures that were published of each part, within 10 %: tests/unit/parts.def. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "sim/time/time.h"
#include "tests/unit/reading.h"

void add_parts_tests(void);

enum { TEXT = 8192, ITERATIONS = 600 };

static const struct figure {
    const char *profile, *name, *code;
    int copies;
    double least, most;
    const char *source;
} figures[] = {
#define FIGURE(profile, name, code, copies, least, most, source)                                   \
    {profile, name, code, copies, least, most, source},
#include "tests/unit/parts.def"
#undef FIGURE
};

static void write_trace(char *text, const struct figure *figure)
{
    int used = snprintf(text, TEXT,
                        "trace: 1\nname: figure\nmemory:\n  a: {size: 64, init: a}\n"
                        "  b: {size: 512}\n  c: {size: 64}\n"
                        "  l2: {size: 128KiB, init: chase, resident: L2}\n"
                        "  l3: {size: 4MiB, init: chase, resident: L3}\n"
                        "  dram: {size: 4MiB, init: chase, resident: DRAM}\n"
                        "loop: {cpu: P0, iterations: %d}\n"
                        "cpus:\n  - regs: {rdi: b, rsi: c, r8: a, rbp: l2, rbx: l3, r14: dram}\n"
                        "    asm: |\n",
                        ITERATIONS);
    for (int i = 0; i < figure->copies; i++)
        used += snprintf(text + used, (size_t)(TEXT - used), "      %s\n", figure->code);
}

/* Cycles of one copy in the loop. */
static double cycles_of_copy(const struct figure *figure)
{
    static char text[TEXT];
    struct reading reading;
    write_trace(text, figure);
    reading_open(&reading, text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reading.program);
    CU_ASSERT_FATAL(assemble(&reading.sources, &reading.diagnostics));
    trace_finish(reading.program, &reading.diagnostics);
    const struct profile *profile =
        profile_load(&reading.region, figure->profile, &reading.diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(profile);
    CU_ASSERT_TRUE_FATAL(profile->has_cycles);
    struct exec *exec = exec_open(&reading.region, reading.program);
    struct timed *timed = time_run(&reading.region, exec, reading.program, 0, profile, NULL);
    CU_ASSERT_TRUE(timed->complete && timed->unmodelled_count == 0);
    double cycles = timed->cpus[0].per_iteration / figure->copies;
    exec_close(exec);
    reading_close(&reading);
    return cycles;
}

static void test_figures(void)
{
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        const struct figure *figure = &figures[i];
        double cycles = cycles_of_copy(figure);
        bool good = cycles >= 0.9 * figure->least && cycles <= 1.1 * figure->most;
        if (!good)
            printf("%s, %s: %.2f cycles, expected %.2f to %.2f (%s)\n", figure->profile,
                   figure->name, cycles, figure->least, figure->most, figure->source);
        CU_ASSERT_TRUE(good);
    }
}

void add_parts_tests(void)
{
    CU_pSuite suite = CU_add_suite("parts", NULL, NULL);
    CU_add_test(suite, "published figures within 10 %", test_figures);
}
