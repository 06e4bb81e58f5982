/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the JSON report about costs. Each function returns NULL when memory ran out. */
#include "sim/report/json_cost.h"

#include <math.h>

json_t *json_cycles(double value) { return json_real(round(value * 100) / 100); }

json_t *json_timed_insn(const struct timed_insn *insn)
{
    json_t *object = json_object(), *stalls = json_object();
    json_put(&object, "offset", json_integer(insn->offset));
    json_put(&object, "text", json_text(insn->text));
    json_put(&object, "cycles", json_cycles(insn->cycles));
    for (int stall = 0; stall < STALL_COUNT; stall++)
        if (insn->stall[stall] >= 0.005)
            json_put(&stalls, stall_name((enum stall)stall), json_cycles(insn->stall[stall]));
    json_put(&object, "stall", stalls);
    return object;
}

static json_t *cycles_or_null(double value) { return value < 0 ? json_null() : json_cycles(value); }

static json_t *row_json(const struct timeline_row *row, bool loop)
{
    json_t *object = json_object();
    if (loop)
        json_put(&object, "iteration", json_integer((json_int_t)row->iteration));
    json_put(&object, "offset", json_integer(row->offset));
    json_put(&object, "text", json_text(row->text));
    json_put(&object, "dispatch", json_cycles(row->dispatch));
    json_put(&object, "issue", cycles_or_null(row->issue));
    json_put(&object, "done", json_cycles(row->done));
    json_put(&object, "retire", json_cycles(row->retire));
    json_put(&object, "commit", cycles_or_null(row->commit));
    return object;
}

json_t *json_timeline(const struct timed_cpu *cpu)
{
    json_t *array = json_array();
    for (size_t i = 0; i < cpu->timeline_count; i++)
        json_add(&array, row_json(&cpu->timeline[i], cpu->has_iterations));
    return array;
}

static json_t *variant_json(const struct comparison *comparison, const struct result *result)
{
    json_t *object = json_object();
    json_put(&object, "variant", json_text(variant_name(result)));
    json_put(&object, "cycles", json_cycles(shown_cycles(main_timed_cpu(result))));
    json_put(&object, "holds",
             comparison->judged ? json_boolean(result_holds(result)) : json_null());
    json_put(&object, "over_cheapest",
             comparison->cheapest ? json_cycles(over_cheapest(comparison, result)) : json_null());
    return object;
}

/* The results of one program on one profile. */
static json_t *comparison_json(struct result *const *results, size_t count,
                               const struct comparison *comparison)
{
    const struct result *first = results[0], *cheapest = comparison->cheapest;
    json_t *object = json_object(), *variants = json_array();
    json_put(&object, "file", json_text(first->program->file));
    json_put(&object, "profile", json_text(first->profile->name));
    json_put(&object, "cheapest", cheapest ? json_text(variant_name(cheapest)) : json_null());
    json_put(&object, "cycles",
             cheapest ? json_cycles(shown_cycles(main_timed_cpu(cheapest))) : json_null());
    for (size_t i = 0; i < count; i++)
        if (main_timed_cpu(results[i]))
            json_add(&variants, variant_json(comparison, results[i]));
    json_put(&object, "variants", variants);
    return object;
}

json_t *json_comparisons(const struct result_list *results)
{
    json_t *array = json_array();
    for (size_t first = 0; first < results->count;) {
        struct result *const *group = results->items + first;
        size_t count = 0;
        while (first + count < results->count && group[count]->program == group[0]->program &&
               group[count]->profile == group[0]->profile)
            count++;
        struct comparison comparison = compare_costs(group, count, group[0]->profile);
        if (comparison.timed > 1)
            json_add(&array, comparison_json(group, count, &comparison));
        first += count;
    }
    return array;
}
