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
    if (drain->writes) {
        const struct store *store = intern_bytes(&components->stores, drain->store);
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

/* Tells a step by taking it again from where it was taken. */
static void tell_local(struct components *components, uint32_t cpu, uint32_t id,
                       const struct transition *transition)
{
    struct node node;
    struct stopped stopped;
    struct outcome outcome;
    component_node(components, cpu, id, &node);
    struct told told = {.event = transition->event};
    look(components, cpu, &node, &stopped);
    if (!transition->event && stopped.stop == STOP_LOCAL) {
        local_step(components, cpu, &node);
    } else if (!transition->event) {
        system_step(components, cpu, &node, &stopped, &outcome);
        told.insn = stopped.plan->insn;
        told.event = "system";
        if (outcome.post_to != NOBODY)
            told.how =
                region_printf(components->region, "vector 0x%x is sent to %s", outcome.vector,
                              components->program->cpus[outcome.post_to].name);
        tell(components, &node, &told);
    } else if (strcmp(transition->event, "interrupt") == 0) {
        take_interrupt(components, cpu, &node, transition->outcome.vector);
        told.how =
            region_printf(components->region, "vector 0x%x is taken", transition->outcome.vector);
        tell(components, &node, &told);
    } else {
        component_node(components, cpu, transition->outcome.next, &node);
        tell(components, &node, &told);
        return;
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
