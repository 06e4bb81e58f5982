/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/explore/graph.h"

#include <string.h>

#include "sim/base/text.h"
#include "sim/explore/internal.h"

struct maker {
    struct region *region;  /* of the graph */
    struct region *scratch; /* of what is forgotten after each state */
    struct exploration *exploration;
    struct graph *graph;
    struct intern labels, memories;
    struct intern *components; /* per CPU: the exploration's number -> the graph's */
    size_t edge_capacity, label_capacity, memory_capacity;
    size_t *component_capacities;
    uint32_t *privates;
    uint32_t *from; /* the state whose steps are being listed */
};

/* ---- a CPU ---- */

static const char *entry_text(struct maker *maker, uint32_t cpu, uint32_t word)
{
    const struct exploration *exploration = maker->exploration;
    const struct model *model = exploration->components.cpus[cpu].model;
    uint32_t store = model->store_of(word), early = MODEL_NO_STORE;
    if (store != MODEL_NO_STORE)
        return store_text(maker->region, exploration, cpu, store);
    const char *name = model->name_of ? model->name_of(word, &early) : "";
    if (early == MODEL_NO_STORE)
        return name;
    const struct store *load = intern_bytes(&exploration->components.stores, early);
    if (load->address == TSC_ADDRESS)
        return "the clock, read early";
    return region_printf(maker->region, "loaded early: %s",
                         store_text(maker->region, exploration, cpu, early));
}

static void list_entries(struct maker *maker, uint32_t cpu, const struct node *node,
                         struct graph_component *component)
{
    component->buffer =
        region_array(maker->region, node->buffers.count + 1, sizeof *component->buffer);
    for (uint32_t i = 0; i < node->buffers.count; i++)
        component->buffer[component->buffer_count++] =
            entry_text(maker, cpu, node->buffers.words[i]);
}

/* Interrupts on their way and an armed timer stand beside the registers. */
static void list_interrupts(struct maker *maker, const struct node *node,
                            struct graph_component *component)
{
    struct system_state state;
    struct text pending;
    system_get(&maker->exploration->components, node, &state);
    text_init(&pending, maker->region);
    for (unsigned vector = 0; vector < 256; vector++)
        if (state.pending[vector / 64] >> (vector % 64) & 1)
            text_printf(&pending, "%s0x%x", pending.length ? "," : "pending=", vector);
    size_t count = component->register_count;
    const char **list = region_array(maker->region, count + 3, sizeof *list);
    if (count)
        memcpy(list, component->registers, count * sizeof *list);
    if (pending.length)
        list[count++] = pending.data;
    if (state.timer_armed)
        list[count++] = "timer=armed";
    component->registers = list;
    component->register_count = count;
}

static void list_registers(struct maker *maker, uint32_t cpu, const struct node *node,
                           struct graph_component *component)
{
    const struct components *components = &maker->exploration->components;
    struct registers start;
    oracle_registers(components->oracle,
                     oracle_local(components->oracle, &components->start->registers[cpu]), &start);
    component->registers = changed_registers(maker->region, maker->exploration, &start, node->local,
                                             &component->register_count);
    list_interrupts(maker, node, component);
}

static void describe_status(const struct component *from, struct graph_component *component)
{
    switch (from->status) {
    case COMPONENT_RUNS:
        component->status = GRAPH_RUNS;
        break;
    case COMPONENT_ENDED:
        component->status = GRAPH_ENDED;
        break;
    case COMPONENT_SPINS:
        component->status = GRAPH_STOPPED;
        component->reason = "it goes round for ever";
        break;
    case COMPONENT_FAULTED:
        component->status = GRAPH_STOPPED;
        component->reason = "an exception";
        break;
    case COMPONENT_UNMODELLED:
    case COMPONENT_LIMIT:
        component->status = GRAPH_STOPPED;
        component->reason = from->reason;
        break;
    }
}

