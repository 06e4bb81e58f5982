/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results as herd7 prints them, for the scripts that read that: test, states, verdict,
 * witnesses, condition, observation. Where herd counts executions this counts final states,
 * as executions are not enumerated; "Loop" marks an exploration that is not complete, as it
 * does there. Results of traces are printed in the same form.
 */
#include <inttypes.h>
#include <string.h>

#include "sim/base/parallel.h"
#include "sim/judge/condition_value.h"
#include "sim/program/litmus.h"
#include "sim/report/report.h"

/* A state: a final value for each term, the shown ones first. */
static bool is_kept(const struct litmus *litmus, const struct outcome_row *row)
{
    const struct condition_state state = {row->values, NULL, NULL};
    return !litmus->filter || condition_holds(litmus->filter, &state);
}

static size_t shown_terms(const struct litmus *litmus)
{
    size_t count = 0;
    for (size_t i = 0; i < litmus->location_count; i++)
        count += litmus->locations[i].count;
    return count;
}

/* Filtered and without repeats; outcomes are sorted, so equal states are neighbours. */
static const struct outcome_row **states_of(struct region *region, const struct result *result,
                                            size_t *count)
{
    const struct litmus *litmus = result->program->litmus;
    const struct outcome_row **states =
        region_array(region, result->outcome_count + 1, sizeof *states);
    size_t bytes = shown_terms(litmus) * sizeof(uint64_t);
    *count = 0;
    for (size_t i = 0; i < result->outcome_count; i++) {
        const struct outcome_row *row = &result->outcomes[i];
        bool repeated =
            *count && (!bytes || memcmp(states[*count - 1]->values, row->values, bytes) == 0);
        if (is_kept(litmus, row) && !repeated)
            states[(*count)++] = row;
    }
    return states;
}

struct litmus_answer litmus_answer(const struct result *result)
{
    const struct litmus *litmus = result->program->litmus;
    struct litmus_answer answer = {0};
    struct region scratch;
    region_init(&scratch, 0);
    if (region_guard(&scratch))
        return answer;
    size_t count;
    const struct outcome_row **states = states_of(&scratch, result, &count);
    for (size_t i = 0; i < count; i++) {
        const struct condition_state state = {states[i]->values, NULL, NULL};
        if (condition_holds(litmus->condition, &state))
            answer.positive++;
        else
            answer.negative++;
    }
    region_release(&scratch);
    answer.ok = litmus->quantifier == QUANTIFIER_EXISTS       ? answer.positive > 0
                : litmus->quantifier == QUANTIFIER_NOT_EXISTS ? answer.positive == 0
                                                              : answer.negative == 0;
    answer.observation = answer.positive == 0   ? "Never"
                         : answer.negative == 0 ? "Always"
                                                : "Sometimes";
    return answer;
}

/* ---- values ---- */

static void add_number(struct text *out, uint64_t value, unsigned width, bool is_signed)
{
    unsigned shift = 64 - width;
    if (is_signed && width < 64 && value >> (width - 1) & 1)
        text_add_signed(out, (int64_t)(value << shift) / (INT64_C(1) << shift));
    else if (is_signed)
        text_add_signed(out, (int64_t)value);
    else
        text_add_unsigned(out, value);
}

/* An address is the name of what lies there. */
static bool add_address(struct text *out, const struct program *program, uint64_t value)
{
    int root = value >= OBJECT_BASE ? program_object_at(program, value, 1) : NO_INDEX;
    if (!program->litmus->has_addresses || root == NO_INDEX)
        return false;
    int named = root; /* the variable's own name is before that of the room it has */
    for (int i = 0; i < (int)program->object_count && i < root; i++)
        if (program->objects[i].parent == root && named == root)
            named = i;
    uint64_t offset = value - program->objects[root].address;
    text_add(out, program->objects[named].name);
    if (offset)
        text_printf(out, "+%" PRIu64, offset);
    return true;
}

static void add_location(struct text *out, const struct result *result,
                         const struct litmus_location *location, const uint64_t *values)
{
    text_add(out, location->label);
    text_add(out, location->is_array ? "={" : "=");
    for (uint32_t i = 0; i < location->count; i++) {
        uint64_t value = values[location->first + i];
        text_add(out, i ? "," : "");
        if (!add_address(out, result->program, value))
            add_number(out, value, location->width, location->is_signed);
    }
    text_add(out, location->is_array ? "};" : ";");
}

static void add_state(struct text *out, const struct result *result, const uint64_t *values)
{
    const struct litmus *litmus = result->program->litmus;
    for (size_t i = 0; i < litmus->location_count; i++) {
        text_add(out, i ? " " : "");
        add_location(out, result, &litmus->locations[i], values);
    }
    text_add(out, "\n");
}

/* ---- tests ---- */

static const char *kind_name(enum quantifier quantifier)
{
    static const char *const names[] = {"Allowed", "Forbidden", "Required"};
    return names[quantifier];
}

/* Says that a verdict stands only for what was explored. */
static const char *incomplete_flag(const struct result *result)
{
    return result->complete ? "" : "Flag incomplete\n";
}

