/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a component can do next, worked out once, and where each loaded value leads. */
#include "sim/explore/component.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/explore/internal.h"

void components_init(struct components *components, struct region *region,
                     struct oracle *oracle, const struct start *start,
                     const struct profile *profile, const struct model *model,
                     struct footprint *footprint, bool reduce)
{
    const struct program *program = oracle->program;
    *components = (struct components){.region = region,
                                      .program = program,
                                      .profile = profile,
                                      .oracle = oracle,
                                      .start = start,
                                      .footprint = footprint,
                                      .reduce = reduce};
    intern_init(&components->stores, region);
    components->context = (struct model_context){profile, &components->stores};
    memory_init(&components->shared, region, start, &components->stores);
    components->cpus = region_array(region, program->cpu_count, sizeof *components->cpus);
    for (size_t cpu = 0; cpu < program->cpu_count; cpu++) {
        struct cpu_components *own = &components->cpus[cpu];
        intern_init(&own->words, region);
        intern_init(&own->values, region);
        map_init(&own->outcome_of, region);
        memory_init(&own->private_memory, region, start, &components->stores);
        own->model = program->cpus[cpu].agent == AGENT_DEVICE ? &model_sc : model;
    }
}

uint32_t component_start(struct components *components, uint32_t cpu)
{
    struct node node;
    memset(&node, 0, sizeof node);
    node.local = oracle_local(components->oracle, &components->start->registers[cpu]);
    close_node(components, cpu, &node);
    return node_intern(components, cpu, &node);
}

static struct transition *new_transition(struct components *components, uint32_t cpu,
                                         struct component *component, enum transition_kind kind)
{
    /* The array is laid out for the most that one component can have. */
    struct transition *transition = &component->transitions[component->transition_count++];
    memset(transition, 0, sizeof *transition);
    transition->kind = kind;
    transition->number = components->cpus[cpu].transition_numbers++;
    transition->word = MAP_NONE;
    return transition;
}

static void set_access(struct components *components, uint32_t cpu, const struct node *node,
                       struct transition *transition, uint64_t address, uint32_t size)
{
    transition->address = address;
    transition->size = size;
    if (transition->kind == TRANSITION_LOAD)
        transition->forward_mask = components->cpus[cpu].model->forward(
            &components->context, &node->buffers, address, size, transition->forwarded);
    if ((address & 7) + size <= 8)
        transition->word = memory_word(&components->shared, address);
}

struct drain_sink {
    struct components *components;
    uint32_t cpu;
    const struct node *node;
    struct component *component;
    bool count_only;
    unsigned count;
};

static void add_drain(void *receiver, const struct drain *drain)
{
    struct drain_sink *sink = receiver;
    sink->count++;
    if (sink->count_only)
        return;
    struct transition *transition =
        new_transition(sink->components, sink->cpu, sink->component, TRANSITION_DRAIN);
    struct node next = *sink->node;
    next.buffers = drain->after;
    close_node(sink->components, sink->cpu, &next);
    transition->event = drain->event;
    transition->outcome.next = node_intern(sink->components, sink->cpu, &next);
    if (drain->writes) {
        transition->outcome.store_count = 1;
        transition->outcome.stores[0] = drain->store;
    }
}

static bool is_this_drain(const struct transition *transition, const struct drain *drain)
{
    return drain->writes ? transition->outcome.store_count == 1 &&
                               transition->outcome.stores[0] == drain->store
                         : transition->outcome.store_count == 0;
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
    tell(components, &next, &told);
    close_node(components, teller->cpu, &next);
}

static void tell_drain(struct components *components, uint32_t cpu, uint32_t id,
                       const struct transition *transition)
{
    struct node node;
    component_node(components, cpu, id, &node);
    struct drain_teller teller = {components, cpu, &node, transition, false};
    components->cpus[cpu].model->drains(&components->context, &node.buffers, tell_if_this,
                                        &teller);
}

static unsigned instruction_transitions(const struct stopped *stopped)
{
    return stopped->stop == STOP_VISIBLE ? LOAD_PIECES_MAX : stopped->stop == STOP_LOCAL ? 1 : 0;
}

static void add_loads(struct components *components, uint32_t cpu, const struct node *node,
                      const struct stopped *stopped, struct component *component)
{
    struct load_pieces loads;
    cut_loads(components, stopped->plan, &loads);
    for (unsigned n = 0; n < loads.count; n++) {
        if (node->latched >> n & 1)
            continue;
        struct transition *transition =
            new_transition(components, cpu, component, TRANSITION_LOAD);
        transition->piece = n;
        set_access(components, cpu, node, transition, loads.pieces[n].address,
                   loads.pieces[n].size);
    }
}

static void add_local(struct components *components, uint32_t cpu, const struct node *node,
                      struct component *component)
{
    struct transition *transition = new_transition(components, cpu, component, TRANSITION_LOCAL);
    struct node next = *node;
    local_step(components, cpu, &next);
    transition->outcome.next = node_intern(components, cpu, &next);
}

