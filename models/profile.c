/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles from YAML to numbers. A profile lies on top of the one that it inherits: the
 * ancestor is read first, into the same rows.
 */
#include "models/profile.h"

#include <stdio.h>
#include <string.h>

#include "models/profile_files.h"
#include "sim/program/fields.h"

enum { ANCESTORS_MAX = 16, FILE_BYTES_MAX = 1024 * 1024, MISSING_SHOWN = 12 };

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

struct loader {
    struct region *region;
    struct diagnostics *diagnostics;
    struct profile *profile;
    struct place cycles_place; /* of the section that was read last */
    const char *cycles_file;
    const char *chain[ANCESTORS_MAX]; /* from the profile asked for to the one being read */
    size_t depth;
    size_t source_capacity;
};

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

static void read_section(struct loader *loader, struct input *input, const char *section,
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

static void read_cycles(struct loader *loader, struct input *input, const struct field *field,
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

static void read_sources(struct loader *loader, struct input *input, const struct node *node)
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

/* ---- files ---- */

static bool is_path(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') || (length > 5 && strcmp(name + length - 5, ".yaml") == 0);
}

static bool read_file(struct loader *loader, const char *path, const char **text, size_t *length)
{
    static const struct place nowhere = {0};
    char *buffer = region_alloc(loader->region, FILE_BYTES_MAX + 1);
    FILE *file = fopen(path, "rb"); /* nothing may unwind until it is closed */
    if (!file) {
        diagnostics_add(loader->diagnostics, path, nowhere, "the profile cannot be opened");
        return false;
    }
    *length = fread(buffer, 1, FILE_BYTES_MAX + 1, file);
    bool failed = ferror(file) != 0;
    fclose(file);
    if (failed || *length > FILE_BYTES_MAX) {
        diagnostics_add(loader->diagnostics, path, nowhere, "the profile %s",
                        failed ? "cannot be read" : "is larger than 1 MiB");
        return false;
    }
    *text = buffer;
    return true;
}

const char *const *profile_names(size_t *count)
{
    *count = profile_file_count;
    return profile_file_names;
}

/* The text of a profile, and the name of its file for messages. */
static bool find_profile(struct loader *loader, const char *name, const char **file,
                         const char **text, size_t *length)
{
    if (is_path(name)) {
        *file = region_strdup(loader->region, name);
        return read_file(loader, *file, text, length);
    }
    for (size_t i = 0; i < profile_file_count; i++) {
        if (strcmp(profile_file_names[i], name) == 0) {
            *file = region_printf(loader->region, "models/profiles/%s.yaml", name);
            *text = profile_files[i].text;
            *length = profile_files[i].length;
            return true;
        }
    }
    return false;
}

/* ---- a profile and its ancestors ---- */

enum {
    PROFILE,
    NAME,
    ABOUT,
    VENDOR,
    INHERITS,
    MODEL,
    SOURCES,
    ORDER,
    CYCLES_FROM,
    CYCLES,
    FIELD_COUNT
};

static const struct field profile_fields[FIELD_COUNT] = {
    [PROFILE] = {.name = "profile"},
    [NAME] = {.name = "name"},
    [ABOUT] = {.name = "about"},
    [VENDOR] = {.name = "vendor"},
    [INHERITS] = {.name = "inherits"},
    [MODEL] = {.name = "model"},
    [SOURCES] = {.name = "sources"},
    [ORDER] = {.name = "order"},
    [CYCLES_FROM] = {.name = "cycles_from"},
    [CYCLES] = {.name = "cycles"},
};

static bool read_profile(struct loader *loader, const char *file, const char *text, size_t length);

/* A profile that says nothing yet. */
static struct profile *new_profile(struct region *region, const char *name)
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

/* Reads the profile that `node` names into `into`, whose chain is the one so far. */
static bool read_other(struct loader *into, struct input *input, const struct node *node,
                       const char *key)
{
    const char *name, *file, *text;
    size_t length;
    if (!input_text(input, node, key, &name))
        return false;
    for (size_t i = 0; i < into->depth; i++) {
        if (strcmp(into->chain[i], name) == 0) {
            input_error(input, node->place, "%s: '%s' inherits from itself", key, name);
            return false;
        }
    }
    if (into->depth == ANCESTORS_MAX) {
        input_error(input, node->place, "%s: more than %d ancestors", key, ANCESTORS_MAX);
        return false;
    }
    if (!find_profile(into, name, &file, &text, &length)) {
        if (!is_path(name))
            input_error(input, node->place, "%s: found '%s', which is no profile%s", key, name,
                        input_suggest(input, name, profile_file_names, profile_file_count));
        return false;
    }
    into->chain[into->depth++] = name;
    bool read = read_profile(into, file, text, length);
    into->depth--;
    return read;
}

/*
 * What is known of a similar part stands in until this one is measured: every row of its
 * cycles becomes an estimate of this profile.
 */
static void read_cycles_from(struct loader *loader, struct input *input, const struct node *node)
{
    enum { FROM, REASONING, COUNT };
    struct field fields[COUNT] = {[FROM] = {.name = "profile"}, [REASONING] = {.name = "estimate"}};
    const char *reasoning;
    if (!input_map(input, node, "the profile whose cycles stand in", fields, COUNT))
        return;
    if (!fields[FROM].value || !fields[REASONING].value) {
        input_error(input, node->place, "cycles_from needs a 'profile' and an 'estimate'");
        return;
    }
    struct profile *other = new_profile(loader->region, "");
    struct loader *into = region_alloc(loader->region, sizeof *into);
    *into = *loader;
    into->profile = other;
    into->source_capacity = 0;
    if (!input_text(input, fields[REASONING].value, "estimate", &reasoning) ||
        !read_other(into, input, fields[FROM].value, "cycles_from"))
        return;
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

static void read_head(struct loader *loader, struct input *input, const struct field *fields,
                      const struct node *root)
{
    static const char *const vendors[] = {"intel", "amd", "any"};
    struct profile *profile = loader->profile;
    const struct node *version = fields[PROFILE].value;
    int vendor;
    if (!version)
        input_error(input, root->place, "found no 'profile: 1', which tells the format");
    else if (version->kind != NODE_SCALAR || strcmp(version->text, "1") != 0)
        input_error(input, version->place, "profile: found %s, expected version 1",
                    input_describe(input, version));
    if (fields[INHERITS].value)
        read_other(loader, input, fields[INHERITS].value, "inherits");
    if (!fields[NAME].value)
        input_error(input, root->place, "the profile has no 'name'");
    else
        input_text(input, fields[NAME].value, "name", &profile->name);
    profile->about = ""; /* an ancestor's text is about the ancestor */
    if (fields[ABOUT].value)
        input_text(input, fields[ABOUT].value, "about", &profile->about);
    if (fields[VENDOR].value &&
        input_choice(input, fields[VENDOR].value, "vendor", vendors, 3, &vendor))
        profile->vendor = vendors[vendor];
    else if (!fields[VENDOR].value && !*profile->vendor)
        input_error(input, root->place, "the profile has no 'vendor'");
    if (fields[MODEL].value)
        input_text(input, fields[MODEL].value, "model", &profile->model);
    else if (!*profile->model)
        input_error(input, root->place, "the profile has no 'model'");
}

static bool read_profile(struct loader *loader, const char *file, const char *text, size_t length)
{
    const struct yaml_document *document =
        yaml_read(loader->region, file, text, length, loader->diagnostics);
    struct input input = {loader->region, file, loader->diagnostics, document};
    struct field fields[FIELD_COUNT];
    memcpy(fields, profile_fields, sizeof fields);
    if (!document || !input_map(&input, document->root, "a profile", fields, FIELD_COUNT))
        return false;
    read_head(loader, &input, fields, document->root);
    const char *name = loader->profile->name;
    if (fields[SOURCES].value)
        read_sources(loader, &input, fields[SOURCES].value);
    if (fields[ORDER].value)
        read_section(loader, &input, "order", fields[ORDER].value, name);
    if (fields[CYCLES_FROM].value)
        read_cycles_from(loader, &input, fields[CYCLES_FROM].value);
    read_cycles(loader, &input, &fields[CYCLES], name);
    return true;
}

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

const struct profile *profile_load(struct region *region, const char *name,
                                   struct diagnostics *diagnostics)
{
    struct profile *profile = new_profile(region, name);
    struct loader *loader = region_alloc(region, sizeof *loader);
    *loader = (struct loader){.region = region, .diagnostics = diagnostics, .profile = profile};
    size_t errors = diagnostics->count + diagnostics->dropped, length;
    const char *file, *text;
    if (!find_profile(loader, name, &file, &text, &length)) {
        const char *near = nearest_name(name, profile_file_names, profile_file_count);
        if (!is_path(name))
            diagnostics_add(diagnostics, "", (struct place){0}, "there is no profile '%s'%s", name,
                            near ? region_printf(region, " (did you mean '%s'?)", near) : "");
        return NULL;
    }
    loader->chain[loader->depth++] = name;
    if (!read_profile(loader, file, text, length))
        return NULL;
    check_complete(loader, file);
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (profile->rows[i].given)
            memcpy((char *)profile + table[i].offset, &profile->rows[i].value, sizeof(double));
    return diagnostics->count + diagnostics->dropped == errors ? profile : NULL;
}
