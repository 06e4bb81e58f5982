/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles from YAML to numbers. A profile lies on top of the one that it inherits: the
 * ancestor is read first, into the same rows.
 */
#include "models/profile.h"

#include <stdio.h>
#include <string.h>

#include "models/profile_files.h"
#include "models/profile_reader.h"

enum { FILE_BYTES_MAX = 1024 * 1024 };

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
    take_cycles_of(loader, other, reasoning);
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
    finish_rows(loader, file);
    return diagnostics->count + diagnostics->dropped == errors ? profile : NULL;
}