static void set_status(const struct components *components, const struct stopped *stopped,
                       struct component *component)
{
    switch (stopped->stop) {
    case STOP_VISIBLE:
    case STOP_BLOCKED:
        component->status = COMPONENT_RUNS;
        break;
    case STOP_LOCAL:
        component->status = components->reduce ? COMPONENT_LIMIT : COMPONENT_RUNS;
        component->reason = "it runs for too many instructions without touching shared memory";
        break;
    case STOP_ENDED:
        component->status = COMPONENT_ENDED;
        break;
    case STOP_SPINS:
        component->status = COMPONENT_SPINS;
        break;
    case STOP_FAULT:
        component->status = COMPONENT_FAULTED;
        break;
    case STOP_UNMODELLED:
        component->status = COMPONENT_UNMODELLED;
        component->reason = stopped->reason;
        break;
    case STOP_LIMIT:
        component->status = COMPONENT_LIMIT;
        break;
    }
    component->insn = stopped->plan->insn;
    component->fault = stopped->fault;
}

static struct component *expand(struct components *components, uint32_t cpu, uint32_t id)
{
    struct node node;
    struct stopped stopped;
    struct component *component = region_alloc(components->region, sizeof *component);
    component_node(components, cpu, id, &node);
    memset(&stopped.fault, 0, sizeof stopped.fault);
    look(components, cpu, &node, &stopped);
    set_status(components, &stopped, component);
    const struct model *model = components->cpus[cpu].model;
    struct drain_sink sink = {components, cpu, &node, component, true, 0};
    model->drains(&components->context, &node.buffers, add_drain, &sink);
    unsigned most = sink.count + instruction_transitions(&stopped);
    component->transitions = region_array(components->region, most, sizeof *component->transitions);
    if (stopped.stop == STOP_VISIBLE && stopped.plan->insn->class == INSN_LOCKED) {
        struct transition *transition =
            new_transition(components, cpu, component, TRANSITION_LOCKED);
        set_access(components, cpu, &node, transition, stopped.plan->reads[0].address,
                   stopped.plan->reads[0].size);
    } else if (stopped.stop == STOP_VISIBLE) {
        add_loads(components, cpu, &node, &stopped, component);
    } else if (stopped.stop == STOP_LOCAL && !components->reduce) {
        add_local(components, cpu, &node, component);
    }
    sink.count_only = false;
    model->drains(&components->context, &node.buffers, add_drain, &sink);
    return component;
}

struct component *component_of(struct components *components, uint32_t cpu, uint32_t id)
{
    struct cpu_components *own = &components->cpus[cpu];
    if (id >= own->expanded_capacity) {
        size_t capacity = own->expanded_capacity ? own->expanded_capacity : 64;
        while (capacity <= id)
            capacity *= 2;
        own->expanded =
            region_resize(components->region, own->expanded, capacity * sizeof *own->expanded);
        memset(own->expanded + own->expanded_capacity, 0,
               (capacity - own->expanded_capacity) * sizeof *own->expanded);
        own->expanded_capacity = capacity;
    }
    if (!own->expanded[id]) {
        struct component *component = expand(components, cpu, id);
        own->expanded[id] = component;
    }
    return own->expanded[id];
}

static void loaded_bytes(struct components *components, const struct transition *transition,
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

/* Works out where a value leads. */
static void take_value(struct components *components, uint32_t cpu, uint32_t id,
                       const struct transition *transition, const uint8_t *data,
                       struct outcome *outcome)
{
    struct node node;
    component_node(components, cpu, id, &node);
    const struct insn *insn = oracle_plan(components->oracle, node.local)->insn;
    struct told told = {.insn = insn, .event = "load", .address = transition->address,
                        .size = transition->size, .data = data};
    memset(outcome, 0, sizeof *outcome);
    if (transition->kind == TRANSITION_LOCKED) {
        uint8_t bytes[LOAD_BYTES_MAX] = {0};
        struct stopped stopped = {0};
        memcpy(bytes, data, transition->size);
        if (!finish_locked(components, &node, bytes, outcome, &stopped))
            components->failure = "a locked instruction faulted on a value";
        told.event = "locked";
    } else {
        struct load_pieces loads;
        cut_loads(components, oracle_plan(components->oracle, node.local), &loads);
        memcpy(node.bytes + loads.pieces[transition->piece].offset, data, transition->size);
        node.latched |= UINT32_C(1) << transition->piece;
        uint32_t all = (UINT32_C(1) << transition->size) - 1;
        told.how = transition->forward_mask == all ? "from its own store buffer" : NULL;
    }
    tell(components, &node, &told);
    close_node(components, cpu, &node);
    outcome->next = node_intern(components, cpu, &node);
}

const struct outcome *transition_outcome(struct components *components, uint32_t cpu, uint32_t id,
                                         struct transition *transition, uint32_t memory)
{
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
    uint64_t key = (uint64_t)transition->number << 32 |
                   intern_add(&own->values, data, sizeof data, NULL);
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

void transition_narrate(struct components *components, uint32_t cpu, uint32_t id,
                        const struct transition *transition, uint32_t memory)
{
    struct node node;
    uint8_t data[16] = {0};
    switch (transition->kind) {
    case TRANSITION_LOAD:
    case TRANSITION_LOCKED: {
        struct outcome outcome;
        loaded_bytes(components, transition, memory, data);
        if (transition->size < 16)
            memset(data + transition->size, 0, sizeof data - transition->size);
        take_value(components, cpu, id, transition, data, &outcome);
        break;
    }
    case TRANSITION_LOCAL:
        component_node(components, cpu, id, &node);
        local_step(components, cpu, &node);
        break;
    case TRANSITION_DRAIN:
        tell_drain(components, cpu, id, transition);
        break;
    }
}
