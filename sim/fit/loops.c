/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of measured loops: JSON, one object a line (docs/FIT.md). */
#include <string.h>
#include <sys/stat.h>

#include "sim/fit/reader.h"
#include "sim/input/files.h"
#include "sim/isa/insn.h"

enum { LOOPS_MAX = 10000, ERRORS_MAX = 100 };

/* ---- errors ---- */

/* The column of a member's key; keys within strings have escaped quotes. */
uint32_t loop_key_column(struct region *region, const char *line, size_t length, const char *key)
{
    const char *text = region_strndup(region, line, length);
    const char *quoted = region_printf(region, "\"%s\"", key);
    for (const char *at = text; (at = strstr(at, quoted)); at++) {
        const char *after = at + strlen(quoted);
        if ((at == text || at[-1] != '\\') && after[strspn(after, " \t")] == ':')
            return (uint32_t)(at - text) + 1;
    }
    return 1;
}

void loop_error(struct loop_reader *reader, const char *key, const char *message)
{
    struct place place = {reader->number, 1};
    if (key)
        place.column = loop_key_column(reader->fit->region, reader->line, reader->length, key);
    diagnostics_add(reader->fit->diagnostics, reader->fit->file, place, "%s", message);
    reader->failed = true;
}

/* ---- lines ---- */

static void drop_row(void *argument)
{
    struct loop_reader *reader = argument;
    json_decref(reader->row);
    reader->row = NULL;
}

static void read_line(struct loop_reader *reader)
{
    json_error_t error;
    reader->failed = false;
    reader->row = json_loadb(reader->line, reader->length, JSON_REJECT_DUPLICATES, &error);
    if (!reader->row) {
        struct place place = {reader->number, error.column > 0 ? (uint32_t)error.column : 1};
        diagnostics_add(reader->fit->diagnostics, reader->fit->file, place, "not JSON: %s",
                        error.text);
    } else if (!json_is_object(reader->row)) {
        loop_error(reader, NULL,
                   "found no object; each line is one, such as {\"name\": \"fence\", "
                   "\"asm\": \"mfence\", \"cycles\": 59}");
    } else {
        loop_read_row(reader);
    }
    drop_row(reader);
}

static void read_all(struct loop_reader *reader, const struct input_file *file)
{
    const char *at = file->text, *end = file->text + file->length;
    for (reader->number = 1; at < end && reader->fit->diagnostics->count < ERRORS_MAX;
         reader->number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        reader->line = at;
        reader->length = (size_t)((newline ? newline : end) - at);
        at += reader->length + 1;
        size_t blank = 0;
        while (blank < reader->length && strchr(" \t\r", reader->line[blank]) != NULL &&
               reader->line[blank] != '\0')
            blank++;
        if (blank == reader->length)
            continue;
        if (reader->fit->loops.count == LOOPS_MAX) {
            loop_error(reader, NULL, "more than 10000 loops");
            return;
        }
        read_line(reader);
    }
}

/* ---- after assembling ---- */

/* What is wrong with a trace, said of the line that it was made of. */
static void translate(struct loop_reader *reader, const struct diagnostic *item)
{
    struct fit *fit = reader->fit;
    size_t i = 0;
    while (i < fit->loops.count && reader->made[i].file != item->file)
        i++;
    if (i == fit->loops.count) { /* of no loop: there is no assembler, for instance */
        diagnostics_add(fit->diagnostics, item->file, item->place, "%s", item->message);
        return;
    }
    const struct made *made = &reader->made[i];
    uint32_t line = item->place.line;
    bool code = line > made->code_line, setup = made->setup_line && line > made->setup_line;
    const char *key = code                        ? "asm"
                      : setup                     ? "setup"
                      : line == TRACE_MEMORY_LINE ? "memory"
                                                  : "regs";
    struct place place = fit->loops.items[i].place;
    place.column = loop_key_column(fit->region, made->line, made->length, key);
    if (code || setup)
        diagnostics_add(fit->diagnostics, fit->file, place, "%s, line %u: %s", key,
                        line - (code ? made->code_line : made->setup_line), item->message);
    else
        diagnostics_add(fit->diagnostics, fit->file, place, "%s: %s", key, item->message);
}

static void finish(struct loop_reader *reader)
{
    struct fit *fit = reader->fit;
    if (!assemble(&reader->sources, &reader->raw))
        fit->loops.count = 0;
    for (size_t i = 0; i < fit->loops.count; i++)
        if (fit->loops.items[i].program)
            trace_finish(fit->loops.items[i].program, &reader->raw);
    for (size_t i = 0; i < reader->raw.count; i++)
        translate(reader, &reader->raw.items[i]);
}

void fit_read_loops(struct fit *fit, const char *path)
{
    struct region *region = fit->region;
    struct input_files files = {0};
    struct stat status;
    struct loop_reader *reader = region_alloc(region, sizeof *reader);
    reader->fit = fit;
    reader->sources.region = region;
    diagnostics_init(&reader->raw, region);
    region_on_release(region, drop_row, reader);
    fit->file = region_strdup(region, path);
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        diagnostics_add(fit->diagnostics, fit->file, (struct place){0},
                        "is a folder, expected a file of JSON lines");
        return;
    }
    read_path(region, path, &files, fit->diagnostics);
    if (files.count != 1)
        return;
    read_all(reader, &files.items[0]);
    if (fit->loops.count > 0)
        finish(reader);
    else if (fit->diagnostics->count == 0)
        diagnostics_add(fit->diagnostics, fit->file, (struct place){1, 1}, "found no loop");
}
