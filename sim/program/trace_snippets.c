/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Snippets for every CPU in every variant. Variants in which a CPU runs the same text share
 * one snippet; the CPUs of one `count:` share the text, each at its own address.
 */
#include <string.h>

#include "sim/program/layout.h"
#include "sim/program/trace_reader.h"

/* All that the assembler is asked to read for one trace; beyond it the file is not sensible. */
enum { SOURCE_LINES_MAX = 2000000 };

/* A body with its slots filled in, once for each text that differs. */
struct expansion {
    struct source_text {
        struct source_line *lines;
        size_t count;
    } * texts;
    size_t text_count;
    size_t *text_of; /* by variant */
};

static const struct snippet **new_row(struct trace_reader *reader, size_t count)
{
    return region_array(reader->input.region, count, sizeof(const struct snippet *));
}

static struct source_text fill_slots(struct trace_reader *reader, const struct body *body,
                                     size_t variant)
{
    const struct program *program = reader->program;
    const struct slot_value *values = &reader->slot_values[variant * program->slot_count];
    struct source_text text = {0};
    size_t most = 0;
    for (size_t i = 0; i < body->line_count; i++)
        most += body->lines[i].text ? 1 : values[body->lines[i].slot].line_count;
    reader->source_lines += most;
    if (reader->source_lines > SOURCE_LINES_MAX)
        return text;
    text.lines = region_array(reader->input.region, most, sizeof *text.lines);
    for (size_t i = 0; i < body->line_count; i++) {
        const struct body_line *line = &body->lines[i];
        if (line->text) {
            text.lines[text.count++] = (struct source_line){line->text, line->place, NULL};
            continue;
        }
        const struct slot_value *value = &values[line->slot];
        for (size_t k = 0; k < value->line_count; k++)
            text.lines[text.count++] = (struct source_line){
                value->lines[k].text, value->lines[k].place, program->slots[line->slot]};
    }
    return text;
}

/* Also the slots must be equal: a snippet knows where its slots lie. */
static bool same_text(const struct source_text *a, const struct source_text *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->lines[i].text, b->lines[i].text) != 0 || a->lines[i].slot != b->lines[i].slot)
            return false;
    return true;
}

/* For `copies` CPUs. */
static struct expansion expand(struct trace_reader *reader, const struct body *body,
                               uint32_t copies)
{
    size_t variants = reader->program->variant_count;
    struct expansion expansion = {
        .texts = region_array(reader->input.region, variants, sizeof *expansion.texts),
        .text_of = region_array(reader->input.region, variants, sizeof *expansion.text_of)};
    for (size_t variant = 0; variant < variants; variant++) {
        if (variant && !body->has_slots)
            continue; /* text_of is 0 already */
        struct source_text text = fill_slots(reader, body, variant);
        size_t same = 0;
        while (same < expansion.text_count && !same_text(&expansion.texts[same], &text))
            same++;
        if (same == expansion.text_count) {
            expansion.texts[expansion.text_count++] = text;
            if (copies)
                reader->source_lines += text.count * (copies - 1);
        }
        expansion.text_of[variant] = same;
    }
    return expansion;
}

static struct snippet *assembled_snippet(struct trace_reader *reader,
                                         const struct source_text *text, uint64_t address,
                                         uint32_t limit)
{
    struct snippet *snippet = region_alloc(reader->input.region, sizeof *snippet);
    snippet->address = address;
    if (text->count == 0 || reader->source_lines > SOURCE_LINES_MAX)
        return snippet;
    struct source *source = region_alloc(reader->input.region, sizeof *source);
    *source = (struct source){.file = reader->input.file,
                              .att = reader->att,
                              .lines = text->lines,
                              .line_count = text->count,
                              .program = reader->program,
                              .snippet = snippet,
                              .limit = limit};
    source_list_add(reader->sources, source);
    return snippet;
}

/* Sets `rows[variant][column]` for all variants. */
static void place_body(struct trace_reader *reader, const struct body *body,
                       const struct expansion *expansion, uint64_t address, uint32_t limit,
                       const struct snippet **const *rows, size_t column)
{
    struct region *region = reader->input.region;
    size_t variants = reader->program->variant_count;
    struct snippet *captured = NULL;
    struct snippet **snippets = region_array(region, expansion->text_count, sizeof *snippets);
    if (body->bytes)
        captured = captured_snippet(reader, body, address);
    for (size_t i = 0; i < expansion->text_count && !captured; i++)
        snippets[i] = assembled_snippet(reader, &expansion->texts[i], address, limit);
    for (size_t variant = 0; variant < variants; variant++)
        rows[variant][column] = captured ? captured : snippets[expansion->text_of[variant]];
}

static void make_cpu_code(struct trace_reader *reader, const struct cpu_entry *entry,
                          const struct snippet **const *code, const struct snippet **const *setup)
{
    struct expansion expansion = expand(reader, &entry->code, entry->count);
    for (uint32_t i = 0; i < entry->count; i++)
        place_body(reader, &entry->code, &expansion, code_address(entry->first + i), CODE_BYTES_MAX,
                   code, entry->first + i);
    if (!entry->setup.given)
        return;
    expansion = expand(reader, &entry->setup, entry->count);
    for (uint32_t i = 0; i < entry->count; i++)
        place_body(reader, &entry->setup, &expansion, setup_address(entry->first + i),
                   SETUP_BYTES_MAX, setup, entry->first + i);
}

static void make_handler_code(struct trace_reader *reader, const struct handler_entry *entry,
                              const struct snippet **const *rows, size_t *per_cpu)
{
    struct expansion expansion = expand(reader, &entry->code, entry->count);
    for (uint32_t i = 0; i < entry->count; i++) {
        uint32_t handler = entry->first + i;
        uint32_t cpu = reader->program->handlers[handler].cpu;
        place_body(reader, &entry->code, &expansion, handler_address(cpu, per_cpu[cpu]++),
                   HANDLER_BYTES_MAX, rows, handler);
    }
}

void make_snippets(struct trace_reader *reader)
{
    struct program *program = reader->program;
    struct region *region = reader->input.region;
    size_t variants = program->variant_count;
    const struct snippet ***code = region_array(region, variants, sizeof *code);
    const struct snippet ***setup = region_array(region, variants, sizeof *setup);
    const struct snippet ***handlers = region_array(region, variants, sizeof *handlers);
    size_t *per_cpu = region_array(region, program->cpu_count, sizeof *per_cpu);
    for (size_t i = 0; i < variants; i++) {
        struct variant *variant = &program->variants[i];
        variant->code = code[i] = new_row(reader, program->cpu_count);
        variant->setup = setup[i] = new_row(reader, program->cpu_count);
        variant->handlers = handlers[i] = new_row(reader, program->handler_count);
    }
    for (size_t i = 0; i < reader->entry_count; i++)
        make_cpu_code(reader, &reader->entries[i], code, setup);
    for (size_t i = 0; i < reader->handler_entry_count; i++)
        make_handler_code(reader, &reader->handler_entries[i], handlers, per_cpu);
    if (reader->source_lines > SOURCE_LINES_MAX)
        input_error(&reader->input, (struct place){1, 1},
                    "more than %d lines of assembly once slots and counts are filled in",
                    SOURCE_LINES_MAX);
}
