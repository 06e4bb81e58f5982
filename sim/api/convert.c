/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `simulate convert`: one file in the other format. */
#include "sim/report/convert.h"
#include "sim/api/produce.h"
#include "sim/input/load.h"
#include "sim/isa/insn.h"

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

struct convert_request {
    const char *path, *variant;
};

static void convert(struct text *out, const struct convert_request *request,
                    struct diagnostics *diagnostics)
{
    struct source_list sources = {.region = out->region};
    struct program *program =
        load_one(out->region, request->path, "convert", &sources, diagnostics);
    if (!program)
        return;
    if (program->litmus) {
        write_trace(out, program, &sources);
        return;
    }
    int chosen = choose_variant(program, request->variant, diagnostics);
    if (chosen != NO_INDEX && !diagnostics->count)
        write_litmus(out, program, (uint32_t)chosen, diagnostics);
}

static fs_status write_converted(const void *request, struct text *out)
{
    struct diagnostics diagnostics;
    diagnostics_init(&diagnostics, out->region);
    convert(out, request, &diagnostics);
    if (!diagnostics.count)
        return FS_OK;
    out->length = 0;
    size_t count;
    const char **lines = diagnostics_lines(&diagnostics, &count);
    for (size_t i = 0; i < count; i++)
        text_printf(out, "%s\n", lines[i]);
    return FS_BAD_INPUT;
}

fs_status fs_convert(const char *path, const char *variant, char **text)
{
    fs_status status =
        produce_text(write_converted, &(struct convert_request){path, variant}, text);
    decoder_close();
    return status;
}
