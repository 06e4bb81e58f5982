/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The transitions of one component: what its instruction, its buffers and interrupts can do. */
#include <string.h>

#include "sim/explore/internal.h"

static struct transition *new_transition(struct components *components, uint32_t cpu,
                                         struct component *component, enum transition_kind kind)
{
    /* The array is laid out for the most that one component can have. */
    struct transition *transition = &component->transitions[component->transition_count++];
    memset(transition, 0, sizeof *transition);
    transition->kind = kind;
    transition->number = components->cpus[cpu].transition_numbers++;
    transition->word = MAP_NONE;
    transition->outcome.post_to = NOBODY;
    return transition;
}

static void set_access(struct components *components, uint32_t cpu, const struct node *node,
                       struct transition *transition, uint64_t address, uint32_t size)
{
    transition->address = address;
    transition->size = size;
    if (transition->kind == TRANSITION_LOAD || transition->kind == TRANSITION_EARLY)
        transition->forward_mask = components->cpus[cpu].model->forward(
            &components->context, &node->buffers, address, size, transition->forwarded);
    if ((address & 7) + size <= 8)
        transition->word = memory_word(&components->shared, address);
}

/* A store that only this CPU can see reaches its private memory; tells whether it is one. */
bool keep_private(struct components *components, uint32_t cpu, struct node *node, uint32_t number)
{
    const struct store *store = intern_bytes(&components->stores, number);
    struct memory *memory = &components->cpus[cpu].private_memory;
    if (!footprint_is_private(components->footprint, cpu, store->address))
        return false;
    node->private_memory = memory_write(memory, node->private_memory, number);
    return true;
}

void add_drain(void *receiver, const struct drain *drain)
{
    struct drain_sink *sink = receiver;
    sink->count++;
    if (sink->count_only)
        return;
    struct transition *transition =
        new_transition(sink->components, sink->cpu, sink->component, TRANSITION_DRAIN);
    struct node next = *sink->node;
    next.buffers = drain->after;
    bool private = drain->writes && keep_private(sink->components, sink->cpu, &next, drain->store);
    close_node(sink->components, sink->cpu, &next);
    transition->event = drain->event;
    transition->drained = drain->store;
    transition->outcome.next = node_intern(sink->components, sink->cpu, &next);
    if (drain->writes && !private) {
        transition->outcome.store_count = 1;
        transition->outcome.stores[0] = drain->store;
    }
    if (drain->persists && sink->components->persistent) {
        const struct store *store = intern_bytes(&sink->components->stores, drain->store);
        transition->outcome.persist = PERSIST_LINE;
        transition->outcome.line = store->address;
    }
}

/* Reads the clock (in `store`) and moves it on: two readings never agree, later ones are larger. */
void read_clock(struct components *components, struct store *store, struct outcome *outcome)
{
    uint64_t reading;
    memcpy(&reading, store->data, 8);
    reading++;
    memcpy(store->data, &reading, 8);
    outcome->store_count = 1;
    outcome->stores[0] = intern_add(&components->stores, store, sizeof *store, NULL);
}

static struct transition *add_local(struct components *components, uint32_t cpu,
                                    struct component *component, struct node *next,
                                    const char *event)
{
    struct transition *transition = new_transition(components, cpu, component, TRANSITION_LOCAL);
    close_node(components, cpu, next);
    transition->outcome.next = node_intern(components, cpu, next);
    transition->event = event;
    return transition;
}

static void add_loads(struct components *components, uint32_t cpu, const struct node *node,
                      const struct stopped *stopped, struct component *component)
{
    struct load_pieces loads;
    cut_loads(components, stopped->plan, &loads);
    for (unsigned n = 0; n < loads.count; n++) {
        const struct piece *piece = &loads.pieces[n];
        uint8_t data[16];
        if (node->latched >> n & 1)
            continue;
        struct transition *transition = new_transition(components, cpu, component, TRANSITION_LOAD);
        transition->piece = n;
        set_access(components, cpu, node, transition, piece->address, piece->size);
        if (!buffers_early_load(&components->context, &node->buffers, piece->address, piece->size,
                                data))
            continue;
        struct node next = *node; /* it was made before: that value */
        latch(components, &next, piece, n, data);
        transition = add_local(components, cpu, component, &next, EVENT_EARLY_USED);
        transition->piece = n;
        transition->address = piece->address;
        transition->size = piece->size;
    }
}

