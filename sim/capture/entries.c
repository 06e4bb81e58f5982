/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From targets to functions: of files, sources, texts, raw bytes and processes. */
#define _GNU_SOURCE
#include "sim/capture/entries.h"

#include <ar.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "sim/capture/compile.h"
#include "sim/capture/dump.h"

/* ---- files ---- */

/* Whether a file is compiled already, by how it begins. */
static bool is_compiled(const char *path)
{
    char magic[8] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool read_all = fd >= 0 && pread(fd, magic, sizeof magic, 0) == sizeof magic;
    if (fd >= 0)
        close(fd);
    return read_all && (memcmp(magic, ELFMAG, SELFMAG) == 0 || memcmp(magic, ARMAG, SARMAG) == 0);
}

static struct input_object *open_target(struct elf_capture *elf, const char *path)
{
    const fs_capture_options *options = elf->options;
    int fd = -1;
    if (options->compiler_count && !is_compiled(path)) {
        for (size_t i = 0; i < elf->inputs.file_count; i++)
            if (strcmp(elf->inputs.files[i]->path, path) == 0)
                return elf->inputs.files[i];
        fd = compile_source(elf->region, options->compiler, options->compiler_count, path,
                            elf->diagnostics);
        if (fd < 0)
            return NULL;
    }
    return inputs_open(&elf->inputs, path, fd);
}

static void push_entry(struct elf_capture *elf, struct entries *entries, struct binary *binary,
                       const struct binary_symbol *symbol)
{
    entries->items = region_push(elf->region, entries->items, entries->count, &entries->capacity,
                                 sizeof *entries->items);
    entries->items[entries->count++] = (struct entry){binary, symbol};
}

static void add_entry(struct elf_capture *elf, struct input_object *file, const char *name,
                      struct entries *entries)
{
    const struct binary_symbol *symbol = NULL;
    struct binary *binary = inputs_find_in(&elf->inputs, file, name, &symbol);
    if (!binary || symbol->section == SECTION_COMMON || !symbol_is_code(binary, symbol)) {
        elf_error(elf, file->path, "%s '%s'%s",
                  binary ? "holds data, not a function, named" : "has no function", name,
                  binary ? "" : inputs_suggest(&elf->inputs, file, name));
        return;
    }
    push_entry(elf, entries, binary, symbol);
}

/* "FUNCTION,FUNCTION" */
static void add_entries(struct elf_capture *elf, struct input_object *file, const char *names,
                        struct entries *entries)
{
    while (*names) {
        size_t length = strcspn(names, ",");
        if (length)
            add_entry(elf, file, region_strndup(elf->region, names, length), entries);
        names += length + (names[length] == ',');
    }
}

/*
 * FILE:FUNCTION[,FUNCTION...]; the file's name may hold colons, a function's does not. A FILE
 * alone only has what the others call.
 */
void read_target(struct elf_capture *elf, const char *target, struct entries *entries)
{
    const char *colon = strrchr(target, ':');
    if (!colon) {
        open_target(elf, target);
        return;
    }
    if (colon == target || !colon[1]) {
        elf_error(elf, NULL, "'%s': expected FILE:FUNCTION", target);
        return;
    }
    const char *path = region_strndup(elf->region, target, (size_t)(colon - target));
    struct input_object *file = open_target(elf, path);
    if (file)
        add_entries(elf, file, colon + 1, entries);
}

/* ---- text and raw bytes ---- */

struct callers {
    const struct binary *binary;
    const struct binary_symbol *from;
    bool *called; /* by number of the symbol */
};

static void note_called(void *argument, const struct snapshot_reference *reference)
{
    struct callers *callers = argument;
    uint32_t section =
        reference->branch ? binary_section_at(callers->binary, reference->address) : SECTION_NONE;
    if (section == SECTION_NONE)
        return;
    const struct binary_symbol *to = binary_symbol_at(
        callers->binary, section, reference->address - callers->binary->sections[section].address,
        SYMBOL_CODE);
    if (to && to != callers->from)
        callers->called[to - callers->binary->symbols] = true;
}

/* The functions of a text that no other one goes to, in the order that they stand in. */
static void add_all_functions(struct elf_capture *elf, struct binary *binary,
                              struct entries *entries)
{
    enum { FUNCTIONS_MAX = 64 };
    struct callers callers = {
        .binary = binary,
        .called = region_array(elf->region, binary->symbol_count + 1, sizeof(bool))};
    size_t count = 0;
    for (size_t i = 1; i < binary->symbol_count; i++)
        count += binary->symbols[i].type == STT_FUNC;
    if (count > FUNCTIONS_MAX) {
        elf_error(elf, binary->name, "has %zu functions; say which: FILE:FUNCTION,FUNCTION", count);
        return;
    }
    for (size_t i = 1; i < binary->symbol_count && binary->linked; i++) {
        callers.from = &binary->symbols[i];
        if (callers.from->type == STT_FUNC)
            snapshot_references(binary, callers.from, note_called, &callers);
    }
    size_t before = entries->count;
    for (size_t i = 1; i < binary->symbol_count; i++)
        if (binary->symbols[i].type == STT_FUNC && !callers.called[i])
            push_entry(elf, entries, binary, &binary->symbols[i]);
    if (entries->count == before)
        elf_error(elf, binary->name,
                  "each of its functions is called by another one; say which: FILE:FUNCTION");
}

/* FILE[:FUNCTION,...]. What stands behind a colon is taken for functions unless it has a '/'. */
void read_text_target(struct elf_capture *elf, const char *target, struct entries *entries)
{
    const char *colon = strrchr(target, ':');
    bool names = colon && colon != target && colon[1] && !strchr(colon, '/');
    const char *path =
        names ? region_strndup(elf->region, target, (size_t)(colon - target)) : target;
    const char *first =
        names ? region_strndup(elf->region, colon + 1, strcspn(colon + 1, ",")) : NULL;
    struct binary *binary = dump_read(elf->region, elf->diagnostics, path, first);
    if (!binary)
        return;
    struct input_object *file = inputs_add(&elf->inputs, path, binary);
    if (names)
        add_entries(elf, file, colon + 1, entries);
    else
        add_all_functions(elf, binary, entries);
}

void read_raw(struct elf_capture *elf, const fs_capture_raw *raw, struct entries *entries)
{
    uint64_t size = raw->length;
    uint8_t *bytes;
    if (!dump_read_file(elf->region, elf->diagnostics, raw->path, raw->offset, &size, &bytes))
        return;
    if (!size) {
        elf_error(elf, raw->path, "has no bytes at %" PRIu64, raw->offset);
        return;
    }
    struct binary *binary =
        dump_bytes(elf->region, elf->diagnostics, raw->path, dump_stem(elf->region, raw->path),
                   raw->address, bytes, size);
    if (binary) {
        inputs_add(&elf->inputs, raw->path, binary);
        add_all_functions(elf, binary, entries);
    }
}

void read_live(struct elf_capture *elf, struct live *live, struct entries *entries)
{
    live->first = entries->count;
    if (!live_read(elf, live))
        return;
    inputs_add(&elf->inputs, live->binary->name, live->binary);
    for (size_t i = 0; i < live->count; i++) {
        const struct binary_symbol *symbol = binary_find(live->binary, live->cpus[i].function);
        if (symbol)
            push_entry(elf, entries, live->binary, symbol);
        else
            elf_error(elf, live->binary->name, "has no code of '%s'", live->cpus[i].function);
    }
}