static uint32_t add_component(struct maker *maker, uint32_t cpu, uint32_t id)
{
    struct graph *graph = maker->graph;
    struct components *components = &maker->exploration->components;
    bool fresh;
    uint32_t number = intern_add(&maker->components[cpu], &id, sizeof id, &fresh);
    if (!fresh)
        return number;
    graph->components[cpu] =
        region_push(maker->region, graph->components[cpu], number,
                    &maker->component_capacities[cpu], sizeof *graph->components[cpu]);
    graph->component_counts[cpu] = number + 1;
    struct graph_component *component = &graph->components[cpu][number];
    memset(component, 0, sizeof *component);
    const struct component *from = component_of(components, cpu, id);
    struct node node;
    component_node(components, cpu, id, &node);
    describe_status(from, component);
    component->reason = component->reason ? region_strdup(maker->region, component->reason) : NULL;
    if (from->insn && from->status != COMPONENT_ENDED) {
        component->next = region_strdup(maker->region, from->insn->text);
        component->offset =
            (uint32_t)(from->insn->address - components->oracle->code[cpu]->snippet->address);
    }
    list_entries(maker, cpu, &node, component);
    list_registers(maker, cpu, &node, component);
    return number;
}

/* ---- memory ---- */

static uint32_t add_memory(struct maker *maker, const uint32_t *tuple)
{
    struct graph *graph = maker->graph;
    struct exploration *exploration = maker->exploration;
    struct cell_view view = {.memory = tuple[graph->cpu_count],
                             .durable = exploration->line_count ? tuple[graph->cpu_count + 1] : 0,
                             .privates = maker->privates};
    for (uint32_t cpu = 0; cpu < graph->cpu_count; cpu++) {
        struct node node;
        component_node(&exploration->components, cpu, tuple[cpu], &node);
        maker->privates[cpu] = node.private_memory;
    }
    uint64_t values[CELLS_MAX + 1] = {0};
    for (size_t i = 0; i < graph->cells.count; i++)
        values[i] = cell_value(exploration, &graph->cells.items[i], &view);
    bool fresh;
    size_t bytes = (graph->cells.count + 1) * sizeof *values;
    uint32_t number = intern_add(&maker->memories, values, bytes, &fresh);
    if (fresh) {
        graph->memories = region_push(maker->region, graph->memories, number,
                                      &maker->memory_capacity, sizeof *graph->memories);
        graph->memories[number] = intern_bytes(&maker->memories, number);
        graph->memory_count = number + 1;
    }
    return number;
}

/* ---- steps ---- */

/* Stores to the own stack leave the buffer at once, which says nothing. */
static bool is_telling(const struct witness_step *step, size_t number)
{
    bool own_stack = step->size && step->address >= STACK_BASE;
    return step->detail[0] && (number == 0 || !own_stack);
}

/* Several things that one step does are told in one line. */
static const char *joined_details(struct maker *maker, const struct witness *steps)
{
    struct text text;
    text_init(&text, maker->scratch);
    for (size_t i = 0; i < steps->count; i++)
        if (is_telling(&steps->steps[i], i))
            text_printf(&text, "%s%s", text.length ? "; " : "", steps->steps[i].detail);
    return text.data;
}

