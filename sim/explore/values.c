/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a transition leads for each value that it loads. */
#include <string.h>

#include "sim/explore/internal.h"

void loaded_bytes(struct components *components, const struct transition *transition,
                  uint32_t memory, uint8_t *data)
{
    if (transition->word != MAP_NONE) {
        uint64_t word = memory_word_value(&components->shared, memory, transition->word) >>
                        ((transition->address & 7) * 8);
        memcpy(data, &word, 8);
    } else {
        memory_read(&components->shared, memory, transition->address, transition->size, data);
    }
    if (!transition->forward_mask)
        return;
    for (unsigned byte = 0; byte < transition->size; byte++)
        if (transition->forward_mask >> byte & 1)
            data[byte] = transition->forwarded[byte];
}

void latch(struct components *components, struct node *node, const struct piece *piece,
           unsigned number, const uint8_t *data)
{
    memcpy(node->bytes + piece->offset, data, piece->size);
    node->latched |= UINT32_C(1) << number;
    buffers_drop_early_load(&components->context, &node->buffers, piece->address);
}

/* Makes the load of a TRANSITION_EARLY. */
static void load_early(struct components *components, struct node *node,
                       const struct transition *transition, const uint8_t *data,
                       struct outcome *outcome)
{
    struct store store;
    memset(&store, 0, sizeof store);
    store.address = transition->address;
    store.size = transition->size;
    memcpy(store.data, data, transition->size);
    if (transition->address == TSC_ADDRESS)
        read_clock(components, &store, outcome);
    buffers_add_early_load(&node->buffers,
                           intern_add(&components->stores, &store, sizeof store, NULL));
}

static void take_clock(struct components *components, uint32_t cpu, struct node *node,
                       const uint8_t *data, struct outcome *outcome)
{
    struct store store;
    uint64_t reading;
    memset(&store, 0, sizeof store);
    store.address = TSC_ADDRESS;
    store.size = sizeof reading;
    memcpy(store.data, data, sizeof reading);
    read_clock(components, &store, outcome);
    memcpy(&reading, store.data, sizeof reading);
    tsc_step(components, cpu, node, reading);
}

/* Works out where a value leads. */
void take_value(struct components *components, uint32_t cpu, uint32_t id,
                const struct transition *transition, const uint8_t *data, struct outcome *outcome)
{
    struct node node;
    struct load_pieces loads;
    component_node(components, cpu, id, &node);
    const struct plan *plan = oracle_plan(components->oracle, node.local);
    struct told told = {.insn = plan->insn,
                        .event = "load",
                        .address = transition->address,
                        .size = transition->size,
                        .data = data};
    memset(outcome, 0, sizeof *outcome);
    outcome->post_to = NOBODY;
    switch (transition->kind) {
    case TRANSITION_LOCKED: {
        uint8_t bytes[LOAD_BYTES_MAX] = {0};
        struct stopped stopped = {0};
        memcpy(bytes, data, transition->size);
        if (!finish_locked(components, cpu, &node, bytes, outcome, &stopped))
            components->failure = "a locked instruction faulted on a value";
        told.event = "locked";
        told.stored = outcome;
        break;
    }
    case TRANSITION_EARLY:
        load_early(components, &node, transition, data, outcome);
        told.insn = NULL;
        told.event = "early load";
        told.stored = outcome;
        break;
    case TRANSITION_TSC:
        take_clock(components, cpu, &node, data, outcome);
        told.event = "clock";
        told.stored = outcome;
        break;
    case TRANSITION_DEADLINE: {
        uint32_t lvt = 0;
        memcpy(&lvt, data, transition->size < 4 ? transition->size : 4);
        deadline_step(components, cpu, &node, lvt);
        told.event = "system";
        break;
    }
    default:
        cut_loads(components, plan, &loads);
        latch(components, &node, &loads.pieces[transition->piece], transition->piece, data);
        if (transition->forward_mask == (UINT32_C(1) << transition->size) - 1)
            told.how = "from its own store buffer";
        told.same_insn = has_parts(&node);
        break;
    }
    tell(components, &node, &told);
    close_node(components, cpu, &node);
    outcome->next = node_intern(components, cpu, &node);
}

const struct outcome *transition_outcome(struct components *components, uint32_t cpu, uint32_t id,
                                         struct transition *transition, uint32_t memory)
{
    cpu = components->symmetry.alike[cpu];
    struct cpu_components *own = &components->cpus[cpu];
    uint8_t data[16] = {0};
    uint64_t value = 0;
    loaded_bytes(components, transition, memory, data);
    if (transition->size < 16)
        memset(data + transition->size, 0, sizeof data - transition->size);
    if (transition->size <= 8) {
        memcpy(&value, data, 8);
        for (uint32_t i = 0; i < transition->cached; i++)
            if (transition->cached_value[i] == value)
                return &own->outcomes[transition->cached_outcome[i]];
    }
    uint64_t key =
        (uint64_t)transition->number << 32 | intern_add(&own->values, data, sizeof data, NULL);
    uint32_t found = map_get(&own->outcome_of, key);
    if (found == MAP_NONE) {
        struct outcome outcome;
        take_value(components, cpu, id, transition, data, &outcome);
        own->outcomes = region_push(components->region, own->outcomes, own->outcome_count,
                                    &own->outcome_capacity, sizeof *own->outcomes);
        found = (uint32_t)own->outcome_count++;
        own->outcomes[found] = outcome;
        map_add(&own->outcome_of, key, found);
    }
    if (transition->size <= 8 && transition->cached < VALUES_CACHED) {
        transition->cached_value[transition->cached] = value;
        transition->cached_outcome[transition->cached++] = found;
    }
    return &own->outcomes[found];
}
