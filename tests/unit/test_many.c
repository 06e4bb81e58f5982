/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many CPUs in time: the traces of tests/timing against the figures that they name. The unit
 * tests run in the root of the repository.
 */
#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/time/time.h"
#include "tests/unit/reading.h"

void add_many_tests(void);

enum { FILE_MAX = 65536 };

static bool read_all(const char *path, char *text)
{
    FILE *file = fopen(path, "rb");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    size_t length = fread(text, 1, FILE_MAX - 1, file);
    text[length] = 0;
    fclose(file);
    return length > 0 && length < FILE_MAX - 1;
}

/* Cycles of CPU number `cpu` (-1: the last): of an iteration, or in all. */
static double cycles_of(const char *path, const char *profile_name, uint32_t variant, int cpu)
{
    static char text[FILE_MAX];
    struct reading reading;
    CU_ASSERT_TRUE_FATAL(read_all(path, text));
    reading_open(&reading, text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reading.program);
    CU_ASSERT_FATAL(assemble(&reading.sources, &reading.diagnostics));
    trace_finish(reading.program, &reading.diagnostics);
    const struct profile *profile =
        profile_load(&reading.region, profile_name, &reading.diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(profile);
    struct exec *exec = exec_open(&reading.region, reading.program);
    struct timed *timed = time_run(&reading.region, exec, reading.program, variant, profile, NULL);
    CU_ASSERT_TRUE(timed->complete && timed->unmodelled_count == 0);
    const struct timed_cpu *one = &timed->cpus[cpu < 0 ? timed->cpu_count - 1 : (size_t)cpu];
    double cycles = one->has_iterations ? one->per_iteration : one->cycles;
    exec_close(exec);
    reading_close(&reading);
    return cycles;
}

static bool within(double value, double expected, double share)
{
    return fabs(value - expected) <= share * expected;
}

/* 208 CPUs one after the other, each for milliseconds in which the others wait. */
static void test_mtrr(void)
{
    double with = cycles_of("tests/timing/mtrr_208.yaml", "skylake", 0, -1);
    double without = cycles_of("tests/timing/mtrr_208.yaml", "skylake", 1, -1);
    CU_ASSERT_TRUE(within(with / without, 1437.0 / 28, 0.15));
    with = cycles_of("tests/timing/mtrr_4.yaml", "haswell", 0, -1);
    without = cycles_of("tests/timing/mtrr_4.yaml", "haswell", 1, -1);
    CU_ASSERT_TRUE(within(with / without, 114.0 / 2, 0.15));
}

/* The fence before the WRMSR: one pair, and 24 pairs at once. */
static void test_interrupts(void)
{
    double without = cycles_of("tests/timing/ipi_pair.yaml", "zen4", 0, 0);
    double with = cycles_of("tests/timing/ipi_pair.yaml", "zen4", 1, 0);
    CU_ASSERT_TRUE(within(with / without, 1172.42 / 1117.44, 0.03));
    double rate = 48 * 2.5e9 / cycles_of("tests/timing/ipi_48.yaml", "zen4", 0, 0);
    CU_ASSERT_TRUE(within(rate, 42.9608e6, 0.03));
    /* Random pairs, whose interrupts go one after the other. */
    without = cycles_of("tests/timing/ipi_mesh.yaml", "zen4", 0, 0);
    with = cycles_of("tests/timing/ipi_mesh.yaml", "zen4", 1, 0);
    CU_ASSERT_TRUE(within(2.5e9 / without, 6355156, 0.03));
    CU_ASSERT_TRUE(within(2.5e9 / with, 4933374, 0.1));
}

/* Two CPUs that pass lines to each other; the variants are numbered as in the traces. */
static void test_two(void)
{
    static const struct {
        const char *path;
        uint32_t variant;
        double cycles, share;
    } rows[] = {
        {"tests/timing/contended_near.yaml", 0, 31.6, 0.1}, /* lock add */
        {"tests/timing/contended_near.yaml", 4, 118, 0.1},  /* store, mfence */
        {"tests/timing/contended_far.yaml", 0, 30.4, 0.1},  /* lock add */
        {"tests/timing/pingpong.yaml", 0, 406, 0.1},        /* no barrier */
        {"tests/timing/pingpong.yaml", 1, 410, 0.1},        /* mfence */
        {"tests/timing/pingpong.yaml", 2, 442, 0.1},        /* lock add elsewhere */
        {"tests/timing/pingpong.yaml", 5, 308, 0.2},        /* both flags on one line */
        {"tests/timing/message.yaml", 2, 519, 0.1},         /* data, mfence, flag */
        {"tests/timing/lock_and_load.yaml", 0, 15.8, 0.1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double cycles = cycles_of(rows[i].path, "zen4", rows[i].variant, 0);
        bool good = within(cycles, rows[i].cycles, rows[i].share);
        if (!good)
            printf("%s, variant %u: %.1f cycles, expected %.1f\n", rows[i].path, rows[i].variant,
                   cycles, rows[i].cycles);
        CU_ASSERT_TRUE(good);
    }
}

static void test_vmexit(void)
{
    static const char *const parts[] = {"haswell", "skylake", "icelake"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        double always = cycles_of("traces/seeds/vmexit_pir.yaml", parts[i], 0, 0);
        double first = cycles_of("traces/seeds/vmexit_pir.yaml", parts[i], 1, 0);
        CU_ASSERT_TRUE(always - first >= 20);
    }
}

void add_many_tests(void)
{
    CU_pSuite suite = CU_add_suite("many CPUs", NULL, NULL);
    CU_add_test(suite, "MTRRs in lock step", test_mtrr);
    CU_add_test(suite, "interrupts with and without a fence", test_interrupts);
    CU_add_test(suite, "two CPUs on one line", test_two);
    CU_add_test(suite, "looking before an exchange", test_vmexit);
}
