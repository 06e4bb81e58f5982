/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a component can do next, worked out once, and where each loaded value leads. */
#include "sim/explore/component.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/explore/internal.h"

static void survey_code(struct components *components, const struct code *code)
{
    for (size_t i = 0; i < code->insn_count; i++) {
        const struct insn *insn = code->insns[i];
        if (insn->class == INSN_NT_STORE || insn->class == INSN_FLUSH)
            components->context.weak_stores = true;
        if (insn->class == INSN_WRMSR || insn->class == INSN_TSC)
            components->context.msr_writes = true;
        if (insn->class == INSN_WRMSR || insn->kind == KIND_MOV_CR)
            components->keeps_control = true;
    }
}

/* What the program has that models and reductions must reckon with. */
static void survey(struct components *components)
{
    const struct program *program = components->program;
    components->context.weak_stores = components->profile->order.stores_out_of_order != 0 ||
                                      components->profile->order.string_stores_passed != 0;
    for (size_t cpu = 0; cpu < program->cpu_count; cpu++)
        survey_code(components, components->oracle->code[cpu]);
    for (size_t i = 0; i < program->cpu_count * HANDLERS_PER_CPU; i++)
        if (components->oracle->handlers[i])
            survey_code(components, components->oracle->handlers[i]);
    for (size_t i = 0; i < program->object_count; i++) {
        components->persistent = components->persistent || program->objects[i].persistent;
        if (program->objects[i].type == MEMORY_WC)
            components->context.weak_stores = true;
    }
}

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
    intern_init(&components->systems, region);
    struct system_state nothing;
    memset(&nothing, 0, sizeof nothing);
    intern_add(&components->systems, &nothing, offsetof(struct system_state, msrs), NULL);
    components->context =
        (struct model_context){.profile = profile, .stores = &components->stores};
    survey(components);
    memory_init(&components->shared, region, start, &components->stores);
    components->cpus = region_array(region, program->cpu_count, sizeof *components->cpus);
    for (size_t cpu = 0; cpu < program->cpu_count; cpu++) {
        struct cpu_components *own = &components->cpus[cpu];
        intern_init(&own->words, region);
        intern_init(&own->values, region);
        map_init(&own->outcome_of, region);
        memory_init(&own->private_memory, region, start, &components->stores);
        map_init(&own->after_post, region);
        own->model = program->cpus[cpu].agent == AGENT_DEVICE ? &model_sc : model;
        for (size_t i = 0; i < program->handler_count; i++)
            own->interruptible = own->interruptible || program->handlers[i].cpu == cpu;
    }
}

void components_observe(struct components *components, uint32_t cpu, const struct insn *insn,
                        const char *rule)
{
    for (size_t i = 0; i < components->observation_count; i++) {
        const struct observation *old = &components->observations[i];
        if (old->cpu == cpu && old->insn == insn && strcmp(old->rule, rule) == 0)
            return;
    }
    components->observations =
        region_push(components->region, components->observations, components->observation_count,
                    &components->observation_capacity, sizeof *components->observations);
    components->observations[components->observation_count++] =
        (struct observation){cpu, insn, rule};
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

struct drain_sink {
    struct components *components;
    uint32_t cpu;
    const struct node *node;
    struct component *component;
    bool count_only;
    unsigned count;
};

/* A store that only this CPU can see reaches its private memory; tells whether it is one. */
static bool keep_private(struct components *components, uint32_t cpu, struct node *node,
                         uint32_t number)
{
    const struct store *store = intern_bytes(&components->stores, number);
    struct memory *memory = &components->cpus[cpu].private_memory;
    if (!footprint_is_private(components->footprint, cpu, store->address))
        return false;
    node->private_memory = memory_write(memory, node->private_memory, number);
    return true;
}

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
    components->cpus[cpu].model->drains(&components->context, &node.buffers, tell_if_this,
                                        &teller);
}

static void latch(struct components *components, struct node *node, const struct piece *piece,
                  unsigned number, const uint8_t *data);

