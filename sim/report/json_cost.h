/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the JSON report, shared by its files. */
#ifndef FENCESIM_SIM_REPORT_JSON_COST_H_
#define FENCESIM_SIM_REPORT_JSON_COST_H_

#include "sim/base/json.h"
#include "sim/report/report.h"

enum { SCHEMA_VERSION = 1 };

/* Rounded to hundredths: more digits of a modelled figure would only look precise. */
json_t *json_cycles(double value);

/* The events of a witness and how they are related; the fences that forbid its outcome. NULL:
 * memory ran out. */
json_t *json_relations(const struct result *result, const struct relations *relations);
json_t *json_fence_places(const struct result *result, const struct result_witness *witness);

/* An instruction's cycles and why it took them. NULL: memory ran out. */
json_t *json_timed_insn(const struct timed_insn *insn);

/* One CPU's timeline: an array with an object per instruction. NULL: memory ran out. */
json_t *json_timeline(const struct timed_cpu *cpu);

/* Where several variants of a file have cycles on a profile: which is the cheapest. */
json_t *json_comparisons(const struct result_list *results);

/* The contents of a baseline file. */
json_t *json_baseline(const struct result_list *results);

json_t *json_baseline_comparison(struct region *region, const struct baseline_comparison *found);

#endif
