/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters of a profile: the tables, and what a section says of them. */
#include <string.h>

#include "models/profile_reader.h"

enum { MISSING_SHOWN = 12 };

/* ---- the tables ---- */

static const struct {
    const char *section, *name, *unit, *meaning;
    size_t offset; /* of the field in struct profile */
} table[] = {
#define PARAMETER(field, unit, meaning)                                                            \
    {"order", #field, unit, meaning, offsetof(struct profile, order.field)},
#include "models/order_parameters.def"
#undef PARAMETER
#define PARAMETER(field, unit, meaning)                                                            \
    {"cycles", #field, unit, meaning, offsetof(struct profile, cycles.field)},
#include "models/cycle_parameters.def"
#undef PARAMETER
};

enum { ROW_COUNT = sizeof table / sizeof *table };

struct profile *new_profile(struct region *region, const char *name)
{
    struct profile *profile = region_alloc(region, sizeof *profile);
    *profile = (struct profile){.name = name, .about = "", .model = "", .vendor = ""};
    profile->rows = region_array(region, ROW_COUNT, sizeof *profile->rows);
    profile->row_count = ROW_COUNT;
    for (size_t i = 0; i < ROW_COUNT; i++)
        profile->rows[i] = (struct parameter_row){.section = table[i].section,
                                                  .name = table[i].name,
                                                  .unit = table[i].unit,
                                                  .meaning = table[i].meaning,
                                                  .source = ""};
    return profile;
}

/* ---- one row ---- */

static bool read_value(struct input *input, const struct node *node, struct parameter_row *row)
{
    bool flag;
    if (strcmp(row->unit, "flag") != 0)
        return input_real(input, node, row->name, &row->value);
    if (node->kind == NODE_SCALAR && (!strcmp(node->text, "0") || !strcmp(node->text, "1"))) {
        row->value = node->text[0] - '0';
        return true;
    }
    if (!input_flag(input, node, row->name, &flag))
        return false;
    row->value = flag;
    return true;
}

/* "KEY: where in it" or "KEY, KEY: where": the keys must be among the profile's sources. */
static void check_source(struct loader *loader, struct input *input, const struct node *node)
{
    const struct profile *profile = loader->profile;
    const char **keys = region_array(loader->region, profile->source_count, sizeof *keys);
    size_t end = strcspn(node->text, ":");
    for (size_t i = 0; i < profile->source_count; i++)
        keys[i] = profile->sources[i].key;
    for (size_t at = 0, length; at < end; at += length) {
        at += strspn(node->text + at, ", ");
        length = strcspn(node->text + at, ",:");
        const char *key = region_strndup(loader->region, node->text + at, length);
        size_t i = 0;
        while (i < profile->source_count && strcmp(keys[i], key) != 0)
            i++;
        if (i < profile->source_count)
            continue;
        input_error(input, node->place,
                    "found the source %s, which does not begin with a key of 'sources' "
                    "(\"KEY: where in it\")%s",
                    input_describe(input, node),
                    input_suggest(input, key, keys, profile->source_count));
        return;
    }
}

/* An estimate gives its reasoning, in `estimate` or (with `estimate: true`) in `source`. */
static void read_origin(struct loader *loader, struct input *input, const struct node *map,
                        const struct node *source, const struct node *estimate,
                        struct parameter_row *row)
{
    const char *reasoning = NULL;
    row->estimate = false;
    row->source = "";
    if (!source && !estimate) {
        input_error(input, map->place, "'%s' has neither a source nor an estimate's reasoning",
                    row->name);
        return;
    }
    if (estimate && input_text(input, estimate, "estimate", &reasoning))
        row->estimate = strcmp(reasoning, "false") != 0;
    bool flag_only = reasoning && (!row->estimate || strcmp(reasoning, "true") == 0);
    if (flag_only && !source) {
        input_error(input, estimate->place, "'%s' does not say where its value comes from",
                    row->name);
        return;
    }
    if (source && input_text(input, source, "source", &row->source) && !row->estimate)
        check_source(loader, input, source);
    if (reasoning && !flag_only)
        row->source =
            source ? region_printf(loader->region, "%s; %s", row->source, reasoning) : reasoning;
}

static void read_row(struct loader *loader, struct input *input, const struct node *node,
                     const char *profile_name, struct parameter_row *row)
{
    enum { VALUE, SOURCE, ESTIMATE, UNIT, COUNT };
    struct field fields[COUNT] = {[VALUE] = {.name = "value"},
                                  [SOURCE] = {.name = "source"},
                                  [ESTIMATE] = {.name = "estimate"},
                                  [UNIT] = {.name = "unit"}};
    const char *unit;
    if (!input_map(input, node, "a parameter", fields, COUNT))
        return;
    row->given = true;
    row->profile = profile_name;
    if (fields[VALUE].value)
        read_value(input, fields[VALUE].value, row);
    else
        input_error(input, node->place, "'%s' has no value", row->name);
    read_origin(loader, input, node, fields[SOURCE].value, fields[ESTIMATE].value, row);
    if (fields[UNIT].value && input_text(input, fields[UNIT].value, "unit", &unit) &&
        strcmp(unit, row->unit) != 0)
        input_error(input, fields[UNIT].value->place, "unit: found '%s', '%s' is in %s", unit,
                    row->name, row->unit);
}

/* ---- sections ---- */

static void unknown_parameter(struct loader *loader, struct input *input, const char *section,
                              const struct node *key)
{
    const char **names = region_array(loader->region, ROW_COUNT, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (strcmp(table[i].section, section) == 0)
            names[count++] = table[i].name;
    input_error(input, key->place, "found the unknown parameter %s in '%s'%s",
                input_describe(input, key), section, input_suggest(input, key->text, names, count));
}

void read_section(struct loader *loader, struct input *input, const char *section,
                  const struct node *node, const char *profile_name)
{
    if (node->kind != NODE_MAP) {
        input_error(input, node->place, "%s: found %s, expected parameters", section,
                    input_describe(input, node));
        return;
    }
    for (size_t i = 0; i < node->count; i++) {
        const struct node_pair *pair = &node->pairs[i];
        size_t row = 0;
        while (row < ROW_COUNT && (strcmp(table[row].section, section) != 0 ||
                                   strcmp(table[row].name, pair->key->text) != 0))
            row++;
        if (row == ROW_COUNT)
            unknown_parameter(loader, input, section, pair->key);
        else
            read_row(loader, input, pair->value, profile_name, &loader->profile->rows[row]);
    }
}

void read_cycles(struct loader *loader, struct input *input, const struct field *field,
                 const char *profile_name)
{
    const struct node *node = field->value;
    if (!node)
        return;
    loader->cycles_place = field->key->place;
    loader->cycles_file = input->file;
    if (node->kind != NODE_SCALAR || strcmp(node->text, "none") != 0) {
        read_section(loader, input, "cycles", node, profile_name);
        return;
    }
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (strcmp(table[i].section, "cycles") == 0)
            loader->profile->rows[i].given = false;
}

void read_sources(struct loader *loader, struct input *input, const struct node *node)
{
    struct profile *profile = loader->profile;
    if (node->kind != NODE_MAP) {
        input_error(input, node->place, "sources: found %s, expected keys with texts",
                    input_describe(input, node));
        return;
    }
    for (size_t i = 0; i < node->count; i++) {
        struct profile_source source = {.key = node->pairs[i].key->text};
        size_t same = 0;
        if (!input_text(input, node->pairs[i].value, "a source", &source.text))
            continue;
        while (same < profile->source_count && strcmp(profile->sources[same].key, source.key))
            same++;
        if (same == profile->source_count) { /* otherwise it takes an ancestor's place */
            profile->sources = region_push(loader->region, profile->sources, profile->source_count,
                                           &loader->source_capacity, sizeof *profile->sources);
            profile->source_count++;
        }
        profile->sources[same] = source;
    }
}

void take_cycles_of(struct loader *loader, const struct profile *other, const char *reasoning)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        struct parameter_row *row = &loader->profile->rows[i];
        if (strcmp(row->section, "cycles") != 0 || !other->rows[i].given)
            continue;
        *row = other->rows[i];
        row->estimate = true;
        row->source =
            region_printf(loader->region, "%s (there: %s)", reasoning, other->rows[i].source);
    }
}

/* ---- the whole ---- */

/* Counts the rows of a section that are given; the names of the others, comma-separated. */
static size_t count_rows(const struct loader *loader, const char *section, size_t *missing,
                         const char **names)
{
    size_t given = 0;
    *missing = 0;
    *names = "";
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct parameter_row *row = &loader->profile->rows[i];
        if (strcmp(row->section, section) != 0)
            continue;
        if (row->given) {
            given++;
            continue;
        }
        if (*missing < MISSING_SHOWN)
            *names =
                region_printf(loader->region, "%s%s%s", *names, **names ? ", " : "", row->name);
        else if (*missing == MISSING_SHOWN)
            *names = region_printf(loader->region, "%s, ...", *names);
        ++*missing;
    }
    return given;
}

static void check_complete(struct loader *loader, const char *file)
{
    size_t missing;
    const char *names;
    count_rows(loader, "order", &missing, &names);
    if (missing)
        diagnostics_add(loader->diagnostics, file, (struct place){1, 1},
                        "'order' lacks %s (%zu missing)", names, missing);
    size_t given = count_rows(loader, "cycles", &missing, &names);
    if (given && missing)
        diagnostics_add(loader->diagnostics, loader->cycles_file, loader->cycles_place,
                        "'cycles' lacks %s (%zu missing)", names, missing);
    loader->profile->has_cycles = given && !missing;
}

void finish_rows(struct loader *loader, const char *file)
{
    struct profile *profile = loader->profile;
    check_complete(loader, file);
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (profile->rows[i].given)
            memcpy((char *)profile + table[i].offset, &profile->rows[i].value, sizeof(double));
}
