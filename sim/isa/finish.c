/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last step of reading a program: whether its code decodes. */
#include "sim/base/diagnostics.h"
#include "sim/isa/insn.h"

static void check_snippet(struct program *program, const struct snippet *snippet,
                          struct diagnostics *diagnostics)
{
    if (snippet->size == 0)
        return;
    uint32_t end = snippet_sweep(snippet, program->region);
    if (end >= snippet->size)
        return;
    struct place place = {0};
    for (size_t i = 0; i < snippet->line_count && snippet->lines[i].offset <= end; i++)
        place = snippet->lines[i].place;
    diagnostics_add(diagnostics, program->file, place,
                    "found the byte 0x%02x at offset %u, which cannot be decoded from there",
                    snippet->bytes[end], end);
}

/*
 * Variants mostly share a CPU's snippet with the variant before, and the CPUs of one `count:`
 * have the same bytes: each is checked where it is new.
 */
static void check_row(struct program *program, size_t variant, const struct snippet *const *row,
                      const struct snippet *const *before, size_t count,
                      struct diagnostics *diagnostics)
{
    for (size_t i = 0; i < count; i++) {
        bool copied = i > 0 && row[i] && row[i - 1] && row[i]->bytes == row[i - 1]->bytes;
        if (row[i] && !copied && !(variant && before[i] == row[i]))
            check_snippet(program, row[i], diagnostics);
    }
}

void trace_finish(struct program *program, struct diagnostics *diagnostics)
{
    for (size_t i = 0; i < program->variant_count; i++) {
        const struct variant *variant = &program->variants[i];
        const struct variant *before = i ? variant - 1 : variant;
        check_row(program, i, variant->code, before->code, program->cpu_count, diagnostics);
        check_row(program, i, variant->setup, before->setup, program->cpu_count, diagnostics);
        check_row(program, i, variant->handlers, before->handlers, program->handler_count,
                  diagnostics);
    }
}
