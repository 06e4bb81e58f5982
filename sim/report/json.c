/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The JSON report, schema version 1. Keys stand in the order in which they are documented. */
#include <string.h>

#include "sim/program/litmus.h"
#include "sim/report/json_cost.h"
#include "sim/report/report.h"

static json_t *integer(uint64_t value)
{
    /* JSON integers are signed in jansson; a value above 2^63 is written as its decimal text. */
    if (value <= INT64_MAX)
        return json_integer((json_int_t)value);
    char digits[32];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    return json_text(digits);
}

static json_t *values_json(const struct result *result, const uint64_t *values)
{
    json_t *object = json_object();
    for (size_t i = 0; i < result->observed_count; i++)
        json_put(&object, result->observed[i]->text, integer(values[i]));
    return object;
}

/* What is known of an instruction's place beside its offset: the handler that it is part of, the
 * line of source that captured code was compiled from. */
static void put_place(json_t **object, const struct result *result, uint32_t cpu, uint32_t offset)
{
    const struct program *program = result->program;
    const char *source = program_source(program, result->variant, cpu, offset);
    int handler;
    program_snippet(program, result->variant, cpu, &offset, &handler);
    if (handler != NO_INDEX) {
        json_t *place = json_object();
        json_put(&place, "vector", json_integer(program->handlers[handler].vector));
        json_put(&place, "offset", json_integer(offset));
        json_put(object, "handler", place);
    }
    if (source)
        json_put(object, "source", json_text(source));
}

static json_t *step_json(const struct result *result, const struct witness_step *step)
{
    json_t *object = json_object();
    json_put(&object, "cpu", json_text(result->program->cpus[step->cpu].name));
    json_put(&object, "offset", step->has_insn ? json_integer(step->offset) : json_null());
    json_put(&object, "text", json_text(step->has_insn ? step->text : ""));
    json_put(&object, "event", json_text(step->event));
    json_put(&object, "detail", json_text(step->detail));
    json_t *buffer = json_array();
    for (size_t i = 0; i < step->buffer_count; i++)
        json_add(&buffer, json_text(step->buffer[i]));
    json_put(&object, "buffer", buffer);
    if (step->has_insn)
        put_place(&object, result, step->cpu, step->offset);
    return object;
}

static json_t *witnesses_json(const struct result *result)
{
    json_t *array = json_array();
    for (size_t i = 0; i < result->witness_count; i++) {
        const struct result_witness *witness = &result->witnesses[i];
        json_t *object = json_object(), *steps = json_array();
        json_put(&object, "outcome",
                 witness->outcome < 0 ? json_null() : json_integer(witness->outcome));
        json_put(&object, "reason", json_text(witness->reason));
        for (size_t n = 0; n < witness->witness->count; n++)
            json_add(&steps, step_json(result, &witness->witness->steps[n]));
        json_put(&object, "steps", steps);
        if (witness->relations)
            json_put(&object, "relations", json_relations(result, witness->relations));
        if (witness->prose)
            json_put(&object, "prose", json_text(witness->prose));
        if (witness->forbidden_by_count)
            json_put(&object, "forbidden_by", json_fence_places(result, witness));
        json_add(&array, object);
    }
    return array;
}

static json_t *images_json(const struct result *result)
{
    json_t *array = json_array();
    for (size_t i = 0; i < result->image_count; i++) {
        json_t *image = json_object(), *values = json_object();
        for (size_t n = 0; n < result->durable_count; n++)
            json_put(&values, result->durable[n]->text, integer(result->images[i][n]));
        json_put(&image, "values", values);
        json_add(&array, image);
    }
    return array;
}

static json_t *order_json(const struct result *result)
{
    json_t *object = json_object(), *outcomes = json_array();
    json_put(&object, "complete", json_boolean(result->complete));
    if (result->incomplete)
        json_put(&object, "reason", json_text(result->incomplete));
    json_put(&object, "states", integer(result->states));
    if (result->incomplete)
        json_put(&object, "frontier", integer(result->frontier));
    if (result->advice)
        json_put(&object, "advice", json_text(result->advice));
    for (size_t i = 0; i < result->outcome_count; i++) {
        json_t *outcome = json_object();
        json_put(&outcome, "values", values_json(result, result->outcomes[i].values));
        json_put(&outcome, "relaxed",
                 result->relaxed_known ? json_boolean(result->outcomes[i].relaxed) : json_null());
        json_add(&outcomes, outcome);
    }
    json_put(&object, "outcomes", outcomes);
    if (result->has_images)
        json_put(&object, "crash_images", images_json(result));
    if (result->stuck) {
        json_t *cpus = json_array();
        for (size_t i = 0; i < result->stuck_cpu_count; i++)
            json_add(&cpus, json_text(result->stuck_cpus[i]));
        json_put(&object, "stuck", json_true());
        json_put(&object, "stuck_cpus", cpus);
    }
    json_put(&object, "witnesses", witnesses_json(result));
    return object;
}

static json_t *timed_insn_json(const struct result *result, uint32_t cpu,
                               const struct timed_insn *insn)
{
    json_t *object = json_timed_insn(insn);
    put_place(&object, result, cpu, insn->offset);
    return object;
}

