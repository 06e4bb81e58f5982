/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From as's output to the snippet: its bytes, relocated, its line table and slot ranges. */
#include "sim/program/assemble.h"

#include <elf.h>
#include <string.h>

struct finish {
    struct unit *unit;
    const struct as_output *output;
    const struct origin *origins;
    const struct label_table *labels;
    struct region *region;
    struct diagnostics *diagnostics;
    uint64_t begin, end; /* the unit's part of the output */
};

/* ---- where things are ---- */

/* The offset within the snippet where a mark stands; each one is set, as `as` succeeded. */
static uint32_t mark_offset(const struct finish *finish, size_t line)
{
    return (uint32_t)(finish->output->marks[line] - finish->begin);
}

static bool has_mark(const struct finish *finish, size_t line)
{
    return finish->output->marks[line] != NO_MARK;
}

static uint32_t source_line_at(const struct finish *finish, size_t line)
{
    const struct unit *unit = finish->unit;
    uint32_t statement = finish->origins[line].statement;
    return unit->statements[statement < unit->count ? statement : unit->count - 1].line;
}

/* The source line that the code at an offset of the output came from. */
static uint32_t source_line_of(const struct finish *finish, uint64_t offset)
{
    uint32_t line = 0;
    for (size_t i = finish->unit->first_line; i < finish->unit->end_line; i++)
        if (has_mark(finish, i) && finish->output->marks[i] <= offset)
            line = source_line_at(finish, i);
    return line;
}

/* ---- relocation ---- */

static const struct relocation_kind {
    uint32_t type;
    uint8_t bytes;
    bool relative;               /* to the place itself */
    bool is_signed, is_unsigned; /* which readings of the value must fit */
} relocation_kinds[] = {
    {R_X86_64_64, 8, false, true, true},   {R_X86_64_PC64, 8, true, true, true},
    {R_X86_64_32, 4, false, false, true},  {R_X86_64_32S, 4, false, true, false},
    {R_X86_64_PC32, 4, true, true, false}, {R_X86_64_PLT32, 4, true, true, false},
    {R_X86_64_16, 2, false, true, true},   {R_X86_64_PC16, 2, true, true, false},
    {R_X86_64_8, 1, false, true, true},    {R_X86_64_PC8, 1, true, true, false},
};

static const struct relocation_kind *relocation_kind(uint32_t type)
{
    for (size_t i = 0; i < sizeof relocation_kinds / sizeof relocation_kinds[0]; i++)
        if (relocation_kinds[i].type == type)
            return &relocation_kinds[i];
    return NULL;
}

static bool fits(const struct relocation_kind *kind, int64_t value)
{
    unsigned bits = kind->bytes * 8u;
    if (bits == 64)
        return true;
    int64_t half = INT64_C(1) << (bits - 1);
    return (kind->is_signed && value >= -half && value < half) ||
           (kind->is_unsigned && value >= 0 && value < 2 * half);
}

/* The object or label whose name is most like the symbol's, NULL when none is. */
static const char *nearest_symbol(const struct finish *finish, const char *symbol)
{
    const struct source *source = finish->unit->source;
    const struct program *program = source->program;
    size_t capacity = program->object_count + 64;
    if ((source->diagnostics ? source->diagnostics : finish->diagnostics)->dropped)
        return NULL; /* nobody would read it, and a flood of errors shall not cost much */
    const char **names = region_array(finish->region, capacity, sizeof *names);
    size_t count = 0;
    for (; count < program->object_count; count++)
        names[count] = program->objects[count].name;
    count += unit_label_names(finish->unit, finish->labels, names + count, capacity - count);
    return nearest_name(symbol, names, count);
}

static void report_undefined(const struct finish *finish, uint32_t line, const char *symbol)
{
    const char *nearest = nearest_symbol(finish, symbol);
    if (nearest)
        unit_error(finish->unit, finish->diagnostics, line,
                   "no object named '%s' (did you mean '%s'?)", symbol, nearest);
    else
        unit_error(finish->unit, finish->diagnostics, line, "no object named '%s'", symbol);
}

/* The address that a relocation refers to, without addend; false when it is undefined. */
static bool symbol_address(const struct finish *finish, const struct relocation *relocation,
                           uint64_t *address)
{
    const struct source *source = finish->unit->source;
    if (!relocation->symbol) {
        *address = relocation->absolute ? 0 : source->snippet->address - finish->begin;
        return true;
    }
    int object = program_object(source->program, relocation->symbol);
    if (object != NO_INDEX) {
        *address = source->program->objects[object].address;
        return true;
    }
    /* A $ marks a label that was refused, which was said already. */
    if (!strchr(relocation->symbol, '$'))
        report_undefined(finish, source_line_of(finish, relocation->offset), relocation->symbol);
    return false;
}

/* False when an error was added. */
static bool relocate(const struct finish *finish, const struct relocation *relocation,
                     uint8_t *bytes)
{
    const struct relocation_kind *kind = relocation_kind(relocation->type);
    uint64_t offset = relocation->offset - finish->begin, value;
    if (!kind || offset + kind->bytes > finish->end - finish->begin) {
        unit_error(finish->unit, finish->diagnostics, source_line_of(finish, relocation->offset),
                   "a reference of a kind that a snippet cannot have (ELF relocation %u)",
                   (unsigned)relocation->type);
        return false;
    }
    if (!symbol_address(finish, relocation, &value))
        return false;
    value += (uint64_t)relocation->addend;
    if (kind->relative)
        value -= finish->unit->source->snippet->address + offset;
    if (!fits(kind, (int64_t)value)) {
        unit_error(finish->unit, finish->diagnostics, source_line_of(finish, relocation->offset),
                   "the %s %s does not fit in %u bits",
                   kind->relative ? "distance to" : "address of",
                   relocation->symbol ? relocation->symbol : "this place", kind->bytes * 8u);
        return false;
    }
    for (unsigned i = 0; i < kind->bytes; i++)
        bytes[offset + i] = (uint8_t)(value >> (8 * i));
    return true;
}

