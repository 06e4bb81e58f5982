/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/judge/state_graph.h"

#include <inttypes.h>
#include <string.h>

#include "sim/judge/judge.h"

struct grapher {
    struct judgement *judgement;
    struct exploration *exploration;
    struct state_graph *found;
    struct intern endings, images;
    size_t ending_capacity, image_capacity;
    uint32_t *tuple;
    uint64_t *values;
    bool *durable; /* per term */
};

static struct condition_list list_conditions(struct region *region, const struct program *program,
                                             bool crash)
{
    struct condition_list list = {
        .items = region_array(region, program->expectation_count + 1, sizeof *list.items)};
    for (size_t i = 0; i < program->expectation_count; i++) {
        const struct expectation *expectation = &program->expectations[i];
        if (expectation->condition && !expectation->about_stuck &&
            expectation->about_crash == crash)
            list.items[list.count++] = expectation;
    }
    return list;
}

static bool *decide(struct grapher *grapher, const struct condition_list *list,
                    const struct condition_state *state)
{
    bool *holds = region_array(grapher->judgement->region, list->count + 1, sizeof *holds);
    for (size_t i = 0; i < list->count; i++)
        holds[i] = condition_holds(list->items[i]->condition, state);
    return holds;
}

static int add_ending(struct grapher *grapher)
{
    const struct prepared *prepared = grapher->judgement->prepared;
    struct state_graph *found = grapher->found;
    struct region *region = grapher->judgement->region;
    struct exploration *exploration = grapher->exploration;
    for (size_t i = 0; i < exploration->term_count; i++)
        grapher->values[i] = term_value(exploration, grapher->tuple, &exploration->terms[i]);
    const struct final_state final = {.values = grapher->values};
    const struct condition_state state = {.values = grapher->values};
    size_t bits = found->finals.count, observed = prepared->observed_count;
    uint64_t *values = region_array(region, observed + 1, sizeof *values);
    for (size_t i = 0; i < observed; i++)
        values[i] = grapher->values[prepared->observed[i]];
    struct ending ending = {.outcome = outcome_of(grapher->judgement, &final),
                            .holds = decide(grapher, &found->finals, &state),
                            .values = values};
    uint8_t *key = region_alloc(region, bits + observed * sizeof *values + 1);
    memcpy(key, ending.holds, bits);
    memcpy(key + bits, values, observed * sizeof *values);
    bool fresh;
    uint32_t number = intern_add(&grapher->endings, key, bits + observed * sizeof *values, &fresh);
    if (fresh) {
        found->endings = region_push(region, found->endings, number, &grapher->ending_capacity,
                                     sizeof *found->endings);
        found->endings[number] = ending;
        found->ending_count = number + 1;
    }
    return (int)number;
}

static int add_image(struct grapher *grapher)
{
    struct state_graph *found = grapher->found;
    struct region *region = grapher->judgement->region;
    struct exploration *exploration = grapher->exploration;
    memset(grapher->values, 0, (exploration->term_count + 1) * sizeof *grapher->values);
    for (size_t i = 0; i < exploration->term_count; i++)
        if (grapher->durable[i])
            grapher->values[i] = durable_value(exploration, grapher->tuple, &exploration->terms[i]);
    bool fresh;
    const bool *holds =
        decide(grapher, &found->crashes,
               &(struct condition_state){.values = grapher->values, .durable = grapher->durable});
    uint32_t number = intern_add(&grapher->images, holds, found->crashes.count, &fresh);
    if (fresh) {
        found->images = region_push(region, found->images, number, &grapher->image_capacity,
                                    sizeof *found->images);
        found->images[number] = holds;
        found->image_count = number + 1;
    }
    return (int)number;
}

static void judge_states(struct grapher *grapher)
{
    struct exploration *exploration = grapher->exploration;
    struct graph *graph = grapher->found->graph;
    bool crashes = exploration->line_count && grapher->found->crashes.count;
    for (uint32_t i = 0; i < graph->state_count; i++) {
        states_get(&exploration->states, i, grapher->tuple);
        if (graph->states[i].is_final)
            graph->states[i].ending = add_ending(grapher);
        if (crashes)
            graph->states[i].crash = add_image(grapher);
    }
}

/*
 * Whether the clock is read. Without reduction it may also be read early where nobody uses the
 * reading; distances between the others grow by that, which says nothing.
 */
static bool reads_clock(const struct grapher *grapher)
{
    const struct oracle *oracle = grapher->judgement->prepared->oracle;
    for (size_t cpu = 0; cpu < oracle->program->cpu_count; cpu++)
        for (size_t i = 0; i < oracle->code[cpu]->insn_count; i++)
            if (oracle->code[cpu]->insns[i]->class == INSN_TSC)
                return true;
    return false;
}

/* The graph is of an exploration of its own: both must come to the same. */
static bool agrees(const struct grapher *grapher)
{
    const struct result *result = grapher->judgement->result;
    const struct state_graph *found = grapher->found;
    bool *seen = region_array(grapher->judgement->scratch, result->outcome_count + 1, sizeof *seen);
    bool more = reads_clock(grapher);
    size_t count = 0;
    for (size_t i = 0; i < found->ending_count; i++) {
        int outcome = found->endings[i].outcome;
        if (outcome == NO_INDEX && !more)
            return false;
        if (outcome == NO_INDEX)
            continue;
        count += !seen[outcome];
        seen[outcome] = true;
    }
    return count == result->outcome_count;
}

static void fill(struct grapher *grapher)
{
    struct judgement *judgement = grapher->judgement;
    struct exploration *exploration = grapher->exploration;
    struct region *region = judgement->region;
    const struct program *program = judgement->result->program;
    struct state_graph *found = grapher->found;
    found->finals = list_conditions(region, program, false);
    found->crashes = list_conditions(region, program, true);
    intern_init(&grapher->endings, region);
    intern_init(&grapher->images, region);
    grapher->tuple = region_array(judgement->scratch, exploration->tuple_length, sizeof(uint32_t));
    grapher->values =
        region_array(judgement->scratch, exploration->term_count + 1, sizeof(uint64_t));
    grapher->durable = region_array(judgement->scratch, exploration->term_count + 1, sizeof(bool));
    for (size_t i = 0; i < exploration->term_count; i++)
        grapher->durable[i] = term_is_durable(program, &exploration->terms[i]);
    found->graph = graph_new(region, exploration);
    judge_states(grapher);
}

void judge_graph(struct judgement *judgement)
{
    struct result *result = judgement->result;
    uint64_t limit = judgement->options->graph_states;
    struct region *region = judgement->region;
    if (result->incomplete) {
        result->no_graph = "not all executions were explored";
        return;
    }
    struct exploration *exploration = explore_unreduced(judgement, limit);
    if (exploration->incomplete) {
        result->no_graph = strcmp(exploration->incomplete, LIMIT_STATES) == 0
                               ? region_printf(region, "it has more than %" PRIu64 " states", limit)
                               : region_strdup(region, exploration->incomplete);
        exploration_close(exploration);
        return;
    }
    struct grapher grapher = {.judgement = judgement,
                              .exploration = exploration,
                              .found = region_alloc(region, sizeof *grapher.found)};
    fill(&grapher);
    exploration_close(exploration);
    if (result->complete && !agrees(&grapher))
        result->no_graph = "its outcomes are others than the report's, which must not be: please "
                           "report this as a fault of fencesim";
    else
        result->state_graph = grapher.found;
}
