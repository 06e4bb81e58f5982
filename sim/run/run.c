/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One program on every profile and variant that was asked for. */
#include "sim/run/run.h"

#include <string.h>

#include "sim/findings/findings.h"

static void time_it(struct judgement *judgement, struct exec *exec)
{
    const struct run_options *options = judgement->options;
    struct time_options limits = {.max_seconds = options->max_seconds,
                                  .max_memory = options->max_memory,
                                  .stop = options->stop,
                                  .timeline = options->timeline};
    struct result *result = judgement->result;
    if (!judgement->profile->has_cycles)
        return;
    result->timed = time_run(judgement->region, exec, result->program, result->variant,
                             judgement->profile, &limits);
    if (result->timed->limited)
        result_note(judgement->region, result,
                    region_printf(judgement->region,
                                  "cycles: %s after %llu instructions, of which the figures are",
                                  result->timed->reason,
                                  (unsigned long long)result->timed->instructions));
    else if (!result->timed->complete && result->timed->reason)
        result_note(judgement->region, result,
                    region_printf(judgement->region, "cycles: %s", result->timed->reason));
    for (size_t i = 0; i < result->timed->unmodelled_count; i++)
        add_unmodelled(judgement->region, result,
                       &(struct unmodelled){.cpu = "",
                                            .text = result->timed->unmodelled[i],
                                            .reason = "the cycle model does not know it"});
}

/* What the vendor of a part guarantees for all its parts; NULL when that is no other profile. */
static const struct profile *guarantee_of(struct region *region, const struct profile *profile,
                                          const struct run_options *options)
{
    struct diagnostics diagnostics;
    bool has_vendor = strcmp(profile->vendor, "intel") == 0 || strcmp(profile->vendor, "amd") == 0;
    if (!has_vendor || strcmp(profile->name, profile->vendor) == 0 || !options->order ||
        options->findings != FINDINGS_ALL)
        return NULL;
    diagnostics_init(&diagnostics, region);
    return profile_load(region, profile->vendor, &diagnostics);
}

static struct result *run_one(struct region *region, struct region *scratch, struct exec *exec,
                              struct prepared *prepared, const struct profile *profile,
                              const struct profile *guarantee, const struct run_options *options)
{
    struct result *result = region_alloc(region, sizeof *result);
    struct judgement judgement = {.region = region,
                                  .scratch = scratch,
                                  .prepared = prepared,
                                  .profile = profile,
                                  .model = model_find(profile->model),
                                  .options = options,
                                  .started = seconds_now(),
                                  .result = result,
                                  .guarantee = guarantee};
    result->program = prepared->program;
    result->profile = profile;
    result->variant = prepared->variant;
    if (prepared->start->problem) {
        add_unmodelled(
            region, result,
            &(struct unmodelled){.cpu = "", .text = "", .reason = prepared->start->problem});
        result->ordered = options->order;
        judge_verdict(result);
        return result;
    }
    if (options->order)
        judge_order(&judgement);
    if (options->time)
        time_it(&judgement, exec);
    if (options->order && options->findings != FINDINGS_NONE)
        find_all(&judgement);
    judge_expectations(&judgement);
    if (options->explain && judgement.exploration) {
        find_forbidding_fences(&judgement);
        tell_witnesses(&judgement);
    }
    if (options->order && options->graph_states)
        judge_graph(&judgement);
    if (judgement.exploration)
        exploration_close(judgement.exploration);
    return result;
}

void run_program(struct region *region, const struct program *program,
                 const struct profile *const *profiles, size_t profile_count,
                 const uint32_t *variants, size_t variant_count, const struct run_options *options,
                 struct result_list *results)
{
    struct region *scratch = region_child(region);
    struct exec *exec = exec_open(scratch, program);
    struct prepared **prepared = region_array(scratch, variant_count, sizeof *prepared);
    for (size_t v = 0; v < variant_count; v++)
        prepared[v] = prepare_run(region, scratch, exec, program, variants[v], options->reduce);
    size_t first = results->count;
    for (size_t p = 0; p < profile_count; p++) {
        const struct profile *guarantee = guarantee_of(region, profiles[p], options);
        for (size_t v = 0; v < variant_count; v++) {
            results->items = region_push(region, results->items, results->count, &results->capacity,
                                         sizeof *results->items);
            /* Counted when it is there: memory may run out meanwhile. */
            results->items[results->count] =
                run_one(region, scratch, exec, prepared[v], profiles[p], guarantee, options);
            results->count++;
        }
    }
    struct result_list mine = {results->items + first, results->count - first, 0};
    judge_cheaper(region, &mine);
    for (size_t i = 0; i < mine.count; i++)
        judge_verdict(mine.items[i]);
    exec_close(exec);
    region_release(scratch);
}
