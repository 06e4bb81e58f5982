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

struct conflicts {
    struct component *components[AMPLE_CPUS_MAX];
    uint32_t cpus;
    uint64_t with[AMPLE_CPUS_MAX], known; /* the CPUs for which it was found out */
};

/* The CPUs that may interfere with what this one can do now. */
static uint64_t conflicts_with(struct conflicts *all, uint32_t cpu)
{
    if (all->known >> cpu & 1)
        return all->with[cpu];
    uint64_t with = 0;
    for (uint32_t other = 0; other < all->cpus; other++)
        if (other != cpu && conflicts(all->components[cpu], all->components[other]))
            with |= UINT64_C(1) << other;
    all->known |= UINT64_C(1) << cpu;
    return all->with[cpu] = with;
}

/* The smallest set with `seed` that nobody outside can interfere with. */
static uint64_t closure_of(struct conflicts *all, uint32_t seed)
{
    uint64_t set = UINT64_C(1) << seed, left = set;
    while (left) {
        uint64_t more = conflicts_with(all, (uint32_t)__builtin_ctzll(left)) & ~set;
        left = (left & (left - 1)) | more;
        set |= more;
    }
    return set;
}

static unsigned count_of(uint64_t set)
{
    unsigned count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

uint64_t ample_cpus(struct exploration *exploration, const uint32_t *tuple)
{
    struct conflicts now;
    uint32_t cpus = now.cpus = (uint32_t)exploration->program->cpu_count;
    now.known = 0;
    uint64_t all = (UINT64_C(1) << cpus) - 1, best = all, moving = 0;
    for (uint32_t cpu = 0; cpu < cpus; cpu++) {
        struct component *component = component_of(&exploration->components, cpu, tuple[cpu]);
        if (component->status >= COMPONENT_FAULTED)
            return all;
        now.components[cpu] = component;
        if (component->transition_count)
            moving |= UINT64_C(1) << cpu;
    }
    for (uint64_t seeds = moving; seeds && (best & (best - 1)) != 0; seeds &= seeds - 1) {
        uint64_t set = closure_of(&now, (uint32_t)__builtin_ctzll(seeds));
        if (set != best && count_of(set & moving) < count_of(best & moving))
            best = set;
    }
    return best;
}
