/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the transitions of a state lead. */
#include "sim/explore/explore.h"

#include <string.h>

/* What a transition does beside moving its CPU on. */
static void apply(struct exploration *exploration, const struct outcome *outcome, uint32_t *next)
{
    struct components *components = &exploration->components;
    uint32_t cpus = (uint32_t)exploration->program->cpu_count, *memory = &next[cpus];
    for (uint32_t n = 0; n < outcome->store_count; n++)
        *memory = memory_write(&components->shared, *memory, outcome->stores[n]);
    if (outcome->post_to != NOBODY)
        next[outcome->post_to] = component_post(components, (uint32_t)outcome->post_to,
                                                next[outcome->post_to], outcome->vector);
    if (!exploration->line_count)
        return;
    bool everything =
        outcome->persist == PERSIST_ALL || components->profile->order.persistent_caches != 0;
    for (size_t i = 0; i < exploration->line_count; i++)
        if (everything || (outcome->persist == PERSIST_LINE &&
                           outcome->line / LINE_BYTES == exploration->lines[i] / LINE_BYTES))
            next[cpus + 1] = memory_copy_line(&exploration->durable, next[cpus + 1],
                                              &components->shared, *memory, exploration->lines[i]);
}

/* A dirty line may be written back at any time. */
static unsigned write_backs(struct exploration *exploration, const uint32_t *tuple, uint32_t *next,
                            visit_successor *visit, void *receiver)
{
    uint32_t cpus = (uint32_t)exploration->program->cpu_count;
    unsigned count = 0;
    for (size_t i = 0; i < exploration->line_count; i++) {
        next[cpus + 1] =
            memory_copy_line(&exploration->durable, tuple[cpus + 1],
                             &exploration->components.shared, tuple[cpus], exploration->lines[i]);
        if (next[cpus + 1] == tuple[cpus + 1])
            continue;
        visit(receiver, cpus, NULL, next);
        count++;
    }
    return count;
}

unsigned for_each_successor(struct exploration *exploration, const uint32_t *tuple,
                            visit_successor *visit, void *receiver)
{
    return for_each_successor_of(exploration, tuple, UINT64_MAX, visit, receiver);
}

unsigned for_each_successor_of(struct exploration *exploration, const uint32_t *tuple,
                               uint64_t which, visit_successor *visit, void *receiver)
{
    struct components *components = &exploration->components;
    uint32_t cpus = (uint32_t)exploration->program->cpu_count;
    uint32_t *next = exploration->tuple;
    size_t bytes = exploration->tuple_length * sizeof *next;
    unsigned count = 0;
    memcpy(next, tuple, bytes);
    for (uint32_t cpu = 0; cpu < cpus; cpu++) {
        if (cpu < 64 && !(which >> cpu & 1))
            continue;
        bool ordered = components->symmetry.any && !exploration->keeps_order;
        if (ordered && symmetry_repeats(&components->symmetry, tuple, cpu, which))
            continue;
        struct component *component = component_of(components, cpu, tuple[cpu]);
        for (uint32_t i = 0; i < component->transition_count; i++) {
            struct transition *transition = &component->transitions[i];
            const struct outcome outcome =
                transition_has_value(transition->kind)
                    ? *transition_outcome(components, cpu, tuple[cpu], transition, tuple[cpus])
                    : transition->outcome;
            next[cpu] = outcome.next;
            apply(exploration, &outcome, next);
            if (ordered)
                symmetry_settle(&components->symmetry, next, cpu);
            visit(receiver, cpu, transition, next);
            memcpy(next, tuple, bytes);
            count++;
        }
    }
    if (exploration->line_count)
        count += write_backs(exploration, tuple, next, visit, receiver);
    return count;
}