static uint32_t add_label(struct maker *maker, uint32_t cpu, const struct transition *transition,
                          const uint32_t *to)
{
    struct graph *graph = maker->graph;
    const struct witness *steps =
        witness_of_transition(maker->scratch, maker->exploration, maker->from, to, cpu, transition);
    static const struct witness_step nothing = {.event = "step", .detail = ""};
    const struct witness_step *first = steps->count ? &steps->steps[0] : &nothing;
    struct graph_label label = {.cpu = cpu,
                                .has_insn = first->has_insn,
                                .offset = first->offset,
                                .text = first->has_insn ? first->text : "",
                                .event = first->event,
                                .detail = joined_details(maker, steps)};
    struct text key;
    bool fresh;
    text_init(&key, maker->scratch);
    text_printf(&key, "%u %u %s\n%s\n%s", cpu, label.offset, label.text, label.event, label.detail);
    uint32_t number = intern_add(&maker->labels, key.data, key.length, &fresh);
    if (!fresh)
        return number;
    label.text = region_strdup(maker->region, label.text);
    label.event = region_strdup(maker->region, label.event);
    label.detail = region_strdup(maker->region, label.detail);
    graph->labels = region_push(maker->region, graph->labels, number, &maker->label_capacity,
                                sizeof *graph->labels);
    graph->labels[number] = label;
    graph->label_count = number + 1;
    return number;
}

static void add_edge(void *receiver, uint32_t cpu, struct transition *transition,
                     const uint32_t *tuple)
{
    struct maker *maker = receiver;
    struct graph *graph = maker->graph;
    uint32_t to = states_find(&maker->exploration->states, tuple);
    if (to == NO_STATE)
        return;
    struct graph_edge edge = {to, add_label(maker, cpu, transition, tuple)};
    struct graph_state *state = &graph->states[graph->state_count];
    for (uint32_t i = 0; i < state->edge_count; i++) {
        const struct graph_edge *old = &graph->edges[state->first_edge + i];
        if (old->to == edge.to && old->label == edge.label)
            return;
    }
    graph->edges = region_push(maker->region, graph->edges, graph->edge_count,
                               &maker->edge_capacity, sizeof *graph->edges);
    graph->edges[graph->edge_count++] = edge;
    state->edge_count++;
}

static void add_state(struct maker *maker, uint32_t number)
{
    struct graph *graph = maker->graph;
    struct graph_state *state = &graph->states[graph->state_count];
    uint32_t *components = region_array(maker->region, graph->cpu_count, sizeof *state->components);
    states_get(&maker->exploration->states, number, maker->from);
    bool all_ended = true;
    for (uint32_t cpu = 0; cpu < graph->cpu_count; cpu++) {
        components[cpu] = add_component(maker, cpu, maker->from[cpu]);
        all_ended = all_ended && graph->components[cpu][components[cpu]].status == GRAPH_ENDED;
    }
    state->components = components;
    state->memory = add_memory(maker, maker->from);
    state->first_edge = (uint32_t)graph->edge_count;
    state->ending = state->crash = NO_INDEX;
    for_each_successor(maker->exploration, maker->from, add_edge, maker);
    state->is_final = all_ended && state->edge_count == 0;
    graph->state_count++;
    region_release(maker->scratch);
}

struct graph *graph_new(struct region *region, struct exploration *exploration)
{
    struct graph *graph = region_alloc(region, sizeof *graph);
    size_t cpus = exploration->program->cpu_count, states = exploration->states.count;
    struct maker maker = {.region = region,
                          .scratch = region_child(region),
                          .exploration = exploration,
                          .graph = graph};
    intern_init(&maker.labels, region);
    intern_init(&maker.memories, region);
    maker.components = region_array(region, cpus, sizeof *maker.components);
    maker.component_capacities = region_array(region, cpus, sizeof *maker.component_capacities);
    maker.privates = region_array(region, cpus, sizeof *maker.privates);
    maker.from = region_array(region, exploration->tuple_length, sizeof *maker.from);
    graph->cpu_count = (uint32_t)cpus;
    graph->cells = cells_find(region, exploration);
    graph->components = region_array(region, cpus, sizeof *graph->components);
    graph->component_counts = region_array(region, cpus, sizeof *graph->component_counts);
    graph->states = region_array(region, states + 1, sizeof *graph->states);
    for (size_t cpu = 0; cpu < cpus; cpu++)
        intern_init(&maker.components[cpu], region);
    for (size_t i = 0; i < states; i++)
        add_state(&maker, (uint32_t)i);
    return graph;
}