/* Loads that this CPU makes somewhere, and may make now already. */
void add_early_loads(struct components *components, uint32_t cpu, const struct node *node,
                     const struct stopped *stopped, struct component *component)
{
    const struct footprint *footprint = components->footprint;
    if (stopped->stop == STOP_ENDED || stopped->stop == STOP_SPINS || node->latched)
        return;
    for (size_t i = 0; i < footprint->early_assumed; i++) {
        const struct early_load *load = &footprint->early[i];
        uint8_t data[16];
        bool may_be_early = load->address == TSC_ADDRESS
                                ? components->cpus[cpu].model == &model_x86
                                : is_weak_load(components, cpu, load->address);
        if (load->cpu != cpu || !may_be_early || /* another profile may have seen it */
            buffers_early_load(&components->context, &node->buffers, load->address, load->size,
                               data))
            continue;
        struct transition *transition =
            new_transition(components, cpu, component, TRANSITION_EARLY);
        set_access(components, cpu, node, transition, load->address, load->size);
    }
}

static const char *untakeable_reason(struct components *components, uint32_t cpu, unsigned vector,
                                     uint32_t depth)
{
    const char *name = components->program->cpus[cpu].name;
    if (depth >= NESTING_MAX)
        return region_printf(components->region,
                             "vector 0x%x arrives while %s is in %u handlers already: an "
                             "interrupt storm",
                             vector, name, depth);
    return region_printf(components->region,
                         "vector 0x%x arrives, for which %s has no handler (or no stack)", vector,
                         name);
}

void fire_timer(struct components *components, struct node *node)
{
    struct system_state state;
    unsigned vector = (unsigned)components->program->timer_vector;
    system_get(components, node, &state);
    state.timer_armed = 0;
    state.pending[vector / 64] |= UINT64_C(1) << (vector % 64);
    system_set(components, node, &state);
}

/* The interrupts that can be taken now, and the timer that can go off. */
void add_interrupts(struct components *components, uint32_t cpu, const struct node *node,
                    struct component *component)
{
    struct system_state state;
    if (node->system == 0)
        return;
    system_get(components, node, &state);
    if (state.timer_armed) {
        struct node next = *node;
        fire_timer(components, &next);
        add_local(components, cpu, component, &next, EVENT_TIMER);
    }
    if (!can_interrupt(components, cpu, node))
        return;
    for (unsigned vector = 0; vector < 256; vector++) {
        struct node next = *node;
        if (!(state.pending[vector / 64] >> (vector % 64) & 1))
            continue;
        if (take_interrupt(components, cpu, &next, (uint8_t)vector)) {
            add_local(components, cpu, component, &next, EVENT_INTERRUPT)->outcome.vector =
                (uint8_t)vector;
        } else {
            component->status = COMPONENT_UNMODELLED;
            component->reason = untakeable_reason(components, cpu, vector, state.depth);
        }
    }
}

void add_instruction(struct components *components, uint32_t cpu, const struct node *node,
                     const struct stopped *stopped, struct component *component)
{
    struct node next = *node;
    struct transition *transition;
    struct outcome outcome;
    const struct data_access *read = &stopped->plan->reads[0];
    uint8_t data[16];
    switch (stopped->stop) {
    case STOP_VISIBLE:
        if (stopped->plan->insn->class != INSN_LOCKED) {
            add_loads(components, cpu, node, stopped, component);
            break;
        }
        transition = new_transition(components, cpu, component, TRANSITION_LOCKED);
        set_access(components, cpu, node, transition, read->address, read->size);
        break;
    case STOP_LOCAL:
        if (is_eager(components, cpu, node))
            break;
        local_step(components, cpu, &next);
        add_local(components, cpu, component, &next, NULL);
        break;
    case STOP_SYSTEM:
        system_step(components, cpu, &next, stopped, &outcome);
        transition = add_local(components, cpu, component, &next, NULL);
        outcome.next = transition->outcome.next;
        transition->outcome = outcome;
        break;
    case STOP_TSC:
        footprint_early_load(components->footprint, cpu, TSC_ADDRESS, 8);
        transition = new_transition(components, cpu, component, TRANSITION_TSC);
        set_access(components, cpu, node, transition, TSC_ADDRESS, 8);
        if (stopped->plan->insn->kind == KIND_RDTSC &&
            buffers_early_load(&components->context, &node->buffers, TSC_ADDRESS, 8, data)) {
            uint64_t reading;
            memcpy(&reading, data, 8);
            tsc_step(components, cpu, &next, reading);
            add_local(components, cpu, component, &next, EVENT_READING_USED);
        }
        break;
    case STOP_DEADLINE: {
        const struct object *lvt = &components->program->objects[components->program->timer_lvt];
        transition = new_transition(components, cpu, component, TRANSITION_DEADLINE);
        set_access(components, cpu, node, transition, lvt->address, lvt->size < 4 ? 1 : 4);
        break;
    }
    default:
        break;
    }
}
