/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/judge/compare.h"

const struct timed_cpu *main_timed_cpu(const struct result *result)
{
    const struct timed *timed = result->timed;
    if (!timed || !timed->complete || !timed->cpu_count)
        return NULL;
    for (size_t i = 0; i < timed->cpu_count; i++)
        if (timed->cpus[i].has_iterations)
            return &timed->cpus[i];
    return &timed->cpus[0];
}

double shown_cycles(const struct timed_cpu *cpu)
{
    return cpu->has_iterations ? cpu->per_iteration : cpu->cycles;
}

bool result_holds(const struct result *result)
{
    if (!result->ordered || !result->complete || result->keeps_order != HELD_YES)
        return false;
    for (size_t i = 0; i < result->finding_count; i++)
        if (result->findings[i].is_error)
            return false; /* expected or not, such code is not for use */
    return true;
}

static double cost(const struct result *result) { return shown_cycles(main_timed_cpu(result)); }

struct comparison compare_costs(struct result *const *results, size_t count,
                                const struct profile *profile)
{
    struct comparison comparison = {0};
    for (size_t i = 0; i < count; i++)
        comparison.judged = comparison.judged || results[i]->ordered;
    for (size_t i = 0; i < count; i++) {
        if (results[i]->profile != profile || !main_timed_cpu(results[i]))
            continue;
        comparison.timed++;
        if (comparison.judged && !result_holds(results[i]))
            continue;
        if (!comparison.cheapest || cost(results[i]) < cost(comparison.cheapest))
            comparison.cheapest = results[i];
    }
    return comparison;
}

double over_cheapest(const struct comparison *comparison, const struct result *result)
{
    return cost(result) - cost(comparison->cheapest);
}
