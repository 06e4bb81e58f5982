/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What became of the costs in a baseline. */
#include <string.h>

#include "sim/run/baseline.h"

#define ROUNDING 0.005 /* figures are kept in hundredths */

struct comparing {
    struct region *region;
    const struct baseline *baseline;
    size_t next; /* where the next result's entry is when nothing has changed */
    bool *seen;  /* of the baseline's entries: a result was compared with it */
    struct baseline_comparison *found;
};

static bool is_of(const struct baseline_entry *entry, const struct result *result)
{
    return strcmp(entry->file, result->program->file) == 0 &&
           strcmp(entry->profile, result->profile->name) == 0 &&
           strcmp(entry->variant, result->program->variants[result->variant].name) == 0;
}

static void add_change(struct comparing *comparing, const struct cost_change *change)
{
    struct baseline_comparison *found = comparing->found;
    found->changes = region_push(comparing->region, found->changes, found->count, &found->capacity,
                                 sizeof *found->changes);
    found->changes[found->count++] = *change;
    found->regressions += change->change == CHANGE_REGRESSION;
}

/*
 * The baseline's instruction that the n-th one of now was: the same text, and as many of
 * that text before it. NULL when it is new.
 */
static const struct timed_insn *counterpart(const struct baseline_entry *entry,
                                            const struct timed_cpu *cpu, size_t n)
{
    size_t before = 0;
    for (size_t i = 0; i < n; i++)
        before += strcmp(cpu->insns[i].text, cpu->insns[n].text) == 0;
    for (size_t i = 0; i < entry->insn_count; i++)
        if (strcmp(entry->insns[i].text, cpu->insns[n].text) == 0 && before-- == 0)
            return &entry->insns[i];
    return NULL;
}

static void blame(struct cost_change *change, const struct baseline_entry *entry,
                  const struct timed_cpu *cpu)
{
    static const struct timed_insn nothing = {0};
    double most = 0;
    for (size_t i = 0; i < cpu->insn_count; i++) {
        const struct timed_insn *now = &cpu->insns[i], *before = counterpart(entry, cpu, i);
        if (!before)
            before = &nothing;
        if (now->cycles - before->cycles <= most)
            continue;
        most = now->cycles - before->cycles;
        change->insn = now;
        change->insn_before = before->cycles;
        change->cause_growth = 0;
        for (int stall = 0; stall < STALL_COUNT; stall++)
            if (now->stall[stall] - before->stall[stall] > change->cause_growth) {
                change->cause_growth = now->stall[stall] - before->stall[stall];
                change->cause = (enum stall)stall;
            }
    }
}

static void compare_cpu(struct comparing *comparing, const struct result *result,
                        const struct timed_cpu *cpu)
{
    const struct baseline *baseline = comparing->baseline;
    struct cost_change change = {.change = CHANGE_NEW,
                                 .file = result->program->file,
                                 .profile = result->profile->name,
                                 .variant = result->program->variants[result->variant].name,
                                 .cpu = result->program->cpus[cpu->cpu].name,
                                 .now = shown_cycles(cpu)};
    double tolerance = comparing->found->tolerance;
    for (size_t n = 0; n < baseline->count; n++) {
        size_t i = (comparing->next + n) % baseline->count;
        const struct baseline_entry *entry = &baseline->entries[i];
        if (!is_of(entry, result) || strcmp(entry->cpu, change.cpu) != 0)
            continue;
        comparing->seen[i] = true;
        comparing->found->compared++;
        comparing->next = i + 1;
        change.before = entry->cycles;
        if (change.now > change.before * (1 + tolerance) + ROUNDING) {
            change.change = CHANGE_REGRESSION;
            blame(&change, entry, cpu);
            if (change.insn)
                change.place = program_offset_text(result->program, comparing->region,
                                                   result->variant, cpu->cpu, change.insn->offset);
        } else if (change.now < change.before * (1 - tolerance) - ROUNDING) {
            change.change = CHANGE_IMPROVEMENT;
        } else {
            return;
        }
        break;
    }
    add_change(comparing, &change);
}

static bool was_run(const struct baseline_entry *entry, const struct result_list *results)
{
    for (size_t i = 0; i < results->count; i++)
        if (strcmp(entry->file, results->items[i]->program->file) == 0)
            return true;
    return false;
}

static void add_missing(struct comparing *comparing, const struct result_list *results)
{
    const char *file = NULL; /* the one that `run` is about */
    bool run = false;
    for (size_t i = 0; i < comparing->baseline->count; i++) {
        const struct baseline_entry *entry = &comparing->baseline->entries[i];
        if (comparing->seen[i])
            continue;
        if (!file || strcmp(file, entry->file) != 0)
            run = was_run(entry, results);
        file = entry->file;
        if (run)
            add_change(comparing, &(struct cost_change){.change = CHANGE_MISSING,
                                                        .file = entry->file,
                                                        .profile = entry->profile,
                                                        .variant = entry->variant,
                                                        .cpu = entry->cpu,
                                                        .before = entry->cycles});
        else
            comparing->found->not_run++;
    }
}

const struct baseline_comparison *baseline_compare(struct region *region,
                                                   const struct baseline *baseline,
                                                   const struct result_list *results,
                                                   double tolerance)
{
    struct comparing comparing = {.region = region, .baseline = baseline};
    comparing.found = region_alloc(region, sizeof *comparing.found);
    comparing.found->path = baseline->path;
    comparing.found->tolerance = tolerance;
    comparing.seen = region_array(region, baseline->count + 1, sizeof *comparing.seen);
    for (size_t i = 0; i < results->count; i++) {
        const struct timed *timed = results->items[i]->timed;
        for (size_t n = 0; timed && timed->complete && n < timed->cpu_count; n++)
            compare_cpu(&comparing, results->items[i], &timed->cpus[n]);
    }
    add_missing(&comparing, results);
    return comparing.found;
}
