/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A litmus test written down as a trace. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "sim/program/layout.h"
#include "sim/program/litmus.h"
#include "sim/report/convert.h"

struct trace_writer {
    struct text *out;
    const struct program *program;
    const struct source_list *sources;
    const char **names; /* of objects, as a trace may call them */
};

/* ---- names ---- */

static bool is_taken(const struct trace_writer *writer, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(writer->names[i], name) == 0)
            return true;
    return false;
}

/* A name that the reader made up for the assembler; the object proper is before it. */
static bool is_alias(const struct object *object) { return strncmp(object->name, "_.", 2) == 0; }

static size_t aliased(const struct program *program, size_t alias)
{
    size_t i = 0;
    while (is_alias(&program->objects[i]) ||
           program->objects[i].address != program->objects[alias].address)
        i++;
    return i;
}

/* Every object has a name of its own that is a plain word. */
static void choose_names(struct trace_writer *writer)
{
    const struct program *program = writer->program;
    struct region *region = writer->out->region;
    writer->names = region_array(region, program->object_count + 1, sizeof *writer->names);
    for (size_t i = 0; i < program->object_count; i++) {
        if (is_alias(&program->objects[i])) {
            writer->names[i] = writer->names[aliased(program, i)];
            continue;
        }
        char *name = region_printf(region, "%.*s", NAME_MAX_BYTES - 8, program->objects[i].name);
        size_t length = strlen(name);
        if (length > 1 && name[length - 1] == ']')
            name[length - 1] = '\0';
        for (char *c = name; *c; c++)
            if (!isalnum((unsigned char)*c))
                *c = '_';
        const char *stem = name;
        if (isdigit((unsigned char)*name) || name_is_reserved(name))
            stem = name = region_printf(region, "v_%s", name);
        for (unsigned n = 2; is_taken(writer, i, name); n++)
            name = region_printf(region, "%s_%u", stem, n);
        writer->names[i] = name;
    }
}

/* ---- memory ---- */

static uint64_t word_at(const struct object *object, uint64_t at, uint64_t size)
{
    uint64_t word = 0;
    for (uint64_t i = 0; i < size && at + i < object->init_size; i++)
        word |= (uint64_t)object->init[at + i] << 8 * i;
    return word;
}

/* A number, or the object that it is the address of. */
static void put_value(struct trace_writer *writer, uint64_t value)
{
    const struct program *program = writer->program;
    int root = value >= OBJECT_BASE ? program_object_at(program, value, 1) : NO_INDEX;
    if (root == NO_INDEX || !program->litmus->has_addresses) {
        text_printf(writer->out, "%" PRIu64, value);
        return;
    }
    text_add(writer->out, writer->names[root]);
    if (value > program->objects[root].address)
        text_printf(writer->out, "+%" PRIu64, value - program->objects[root].address);
}

static void put_init(struct trace_writer *writer, const struct object *object)
{
    uint64_t size = object->size;
    text_add(writer->out, ", init: ");
    if (size == 1 || size == 2 || size == 4 || size == 8) {
        put_value(writer, word_at(object, 0, size));
    } else if (size % 8 == 0) {
        for (uint64_t at = 0; at < size; at += 8) {
            text_add(writer->out, at ? ", " : "[");
            put_value(writer, word_at(object, at, 8));
        }
        text_add(writer->out, "]");
    } else {
        for (uint64_t i = 0; i < object->init_size; i++)
            text_printf(writer->out, "%s%02x", i ? " " : "\"", object->init[i]);
        text_add(writer->out, "\"");
    }
}

static void put_memory(struct trace_writer *writer)
{
    const struct program *program = writer->program;
    if (program->object_count)
        text_add(writer->out, "memory:\n");
    for (size_t i = 0; i < program->object_count; i++) {
        const struct object *object = &program->objects[i];
        if (is_alias(object))
            continue;
        text_printf(writer->out, "  %s: {", writer->names[i]);
        if (object->parent != NO_INDEX)
            text_printf(writer->out, "at: %s+%" PRIu64 ", ", writer->names[object->parent],
                        object->address - program->objects[object->parent].address);
        text_printf(writer->out, "size: %" PRIu64, object->size);
        if (object->init)
            put_init(writer, object);
        text_add(writer->out, "}\n");
    }
}

/* ---- CPUs ---- */

