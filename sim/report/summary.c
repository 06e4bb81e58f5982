/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report in few words, for logs of continuous integration: a line for each file that does
 * not pass and each regression, and one that counts. Errors of the input have been told.
 */
#include <string.h>

#include "sim/report/problems.h"

struct summary {
    size_t files, bad_files, verdicts[3];
};

static void add_trouble(struct text *out, const struct problem *first, size_t more)
{
    text_printf(out, "%s", first->file);
    if (first->place.line)
        text_printf(out, ":%u", first->place.line);
    text_printf(out, ": %s: %s", first->is_undecided ? "unknown" : "violation", first->message);
    if (first->runs[0])
        text_printf(out, ", on %s", first->runs);
    if (more)
        text_printf(out, "; %zu more", more);
    text_add(out, "\n");
}

/* What is bad comes before what is not known, as in the exit status. */
static const struct problem *worst(const struct problem *items, size_t count, size_t *errors)
{
    const struct problem *found = NULL;
    *errors = 0;
    for (size_t i = 0; i < count; i++) {
        if (items[i].level != RULE_ERROR)
            continue;
        ++*errors;
        if (!found || (found->is_undecided && !items[i].is_undecided))
            found = &items[i];
    }
    return found;
}

static void count_runs(const struct report_view *view, struct summary *summary)
{
    const struct result_list *results = view->results;
    for (size_t i = 0; i < results->count; i++) {
        summary->verdicts[results->items[i]->verdict]++;
        summary->files += i == 0 || results->items[i]->program != results->items[i - 1]->program;
    }
}

static void add_files(struct text *out, const struct problem_list *list, struct summary *summary)
{
    for (size_t first = 0, end = 0; first < list->count; first = end) {
        const char *file = list->items[first].file;
        bool is_input = list->items[first].result == NULL;
        size_t errors;
        while (end < list->count && strcmp(list->items[end].file, file) == 0 &&
               (list->items[end].result == NULL) == is_input)
            end++;
        if (is_input) {
            summary->bad_files += file[0] != '\0';
            continue;
        }
        const struct problem *problem = worst(list->items + first, end - first, &errors);
        if (problem)
            add_trouble(out, problem, errors - 1);
    }
}

static void add_baseline(struct text *out, const struct baseline_comparison *compared)
{
    size_t fresh = 0, missing = 0;
    for (size_t i = 0; i < compared->count; i++) {
        fresh += compared->changes[i].change == CHANGE_NEW;
        missing += compared->changes[i].change == CHANGE_MISSING;
    }
    text_printf(out, "baseline %s: %zu of %zu costs above it", compared->path,
                compared->regressions, compared->compared);
    if (fresh)
        text_printf(out, ", %zu not in it", fresh);
    if (missing)
        text_printf(out, ", %zu of it not in this run", missing);
    text_add(out, "\n");
}

void write_summary(struct text *out, const struct report_view *view)
{
    struct summary summary = {0};
    struct report_view runs = *view;
    runs.compared = NULL; /* regressions have lines of their own */
    struct problem_list list = problems_of(out->region, &runs);
    count_runs(view, &summary);
    add_files(out, &list, &summary);
    for (size_t i = 0; view->compared && i < view->compared->count; i++)
        if (view->compared->changes[i].change == CHANGE_REGRESSION)
            text_printf(out, "regression: %s\n",
                        regression_line(out->region, &view->compared->changes[i]));
    bool passed = !summary.bad_files && !summary.verdicts[VERDICT_VIOLATION] &&
                  !summary.verdicts[VERDICT_UNKNOWN] &&
                  !(view->compared && view->compared->regressions);
    if (passed && view->style && view->style->verbosity < 0)
        return;
    if (view->compared)
        add_baseline(out, view->compared);
    text_printf(out, "%zu file%s, %zu run%s: %zu pass, %zu violation, %zu unknown", summary.files,
                summary.files == 1 ? "" : "s", view->results->count,
                view->results->count == 1 ? "" : "s", summary.verdicts[VERDICT_PASS],
                summary.verdicts[VERDICT_VIOLATION], summary.verdicts[VERDICT_UNKNOWN]);
    if (summary.bad_files)
        text_printf(out, "; %zu file%s with errors", summary.bad_files,
                    summary.bad_files == 1 ? "" : "s");
    text_add(out, "\n");
}
