/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ordering half of a run: outcomes, which of them are relaxed, what could not be followed. */
#define _GNU_SOURCE /* qsort_r */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/judge/limits.h"

enum { RELAXED_WITNESSES_MAX = 16, PROGRAM_BYTES = 8 << 20, LEAST_BYTES = 1 << 20 };

/*
 * What the limit of memory leaves for one more exploration, beside the program itself and
 * what this run holds already.
 */
static size_t memory_left(const struct judgement *judgement)
{
    size_t limit = judgement->options->max_memory,
           held = judgement->region->bytes + judgement->scratch->bytes;
    held += limit / 4 < PROGRAM_BYTES ? limit / 4 : PROGRAM_BYTES;
    if (judgement->exploration)
        held += judgement->exploration->region.bytes;
    if (!limit)
        return 0;
    return limit > held + LEAST_BYTES ? limit - held : LEAST_BYTES;
}

/* What is left of the run's time; a little when nothing is, so that it is still a limit. */
static double seconds_left(const struct judgement *judgement)
{
    double limit = judgement->options->max_seconds;
    if (limit <= 0)
        return 0;
    double left = judgement->started + limit - seconds_now();
    return left > 0 ? left : 1e-9;
}

static struct explore_options options_of(const struct judgement *judgement)
{
    const struct run_options *options = judgement->options;
    return (struct explore_options){.reduce = options->reduce,
                                    .max_states = options->max_states,
                                    .max_seconds = seconds_left(judgement),
                                    .max_memory = memory_left(judgement),
                                    .stop = options->stop,
                                    .progress = options->progress};
}

static struct exploration *explore_with(struct judgement *judgement, const struct model *model,
                                        const struct explore_options *options)
{
    struct prepared *prepared = judgement->prepared;
    return explore(judgement->scratch, prepared->oracle, prepared->start, judgement->profile, model,
                   &prepared->footprint, prepared->terms, prepared->term_count, options);
}

struct exploration *explore_without(struct judgement *judgement, const struct removed *removed,
                                    size_t count)
{
    return explore_varied(judgement, removed, count, judgement->options->max_states);
}

struct exploration *explore_varied(struct judgement *judgement, const struct removed *removed,
                                   size_t count, uint64_t max_states)
{
    struct explore_options options = options_of(judgement);
    options.removed = removed;
    options.removed_count = count;
    options.max_states = max_states;
    return explore_with(judgement, judgement->model, &options);
}

struct exploration *explore_unreduced(struct judgement *judgement, uint64_t max_states)
{
    struct prepared *prepared = judgement->prepared;
    struct explore_options options = options_of(judgement);
    struct footprint *footprint = region_alloc(judgement->scratch, sizeof *footprint);
    footprint_init(footprint, judgement->scratch, prepared->program, false);
    options.reduce = false;
    options.whole_instructions = true;
    options.max_states = max_states;
    return explore(judgement->scratch, prepared->oracle, prepared->start, judgement->profile,
                   judgement->model, footprint, prepared->terms, prepared->term_count, &options);
}

/* The observed part of a final state's values. */
static uint64_t *project(struct region *region, const struct prepared *prepared,
                         const struct final_state *final)
{
    uint64_t *values = region_array(region, prepared->observed_count + 1, sizeof *values);
    for (size_t i = 0; i < prepared->observed_count; i++)
        values[i] = final->values[prepared->observed[i]];
    return values;
}

static int compare_values(const uint64_t *a, const uint64_t *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int compare_rows(const void *left, const void *right, void *count)
{
    const struct outcome_row *a = left, *b = right;
    int order = compare_values(a->values, b->values, *(const size_t *)count);
    return order ? order : (a->state > b->state) - (a->state < b->state);
}

/* Sorted and without repeats; the earliest state stands for equal ones. */
static struct outcome_row *collect_outcomes(struct region *region, const struct prepared *prepared,
                                            const struct exploration *exploration, size_t *count)
{
    struct outcome_row *rows = region_array(region, exploration->final_count + 1, sizeof *rows);
    size_t total = 0, kept = 0, width = prepared->observed_count;
    for (size_t i = 0; i < exploration->final_count; i++) {
        const struct final_state *final = &exploration->finals[i];
        if (!final->is_stuck)
            rows[total++] = (struct outcome_row){.values = project(region, prepared, final),
                                                 .state = final->state,
                                                 .tuple = final->tuple};
    }
    qsort_r(rows, total, sizeof *rows, compare_rows, &width);
    for (size_t i = 0; i < total; i++)
        if (kept == 0 || compare_values(rows[kept - 1].values, rows[i].values, width) != 0)
            rows[kept++] = rows[i];
    *count = kept;
    return rows;
}

static int find_row(const struct outcome_row *rows, size_t count, size_t width,
                    const uint64_t *values)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_values(rows[middle].values, values, width);
        if (order == 0)
            return (int)middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NO_INDEX;
}

int outcome_of(const struct judgement *judgement, const struct final_state *final)
{
    if (final->is_stuck)
        return NO_INDEX;
    uint64_t *values = project(judgement->scratch, judgement->prepared, final);
    return find_row(judgement->result->outcomes, judgement->result->outcome_count,
                    judgement->prepared->observed_count, values);
}

