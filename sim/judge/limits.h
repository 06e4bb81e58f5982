/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run that a limit ended tells about how far it got, and what would help. */
#ifndef FENCESIM_SIM_JUDGE_LIMITS_H_
#define FENCESIM_SIM_JUDGE_LIMITS_H_

#include "sim/judge/judge.h"

/* NULL when nothing would help, or everything was explored. */
const char *limit_advice(struct region *region, const struct exploration *exploration,
                         const struct run_options *options);

/* "2.5 GiB" */
const char *size_text(struct region *region, size_t bytes);

#endif
