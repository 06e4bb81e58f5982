/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The explorer under test, given traces as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/explore/graph.h"
#include "sim/program/read.h"
#include "tests/property/property.h"

struct subject {
    struct program *program;
    struct exec *exec;
    struct oracle *oracle;
    struct start *start;
    uint64_t window;
};

struct batch {
    struct region region;
    struct diagnostics diagnostics;
    struct source_list sources;
    struct subject *subjects;
    size_t count, capacity;
};

struct batch *batch_new(void)
{
    struct batch *batch = calloc(1, sizeof *batch);
    if (!batch)
        abort();
    region_init(&batch->region, 0);
    if (region_guard(&batch->region))
        abort(); /* out of memory */
    diagnostics_init(&batch->diagnostics, &batch->region);
    batch->sources.region = &batch->region;
    return batch;
}

void batch_free(struct batch *batch)
{
    region_release(&batch->region);
    free(batch);
}

size_t batch_add(struct batch *batch, const char *trace)
{
    const char *text = region_strdup(&batch->region, trace);
    batch->subjects = region_push(&batch->region, batch->subjects, batch->count, &batch->capacity,
                                  sizeof *batch->subjects);
    batch->subjects[batch->count] =
        (struct subject){.program = trace_parse(&batch->region, "random.yaml", text, strlen(text),
                                                &batch->sources, &batch->diagnostics)};
    return batch->count++;
}

bool batch_assemble(struct batch *batch)
{
    bool good = assemble(&batch->sources, &batch->diagnostics);
    for (size_t i = 0; i < batch->count && batch->diagnostics.count == 0; i++)
        trace_finish(batch->subjects[i].program, &batch->diagnostics);
    for (size_t i = 0; i < batch->diagnostics.count; i++)
        printf("%u: %s\n", batch->diagnostics.items[i].place.line,
               batch->diagnostics.items[i].message);
    return good && batch->diagnostics.count == 0;
}

const struct program *batch_program(const struct batch *batch, size_t number)
{
    return batch->subjects[number].program;
}

static uint64_t window_of(const struct program *program)
{
    for (size_t i = 0; i < program->object_count; i++)
        if (program->objects[i].parent != NO_INDEX)
            return program->objects[i].address; /* the first word of the window */
    abort();
}

static void prepare(struct batch *batch, struct subject *subject)
{
    if (subject->oracle)
        return;
    subject->exec = exec_open(&batch->region, subject->program);
    if (!subject->exec)
        abort();
    subject->oracle = oracle_new(&batch->region, subject->exec, subject->program, 0);
    subject->start = start_new(&batch->region, subject->exec, subject->program, 0);
    subject->window = window_of(subject->program);
}

static void row_of(const struct final_state *final, size_t count, uint64_t *row)
{
    memset(row, 0, VALUES_MAX * sizeof *row);
    memcpy(row, final->values, count * sizeof *row);
}

static bool collect(struct region *region, struct exploration *exploration, uint64_t window,
                    struct outcomes *outcomes, witness_check *check, void *context)
{
    for (size_t i = 0; i < exploration->final_count; i++) {
        uint64_t row[VALUES_MAX];
        row_of(&exploration->finals[i], exploration->term_count, row);
        outcomes_add(outcomes, row);
        if (check)
            check(context,
                  witness_new(region, exploration, exploration->finals[i].state,
                              exploration->finals[i].tuple),
                  window, row);
    }
    outcomes_sort(outcomes);
    return exploration->complete && !exploration->can_stick;
}

/* The final states that the graph's steps lead to from its start. */
static bool collect_graph(struct region *region, struct exploration *exploration,
                          struct outcomes *outcomes)
{
    struct graph *graph = graph_new(region, exploration);
    bool *reached = region_array(region, graph->state_count, sizeof *reached);
    uint32_t *queue = region_array(region, graph->state_count, sizeof *queue);
    uint32_t *tuple = region_array(region, exploration->tuple_length, sizeof *tuple);
    size_t first = 0, count = 1;
    reached[0] = true;
    for (; first < count; first++) {
        const struct graph_state *state = &graph->states[queue[first]];
        for (uint32_t i = 0; i < state->edge_count; i++) {
            uint32_t to = graph->edges[state->first_edge + i].to;
            if (!reached[to])
                queue[count++] = to;
            reached[to] = true;
        }
        if (!state->is_final)
            continue;
        uint64_t row[VALUES_MAX] = {0};
        states_get(&exploration->states, queue[first], tuple);
        for (size_t i = 0; i < exploration->term_count; i++)
            row[i] = term_value(exploration, tuple, &exploration->terms[i]);
        outcomes_add(outcomes, row);
    }
    outcomes_sort(outcomes);
    return exploration->complete && count == graph->state_count;
}

bool engine_outcomes(struct batch *batch, size_t number, const char *model,
                     const struct machine *machine, enum search_kind search,
                     struct outcomes *outcomes, witness_check *check, void *context)
{
    struct subject *subject = &batch->subjects[number];
    struct profile profile;
    struct region region;
    struct footprint footprint;
    struct explore_options options = {.reduce = search == SEARCH_REDUCED,
                                      .whole_instructions = search == SEARCH_GRAPH,
                                      .max_states = 2000000};
    prepare(batch, subject);
    memset(&profile, 0, sizeof profile);
    profile.name = profile.about = profile.model = "test";
    profile.vendor = "any";
    profile.order.store_buffer_entries = machine->sc ? 0 : machine->capacity;
    profile.order.atomic_bytes = machine->atomic_bytes;
    region_init(&region, 0);
    if (region_guard(&region))
        abort();
    footprint_init(&footprint, &region, subject->program, search == SEARCH_ALL);
    struct exploration *exploration =
        explore(&region, subject->oracle, subject->start, &profile, model_find(model), &footprint,
                subject->program->terms, subject->program->term_count, &options);
    bool complete = search == SEARCH_GRAPH
                        ? collect_graph(&region, exploration, outcomes)
                        : collect(&region, exploration, subject->window, outcomes, check, context);
    region_release(&region);
    return complete;
}
