/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the JSON report, shared by its files. */
#ifndef FENCESIM_SIM_REPORT_JSON_COST_H_
#define FENCESIM_SIM_REPORT_JSON_COST_H_

#include <jansson.h>

#include "sim/report/report.h"

/* A string that need not be UTF-8. */
json_t *json_report_string(const char *text);

/* A member or element more; once that fails, the object or array is NULL and stays so. */
void json_put(json_t **object, const char *key, json_t *value);
void json_add(json_t **array, json_t *value);

/*
 * Where json_write keeps the JSON library's text, so that it is freed with the region when
 * memory runs out. To be made before the value, which could not be given back otherwise.
 */
char **json_text_holder(struct region *region);

/* Writes a value as text and gives it back; false when memory ran out, or for NULL. */
bool json_write(struct text *out, char **holder, json_t *root);

/* Rounded to hundredths. */
json_t *json_cycles(double value);

/* The events of a witness and how they are related; the fences that forbid its outcome. NULL:
 * memory ran out. */
json_t *json_relations(const struct result *result, const struct relations *relations);
json_t *json_fence_places(const struct result *result, const struct result_witness *witness);

/* One CPU's timeline: an array with an object per instruction. NULL: memory ran out. */
json_t *json_timeline(const struct timed_cpu *cpu);

/* Where several variants of a file have cycles on a profile: which is the cheapest. */
json_t *json_comparisons(const struct result_list *results);

/* The contents of a baseline file. */
json_t *json_baseline(const struct result_list *results);

json_t *json_baseline_comparison(struct region *region, const struct baseline_comparison *found);

#endif
