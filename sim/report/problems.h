/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a report has to complain of, with a rule and a place each: shared by the formats that
 * machines read (SARIF, JUnit, TAP, compiler lines, GitHub's annotations), so that they cannot
 * disagree with each other or with the verdict. A run has a problem of level error exactly when
 * it does not pass.
 */
#ifndef FENCESIM_SIM_REPORT_PROBLEMS_H_
#define FENCESIM_SIM_REPORT_PROBLEMS_H_

#include "sim/report/report.h"

/* A line to point at: of the source that the code was compiled from, else of the trace. */
struct location {
    const char *file; /* "": of no file */
    struct place place;
};

struct problem {
    const struct rule *rule;
    enum rule_level level;
    bool is_undecided; /* the answer is not known; otherwise it is bad */
    const char *file;  /* the trace; "": of no file */
    struct place place;
    struct location compiled; /* the line that the instruction was compiled from; file NULL: none */
    const char *message;      /* one line */
    const char *subject;      /* what it is about, without lines and figures: "P0 mfence" */
    const char *runs;         /* "x86 none, zen4 none and 3 more"; "": of no run */
    const struct result *result;          /* the first run that has it, or NULL */
    const struct result_witness *witness; /* of that run, or NULL */
    const struct expect_row *row;         /* the expectation that it is about, or NULL */
    const struct finding *finding;        /* the finding that it is, or NULL */
};

struct problem_list {
    struct problem *items;
    size_t count, capacity;
};

/* Rules of problems that are no findings, sorted by id; finding rules are in judge/rules.h. */
const struct rule *verdict_rules(size_t *count);

/* What a cause of lost cycles means, as a rule whose id is its name. Summary NULL: untold. */
struct rule stall_rule(enum stall stall);

/* Those of one run, each by itself; `runs` is only this one. */
void problems_of_run(struct region *region, const struct result *result, struct problem_list *list);

/* One for each error of the input, one for each regression. */
struct problem problem_of_diagnostic(const struct diagnostic *item);
struct problem problem_of_regression(struct region *region, const struct result_list *results,
                                     const struct cost_change *change);

/*
 * All of a report: errors of the input; then file by file in the order of the input those of
 * its runs, by place, equal ones of several runs once; then regressions.
 */
struct problem_list problems_of(struct region *region, const struct report_view *view);

/* One step of a witness as a sentence: "P0: +0 mov dword ptr [x], 1: x <- 1, buffered {x=1}". */
const char *step_sentence(struct region *region, const struct result *result,
                          const struct witness_step *step);

/* Where a step stands: what no instruction does (a drain) at its CPU's last instruction. */
struct location step_location(struct region *region, const struct result *result,
                              const struct witness *witness, size_t step);

/* What an instruction was compiled from; file NULL when that is not known. */
struct location insn_location(struct region *region, const struct result *result, uint32_t cpu,
                              uint32_t offset);

/* Where a problem is shown. */
struct location problem_location(const struct problem *problem);

/* "ends in P0:eax=0 P1:eax=0"; "" for a witness without an outcome. */
const char *ending_sentence(struct region *region, const struct result *result,
                            const struct result_witness *witness);

#endif
