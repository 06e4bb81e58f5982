/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From results to problems, one by one and merged. Words are in problem_words.c. */
#include "sim/report/problems.h"

#include <string.h>

#include "sim/judge/judge.h"
#include "sim/report/problem_words.h"

enum { RUNS_NAMED = 4 };

static void add(struct region *region, struct problem_list *list, const struct problem *problem)
{
    list->items =
        region_push(region, list->items, list->count, &list->capacity, sizeof *list->items);
    list->items[list->count++] = *problem;
}

/* ---- of one run ---- */

static const struct result_witness *witness_at(const struct result *result, int index)
{
    return index == NO_INDEX ? NULL : &result->witnesses[index];
}

static const struct result_witness *witness_of_outcome(const struct result *result, size_t outcome)
{
    for (size_t i = 0; i < result->witness_count; i++)
        if (result->witnesses[i].outcome == (int)outcome)
            return &result->witnesses[i];
    return NULL;
}

static struct problem problem_of(const struct result *result, const struct rule *rule,
                                 struct place place)
{
    return (struct problem){.rule = rule,
                            .level = rule->level,
                            .file = result->program->file,
                            .place = place,
                            .subject = "",
                            .result = result};
}

static void add_expectations(struct region *region, const struct result *result,
                             struct problem_list *list)
{
    for (size_t i = 0; i < result->expect_count; i++) {
        const struct expect_row *row = &result->expects[i];
        if (row->held == HELD_YES)
            continue;
        bool failed = row->held == HELD_NO;
        struct problem problem =
            problem_of(result, verdict_rule(failed ? "expectation-failed" : "expectation-unknown"),
                       row->expectation->place);
        problem.is_undecided = !failed;
        problem.message = expectation_message(region, result, row);
        problem.subject = row->expectation->text;
        problem.row = row;
        problem.witness = failed ? witness_at(result, row->witness) : NULL;
        add(region, list, &problem);
    }
}

/* A trace that expects nothing must not show what no interleaving explains. */
static void add_relaxed(struct region *region, const struct result *result,
                        struct problem_list *list)
{
    if (!result->ordered || result->program->expectation_count || result->program->litmus)
        return;
    struct problem problem =
        problem_of(result, verdict_rule("relaxed-outcome"), result->program->cpus[0].place);
    for (size_t i = 0; i < result->outcome_count; i++)
        if (result->outcomes[i].relaxed) {
            problem.message = relaxed_message(region, result, i);
            problem.witness = witness_of_outcome(result, i);
            add(region, list, &problem);
            return;
        }
    if (result->relaxed_known)
        return;
    problem.is_undecided = true;
    problem.message = "not known whether interleavings explain every outcome";
    add(region, list, &problem);
}

static void add_unfinished(struct region *region, const struct result *result,
                           struct problem_list *list)
{
    for (size_t i = 0; i < result->unmodelled_count; i++) {
        const struct unmodelled *row = &result->unmodelled[i];
        struct problem problem =
            problem_of(result, rule_find("unmodelled"),
                       row->place.line ? row->place : result->program->cpus[0].place);
        problem.level = RULE_ERROR; /* the run cannot pass for it */
        problem.is_undecided = true;
        problem.message = unmodelled_message(region, result, row);
        problem.subject = region_printf(region, "%s %s", row->cpu, row->text);
        int cpu = program_cpu(result->program, row->cpu);
        if (cpu != NO_INDEX)
            problem.compiled = insn_location(region, result, (uint32_t)cpu, row->offset);
        add(region, list, &problem);
    }
    bool explored = !result->ordered || result->complete || result->unmodelled_count;
    struct problem problem =
        problem_of(result, verdict_rule("incomplete"), result->program->cpus[0].place);
    problem.is_undecided = true;
    problem.message = incomplete_message(region, result);
    if (result_lacks_cycles(result) || !explored)
        add(region, list, &problem);
}

static void add_findings(struct region *region, const struct result *result,
                         struct problem_list *list)
{
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct finding *finding = &result->findings[i];
        if (strcmp(finding->rule, "unmodelled") == 0 || finding_is_expected(result, i))
            continue;
        const char *cpu = result->program->cpus[finding->cpu].name;
        struct problem problem = problem_of(result, rule_find(finding->rule), finding->place);
        problem.level = finding->is_error                   ? RULE_ERROR
                        : problem.rule->level == RULE_ERROR ? RULE_WARNING
                                                            : problem.rule->level;
        problem.message = region_printf(region, "%s %s: %s",
                                        insn_name(region, result, finding->cpu, finding->offset),
                                        finding->text, finding->message);
        problem.subject = region_printf(region, "%s %s", cpu, finding->text);
        problem.finding = finding;
        problem.compiled = insn_location(region, result, finding->cpu, finding->offset);
        add(region, list, &problem);
    }
}

