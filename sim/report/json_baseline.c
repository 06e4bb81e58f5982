/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Baselines as JSON: the file, and what a comparison with it found. */
#include "sim/report/json_cost.h"

static json_t *entry_json(const struct result *result, const struct timed_cpu *cpu)
{
    json_t *object = json_object(), *insns = json_array();
    json_put(&object, "file", json_text(result->program->file));
    json_put(&object, "profile", json_text(result->profile->name));
    json_put(&object, "variant", json_text(variant_name(result)));
    json_put(&object, "cpu", json_text(result->program->cpus[cpu->cpu].name));
    json_put(&object, "cycles", json_cycles(shown_cycles(cpu)));
    for (size_t i = 0; i < cpu->insn_count; i++)
        json_add(&insns, json_timed_insn(&cpu->insns[i]));
    json_put(&object, "instructions", insns);
    return object;
}

json_t *json_baseline(const struct result_list *results)
{
    json_t *root = json_object(), *entries = json_array();
    json_put(&root, "baseline", json_integer(BASELINE_FORMAT));
    for (size_t i = 0; i < results->count; i++) {
        const struct timed *timed = results->items[i]->timed;
        for (size_t n = 0; timed && timed->complete && n < timed->cpu_count; n++)
            json_add(&entries, entry_json(results->items[i], &timed->cpus[n]));
    }
    json_put(&root, "entries", entries);
    return root;
}

static json_t *regression_json(const struct cost_change *change)
{
    json_t *object = json_object(), *insn = change->insn ? json_object() : json_null();
    json_put(&object, "file", json_text(change->file));
    json_put(&object, "profile", json_text(change->profile));
    json_put(&object, "variant", json_text(change->variant));
    json_put(&object, "cpu", json_text(change->cpu));
    json_put(&object, "before", json_cycles(change->before));
    json_put(&object, "cycles", json_cycles(change->now));
    if (change->insn) {
        json_put(&insn, "offset", json_integer(change->insn->offset));
        json_put(&insn, "text", json_text(change->insn->text));
        json_put(&insn, "before", json_cycles(change->insn_before));
        json_put(&insn, "cycles", json_cycles(change->insn->cycles));
    }
    json_put(&object, "instruction", insn);
    json_put(&object, "cause",
             change->cause_growth > 0 ? json_text(stall_name(change->cause)) : json_null());
    return object;
}

json_t *json_baseline_comparison(struct region *region, const struct baseline_comparison *found)
{
    json_t *object = json_object(), *regressions = json_array(), *notes = json_array();
    json_put(&object, "file", json_text(found->path));
    json_put(&object, "tolerance", json_real(found->tolerance));
    for (size_t i = 0; i < found->count; i++)
        if (found->changes[i].change == CHANGE_REGRESSION)
            json_add(&regressions, regression_json(&found->changes[i]));
        else
            json_add(&notes, json_text(change_note(region, &found->changes[i])));
    json_put(&object, "regressions", regressions);
    json_put(&object, "notes", notes);
    json_put(&object, "not_run", json_integer((json_int_t)found->not_run));
    return object;
}
