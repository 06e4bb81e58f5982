/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/base/json.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS = 12 };

/* A file's name need not be UTF-8; JSON text must be. */
json_t *json_text(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    char ascii[512];
    size_t length = 0;
    for (; text[length] && length < sizeof ascii - 1; length++)
        ascii[length] = (unsigned char)text[length] < 0x80 ? text[length] : '?';
    ascii[length] = '\0';
    return json_string(ascii);
}

void json_put(json_t **object, const char *key, json_t *value)
{
    if (*object && json_object_set_new(*object, key, value) == 0)
        return;
    if (!*object)
        json_decref(value);
    json_decref(*object);
    *object = NULL;
}

void json_add(json_t **array, json_t *value)
{
    if (*array && json_array_append_new(*array, value) == 0)
        return;
    if (!*array)
        json_decref(value);
    json_decref(*array);
    *array = NULL;
}

static void free_text(void *holder)
{
    char **text = holder;
    free(*text);
    *text = NULL;
}

char **json_text_holder(struct region *region)
{
    char **holder = region_alloc(region, sizeof *holder);
    region_on_release(region, free_text, holder);
    return holder;
}

bool json_write(struct text *out, char **holder, json_t *root)
{
    *holder = root ? json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(DIGITS)) : NULL;
    json_decref(root);
    if (!*holder)
        return false;
    text_add(out, *holder); /* may unwind; the region frees the holder's text then */
    text_add(out, "\n");
    free_text(holder);
    return true;
}

void json_add_quoted(struct text *out, const char *string)
{
    size_t most = 6 * strlen(string) + 16;
    char *buffer = region_alloc(out->region, most); /* before jansson holds anything */
    json_t *value = json_text(string);
    size_t written = value ? json_dumpb(value, buffer, most - 1, JSON_ENCODE_ANY) : 0;
    json_decref(value);
    if (written == 0 || written >= most)
        region_fail(out->region);
    text_add(out, buffer);
}
