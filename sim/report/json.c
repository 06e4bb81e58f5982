/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The JSON report, schema version 1. Keys stand in the order in which they are documented. */
#include <string.h>

#include "sim/program/litmus.h"
#include "sim/report/json_cost.h"
#include "sim/report/report.h"

enum { SCHEMA_VERSION = 1 };

const char *variant_name(const struct result *result)
{
    return result->program->variants[result->variant].name;
}

/* Set when jansson ran out of memory anywhere in the report being built. */
static _Thread_local bool build_failed;

static void put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value))
        build_failed = true;
}

static void append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value))
        build_failed = true;
}

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
        put(object, result->observed[i]->text, integer(values[i]));
    return object;
}

/* The line of source of an instruction, in captured code that has them. */
static void put_source(json_t *object, const struct result *result, uint32_t cpu, uint32_t offset)
{
    const char *source = program_source(result->program, result->variant, cpu, offset);
    if (source)
        put(object, "source", json_text(source));
}

static json_t *step_json(const struct result *result, const struct witness_step *step)
{
    json_t *object = json_object();
    put(object, "cpu", json_text(result->program->cpus[step->cpu].name));
    put(object, "offset", step->has_insn ? json_integer(step->offset) : json_null());
    put(object, "text", json_text(step->has_insn ? step->text : ""));
    put(object, "event", json_text(step->event));
    put(object, "detail", json_text(step->detail));
    json_t *buffer = json_array();
    for (size_t i = 0; i < step->buffer_count; i++)
        append(buffer, json_text(step->buffer[i]));
    put(object, "buffer", buffer);
    if (step->has_insn)
        put_source(object, result, step->cpu, step->offset);
    return object;
}

static json_t *witnesses_json(const struct result *result)
{
    json_t *array = json_array();
    for (size_t i = 0; i < result->witness_count; i++) {
        const struct result_witness *witness = &result->witnesses[i];
        json_t *object = json_object(), *steps = json_array();
        put(object, "outcome", witness->outcome < 0 ? json_null() : json_integer(witness->outcome));
        put(object, "reason", json_text(witness->reason));
        for (size_t n = 0; n < witness->witness->count; n++)
            append(steps, step_json(result, &witness->witness->steps[n]));
        put(object, "steps", steps);
        if (witness->relations)
            put(object, "relations", json_relations(result, witness->relations));
        if (witness->prose)
            put(object, "prose", json_text(witness->prose));
        if (witness->forbidden_by_count)
            put(object, "forbidden_by", json_fence_places(result, witness));
        append(array, object);
    }
    return array;
}

static json_t *images_json(const struct result *result)
{
    json_t *array = json_array();
    for (size_t i = 0; i < result->image_count; i++) {
        json_t *image = json_object(), *values = json_object();
        for (size_t n = 0; n < result->durable_count; n++)
            put(values, result->durable[n]->text, integer(result->images[i][n]));
        put(image, "values", values);
        append(array, image);
    }
    return array;
}

static json_t *order_json(const struct result *result)
{
    json_t *object = json_object(), *outcomes = json_array();
    put(object, "complete", json_boolean(result->complete));
    if (result->incomplete)
        put(object, "reason", json_text(result->incomplete));
    put(object, "states", integer(result->states));
    if (result->incomplete)
        put(object, "frontier", integer(result->frontier));
    if (result->advice)
        put(object, "advice", json_text(result->advice));
    for (size_t i = 0; i < result->outcome_count; i++) {
        json_t *outcome = json_object();
        put(outcome, "values", values_json(result, result->outcomes[i].values));
        put(outcome, "relaxed",
            result->relaxed_known ? json_boolean(result->outcomes[i].relaxed) : json_null());
        append(outcomes, outcome);
    }
    put(object, "outcomes", outcomes);
    if (result->has_images)
        put(object, "crash_images", images_json(result));
    if (result->stuck) {
        json_t *cpus = json_array();
        for (size_t i = 0; i < result->stuck_cpu_count; i++)
            append(cpus, json_text(result->stuck_cpus[i]));
        put(object, "stuck", json_true());
        put(object, "stuck_cpus", cpus);
    }
    put(object, "witnesses", witnesses_json(result));
    return object;
}

