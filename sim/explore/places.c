/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The places of shared memory that a component touches now, or may touch ever. */
#include "sim/explore/internal.h"

static uint64_t places_of(struct components *components, uint64_t address, uint32_t size)
{
    return futures_places(&components->footprint->futures, address, size);
}

/* What a transition touches; whatever is not plain memory conflicts with everything. */
static void add_places(struct components *components, const struct transition *transition,
                       struct component *component)
{
    uint64_t places =
        places_of(components, transition->address, transition->size ? transition->size : 1);
    switch (transition->kind) {
    case TRANSITION_LOAD: /* all from the own buffer: memory is not looked at */
        if (transition->forward_mask != (UINT32_C(1) << transition->size) - 1)
            component->now_reads |= places;
        break;
    case TRANSITION_LOCKED:
        component->now_reads |= places;
        component->now_writes |= places;
        break;
    case TRANSITION_DRAIN:
        for (uint32_t i = 0; i < transition->outcome.store_count; i++) {
            const struct store *store =
                intern_bytes(&components->stores, transition->outcome.stores[i]);
            component->now_writes |= places_of(components, store->address, store->size);
        }
        break;
    default:
        component->now_writes = UINT64_MAX;
        break;
    }
}

void set_places(struct components *components, uint32_t cpu, const struct node *node,
                struct component *component)
{
    const struct model *model = components->cpus[cpu].model;
    if (!components->reduce)
        return;
    futures_from(&components->footprint->futures, oracle_rip(components->oracle, node->local),
                 &component->future_reads, &component->future_writes);
    if (component->status == COMPONENT_ENDED)
        component->future_reads = component->future_writes = 0;
    for (uint32_t i = 0; i < node->buffers.count; i++) {
        uint32_t number = model->store_of(node->buffers.words[i]);
        if (number == MODEL_NO_STORE)
            continue;
        const struct store *store = intern_bytes(&components->stores, number);
        component->future_writes |= places_of(components, store->address, store->size);
    }
    for (uint32_t i = 0; i < component->transition_count; i++)
        add_places(components, &component->transitions[i], component);
}
