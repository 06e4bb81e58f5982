/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Telling a transition of a witness by taking it again. */
#include <string.h>

#include "sim/explore/internal.h"

static bool is_this_drain(const struct transition *transition, const struct drain *drain)
{
    return transition->drained == drain->store;
}

/* Tells a drain again: finds it among those of the node, then takes the steps behind it. */
struct drain_teller {
    struct components *components;
    uint32_t cpu;
    const struct node *node;
    const struct transition *transition;
    bool told;
};

static void tell_if_this(void *receiver, const struct drain *drain)
{
    struct drain_teller *teller = receiver;
    if (teller->told || !is_this_drain(teller->transition, drain))
        return;
    struct components *components = teller->components;
    struct told told = {.event = drain->event, .how = "visible to all CPUs"};
    struct node next = *teller->node;
    next.buffers = drain->after;
    const struct store *store = intern_bytes(&components->stores, drain->store);
    told.store_flags = store->flags;
    if (drain->writes) {
        told.write = true;
        told.address = store->address;
        told.size = store->size;
        told.data = store->data;
    }
    teller->told = true;
    if (drain->writes)
        keep_private(components, teller->cpu, &next, drain->store);
    tell(components, &next, &told);
    close_node(components, teller->cpu, &next);
}

static void tell_drain(struct components *components, uint32_t cpu, uint32_t id,
                       const struct transition *transition)
{
    struct node node;
    component_node(components, cpu, id, &node);
    struct drain_teller teller = {components, cpu, &node, transition, false};
    components->cpus[cpu].model->drains(&components->context, &node.buffers, tell_if_this, &teller);
}

/* A system instruction that others notice: an IPI, or all that is cached becomes durable. */
static void tell_system(struct components *components, uint32_t cpu, struct node *node,
                        const struct stopped *stopped)
{
    struct outcome outcome;
    struct told told = {.insn = stopped->plan->insn, .event = "system"};
    system_step(components, cpu, node, stopped, &outcome);
    if (outcome.post_to != NOBODY) {
        told.sends = &outcome;
        told.how = region_printf(components->region, "vector 0x%x is sent to %s", outcome.vector,
                                 components->program->cpus[outcome.post_to].name);
    }
    tell(components, node, &told);
}

static void tell_interrupt(struct components *components, uint32_t cpu, struct node *node,
                           uint8_t vector)
{
    take_interrupt(components, cpu, node, vector);
    tell(components, node,
         &(struct told){.event = EVENT_INTERRUPT,
                        .vector = vector,
                        .how = region_printf(components->region, "vector 0x%x is taken", vector)});
}

/* A load takes its turn that was made before. */
static void tell_early_use(struct components *components, struct node *node,
                           const struct transition *transition)
{
    struct load_pieces loads;
    uint8_t data[16] = {0};
    const struct plan *plan = oracle_plan(components->oracle, node->local);
    buffers_early_load(&components->context, &node->buffers, transition->address, transition->size,
                       data);
    cut_loads(components, plan, &loads);
    latch(components, node, &loads.pieces[transition->piece], transition->piece, data);
    tell(components, node,
         &(struct told){.insn = plan->insn,
                        .event = transition->event,
                        .how = "made early",
                        .address = transition->address,
                        .size = transition->size,
                        .data = data,
                        .same_insn = has_parts(node)});
}

/* The same of the clock. */
static void tell_reading_use(struct components *components, uint32_t cpu, struct node *node,
                             const struct transition *transition)
{
    uint64_t reading = 0;
    const struct plan *plan = oracle_plan(components->oracle, node->local);
    buffers_early_load(&components->context, &node->buffers, TSC_ADDRESS, 8, (uint8_t *)&reading);
    tsc_step(components, cpu, node, reading);
    tell(components, node,
         &(struct told){.insn = plan->insn,
                        .event = transition->event,
                        .how = "made early",
                        .address = TSC_ADDRESS,
                        .size = 8,
                        .data = (const uint8_t *)&reading});
}

/* Tells a step by taking it again from where it was taken. */
static void tell_local(struct components *components, uint32_t cpu, uint32_t id,
                       const struct transition *transition)
{
    struct node node;
    struct stopped stopped;
    component_node(components, cpu, id, &node);
    const char *event = transition->event;
    if (!event) {
        look(components, cpu, &node, &stopped);
        if (stopped.stop == STOP_LOCAL)
            local_step(components, cpu, &node);
        else
            tell_system(components, cpu, &node, &stopped);
    } else if (strcmp(event, EVENT_INTERRUPT) == 0) {
        tell_interrupt(components, cpu, &node, transition->outcome.vector);
    } else if (strcmp(event, EVENT_EARLY_USED) == 0) {
        tell_early_use(components, &node, transition);
    } else if (strcmp(event, EVENT_READING_USED) == 0) {
        tell_reading_use(components, cpu, &node, transition);
    } else {
        fire_timer(components, &node);
        tell(components, &node, &(struct told){.event = event});
    }
    close_node(components, cpu, &node);
}

void transition_narrate(struct components *components, uint32_t cpu, uint32_t id,
                        const struct transition *transition, uint32_t memory)
{
    uint8_t data[16] = {0};
    cpu = components->symmetry.alike[cpu];
    switch (transition->kind) {
    case TRANSITION_LOAD:
    case TRANSITION_LOCKED:
    case TRANSITION_EARLY:
    case TRANSITION_TSC:
    case TRANSITION_DEADLINE: {
        struct outcome outcome;
        loaded_bytes(components, transition, memory, data);
        if (transition->size < 16)
            memset(data + transition->size, 0, sizeof data - transition->size);
        take_value(components, cpu, id, transition, data, &outcome);
        break;
    }
    case TRANSITION_LOCAL:
        tell_local(components, cpu, id, transition);
        break;
    case TRANSITION_DRAIN:
        tell_drain(components, cpu, id, transition);
        break;
    }
}