static json_t *timed_insn_json(const struct result *result, uint32_t cpu,
                               const struct timed_insn *insn)
{
    json_t *object = json_object(), *stalls = json_object();
    put(object, "offset", json_integer(insn->offset));
    put(object, "text", json_text(insn->text));
    put(object, "cycles", json_cycles(insn->cycles));
    for (int stall = 0; stall < STALL_COUNT; stall++)
        if (insn->stall[stall] >= 0.005)
            put(stalls, stall_name((enum stall)stall), json_cycles(insn->stall[stall]));
    put(object, "stall", stalls);
    put_source(object, result, cpu, insn->offset);
    return object;
}

static json_t *time_json(const struct result *result)
{
    const struct timed *timed = result->timed;
    json_t *object = json_object(), *cpus = json_array();
    put(object, "complete", json_boolean(timed->complete));
    if (timed->reason)
        put(object, "reason", json_text(timed->reason));
    for (size_t i = 0; i < timed->cpu_count; i++) {
        const struct timed_cpu *cpu = &timed->cpus[i];
        json_t *row = json_object(), *insns = json_array();
        put(row, "cpu", json_text(result->program->cpus[cpu->cpu].name));
        put(row, "cycles", json_cycles(cpu->cycles));
        if (cpu->has_iterations)
            put(row, "per_iteration", json_cycles(cpu->per_iteration));
        for (size_t n = 0; n < cpu->insn_count; n++)
            append(insns, timed_insn_json(result, cpu->cpu, &cpu->insns[n]));
        put(row, "instructions", insns);
        if (cpu->timeline_count)
            put(row, "timeline", json_timeline(cpu));
        append(cpus, row);
    }
    put(object, "cpus", cpus);
    return object;
}

static json_t *expects_json(const struct result *result)
{
    json_t *array = json_array();
    for (size_t i = 0; i < result->expect_count; i++) {
        const struct expect_row *row = &result->expects[i];
        json_t *object = json_object();
        put(object, "text", json_text(row->expectation->text));
        put(object, "line", json_integer(row->expectation->place.line));
        put(object, "held",
            row->held == HELD_UNKNOWN ? json_null() : json_boolean(row->held == HELD_YES));
        put(object, "witness", row->witness < 0 ? json_null() : json_integer(row->witness));
        if (row->note)
            put(object, "note", json_text(row->note));
        append(array, object);
    }
    return array;
}

static json_t *findings_json(const struct result *result)
{
    json_t *array = json_array();
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct finding *finding = &result->findings[i];
        json_t *object = json_object();
        put(object, "rule", json_text(finding->rule));
        put(object, "cpu", json_text(result->program->cpus[finding->cpu].name));
        put(object, "offset", json_integer(finding->offset));
        put(object, "line", json_integer(finding->place.line));
        put(object, "text", json_text(finding->text));
        put(object, "cycles", finding->cycles < 0 ? json_null() : json_cycles(finding->cycles));
        put(object, "message", json_text(finding->message));
        put_source(object, result, finding->cpu, finding->offset);
        append(array, object);
    }
    return array;
}

static json_t *unmodelled_json(const struct result *result)
{
    json_t *array = json_array();
    for (size_t i = 0; i < result->unmodelled_count; i++) {
        const struct unmodelled *row = &result->unmodelled[i];
        json_t *object = json_object();
        put(object, "cpu", json_text(row->cpu));
        put(object, "offset", json_integer(row->offset));
        put(object, "line", json_integer(row->place.line));
        put(object, "text", json_text(row->text));
        put(object, "reason", json_text(row->reason));
        int cpu = program_cpu(result->program, row->cpu);
        if (cpu != NO_INDEX)
            put_source(object, result, (uint32_t)cpu, row->offset);
        append(array, object);
    }
    return array;
}

static json_t *litmus_json(const struct result *result)
{
    const struct litmus *litmus = result->program->litmus;
    struct litmus_answer answer = litmus_answer(result);
    json_t *object = json_object();
    put(object, "condition", json_text(litmus->text));
    put(object, "quantifier", json_text(quantifier_name(litmus->quantifier)));
    put(object, "ok", json_boolean(answer.ok));
    put(object, "observation", json_text(answer.observation));
    put(object, "positive", json_integer((json_int_t)answer.positive));
    put(object, "negative", json_integer((json_int_t)answer.negative));
    return object;
}

