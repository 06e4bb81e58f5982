/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of a litmus test from machine code. Only what herd knows is written, in its order of
 * operands (a cmpxchg has the memory first), with jumps to labels that are unique in the test.
 */
#include <inttypes.h>
#include <string.h>

#include "sim/isa/insn.h"
#include "sim/program/litmus.h"
#include "sim/report/write_litmus.h"

/* What herd has words for; `shape` says how. */
static const struct known {
    const char *mnemonic, *written;
    enum shape { SIZED, MEMORY_FIRST, UNSUFFIXED, BARE, JUMP } shape;
} known[] = {
    {"mov", "mov", SIZED},
    {"movabs", "mov", SIZED},
    {"add", "add", SIZED},
    {"xor", "xor", SIZED},
    {"or", "or", SIZED},
    {"inc", "inc", SIZED},
    {"dec", "dec", SIZED},
    {"cmp", "cmp", SIZED},
    {"xchg", "xchg", SIZED},
    {"movnti", "movnti", SIZED},
    {"cmpxchg", "cmpxchg", MEMORY_FIRST},
    {"and", "and", UNSUFFIXED},
    {"shl", "shl", UNSUFFIXED},
    {"clflush", "clflush", UNSUFFIXED},
    {"clflushopt", "clflushopt", UNSUFFIXED},
    {"setae", "setnb", UNSUFFIXED},
    {"mfence", "mfence", BARE},
    {"lfence", "lfence", BARE},
    {"sfence", "sfence", BARE},
    {"nop", "nop", BARE},
    {"endbr64", "endbr64", BARE},
    {"jmp", "jmp", JUMP},
    {"je", "je", JUMP},
    {"jne", "jne", JUMP},
    {"jle", "jle", JUMP},
    {"jl", "jlt", JUMP},
    {"jge", "jge", JUMP},
    {"jg", "jgt", JUMP},
    {"js", "js", JUMP},
    {"jns", "jns", JUMP},
};

/* One thread's cells; labels stand in cells of their own. */
struct column {
    const char **cells;
    size_t count, capacity, width;
};

/* The instruction that is being written. */
struct code_writer {
    struct litmus_writer *writer;
    struct region *region;
    struct code code;
    uint32_t cpu;
    const struct insn *insn;
    struct place place;
    struct text text;
};

static const struct known *find_known(const char *mnemonic)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].mnemonic, mnemonic) == 0)
            return &known[i];
    return NULL;
}

static void put_memory(struct code_writer *code)
{
    const struct memory_operand *memory = &code->insn->memory;
    const struct program *program = code->writer->program;
    if (memory->segment) {
        cannot_say(code->writer, code->place, "a segment in %s", code->insn->text);
        return;
    }
    if (memory->base == NO_REGISTER && memory->index == NO_REGISTER) {
        int object = program_object_at(program, (uint64_t)memory->displacement, 1);
        if (object == NO_INDEX ||
            program->objects[object].address != (uint64_t)memory->displacement)
            cannot_say(code->writer, code->place, "the address in %s, which is inside an object",
                       code->insn->text);
        else
            text_printf(&code->text, "(%s)", program->objects[object].name);
        return;
    }
    if (memory->base == NO_REGISTER || memory->base > 15) {
        cannot_say(code->writer, code->place, "an address without a base register in %s",
                   code->insn->text);
        return;
    }
    if (memory->displacement)
        text_printf(&code->text, "%" PRId64, memory->displacement);
    text_printf(&code->text, "(%s", register_text(memory->base, 64));
    if (memory->index != NO_REGISTER)
        text_printf(&code->text, ",%s,%u", register_text(memory->index, 64), memory->scale);
    text_add(&code->text, ")");
}

static void put_operand(struct code_writer *code, const struct operand *operand)
{
    static const char *const high[] = {"%ah", "%ch", "%dh", "%bh"};
    if (operand->kind == OPERAND_GENERAL)
        text_add(&code->text, register_text(operand->number, (uint8_t)(operand->size * 8)));
    else if (operand->kind == OPERAND_HIGH_BYTE)
        text_add(&code->text, high[operand->number & 3]);
    else if (operand->kind == OPERAND_IMMEDIATE)
        text_printf(&code->text, "$%" PRId64, code->insn->immediate);
    else if (operand->kind == OPERAND_MEMORY)
        put_memory(code);
    else
        cannot_say(code->writer, code->place, "an operand of %s", code->insn->text);
}

static unsigned operand_count(const struct insn *insn)
{
    unsigned count = 0;
    while (count < OPERANDS_MAX && insn->operands[count].kind != OPERAND_NONE)
        count++;
    return count;
}

