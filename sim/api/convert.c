/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `simulate convert`: one file in the other format. */
#define _GNU_SOURCE /* strdup */
#include <string.h>

#include "include/fencesim/fencesim.h"
#include "sim/input/files.h"
#include "sim/isa/insn.h"
#include "sim/program/litmus.h"
#include "sim/program/read.h"
#include "sim/report/convert.h"

/* The only variant, or the one that was named. */
static int choose_variant(const struct program *program, const char *name,
                          struct diagnostics *diagnostics)
{
    int found = name ? program_variant(program, name) : 0;
    if (found == NO_INDEX)
        diagnostics_add(diagnostics, program->file, (struct place){0}, "found no variant '%s'",
                        name);
    if (name || program->variant_count == 1)
        return found;
    diagnostics_add(diagnostics, program->file, (struct place){0},
                    "a litmus test has one variant, this trace has %zu; name one with -V",
                    program->variant_count);
    return NO_INDEX;
}

static void convert(struct text *out, const char *path, const char *variant,
                    struct diagnostics *diagnostics)
{
    struct region *region = out->region;
    struct input_files files = {0};
    struct source_list sources = {.region = region};
    read_path(region, path, &files, diagnostics);
    if (files.count > 1)
        diagnostics_add(diagnostics, region_strdup(region, path), (struct place){0},
                        "found %zu files, expected one to convert", files.count);
    if (files.count != 1 || diagnostics->count)
        return;
    bool is_litmus = input_is_litmus(&files.items[0]);
    struct program *program =
        (is_litmus ? litmus_parse : trace_parse)(region, files.items[0].name, files.items[0].text,
                                                 files.items[0].length, &sources, diagnostics);
    if (!assemble(&sources, diagnostics) || !program || diagnostics->count)
        return;
    trace_finish(program, diagnostics);
    if (is_litmus) {
        write_trace(out, program, &sources);
        return;
    }
    int chosen = choose_variant(program, variant, diagnostics);
    if (chosen != NO_INDEX && !diagnostics->count)
        write_litmus(out, program, (uint32_t)chosen, diagnostics);
}

static fs_status convert_guarded(struct region *region, const char *path, const char *variant,
                                 struct text *out)
{
    struct diagnostics diagnostics;
    if (region_guard(region))
        return FS_NO_MEMORY;
    diagnostics_init(&diagnostics, region);
    text_init(out, region);
    text_add(out, "");
    convert(out, path, variant, &diagnostics);
    if (!diagnostics.count)
        return FS_OK;
    out->length = 0;
    diagnostics_sort(&diagnostics);
    for (size_t i = 0; i < diagnostics.count; i++)
        text_printf(out, "%s\n", diagnostic_line(region, &diagnostics.items[i]));
    return FS_BAD_INPUT;
}

fs_status fs_convert(const char *path, const char *variant, char **text)
{
    struct region region;
    struct text out = {0};
    region_init(&region, 0);
    fs_status status = convert_guarded(&region, path, variant, &out);
    decoder_close();
    *text = status == FS_NO_MEMORY ? NULL : strdup(out.data);
    region_release(&region);
    return *text ? status : FS_NO_MEMORY;
}
