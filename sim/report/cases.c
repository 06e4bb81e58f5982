/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/report/cases.h"

#include <string.h>

#include "sim/report/problem_words.h"

static void add(struct region *region, struct case_list *list, const struct test_case *test)
{
    list->items =
        region_push(region, list->items, list->count, &list->capacity, sizeof *list->items);
    list->items[list->count++] = *test;
}

static const char *details_of(struct region *region, const struct problem *problem)
{
    struct text text;
    if (!problem->witness)
        return NULL;
    text_init(&text, region);
    write_witness(&text, problem->result, problem->witness);
    return text.data;
}

static void add_problem(struct region *region, struct case_list *list,
                        const struct problem *problem, const char *name)
{
    struct test_case test = {.file = problem->file[0] ? problem->file : "simulate",
                             .name = name,
                             .place = problem->place,
                             .state = problem->is_undecided ? CASE_ERROR : CASE_FAILED,
                             .rule = problem->rule,
                             .message = problem->message,
                             .details = details_of(region, problem)};
    add(region, list, &test);
}

static const struct problem *problem_with_row(const struct problem_list *problems,
                                              const struct expect_row *row)
{
    for (size_t i = 0; i < problems->count; i++)
        if (problems->items[i].row == row)
            return &problems->items[i];
    return NULL;
}

/* What a case is called must not change with its outcome, or its history is lost. */
static const char *problem_name(struct region *region, const char *run,
                                const struct problem *problem)
{
    if (strcmp(problem->rule->id, "relaxed-outcome") == 0)
        return region_printf(region, "%s: no relaxed outcome", run);
    return region_printf(region, "%s: %s%s%s", run, problem->rule->id,
                         problem->subject[0] ? " " : "", problem->subject);
}

static void add_run(struct region *region, struct case_list *list, const struct result *result)
{
    size_t first = list->count;
    bool asks_nothing =
        result->ordered && !result->program->expectation_count && !result->program->litmus;
    bool is_relaxed = false;
    const char *run = run_name(region, result), *file = result->program->file;
    struct problem_list problems = {0};
    problems_of_run(region, result, &problems);
    for (size_t i = 0; i < result->expect_count; i++) {
        const struct expect_row *row = &result->expects[i];
        const struct problem *problem = problem_with_row(&problems, row);
        const char *name = region_printf(region, "%s: %s", run, row->expectation->text);
        if (problem)
            add_problem(region, list, problem, name);
        else
            add(region, list,
                &(struct test_case){.file = file, .name = name, .place = row->expectation->place});
    }
    for (size_t i = 0; i < problems.count; i++) {
        const struct problem *problem = &problems.items[i];
        if (problem->row || problem->level != RULE_ERROR)
            continue;
        is_relaxed |= strcmp(problem->rule->id, "relaxed-outcome") == 0;
        add_problem(region, list, problem, problem_name(region, run, problem));
    }
    struct test_case passed = {.file = file, .place = result->program->cpus[0].place};
    passed.name =
        region_printf(region, asks_nothing ? "%s: no relaxed outcome" : "%s: judged", run);
    if ((asks_nothing && !is_relaxed) || list->count == first)
        add(region, list, &passed);
}

/* The first error of the input from `file` on, in their order. */
static size_t first_diagnostic(const struct diagnostics *diagnostics, const char *file)
{
    size_t low = 0, high = diagnostics->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(diagnostics->items[middle].file, file) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_diagnostic(struct region *region, struct case_list *list,
                           const struct diagnostic *item)
{
    struct problem problem = problem_of_diagnostic(item);
    problem.is_undecided = true; /* it keeps the file from being judged */
    add_problem(region, list, &problem,
                region_printf(region, "%s: %s", problem.rule->id, item->message));
}

static void add_regressions(struct region *region, struct case_list *list,
                            const struct report_view *view)
{
    const struct baseline_comparison *compared = view->compared;
    for (size_t i = 0; i < compared->count; i++) {
        if (compared->changes[i].change != CHANGE_REGRESSION)
            continue;
        struct problem problem =
            problem_of_regression(region, view->results, &compared->changes[i]);
        const char *name = region_printf(region, "%s %s: no more cycles than in the baseline",
                                         problem.file, problem.subject);
        problem.file = compared->path;
        problem.place = (struct place){0, 0};
        add_problem(region, list, &problem, name);
    }
    if (!compared->regressions)
        add(region, list,
            &(struct test_case){.file = compared->path,
                                .name = "no more cycles than in the baseline"});
}

struct case_list cases_of(struct region *region, const struct report_view *view)
{
    struct case_list list = {0};
    const struct result_list *results = view->results;
    const struct diagnostics *diagnostics = view->diagnostics;
    bool *told = region_array(region, diagnostics->count + 1, sizeof *told);
    for (size_t i = 0; i < results->count; i++) { /* those of files that were judged all the same */
        const char *file = results->items[i]->program->file;
        for (size_t n = first_diagnostic(diagnostics, file);
             n < diagnostics->count && strcmp(diagnostics->items[n].file, file) == 0; n++)
            told[n] = true;
    }
    for (size_t n = 0; n < diagnostics->count; n++)
        if (!told[n])
            add_diagnostic(region, &list, &diagnostics->items[n]);
    for (size_t i = 0; i < results->count; i++) {
        const char *file = results->items[i]->program->file;
        bool is_first = i == 0 || results->items[i - 1]->program != results->items[i]->program;
        for (size_t n = is_first ? first_diagnostic(diagnostics, file) : diagnostics->count;
             n < diagnostics->count && strcmp(diagnostics->items[n].file, file) == 0; n++)
            add_diagnostic(region, &list, &diagnostics->items[n]);
        add_run(region, &list, results->items[i]);
    }
    if (view->compared)
        add_regressions(region, &list, view);
    return list;
}

static void add_findings(struct text *out, const struct result *result)
{
    struct problem_list problems = {0};
    problems_of_run(out->region, result, &problems);
    for (size_t i = 0; i < problems.count; i++) {
        const struct problem *problem = &problems.items[i];
        if (problem->level != RULE_ERROR)
            text_printf(out, "%s: %s %s: %s [line %u]\n", problem->runs,
                        rule_level_name(problem->level), problem->rule->id, problem->message,
                        problem->place.line);
    }
}

const char *findings_of_file(struct region *region, const struct report_view *view,
                             const char *file, size_t *next)
{
    const struct result_list *results = view->results;
    struct text text;
    text_init(&text, region);
    for (; *next < results->count && strcmp(results->items[*next]->program->file, file) == 0;
         ++*next)
        add_findings(&text, results->items[*next]);
    return text.data;
}
