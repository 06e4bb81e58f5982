/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace from a string, judged on one profile in its first variant, for tests of results. */
#ifndef FENCESIM_TESTS_UNIT_JUDGING_H_
#define FENCESIM_TESTS_UNIT_JUDGING_H_

#include <CUnit/CUnit.h>
#include <stdio.h>

#include "sim/run/run.h"
#include "tests/unit/reading.h"

struct judging {
    struct reading reading;
    struct result_list results;
};

/* Errors are failures. The first result is returned; it lives until judging_close. */
static inline const struct result *judging_open(struct judging *j, const char *text,
                                                const char *profile,
                                                const struct run_options *options)
{
    reading_open(&j->reading, text);
    struct region *region = &j->reading.region;
    struct diagnostics *diagnostics = &j->reading.diagnostics;
    assemble(&j->reading.sources, diagnostics);
    if (diagnostics->count == 0)
        trace_finish(j->reading.program, diagnostics);
    const struct profile *loaded = profile_load(region, profile, diagnostics);
    for (size_t i = 0; i < diagnostics->count; i++)
        printf("%u: %s\n", diagnostics->items[i].place.line, diagnostics->items[i].message);
    CU_ASSERT_EQUAL_FATAL(diagnostics->count, 0);
    uint32_t variant = 0;
    j->results = (struct result_list){0};
    run_program(region, j->reading.program, &loaded, 1, &variant, 1, options, &j->results);
    return j->results.items[0];
}

static inline void judging_close(struct judging *j) { reading_close(&j->reading); }

static inline const struct finding *judging_finding(const struct result *result, const char *rule)
{
    for (size_t i = 0; i < result->finding_count; i++)
        if (strcmp(result->findings[i].rule, rule) == 0)
            return &result->findings[i];
    return NULL;
}

#endif
