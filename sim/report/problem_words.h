/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What problems are called and how they are told, a line each; for problems.c and test cases. */
#ifndef FENCESIM_SIM_REPORT_PROBLEM_WORDS_H_
#define FENCESIM_SIM_REPORT_PROBLEM_WORDS_H_

#include "sim/report/report.h"

/* One of verdict_rules, which must exist. */
const struct rule *verdict_rule(const char *id);

/* "zen4 mfence", or "zen4" for a program without variants. */
const char *run_name(struct region *region, const struct result *result);

const char *expectation_message(struct region *region, const struct result *result,
                                const struct expect_row *row);
const char *relaxed_message(struct region *region, const struct result *result, size_t outcome);
const char *unmodelled_message(struct region *region, const struct result *result,
                               const struct unmodelled *row);
const char *incomplete_message(struct region *region, const struct result *result);

#endif
