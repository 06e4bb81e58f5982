/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judging and timing one program on profiles and variants. */
#ifndef FENCESIM_SIM_RUN_RUN_H_
#define FENCESIM_SIM_RUN_RUN_H_

#include "sim/judge/options.h"
#include "sim/judge/result.h"

/*
 * Runs every variant in `variants` (indices) on every profile and appends the results,
 * profile by profile. Everything lives in `region`.
 */
void run_program(struct region *region, const struct program *program,
                 const struct profile *const *profiles, size_t profile_count,
                 const uint32_t *variants, size_t variant_count, const struct run_options *options,
                 struct result_list *results);

#endif
