/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace read from a string, assembled and explored, for tests of what it can do. */
#ifndef FENCESIM_TESTS_UNIT_EXPLORING_H_
#define FENCESIM_TESTS_UNIT_EXPLORING_H_

#include <CUnit/CUnit.h>
#include <stdio.h>

#include "sim/explore/explore.h"
#include "tests/unit/reading.h"

struct exploring {
    struct reading reading;
    struct oracle *oracle;
    struct start *start;
    const struct profile *profile;
    struct profile own; /* `profile` with other order parameters, when a test wants some */
};

/* Reads and assembles the first variant; errors are failures. */
static inline void exploring_open(struct exploring *e, const char *text, const char *profile)
{
    reading_open(&e->reading, text);
    struct region *region = &e->reading.region;
    struct diagnostics *diagnostics = &e->reading.diagnostics;
    assemble(&e->reading.sources, diagnostics);
    if (diagnostics->count == 0)
        trace_finish(e->reading.program, diagnostics);
    e->profile = profile_load(region, profile, diagnostics);
    for (size_t i = 0; i < diagnostics->count; i++)
        printf("%u: %s\n", diagnostics->items[i].place.line, diagnostics->items[i].message);
    CU_ASSERT_EQUAL_FATAL(diagnostics->count, 0);
    struct exec *exec = exec_open(region, e->reading.program);
    CU_ASSERT_PTR_NOT_NULL_FATAL(exec);
    e->oracle = oracle_new(region, exec, e->reading.program, 0);
    e->start = start_new(region, exec, e->reading.program, 0);
    e->own = *e->profile;
}

static inline struct exploration *exploring_run(struct exploring *e, const char *model,
                                                const struct explore_options *options)
{
    struct region *region = &e->reading.region;
    struct footprint *footprint = region_alloc(region, sizeof *footprint);
    footprint_init(footprint, region, e->reading.program, !options->reduce);
    return explore(region, e->oracle, e->start, e->profile, model_find(model), footprint,
                   e->reading.program->terms, e->reading.program->term_count, options);
}

/* A condition's value in one state, without `crash`; `stuck` is NULL in a final one. */
static inline uint64_t exploring_value(const struct condition *c, const uint64_t *values,
                                       const bool *stuck)
{
    switch (c->op) {
    case CONDITION_NUMBER:
        return c->number;
    case CONDITION_REGISTER:
    case CONDITION_OBJECT:
        return values[c->term];
    case CONDITION_CRASH:
        return 0;
    case CONDITION_STUCK:
        return stuck && stuck[c->cpu];
    case CONDITION_NOT:
        return !exploring_value(c->left, values, stuck);
    default:
        break;
    }
    uint64_t left = exploring_value(c->left, values, stuck);
    uint64_t right = exploring_value(c->right, values, stuck);
    bool results[] = {[CONDITION_EQ] = left == right,
                      [CONDITION_NE] = left != right,
                      [CONDITION_LT] =
                          left<right, [CONDITION_LE] = left <= right, [CONDITION_GT] = left> right,
                      [CONDITION_GE] = left >= right,
                      [CONDITION_AND] = left && right,
                      [CONDITION_OR] = left || right};
    return results[c->op];
}

/* Whether some final or stuck state satisfies the condition of the trace's n-th expectation. */
static inline bool exploring_finds(const struct exploring *e, const struct exploration *found,
                                   size_t n)
{
    const struct condition *condition = e->reading.program->expectations[n].condition;
    for (size_t i = 0; i < found->final_count; i++)
        if (exploring_value(condition, found->finals[i].values, found->finals[i].stuck))
            return true;
    return false;
}

static inline void exploring_close(struct exploring *e) { reading_close(&e->reading); }

#endif