/* Reads the clock (in `store`) and moves it on: two readings never agree, later ones are larger. */
static void read_clock(struct components *components, struct store *store, struct outcome *outcome)
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
        struct transition *transition =
            new_transition(components, cpu, component, TRANSITION_LOAD);
        transition->piece = n;
        set_access(components, cpu, node, transition, piece->address, piece->size);
        if (!buffers_early_load(&components->context, &node->buffers, piece->address, piece->size,
                                data))
            continue;
        struct node next = *node; /* it was made before: that value */
        latch(components, &next, piece, n, data);
        add_local(components, cpu, component, &next, "early load used");
    }
}

/* Loads that this CPU makes somewhere, and may make now already. */
static void add_early_loads(struct components *components, uint32_t cpu, const struct node *node,
                            const struct stopped *stopped, struct component *component)
{
    const struct footprint *footprint = components->footprint;
    if (stopped->stop == STOP_ENDED || stopped->stop == STOP_SPINS || node->latched)
        return;
    for (size_t i = 0; i < footprint->early_assumed; i++) {
        const struct early_load *load = &footprint->early[i];
        uint8_t data[16];
        if (load->cpu != cpu || components->cpus[cpu].model != &model_x86 ||
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

/* The interrupts that can be taken now, and the timer that can go off. */
static void add_interrupts(struct components *components, uint32_t cpu, const struct node *node,
                           struct component *component)
{
    struct system_state state;
    if (node->system == 0)
        return;
    system_get(components, node, &state);
    if (state.timer_armed) {
        struct node next = *node;
        struct system_state fired = state;
        fired.timer_armed = 0;
        unsigned vector = (unsigned)components->program->timer_vector;
        fired.pending[vector / 64] |= UINT64_C(1) << (vector % 64);
        system_set(components, &next, &fired);
        add_local(components, cpu, component, &next, "the timer goes off");
    }
    if (!can_interrupt(components, cpu, node))
        return;
    for (unsigned vector = 0; vector < 256; vector++) {
        struct node next = *node;
        if (!(state.pending[vector / 64] >> (vector % 64) & 1))
            continue;
        if (take_interrupt(components, cpu, &next, (uint8_t)vector)) {
            add_local(components, cpu, component, &next, "interrupt")->outcome.vector =
                (uint8_t)vector;
        } else {
            component->status = COMPONENT_UNMODELLED;
            component->reason = untakeable_reason(components, cpu, vector, state.depth);
        }
    }
}

static void add_instruction(struct components *components, uint32_t cpu, const struct node *node,
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
            add_local(components, cpu, component, &next, "early reading used");
        }
        break;
    case STOP_DEADLINE: {
        const struct object *lvt =
            &components->program->objects[components->program->timer_lvt];
        transition = new_transition(components, cpu, component, TRANSITION_DEADLINE);
        set_access(components, cpu, node, transition, lvt->address, lvt->size < 4 ? 1 : 4);
        break;
    }
    default:
        break;
    }
}

static void set_status(bool eager, const struct stopped *stopped, struct component *component)
{
    switch (stopped->stop) {
    case STOP_VISIBLE:
    case STOP_BLOCKED:
    case STOP_SYSTEM:
    case STOP_TSC:
    case STOP_DEADLINE:
        component->status = COMPONENT_RUNS;
        break;
    case STOP_LOCAL:
        component->status = eager ? COMPONENT_LIMIT : COMPONENT_RUNS;
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

/* Room to collect the transitions of one component in; they are copied when they are counted. */
static struct transition *scratch_transitions(struct components *components, unsigned count)
{
    if (count > components->scratch_count) {
        components->scratch = region_resize(components->region, components->scratch,
                                            count * sizeof *components->scratch);
        components->scratch_count = count;
    }
    return components->scratch;
}

/* More transitions than a component can have beside its drains. */
static unsigned transitions_max(const struct components *components)
{
    return 2 * LOAD_PIECES_MAX + 4 + 257 + (unsigned)components->footprint->early_assumed;
}

static uint64_t places_of(struct components *components, uint64_t address, uint32_t size)
{
    return futures_places(&components->footprint->futures, address, size);
}

/* What a transition touches; whatever is not plain memory conflicts with everything. */
static void add_places(struct components *components, const struct transition *transition,
                       struct component *component)
{
    uint64_t places = places_of(components, transition->address, transition->size ? transition->size : 1);
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

static void set_places(struct components *components, uint32_t cpu, const struct node *node,
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

static struct component *expand(struct components *components, uint32_t cpu, uint32_t id)
{
    struct node node;
    struct stopped stopped;
    struct component *component = region_alloc(components->region, sizeof *component);
    component_node(components, cpu, id, &node);
    memset(&stopped.fault, 0, sizeof stopped.fault);
    look(components, cpu, &node, &stopped);
    set_status(is_eager(components, cpu, &node), &stopped, component);
    component->bad_input = stopped.bad_input;
    const struct model *model = components->cpus[cpu].model;
    struct drain_sink sink = {components, cpu, &node, component, true, 0};
    model->drains(&components->context, &node.buffers, add_drain, &sink);
    unsigned most = sink.count + transitions_max(components);
    component->transitions = scratch_transitions(components, most);
    add_instruction(components, cpu, &node, &stopped, component);
    add_early_loads(components, cpu, &node, &stopped, component);
    add_interrupts(components, cpu, &node, component);
    sink.count_only = false;
    model->drains(&components->context, &node.buffers, add_drain, &sink);
    size_t bytes = component->transition_count * sizeof(struct transition);
    component->transitions =
        memcpy(region_alloc(components->region, bytes), component->transitions, bytes);
    set_places(components, cpu, &node, component);
    return component;
}

struct component *component_expand(struct components *components, uint32_t cpu, uint32_t id)
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

static void latch(struct components *components, struct node *node, const struct piece *piece,
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

/* Works out where a value leads. */
static void take_value(struct components *components, uint32_t cpu, uint32_t id,
                       const struct transition *transition, const uint8_t *data,
                       struct outcome *outcome)
{
    struct node node;
    struct load_pieces loads;
    component_node(components, cpu, id, &node);
    const struct plan *plan = oracle_plan(components->oracle, node.local);
    struct told told = {.insn = plan->insn, .event = "load", .address = transition->address,
                        .size = transition->size, .data = data};
    memset(outcome, 0, sizeof *outcome);
    outcome->post_to = NOBODY;
    switch (transition->kind) {
    case TRANSITION_LOCKED: {
        uint8_t bytes[LOAD_BYTES_MAX] = {0};
        struct stopped stopped = {0};
        memcpy(bytes, data, transition->size);
        if (!finish_locked(components, &node, bytes, outcome, &stopped))
            components->failure = "a locked instruction faulted on a value";
        told.event = "locked";
        break;
    }
    case TRANSITION_EARLY:
        load_early(components, &node, transition, data, outcome);
        told.insn = NULL;
        told.event = "early load";
        break;
    case TRANSITION_TSC: {
        struct store store;
        memset(&store, 0, sizeof store);
        store.address = TSC_ADDRESS;
        store.size = 8;
        memcpy(store.data, data, 8);
        read_clock(components, &store, outcome);
        uint64_t reading;
        memcpy(&reading, store.data, 8);
        tsc_step(components, cpu, &node, reading);
        told.event = "clock";
        break;
    }
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
        break;
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
            told.how = region_printf(components->region, "vector 0x%x is sent to %s",
                                     outcome.vector,
                                     components->program->cpus[outcome.post_to].name);
        tell(components, &node, &told);
    } else if (strcmp(transition->event, "interrupt") == 0) {
        take_interrupt(components, cpu, &node, transition->outcome.vector);
        told.how = region_printf(components->region, "vector 0x%x is taken",
                                 transition->outcome.vector);
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