/* Crash images as sets; few enough to compare each with each. */
static bool same_images(const struct judgement *judgement, const struct exploration *a,
                        const struct exploration *b)
{
    size_t count = judgement->prepared->term_count;
    if (a->image_count != b->image_count)
        return false;
    for (size_t i = 0; i < a->image_count; i++) {
        bool found = false;
        for (size_t n = 0; n < b->image_count && !found; n++)
            found = compare_values(a->images[i].values, b->images[n].values, count) == 0;
        if (!found)
            return false;
    }
    return true;
}

bool same_outcomes(const struct judgement *judgement, const struct exploration *a,
                   const struct exploration *b)
{
    const struct prepared *prepared = judgement->prepared;
    size_t a_count, b_count;
    if (a->can_stick != b->can_stick ||
        a->components.observation_count != b->components.observation_count ||
        !same_images(judgement, a, b))
        return false;
    struct outcome_row *a_rows = collect_outcomes(judgement->scratch, prepared, a, &a_count);
    struct outcome_row *b_rows = collect_outcomes(judgement->scratch, prepared, b, &b_count);
    if (a_count != b_count)
        return false;
    for (size_t i = 0; i < a_count; i++)
        if (compare_values(a_rows[i].values, b_rows[i].values, prepared->observed_count) != 0)
            return false;
    return true;
}

int add_witness(struct judgement *judgement, uint32_t state, const uint32_t *tuple, int outcome,
                enum witness_end end, const char *reason)
{
    struct result *result = judgement->result;
    if (judgement->options->witness == WITNESS_NONE)
        return NO_INDEX;
    for (size_t i = 0; i < result->witness_count; i++)
        if (outcome != NO_INDEX && result->witnesses[i].outcome == outcome &&
            result->outcomes[outcome].state == state)
            return (int)i;
    result->witnesses = region_push(judgement->region, result->witnesses, result->witness_count,
                                    &result->witness_capacity, sizeof *result->witnesses);
    struct result_witness *added = &result->witnesses[result->witness_count];
    *added = (struct result_witness){
        .outcome = outcome,
        .reason = reason,
        .witness = witness_new(judgement->region, judgement->exploration, state, tuple),
        .end = end,
        .state = state,
        .tuple = tuple};
    if (judgement->options->explain)
        added->relations =
            relations_new(judgement->region, result->program, judgement->profile, added->witness);
    return (int)result->witness_count++;
}

static const char *fault_name(uint8_t vector)
{
    switch (vector) {
    case 0:
        return "a divide error (#DE)";
    case 6:
        return "an invalid opcode (#UD)";
    case 13:
        return "a general protection fault (#GP)";
    case 14:
        return "a page fault (#PF)";
    default:
        return "an exception";
    }
}

static const char *page_fault_reason(struct judgement *judgement, const struct issue *issue)
{
    struct region *region = judgement->region;
    uint64_t address = issue->fault.address;
    uint64_t code_end = CODE_BASE + judgement->result->program->cpu_count * CODE_STRIDE;
    if (!issue->insn) {
        const char *object = program_name_at(judgement->result->program, region, address);
        return region_printf(region, "it jumps to 0x%" PRIx64 "%s%s, where it has no code", address,
                             object ? ", the object " : "", object ? object : "");
    }
    if (address >= CODE_BASE && address < code_end)
        return "it accesses its own code, which is not modelled";
    return region_printf(region,
                         "a page fault (#PF) at 0x%" PRIx64 ", which no object and no stack covers",
                         address);
}

static void report_issue(struct judgement *judgement, const struct issue *issue)
{
    const struct program *program = judgement->result->program;
    struct unmodelled row = {.cpu = program->cpus[issue->cpu].name,
                             .text = issue->insn ? issue->insn->text : "(no instruction)",
                             .reason = issue->reason};
    if (issue->insn)
        row.offset = (uint32_t)(issue->insn->address -
                                judgement->prepared->oracle->code[issue->cpu]->snippet->address);
    row.place = insn_place(program, judgement->result->variant, issue->cpu, row.offset);
    if (issue->kind == ISSUE_FAULT)
        row.reason = issue->fault.vector == 14 ? page_fault_reason(judgement, issue)
                                               : fault_name(issue->fault.vector);
    if (issue->bad_input) {
        struct result *result = judgement->result;
        result->bad_inputs =
            region_push(judgement->region, result->bad_inputs, result->bad_input_count,
                        &result->bad_input_capacity, sizeof *result->bad_inputs);
        result->bad_inputs[result->bad_input_count++] =
            (struct bad_input){row.place, region_strdup(judgement->region, issue->bad_input)};
    }
    row.reason = region_strdup(judgement->region, row.reason);
    add_unmodelled(judgement->region, judgement->result, &row);
    if (issue->kind == ISSUE_FAULT && judgement->options->witness != WITNESS_NONE)
        add_witness(judgement, issue->state, issue->tuple, NO_INDEX, ENDS_PROBLEM,
                    region_printf(judgement->region, "%s: %s", row.cpu, row.reason));
}

