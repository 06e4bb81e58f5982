/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading a baseline file. What is wrong with it is said as of any other input. */
#include "sim/run/baseline.h"

#include <jansson.h>
#include <string.h>

static const struct place nowhere = {0, 0};

struct reader {
    struct region *region;
    struct diagnostics *diagnostics;
    const char *path;
    json_t *root;
    size_t entry; /* the one being read */
    bool failed;
};

static void complain(struct reader *reader, const char *key, const char *wanted)
{
    if (!reader->failed)
        diagnostics_add(reader->diagnostics, reader->path, nowhere,
                        "not a baseline: entry %zu has no %s that is %s; save it again with "
                        "--save-baseline",
                        reader->entry + 1, key, wanted);
    reader->failed = true;
}

static const char *text_of(struct reader *reader, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_string(value))
        return region_strdup(reader->region, json_string_value(value));
    complain(reader, key, "a string");
    return "";
}

static double number_of(struct reader *reader, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_number(value) && json_number_value(value) >= 0)
        return json_number_value(value);
    complain(reader, key, "a number");
    return 0;
}

/* Causes of other versions of the program are nothing to compare with. */
static void read_stalls(const json_t *stalls, struct timed_insn *insn)
{
    for (int stall = 0; stall < STALL_COUNT; stall++)
        insn->stall[stall] =
            json_number_value(json_object_get(stalls, stall_name((enum stall)stall)));
}

static void read_entry(struct reader *reader, const json_t *object, struct baseline_entry *entry)
{
    entry->file = text_of(reader, object, "file");
    entry->profile = text_of(reader, object, "profile");
    entry->variant = text_of(reader, object, "variant");
    entry->cpu = text_of(reader, object, "cpu");
    entry->cycles = number_of(reader, object, "cycles");
    const json_t *insns = json_object_get(object, "instructions");
    if (!json_is_array(insns))
        complain(reader, "instructions", "a list");
    entry->insn_count = json_array_size(insns);
    entry->insns = region_array(reader->region, entry->insn_count + 1, sizeof *entry->insns);
    for (size_t i = 0; i < entry->insn_count; i++) {
        const json_t *insn = json_array_get(insns, i);
        entry->insns[i].text = text_of(reader, insn, "text");
        entry->insns[i].offset = (uint32_t)number_of(reader, insn, "offset");
        entry->insns[i].cycles = number_of(reader, insn, "cycles");
        read_stalls(json_object_get(insn, "stall"), &entry->insns[i]);
    }
}

static const struct baseline *read_root(struct reader *reader)
{
    const json_t *entries = json_object_get(reader->root, "entries");
    const json_t *format = json_object_get(reader->root, "baseline");
    if (!json_is_integer(format) || !json_is_array(entries)) {
        diagnostics_add(reader->diagnostics, reader->path, nowhere,
                        "not a baseline: an object with 'baseline' and 'entries' is expected, as "
                        "--save-baseline writes it");
        return NULL;
    }
    if (json_integer_value(format) != BASELINE_FORMAT) {
        diagnostics_add(reader->diagnostics, reader->path, nowhere,
                        "a baseline of format %lld, this program reads %d",
                        (long long)json_integer_value(format), BASELINE_FORMAT);
        return NULL;
    }
    struct baseline *baseline = region_alloc(reader->region, sizeof *baseline);
    baseline->path = reader->path;
    baseline->count = json_array_size(entries);
    baseline->entries =
        region_array(reader->region, baseline->count + 1, sizeof *baseline->entries);
    for (; reader->entry < baseline->count && !reader->failed; reader->entry++)
        read_entry(reader, json_array_get(entries, reader->entry),
                   &baseline->entries[reader->entry]);
    return reader->failed ? NULL : baseline;
}

static void give_back(void *argument)
{
    struct reader *reader = argument;
    json_decref(reader->root);
    reader->root = NULL;
}

const struct baseline *baseline_read(struct region *region, const char *path,
                                     struct diagnostics *diagnostics)
{
    json_error_t error;
    struct reader *reader = region_alloc(region, sizeof *reader);
    *reader = (struct reader){.region = region, .diagnostics = diagnostics, .path = path};
    region_on_release(region, give_back, reader);
    reader->root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!reader->root) {
        struct place place = {error.line > 0 ? (uint32_t)error.line : 0,
                              error.column > 0 ? (uint32_t)error.column : 0};
        diagnostics_add(diagnostics, path, place, "the baseline cannot be read: %s", error.text);
        return NULL;
    }
    const struct baseline *baseline = read_root(reader);
    give_back(reader);
    return baseline;
}