void problems_of_run(struct region *region, const struct result *result, struct problem_list *list)
{
    size_t first = list->count;
    add_expectations(region, result, list);
    add_relaxed(region, result, list);
    add_unfinished(region, result, list);
    add_findings(region, result, list);
    const char *run = run_name(region, result);
    for (size_t i = first; i < list->count; i++)
        list->items[i].runs = run;
}

/* ---- of no run ---- */

struct problem problem_of_diagnostic(const struct diagnostic *item)
{
    const struct rule *rule = verdict_rule("bad-input");
    return (struct problem){.rule = rule,
                            .level = rule->level,
                            .file = item->file,
                            .place = item->place,
                            .message = item->message,
                            .subject = item->message,
                            .runs = ""};
}

static bool is_of(const struct result *result, const struct cost_change *change)
{
    return strcmp(result->program->file, change->file) == 0 &&
           strcmp(result->profile->name, change->profile) == 0 &&
           strcmp(variant_name(result), change->variant) == 0;
}

struct problem problem_of_regression(struct region *region, const struct result_list *results,
                                     const struct cost_change *change)
{
    const struct rule *rule = verdict_rule("cost-regression");
    struct problem problem = {.rule = rule,
                              .level = rule->level,
                              .file = change->file,
                              .message = regression_line(region, change),
                              .runs = ""};
    problem.subject =
        region_printf(region, "%s %s %s", change->profile, change->variant, change->cpu);
    for (size_t i = 0; i < results->count; i++) {
        const struct result *result = results->items[i];
        int cpu = is_of(result, change) ? program_cpu(result->program, change->cpu) : NO_INDEX;
        if (cpu == NO_INDEX)
            continue;
        problem.result = result;
        problem.place = insn_place(result->program, result->variant, (uint32_t)cpu,
                                   change->insn ? change->insn->offset : 0);
        problem.compiled =
            insn_location(region, result, (uint32_t)cpu, change->insn ? change->insn->offset : 0);
    }
    return problem;
}

/* ---- all of a report ---- */

static bool same(const struct problem *a, const struct problem *b)
{
    if (a->rule != b->rule || a->place.line != b->place.line ||
        a->place.column != b->place.column || strcmp(a->subject, b->subject) != 0)
        return false;
    /* what a finding costs may differ from profile to profile, as in the text report */
    if (a->finding && b->finding)
        return a->finding->cpu == b->finding->cpu && a->finding->offset == b->finding->offset;
    return strcmp(a->message, b->message) == 0;
}

static struct problem *find_same(struct problem_list *list, size_t first,
                                 const struct problem *problem)
{
    for (size_t i = first; i < list->count; i++)
        if (same(&list->items[i], problem))
            return &list->items[i];
    return NULL;
}

/* Problems of one file's runs: those of equal places keep their order. */
static void sort_by_place(struct problem *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct problem item = items[i];
        size_t at = i;
        for (; at > 0 && (items[at - 1].place.line > item.place.line ||
                          (items[at - 1].place.line == item.place.line &&
                           items[at - 1].place.column > item.place.column));
             at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

/* Runs of one program. `seen` counts the runs that a problem has been found in. */
static void add_file(struct region *region, struct result *const *results, size_t count,
                     struct problem_list *list)
{
    size_t first = list->count, *seen = NULL, seen_capacity = 0;
    for (size_t i = 0; i < count; i++) {
        struct problem_list mine = {0};
        problems_of_run(region, results[i], &mine);
        for (size_t n = 0; n < mine.count; n++) {
            struct problem *old = find_same(list, first, &mine.items[n]);
            size_t at = old ? (size_t)(old - list->items) - first : list->count - first;
            seen = region_reach(region, seen, at, &seen_capacity, sizeof *seen);
            seen[at]++;
            if (!old)
                add(region, list, &mine.items[n]);
            else if (seen[at] <= RUNS_NAMED)
                old->runs = region_printf(region, "%s, %s", old->runs, mine.items[n].runs);
        }
    }
    for (size_t i = first; i < list->count; i++)
        if (seen[i - first] > RUNS_NAMED)
            list->items[i].runs = region_printf(region, "%s and %zu more", list->items[i].runs,
                                                seen[i - first] - RUNS_NAMED);
    sort_by_place(list->items + first, list->count - first);
}

struct problem_list problems_of(struct region *region, const struct report_view *view)
{
    struct problem_list list = {0};
    const struct result_list *results = view->results;
    for (size_t i = 0; i < view->diagnostics->count; i++) {
        struct problem problem = problem_of_diagnostic(&view->diagnostics->items[i]);
        add(region, &list, &problem);
    }
    for (size_t first = 0, end = 0; first < results->count; first = end) {
        while (end < results->count &&
               results->items[end]->program == results->items[first]->program)
            end++;
        add_file(region, results->items + first, end - first, &list);
    }
    for (size_t i = 0; view->compared && i < view->compared->count; i++) {
        if (view->compared->changes[i].change != CHANGE_REGRESSION)
            continue;
        struct problem problem =
            problem_of_regression(region, results, &view->compared->changes[i]);
        add(region, &list, &problem);
    }
    return list;
}