size_t first_relocation(const struct as_output *output, uint64_t offset)
{
    size_t low = 0, high = output->relocation_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (output->relocations[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void relocate_all(const struct finish *finish, uint8_t *bytes)
{
    const struct as_output *output = finish->output;
    size_t errors = 0;
    for (size_t i = first_relocation(output, finish->begin);
         i < output->relocation_count && output->relocations[i].offset < finish->end &&
         errors < DIAGNOSTICS_PER_FILE;
         i++)
        errors += !relocate(finish, &output->relocations[i], bytes);
}

/* ---- tables ---- */

static bool same_place(struct place a, struct place b)
{
    return a.line == b.line && a.column == b.column;
}

/* The line table: a row where a line's code begins, none for lines without code. */
static void fill_lines(const struct finish *finish, struct snippet *snippet)
{
    const struct unit *unit = finish->unit;
    size_t marks = 0, count = 0;
    for (size_t i = unit->first_line; i < unit->end_line; i++)
        marks += has_mark(finish, i);
    snippet->lines = region_array(finish->region, marks, sizeof *snippet->lines);
    for (size_t i = unit->first_line; i < unit->end_line; i++) {
        if (!has_mark(finish, i))
            continue;
        struct code_line row = {mark_offset(finish, i),
                                unit->source->lines[source_line_at(finish, i)].place};
        if (count && snippet->lines[count - 1].offset == row.offset)
            count--; /* the line before made no code */
        if (count && same_place(snippet->lines[count - 1].place, row.place))
            continue; /* a label within the line */
        snippet->lines[count++] = row;
    }
    if (count && snippet->lines[count - 1].offset == snippet->size)
        count--;
    snippet->line_count = count;
}

static const char *slot_of(const struct finish *finish, size_t line)
{
    const struct unit *unit = finish->unit;
    return unit->source->lines[source_line_at(finish, line)].slot;
}

/* One range for each run of lines out of the same slot. */
static void fill_slots(const struct finish *finish, struct snippet *snippet)
{
    const struct unit *unit = finish->unit;
    size_t capacity = 0;
    const char *current = NULL;
    for (size_t i = unit->first_line; i <= unit->end_line; i++) {
        if (!has_mark(finish, i))
            continue;
        const char *slot = i < unit->end_line ? slot_of(finish, i) : NULL;
        uint32_t offset = mark_offset(finish, i);
        bool same = slot && current && strcmp(slot, current) == 0;
        if (current && !same)
            snippet->slots[snippet->slot_count - 1].end = offset;
        if (slot && !same) {
            snippet->slots = region_push(finish->region, snippet->slots, snippet->slot_count,
                                         &capacity, sizeof *snippet->slots);
            snippet->slots[snippet->slot_count++] = (struct slot_range){slot, offset, offset};
        }
        current = slot;
    }
}

/* Where the labels stand; a mark is in front of each statement that has some. */
static void fill_labels(const struct finish *finish, struct snippet *snippet)
{
    const struct unit *unit = finish->unit;
    size_t capacity = 0;
    for (size_t i = 0; i < unit->count; i++) {
        const struct statement *statement = &unit->statements[i];
        const char *next = statement->text, *end = next + statement->label_length;
        while (next < end) {
            struct token token = token_at(next, end);
            next += token.length;
            if (token.kind != TOKEN_NAME && token.kind != TOKEN_NUMBER)
                continue;
            snippet->labels = region_push(finish->region, snippet->labels, snippet->label_count,
                                          &capacity, sizeof *snippet->labels);
            snippet->labels[snippet->label_count++] =
                (struct code_label){mark_offset(finish, unit->first_line + i),
                                    region_strndup(finish->region, token.start, token.length)};
        }
    }
}

/* ---- the whole ---- */

static bool check_size(const struct finish *finish)
{
    uint64_t size = finish->end - finish->begin;
    uint32_t limit = finish->unit->source->limit;
    if (size <= limit)
        return true;
    unit_error(finish->unit, finish->diagnostics, source_line_of(finish, finish->begin + limit),
               "%llu bytes of code, but only %u fit", (unsigned long long)size, (unsigned)limit);
    return false;
}

void unit_finish(struct unit *unit, const struct as_output *output, const struct origin *origins,
                 const struct label_table *table, struct region *region,
                 struct diagnostics *diagnostics)
{
    struct finish finish = {unit, output, origins, table, region, diagnostics, 0, 0};
    struct snippet *snippet = unit->source->snippet;
    finish.begin = output->marks[unit->first_line];
    finish.end = output->marks[unit->end_line];
    if (finish.begin == NO_MARK || finish.end < finish.begin || finish.end > output->size) {
        unit_error(unit, diagnostics, 0, "`as` wrote an object file that cannot be understood");
        return;
    }
    if (!check_size(&finish))
        return;
    uint32_t size = (uint32_t)(finish.end - finish.begin);
    uint8_t *bytes = region_alloc(region, size);
    if (size)
        memcpy(bytes, output->bytes + finish.begin, size);
    relocate_all(&finish, bytes);
    if (unit->source->failed)
        return;
    snippet->bytes = bytes;
    snippet->size = size;
    fill_lines(&finish, snippet);
    fill_slots(&finish, snippet);
    fill_labels(&finish, snippet);
}
