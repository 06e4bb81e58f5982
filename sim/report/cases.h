/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report as test cases, for JUnit and TAP. Each run has a case for each expectation that it
 * decides, one that no outcome is relaxed when the trace expects nothing, and one for whatever
 * else keeps it from passing; a run with none of these has one that says it was judged. Errors
 * of the input and costs above the baseline are cases, too.
 */
#ifndef FENCESIM_SIM_REPORT_CASES_H_
#define FENCESIM_SIM_REPORT_CASES_H_

#include "sim/report/problems.h"

enum case_state {
    CASE_PASSED,
    CASE_FAILED,
    CASE_ERROR /* no answer: input that is wrong, or a run that is unknown */
};

struct test_case {
    const char *file, *name; /* "zen4 mfence: never x == 1" */
    struct place place;      /* line 0: none */
    enum case_state state;
    const struct rule *rule; /* NULL: it passed */
    const char *message;     /* one line; NULL: it passed */
    const char *details;     /* several lines, or NULL */
};

struct case_list {
    struct test_case *items; /* those of one file one after another */
    size_t count, capacity;
};

struct case_list cases_of(struct region *region, const struct report_view *view);

/*
 * Findings that fail nothing, of the file's runs: a line each, "" when there are none. To be
 * asked file by file in the order of the cases; `*next`, 0 at first, is the run to go on with.
 */
const char *findings_of_file(struct region *region, const struct report_view *view,
                             const char *file, size_t *next);

#endif
