/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timed run is one execution: what it ends in is among what exploration finds. */
#include <stdlib.h>
#include <string.h>

#include "models/profile.h"
#include "sim/time/time.h"
#include "tests/property/property.h"
#include "tests/unit/exploring.h"

void add_time_property_tests(void);

static const char *const parts[] = {"zen4", "skylake", "haswell", "zen2"};
enum { PARTS = sizeof parts / sizeof parts[0], PROGRAMS = 150 };

static bool is_found(const struct exploration *found, const uint64_t *values)
{
    for (size_t i = 0; i < found->final_count; i++)
        if (memcmp(found->finals[i].values, values, found->term_count * sizeof *values) == 0)
            return true;
    return false;
}

static bool is_interleaving(struct exploring *e, const uint64_t *values)
{
    struct explore_options options = {.reduce = true};
    return is_found(exploring_run(e, "sc", &options), values);
}

/* Counts those that no interleaving explains. */
static unsigned check_program(uint64_t seed, const char *part)
{
    struct exploring e;
    struct explore_options options = {.reduce = true, .max_states = 200000};
    struct sample sample = sample_random(seed);
    char *text = sample_trace(&sample, false);
    unsigned relaxed = 0;
    exploring_open(&e, text, part);
    struct exec *exec = exec_open(&e.reading.region, e.reading.program);
    CU_ASSERT_PTR_NOT_NULL_FATAL(exec);
    struct timed *timed = time_run(&e.reading.region, exec, e.reading.program, 0, e.profile, NULL);
    struct exploration *found = exploring_run(&e, e.profile->model, &options);
    CU_ASSERT_PTR_NOT_NULL(timed->values);
    if (timed->values && found->complete) {
        bool reached = is_found(found, timed->values);
        CU_ASSERT_TRUE(reached);
        if (!reached)
            printf("\na timed run on %s ends where no execution does (seed %llu)\n%s", part,
                   (unsigned long long)seed, text);
        relaxed = !is_interleaving(&e, timed->values);
    }
    exploring_close(&e);
    free(text);
    return relaxed;
}

static void test_timed_outcomes(void)
{
    unsigned relaxed = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
        relaxed += check_program(seed, parts[seed % PARTS]);
    CU_ASSERT_TRUE(relaxed > 0); /* the store buffer shows in time, too */
}

void add_time_property_tests(void)
{
    CU_pSuite suite = CU_add_suite("time properties", NULL, NULL);
    CU_add_test(suite, "a timed run is one of the executions", test_timed_outcomes);
}