static void add_litmus(struct text *out, const struct result *result, const char *name)
{
    const struct litmus *litmus = result->program->litmus;
    struct litmus_answer answer = litmus_answer(result);
    size_t count;
    const struct outcome_row **states = states_of(out->region, result, &count);
    bool swapped = litmus->quantifier == QUANTIFIER_NOT_EXISTS;
    text_printf(out, "Test %s %s\nStates %zu\n", name, kind_name(litmus->quantifier), count);
    for (size_t i = 0; i < count; i++)
        add_state(out, result, states[i]->values);
    text_printf(out, "%s%s\nWitnesses\nPositive: %zu Negative: %zu\n%s",
                result->complete ? "" : "Loop ", answer.ok ? "Ok" : "No",
                swapped ? answer.negative : answer.positive,
                swapped ? answer.positive : answer.negative, incomplete_flag(result));
    text_printf(out, "Condition %s (%s)\nObservation %s %s %zu %zu\nTime %s 0.00\n",
                quantifier_name(litmus->quantifier), litmus->text, name, answer.observation,
                answer.positive, answer.negative, name);
    if (litmus->hash)
        text_printf(out, "Hash=%s\n", litmus->hash);
    text_add(out, "\n");
}

/* A trace: all its outcomes, and its verdict. */
static void add_trace(struct text *out, const struct result *result, const char *name)
{
    text_printf(out, "Test %s Required\nStates %zu\n", name, result->outcome_count);
    for (size_t i = 0; i < result->outcome_count; i++) {
        for (size_t n = 0; n < result->observed_count; n++) {
            const struct term *term = result->observed[n];
            text_printf(out, term->is_object ? "%s[%s]=" : "%s%s=", n ? " " : "", term->text);
            text_printf(out, "%" PRIu64 ";", result->outcomes[i].values[n]);
        }
        text_add(out, "\n");
    }
    text_printf(out, "%s%s\nWitnesses\nPositive: %zu Negative: 0\n%s",
                result->complete ? "" : "Loop ", result->verdict == VERDICT_PASS ? "Ok" : "No",
                result->outcome_count, incomplete_flag(result));
    text_printf(out, "Condition forall (true)\nObservation %s Always %zu 0\nTime %s 0.00\n\n", name,
                result->outcome_count, name);
}

/* A test's name; variants and profiles are told apart where there are several. */
static const char *test_name(struct region *region, const struct result_list *results, size_t index)
{
    const struct result *result = results->items[index];
    bool several_profiles = false;
    const char *name = result->program->name;
    for (size_t i = index; i-- > 0 && results->items[i]->program == result->program;)
        several_profiles |= results->items[i]->profile != result->profile;
    for (size_t i = index + 1; i < results->count && results->items[i]->program == result->program;
         i++)
        several_profiles |= results->items[i]->profile != result->profile;
    if (result->program->variant_count > 1)
        name = region_printf(region, "%s+%s", name, variant_name(result));
    if (several_profiles)
        name = region_printf(region, "%s@%s", name, result->profile->name);
    return name;
}

static void add_result(struct text *out, const struct result_list *results, size_t index)
{
    const struct result *result = results->items[index];
    if (!result->ordered)
        return;
    const char *name = test_name(out->region, results, index);
    if (result->program->litmus)
        add_litmus(out, result, name);
    else
        add_trace(out, result, name);
}

/* ---- thousands of tests, by several threads ---- */

enum { CHUNK = 128 };

struct writing {
    const struct result_list *results;
    struct text *texts; /* of the chunks */
    struct worker {
        struct region *region;
        bool failed; /* memory ran out */
    } * workers;
};

static void write_chunk(void *context, unsigned worker, size_t chunk)
{
    struct writing *writing = context;
    struct region *region = writing->workers[worker].region;
    struct text *text = &writing->texts[chunk];
    if (region_guard(region)) { /* a thread cannot unwind into another */
        writing->workers[worker].failed = true;
    } else {
        text_init(text, region);
        for (size_t i = chunk * CHUNK; i < (chunk + 1) * CHUNK && i < writing->results->count; i++)
            add_result(text, writing->results, i);
    }
    region->guarded = false;
}

void write_herd(struct text *out, const struct report_view *view)
{
    const struct result_list *results = view->results;
    size_t chunks = (results->count + CHUNK - 1) / CHUNK;
    unsigned threads = parallel_threads(view->threads, chunks);
    struct writing writing = {.results = results,
                              .texts = region_array(out->region, chunks, sizeof *writing.texts),
                              .workers =
                                  region_array(out->region, threads, sizeof *writing.workers)};
    for (unsigned i = 0; i < threads; i++)
        writing.workers[i].region = region_child(out->region);
    parallel_run(&(struct parallel){.run = write_chunk, .context = &writing}, threads, chunks);
    for (unsigned i = 0; i < threads; i++)
        if (writing.workers[i].failed)
            region_fail(out->region);
    text_add(out, "");
    for (size_t i = 0; i < chunks; i++) {
        text_add_bytes(out, writing.texts[i].data, writing.texts[i].length);
        region_free(writing.texts[i].region, writing.texts[i].data);
    }
}