static json_t *result_json(const struct result *result)
{
    json_t *object = json_object(), *notes = json_array();
    put(object, "file", json_text(result->program->file));
    put(object, "name", json_text(result->program->name));
    put(object, "profile", json_text(result->profile->name));
    put(object, "variant", json_text(variant_name(result)));
    put(object, "verdict", json_text(verdict_name(result->verdict)));
    if (result->ordered)
        put(object, "order", order_json(result));
    if (result->ordered && result->program->litmus)
        put(object, "litmus", litmus_json(result));
    if (result->timed)
        put(object, "time", time_json(result));
    put(object, "expect", expects_json(result));
    put(object, "findings", findings_json(result));
    put(object, "unmodelled", unmodelled_json(result));
    for (size_t i = 0; i < result->note_count; i++)
        append(notes, json_text(result->notes[i]));
    put(object, "notes", notes);
    return object;
}

static bool dump(struct text *out, char **holder, json_t *root)
{
    if (!build_failed)
        return json_write(out, holder, root);
    json_decref(root);
    return false;
}

void write_json(struct text *out, const struct report_view *view)
{
    const struct result_list *results = view->results;
    char **holder = json_text_holder(out->region);
    build_failed = false;
    json_t *root = json_object(), *array = json_array(), *tool = json_object();
    put(root, "schema_version", json_integer(SCHEMA_VERSION));
    put(tool, "name", json_text("fencesim"));
    put(tool, "version", json_text(FS_VERSION));
    put(root, "tool", tool);
    for (size_t i = 0; i < results->count; i++)
        append(array, result_json(results->items[i]));
    put(root, "results", array);
    json_t *comparisons = json_comparisons(results);
    if (!comparisons || json_array_size(comparisons))
        put(root, "comparisons", comparisons);
    else
        json_decref(comparisons);
    if (view->compared)
        put(root, "baseline", json_baseline_comparison(out->region, view->compared));
    if (!dump(out, holder, root))
        region_fail(out->region);
}

bool write_baseline_file(struct text *out, const struct result_list *results)
{
    char **holder = json_text_holder(out->region);
    json_t *root = json_baseline(results);
    build_failed = false;
    return dump(out, holder, root);
}

bool write_profiles_json(struct text *out, const struct profile *const *profiles, size_t count,
                         bool with_numbers)
{
    char **holder = json_text_holder(out->region);
    build_failed = false;
    json_t *root = json_object(), *array = json_array();
    put(root, "schema_version", json_integer(SCHEMA_VERSION));
    for (size_t i = 0; i < count; i++) {
        const struct profile *profile = profiles[i];
        json_t *object = json_object(), *rows = json_array();
        put(object, "name", json_text(profile->name));
        put(object, "about", json_text(profile->about));
        put(object, "vendor", json_text(profile->vendor));
        put(object, "model", json_text(profile->model));
        put(object, "cycles", json_boolean(profile->has_cycles));
        for (size_t n = 0; with_numbers && n < profile->row_count; n++) {
            const struct parameter_row *row = &profile->rows[n];
            if (!row->given)
                continue;
            json_t *entry = json_object();
            put(entry, "section", json_text(row->section));
            put(entry, "name", json_text(row->name));
            put(entry, "value", json_real(row->value));
            put(entry, "unit", json_text(row->unit));
            put(entry, "meaning", json_text(row->meaning));
            put(entry, "estimate", json_boolean(row->estimate));
            put(entry, "source", json_text(row->source ? row->source : ""));
            put(entry, "given_by", json_text(row->profile));
            append(rows, entry);
        }
        if (with_numbers)
            put(object, "parameters", rows);
        else
            json_decref(rows);
        append(array, object);
    }
    put(root, "profiles", array);
    return dump(out, holder, root);
}

static void put_rules(json_t *root, const char *key, const struct rule *rules, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *object = json_object();
        put(object, "rule", json_text(rules[i].id));
        put(object, "level", json_text(rule_level_name(rules[i].level)));
        put(object, "summary", json_text(rules[i].summary));
        put(object, "advice", json_text(rules[i].advice));
        put(object, "help", json_text(rules[i].help));
        append(array, object);
    }
    put(root, key, array);
}

bool write_rules_json(struct text *out, const struct rule_lists *lists)
{
    char **holder = json_text_holder(out->region);
    build_failed = false;
    json_t *root = json_object();
    put(root, "schema_version", json_integer(SCHEMA_VERSION));
    if (lists->rules)
        put_rules(root, "rules", lists->rules, lists->rule_count);
    if (lists->verdicts)
        put_rules(root, "verdicts", lists->verdicts, lists->verdict_count);
    if (lists->stalls)
        put_rules(root, "stalls", lists->stalls, lists->stall_count);
    return dump(out, holder, root);
}
