/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What writers of JSON need beside the library: memory that runs out, text that is no UTF-8. */
#ifndef FENCESIM_SIM_BASE_JSON_H_
#define FENCESIM_SIM_BASE_JSON_H_

#include <jansson.h>

#include "sim/base/text.h"

/* A string that need not be UTF-8. */
json_t *json_text(const char *text);

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

/* A string as JSON quotes it, which is a double-quoted scalar of YAML, too. */
void json_add_quoted(struct text *out, const char *string);

#endif
