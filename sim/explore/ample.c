/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/explore/ample.h"

enum { AMPLE_CPUS_MAX = 32 };

bool ample_applies(const struct exploration *exploration)
{
    const struct components *components = &exploration->components;
    const struct program *program = exploration->program;
    /* Interrupts, the clock and power cuts tie CPUs together in ways that places do not show. */
    return components->reduce && !components->context.msr_writes && !components->persistent &&
           program->handler_count == 0 && components->footprint->early_assumed == 0 &&
           program->cpu_count > 1 && program->cpu_count <= AMPLE_CPUS_MAX;
}

/* Whether something that `now` can do conflicts with something that `later` may do some time. */
static bool conflicts(const struct component *now, const struct component *later)
{
    return (now->now_reads & later->future_writes) ||
           (now->now_writes & (later->future_reads | later->future_writes));
}

/* The smallest set with `seed` that nobody outside can interfere with. */
static uint64_t closure_of(struct component *const *components, uint32_t cpus, uint32_t seed)
{
    uint64_t set = UINT64_C(1) << seed, done = 0;
    while (set & ~done) {
        uint32_t cpu = (uint32_t)__builtin_ctzll(set & ~done);
        done |= UINT64_C(1) << cpu;
        for (uint32_t other = 0; other < cpus; other++)
            if (!(set >> other & 1) && conflicts(components[cpu], components[other]))
                set |= UINT64_C(1) << other;
    }
    return set;
}

uint64_t ample_cpus(struct exploration *exploration, const uint32_t *tuple)
{
    struct component *components[AMPLE_CPUS_MAX];
    uint32_t cpus = (uint32_t)exploration->program->cpu_count;
    uint64_t all = (UINT64_C(1) << cpus) - 1, best = all, moving = 0;
    for (uint32_t cpu = 0; cpu < cpus; cpu++) {
        components[cpu] = component_of(&exploration->components, cpu, tuple[cpu]);
        if (components[cpu]->status >= COMPONENT_FAULTED)
            return all;
        if (components[cpu]->transition_count)
            moving |= UINT64_C(1) << cpu;
    }
    for (uint32_t seed = 0; seed < cpus; seed++) {
        if (!(moving >> seed & 1))
            continue;
        uint64_t set = closure_of(components, cpus, seed);
        if (__builtin_popcountll(set & moving) < __builtin_popcountll(best & moving))
            best = set;
        if ((best & (best - 1)) == 0)
            break;
    }
    return best;
}