static void note_stuck(struct judgement *judgement)
{
    struct result *result = judgement->result;
    const struct exploration *exploration = judgement->exploration;
    size_t cpus = result->program->cpu_count;
    result->stuck = exploration->can_stick;
    result->stuck_cpus = region_array(judgement->region, cpus, sizeof *result->stuck_cpus);
    for (size_t cpu = 0; cpu < cpus; cpu++) {
        bool can = false;
        for (size_t i = 0; i < exploration->final_count; i++)
            can = can || (exploration->finals[i].is_stuck && exploration->finals[i].stuck[cpu]);
        if (can)
            result->stuck_cpus[result->stuck_cpu_count++] = result->program->cpus[cpu].name;
    }
}

static void list_images(struct judgement *judgement)
{
    struct result *result = judgement->result;
    const struct exploration *exploration = judgement->exploration;
    struct region *region = judgement->region;
    size_t terms = exploration->term_count;
    uint32_t *which = region_array(region, terms + 1, sizeof *which);
    result->has_images = exploration->components.persistent;
    result->durable = region_array(region, terms + 1, sizeof *result->durable);
    for (uint32_t i = 0; i < terms; i++)
        if (term_is_durable(result->program, &exploration->terms[i])) {
            which[result->durable_count] = i;
            result->durable[result->durable_count++] = &exploration->terms[i];
        }
    result->images = region_array(region, exploration->image_count + 1, sizeof *result->images);
    for (size_t i = 0; i < exploration->image_count; i++) {
        uint64_t *values = region_array(region, result->durable_count + 1, sizeof *values);
        for (size_t n = 0; n < result->durable_count; n++)
            values[n] = exploration->images[i].values[which[n]];
        size_t at = result->image_count++; /* kept sorted */
        while (at > 0 &&
               compare_values(values, result->images[at - 1], result->durable_count) < 0) {
            result->images[at] = result->images[at - 1];
            at--;
        }
        result->images[at] = values;
    }
}

static void mark_relaxed(struct judgement *judgement)
{
    struct result *result = judgement->result;
    struct explore_options options = options_of(judgement);
    struct exploration *sc = explore_with(judgement, &model_sc, &options);
    size_t width = judgement->prepared->observed_count, count;
    result->relaxed_known = sc->complete;
    struct outcome_row *rows =
        collect_outcomes(judgement->scratch, judgement->prepared, sc, &count);
    for (size_t i = 0; i < result->outcome_count; i++)
        result->outcomes[i].relaxed =
            sc->complete && find_row(rows, count, width, result->outcomes[i].values) == NO_INDEX;
    exploration_close(sc);
}

static void show_outcomes(struct judgement *judgement)
{
    struct result *result = judgement->result;
    size_t shown = 0;
    for (size_t i = 0; i < result->outcome_count; i++) {
        bool all = judgement->options->witness == WITNESS_ALL;
        if (!all && (!result->outcomes[i].relaxed || shown >= RELAXED_WITNESSES_MAX))
            continue;
        shown += result->outcomes[i].relaxed;
        add_witness(judgement, result->outcomes[i].state, result->outcomes[i].tuple, (int)i,
                    ENDS_FINAL,
                    result->outcomes[i].relaxed ? "no interleaving gives it" : "reachable");
    }
}

void judge_order(struct judgement *judgement)
{
    struct result *result = judgement->result;
    struct prepared *prepared = judgement->prepared;
    struct explore_options options = options_of(judgement);
    result->ordered = true;
    result->observed =
        region_array(judgement->region, prepared->observed_count + 1, sizeof *result->observed);
    for (size_t i = 0; i < prepared->observed_count; i++)
        result->observed[i] = &prepared->terms[prepared->observed[i]];
    result->observed_count = prepared->observed_count;
    judgement->exploration = explore_with(judgement, judgement->model, &options);
    if (options.reduce && shows_transient_values(judgement, judgement->exploration)) {
        exploration_close(judgement->exploration);
        judgement->exploration = NULL;
        options = options_of(judgement);
        options.reduce = false;
        judgement->exploration = explore_with(judgement, judgement->model, &options);
    }
    struct exploration *exploration = judgement->exploration;
    result->complete = exploration->complete;
    result->states = exploration->state_count;
    result->incomplete = exploration->incomplete;
    result->advice = limit_advice(judgement->region, exploration, judgement->options);
    if (exploration->incomplete)
        result->frontier = exploration->state_count - exploration->followed;
    if (exploration->incomplete && exploration->state_count == 0)
        return;
    result->outcomes =
        collect_outcomes(judgement->region, prepared, exploration, &result->outcome_count);
    if (!exploration->incomplete || exploration->states.count > 0)
        for (size_t i = 0; i < exploration->issue_count; i++)
            report_issue(judgement, &exploration->issues[i]);
    list_images(judgement);
    note_stuck(judgement);
    /* Without expectations the verdict rests on it. */
    if (judgement->options->relaxed ||
        (result->program->expectation_count == 0 && !result->program->litmus))
        mark_relaxed(judgement);
    show_outcomes(judgement);
}
