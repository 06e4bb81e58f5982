/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Costs kept in a file, and what became of them since. A baseline has an entry for each file
 * x profile x variant x CPU with the cycles of its instructions, so that a comparison can
 * say where a run became slower and why.
 */
#ifndef FENCESIM_SIM_RUN_BASELINE_H_
#define FENCESIM_SIM_RUN_BASELINE_H_

#include "sim/base/diagnostics.h"
#include "sim/judge/compare.h"

enum { BASELINE_FORMAT = 1 }; /* the number in the file */

struct baseline_entry {
    const char *file, *profile, *variant, *cpu;
    double cycles; /* of a loop: per iteration */
    struct timed_insn *insns;
    size_t insn_count;
};

struct baseline {
    const char *path;
    struct baseline_entry *entries;
    size_t count;
};

enum change { CHANGE_REGRESSION, CHANGE_IMPROVEMENT, CHANGE_NEW, CHANGE_MISSING };

struct cost_change {
    enum change change;
    const char *file, *profile, *variant, *cpu;
    double before, now;
    /* of a regression: the instruction that grew most, by the cause that grew most */
    const struct timed_insn *insn; /* NULL: none grew */
    const char *place;             /* its, as program_offset_text has it */
    double insn_before;
    enum stall cause;
    double cause_growth;
};

struct baseline_comparison {
    const char *path;
    double tolerance; /* 0.05 for 5 % */
    struct cost_change *changes;
    size_t count, capacity, regressions;
    size_t compared; /* costs of this run that are in the baseline */
    size_t not_run;  /* entries of files that this run did not include */
};

/* Reads a baseline; NULL when it is none, which the diagnostics then say. */
const struct baseline *baseline_read(struct region *region, const char *path,
                                     struct diagnostics *diagnostics);

/* What differs from the baseline by more than the tolerance, in the order of the results. */
const struct baseline_comparison *baseline_compare(struct region *region,
                                                   const struct baseline *baseline,
                                                   const struct result_list *results,
                                                   double tolerance);

#endif