/* A line of assembly; names that the reader had to make up are replaced. */
static void put_line(struct trace_writer *writer, const char *line)
{
    const struct program *program = writer->program;
    while (*line) {
        size_t length =
            strspn(line, "_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
        const char *word = line;
        int object = NO_INDEX;
        if (length && strncmp(line, "_.", 2) == 0)
            object = program_object(program, region_strndup(writer->out->region, line, length));
        if (object != NO_INDEX)
            text_add(writer->out, writer->names[object]);
        else
            text_add_bytes(writer->out, word, length ? length : 1);
        line += length ? length : 1;
    }
}

static void put_code(struct trace_writer *writer, const struct snippet *snippet)
{
    for (size_t i = 0; i < writer->sources->count; i++) {
        const struct source *source = writer->sources->items[i];
        if (source->snippet != snippet)
            continue;
        text_add(writer->out, "    asm: |\n");
        for (size_t n = 0; n < source->line_count; n++) {
            text_add(writer->out, "      ");
            put_line(writer, source->lines[n].text);
            text_add(writer->out, "\n");
        }
        return;
    }
    text_add(writer->out, "    asm: \"\"\n");
}

static void put_registers(struct trace_writer *writer, const struct cpu *cpu)
{
    static const char *const names[16] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                          "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
    size_t count = 0;
    for (size_t i = 0; i < 16; i++) {
        bool is_default = i == 4 ? cpu->gpr[i] == cpu->stack + STACK_TOP_OFFSET : cpu->gpr[i] == 0;
        if (is_default)
            continue;
        text_printf(writer->out, "%s%s: ", count++ ? ", " : "    regs: {", names[i]);
        put_value(writer, cpu->gpr[i]);
    }
    if (count)
        text_add(writer->out, "}\n");
}

/* ---- conditions ---- */

static const char *sign_of(enum condition_op op)
{
    static const char *const signs[] = {"==", "!=", "<", "<=", ">", ">=", "&&", "||"};
    return signs[op - CONDITION_EQ];
}

static void put_term(struct trace_writer *writer, const struct term *term)
{
    text_add(writer->out, term->is_object ? writer->names[term->object] : term->text);
}

static void put_value_of(struct trace_writer *writer, const struct condition *condition)
{
    if (condition->op == CONDITION_NUMBER)
        text_printf(writer->out, "%" PRIu64, condition->number);
    else
        put_term(writer, &writer->program->terms[condition->term]);
}

/* With brackets around everything inside that is joined otherwise; trees are balanced. */
static void put_condition(struct trace_writer *writer, const struct condition *condition,
                          enum condition_op around)
{
    struct text *out = writer->out;
    const struct condition *left = condition->left, *right = condition->right;
    bool bracketed = condition->op != around && around != CONDITION_NUMBER;
    switch (condition->op) {
    case CONDITION_NUMBER:
        text_add(out, condition->number ? "0 == 0" : "0 == 1");
        break;
    case CONDITION_NOT:
        text_add(out, "!(");
        put_condition(writer, left, CONDITION_NUMBER);
        text_add(out, ")");
        break;
    case CONDITION_AND:
    case CONDITION_OR:
        text_add(out, bracketed ? "(" : "");
        put_condition(writer, left, condition->op);
        text_printf(out, " %s ", sign_of(condition->op));
        put_condition(writer, right, condition->op);
        text_add(out, bracketed ? ")" : "");
        break;
    default:
        put_value_of(writer, left);
        text_printf(out, " %s ", sign_of(condition->op));
        put_value_of(writer, right);
        break;
    }
}

static void put_expected(struct trace_writer *writer, const char *before, const char *kind,
                         const struct condition *condition)
{
    text_printf(writer->out, "%s  - %s: '", before, kind);
    put_condition(writer, condition, CONDITION_NUMBER);
    text_add(writer->out, "'\n");
}

static void put_expect(struct trace_writer *writer)
{
    const struct program *program = writer->program;
    const struct litmus *litmus = program->litmus;
    struct text *out = writer->out;
    for (size_t i = 0; i < program->term_count; i++) {
        text_add(out, i ? ", " : "observe: [");
        put_term(writer, &program->terms[i]);
    }
    text_add(out, program->term_count ? "]\n" : "");
    if (litmus->quantifier != QUANTIFIER_EXISTS) {
        text_add(out, "expect:\n");
        put_expected(writer, "", litmus->quantifier == QUANTIFIER_FORALL ? "always" : "never",
                     program->expectations[0].condition);
        return;
    }
    const struct condition filtered = {
        .op = CONDITION_AND, .left = litmus->filter, .right = litmus->condition, .term = NO_INDEX};
    const struct condition *condition = litmus->filter ? &filtered : litmus->condition;
    text_add(out, "# The test only asks whether this is reachable. To expect an answer, keep one:\n"
                  "# expect:\n");
    put_expected(writer, "# ", "sometimes", condition);
    put_expected(writer, "# ", "never", condition);
}

static void put_quoted(struct text *out, const char *string)
{
    text_add(out, "'");
    for (; *string; string++)
        text_add_bytes(out, *string == '\'' ? "''" : string, *string == '\'' ? 2 : 1);
    text_add(out, "'\n");
}

void write_trace(struct text *out, const struct program *program, const struct source_list *sources)
{
    struct trace_writer writer = {out, program, sources, NULL};
    choose_names(&writer);
    text_add(out, "trace: 1\nname: ");
    put_quoted(out, program->name);
    if (program->about) {
        text_add(out, "about: ");
        put_quoted(out, program->about);
    }
    text_add(out, "syntax: att\n");
    put_memory(&writer);
    text_add(out, "cpus:\n");
    for (size_t i = 0; i < program->cpu_count; i++) {
        text_printf(out, "  - name: %s\n", program->cpus[i].name);
        put_registers(&writer, &program->cpus[i]);
        put_code(&writer, program->variants[0].code[i]);
    }
    put_expect(&writer);
}
