/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which variant of a program is the cheapest one that does what the trace asks for. */
#ifndef FENCESIM_SIM_JUDGE_COMPARE_H_
#define FENCESIM_SIM_JUDGE_COMPARE_H_

#include "sim/judge/result.h"

struct comparison {
    size_t timed;                  /* variants with cycles; below 2 there is nothing to compare */
    bool judged;                   /* order was judged too: only variants that hold count */
    const struct result *cheapest; /* NULL: none holds */
};

/* Compares the results on one profile among the `count` results of one program. */
struct comparison compare_costs(struct result *const *results, size_t count,
                                const struct profile *profile);

/* Whether the run does all that the trace asks for on this profile, and damages nothing. */
bool result_holds(const struct result *result);

/* The CPU whose cycles stand for the run: the first one that loops, or else the first. */
const struct timed_cpu *main_timed_cpu(const struct result *result);
double shown_cycles(const struct timed_cpu *cpu);

/* Its cycles less those of the cheapest. */
double over_cheapest(const struct comparison *comparison, const struct result *result);

#endif