/* herd's 'and' and 'shl' have no suffix: what they access is 4 bytes wide. */
static bool fits_shape(const struct code_writer *code, enum shape shape, uint8_t size)
{
    if (shape != UNSUFFIXED || code->insn->class == INSN_FLUSH)
        return true;
    return size == 4 || (!code->insn->memory.present && size == 8) ||
           strcmp(code->insn->mnemonic, "setae") == 0;
}

static const char *label_name(struct code_writer *code, uint64_t address)
{
    return region_printf(code->region, "L%u_%" PRIx64, code->cpu,
                         address - code->code.snippet->address);
}

/* The cell of an instruction. */
static const char *insn_cell(struct code_writer *code)
{
    const struct insn *insn = code->insn;
    const char *mnemonic = insn->lock && strncmp(insn->mnemonic, "lock ", 5) == 0
                               ? insn->mnemonic + 5
                               : insn->mnemonic;
    const struct known *found = find_known(mnemonic);
    unsigned count = operand_count(insn);
    uint8_t size = insn->operands[0].size;
    if (!found || !fits_shape(code, found->shape, size) ||
        (found->shape == JUMP && !insn->has_target)) {
        cannot_say(code->writer, code->place, "the instruction %s", insn->text);
        return "";
    }
    text_init(&code->text, code->region);
    text_printf(&code->text, "%s%s", insn->lock ? "lock " : "", found->written);
    if (found->shape == JUMP) {
        text_printf(&code->text, " %s", label_name(code, insn->target));
        return code->text.data;
    }
    if (found->shape == SIZED || found->shape == MEMORY_FIRST)
        text_add_bytes(&code->text, size == 1 ? "b" : size == 2 ? "w" : size == 4 ? "l" : "q", 1);
    for (unsigned i = 0; i < count && found->shape != BARE; i++) {
        text_add(&code->text, i ? "," : " ");
        put_operand(code, &insn->operands[found->shape == MEMORY_FIRST ? i : count - 1 - i]);
    }
    return code->text.data;
}

static void add_cell(struct region *region, struct column *column, const char *cell)
{
    column->cells =
        region_push(region, column->cells, column->count, &column->capacity, sizeof *column->cells);
    column->cells[column->count++] = cell;
    if (strlen(cell) > column->width)
        column->width = strlen(cell);
}

static bool is_target(struct code_writer *code, uint64_t address)
{
    const struct snippet *snippet = code->code.snippet;
    for (uint64_t at = snippet->address; at < snippet->address + snippet->size;) {
        const struct insn *insn = code_at(&code->code, at);
        if (!insn)
            return false;
        if (insn->has_target && insn->target == address)
            return true;
        at += insn->length;
    }
    return false;
}

static struct place place_at(const struct snippet *snippet, uint64_t offset, struct place otherwise)
{
    struct place place = otherwise;
    for (size_t i = 0; i < snippet->line_count && snippet->lines[i].offset <= offset; i++)
        place = snippet->lines[i].place;
    return place;
}

static struct column make_column(struct litmus_writer *writer, uint32_t cpu)
{
    struct region *region = writer->out->region;
    const struct snippet *snippet = writer->program->variants[writer->variant].code[cpu];
    struct code_writer code = {.writer = writer, .region = region, .cpu = cpu};
    struct column column = {0};
    add_cell(region, &column, region_printf(region, "P%u", cpu));
    code_init(&code.code, region, snippet);
    code.code.program = writer->program;
    uint64_t end = snippet->address + snippet->size, at = snippet->address;
    while (at < end && (code.insn = code_at(&code.code, at))) {
        code.place = place_at(snippet, at - snippet->address, writer->program->cpus[cpu].place);
        if (is_target(&code, at))
            add_cell(region, &column, region_printf(region, "%s:", label_name(&code, at)));
        add_cell(region, &column, insn_cell(&code));
        at += code.insn->length;
    }
    if (snippet->size && is_target(&code, end))
        add_cell(region, &column, region_printf(region, "%s:", label_name(&code, end)));
    return column;
}

void put_litmus_code(struct litmus_writer *writer)
{
    size_t rows = 0, count = writer->program->cpu_count;
    struct column *columns = region_array(writer->out->region, count, sizeof *columns);
    for (uint32_t i = 0; i < count; i++) {
        columns[i] = make_column(writer, i);
        rows = columns[i].count > rows ? columns[i].count : rows;
    }
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < count; i++) {
            const char *cell = row < columns[i].count ? columns[i].cells[row] : "";
            text_printf(writer->out, " %-*s %s", (int)columns[i].width, cell,
                        i + 1 < count ? "|" : ";\n");
        }
}