static json_t *time_json(const struct result *result)
{
    const struct timed *timed = result->timed;
    json_t *object = json_object(), *cpus = json_array();
    json_put(&object, "complete", json_boolean(timed->complete));
    if (timed->reason)
        json_put(&object, "reason", json_text(timed->reason));
    for (size_t i = 0; i < timed->cpu_count; i++) {
        const struct timed_cpu *cpu = &timed->cpus[i];
        json_t *row = json_object(), *insns = json_array();
        json_put(&row, "cpu", json_text(result->program->cpus[cpu->cpu].name));
        json_put(&row, "cycles", json_cycles(cpu->cycles));
        if (cpu->has_iterations)
            json_put(&row, "per_iteration", json_cycles(cpu->per_iteration));
        for (size_t n = 0; n < cpu->insn_count; n++)
            json_add(&insns, timed_insn_json(result, cpu->cpu, &cpu->insns[n]));
        json_put(&row, "instructions", insns);
        if (cpu->timeline_count)
            json_put(&row, "timeline", json_timeline(cpu));
        json_add(&cpus, row);
    }
    json_put(&object, "cpus", cpus);
    return object;
}

static json_t *expects_json(const struct result *result)
{
    json_t *array = json_array();
    for (size_t i = 0; i < result->expect_count; i++) {
        const struct expect_row *row = &result->expects[i];
        json_t *object = json_object();
        json_put(&object, "text", json_text(row->expectation->text));
        json_put(&object, "line", json_integer(row->expectation->place.line));
        json_put(&object, "held",
                 row->held == HELD_UNKNOWN ? json_null() : json_boolean(row->held == HELD_YES));
        json_put(&object, "witness", row->witness < 0 ? json_null() : json_integer(row->witness));
        if (row->note)
            json_put(&object, "note", json_text(row->note));
        json_add(&array, object);
    }
    return array;
}

static json_t *findings_json(const struct result *result)
{
    json_t *array = json_array();
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct finding *finding = &result->findings[i];
        json_t *object = json_object();
        json_put(&object, "rule", json_text(finding->rule));
        json_put(&object, "cpu", json_text(result->program->cpus[finding->cpu].name));
        json_put(&object, "offset", json_integer(finding->offset));
        json_put(&object, "line", json_integer(finding->place.line));
        json_put(&object, "text", json_text(finding->text));
        json_put(&object, "cycles",
                 finding->cycles < 0 ? json_null() : json_cycles(finding->cycles));
        json_put(&object, "message", json_text(finding->message));
        put_place(&object, result, finding->cpu, finding->offset);
        json_add(&array, object);
    }
    return array;
}

static json_t *unmodelled_json(const struct result *result)
{
    json_t *array = json_array();
    for (size_t i = 0; i < result->unmodelled_count; i++) {
        const struct unmodelled *row = &result->unmodelled[i];
        json_t *object = json_object();
        json_put(&object, "cpu", json_text(row->cpu));
        json_put(&object, "offset", json_integer(row->offset));
        json_put(&object, "line", json_integer(row->place.line));
        json_put(&object, "text", json_text(row->text));
        json_put(&object, "reason", json_text(row->reason));
        int cpu = program_cpu(result->program, row->cpu);
        if (cpu != NO_INDEX)
            put_place(&object, result, (uint32_t)cpu, row->offset);
        json_add(&array, object);
    }
    return array;
}

static json_t *litmus_json(const struct result *result)
{
    const struct litmus *litmus = result->program->litmus;
    struct litmus_answer answer = litmus_answer(result);
    json_t *object = json_object();
    json_put(&object, "condition", json_text(litmus->text));
    json_put(&object, "quantifier", json_text(quantifier_name(litmus->quantifier)));
    json_put(&object, "ok", json_boolean(answer.ok));
    json_put(&object, "observation", json_text(answer.observation));
    json_put(&object, "positive", json_integer((json_int_t)answer.positive));
    json_put(&object, "negative", json_integer((json_int_t)answer.negative));
    return object;
}

static json_t *result_json(const struct result *result)
{
    json_t *object = json_object(), *notes = json_array();
    json_put(&object, "file", json_text(result->program->file));
    json_put(&object, "name", json_text(result->program->name));
    json_put(&object, "profile", json_text(result->profile->name));
    json_put(&object, "variant", json_text(variant_name(result)));
    json_put(&object, "verdict", json_text(verdict_name(result->verdict)));
    if (result->ordered)
        json_put(&object, "order", order_json(result));
    if (result->ordered && result->program->litmus)
        json_put(&object, "litmus", litmus_json(result));
    if (result->timed)
        json_put(&object, "time", time_json(result));
    json_put(&object, "expect", expects_json(result));
    json_put(&object, "findings", findings_json(result));
    json_put(&object, "unmodelled", unmodelled_json(result));
    for (size_t i = 0; i < result->note_count; i++)
        json_add(&notes, json_text(result->notes[i]));
    json_put(&object, "notes", notes);
    return object;
}

void write_json(struct text *out, const struct report_view *view)
{
    const struct result_list *results = view->results;
    char **holder = json_text_holder(out->region);
    json_t *root = json_object(), *array = json_array(), *tool = json_object();
    json_put(&root, "schema_version", json_integer(SCHEMA_VERSION));
    json_put(&tool, "name", json_text("fencesim"));
    json_put(&tool, "version", json_text(FS_VERSION));
    json_put(&root, "tool", tool);
    for (size_t i = 0; i < results->count; i++)
        json_add(&array, result_json(results->items[i]));
    json_put(&root, "results", array);
    json_t *comparisons = json_comparisons(results);
    if (!comparisons || json_array_size(comparisons))
        json_put(&root, "comparisons", comparisons);
    else
        json_decref(comparisons);
    if (view->compared)
        json_put(&root, "baseline", json_baseline_comparison(out->region, view->compared));
    if (!json_write(out, holder, root))
        region_fail(out->region);
}

bool write_baseline_file(struct text *out, const struct result_list *results)
{
    char **holder = json_text_holder(out->region);
    json_t *root = json_baseline(results);
    return json_write(out, holder, root);
}
