/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace written down as a litmus test: its memory, registers and conditions. */
#include <inttypes.h>
#include <string.h>

#include "sim/program/layout.h"
#include "sim/report/write_litmus.h"

void cannot_say(struct litmus_writer *writer, struct place place, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    diagnostics_add(writer->diagnostics, writer->program->file, place,
                    "a litmus test cannot say this: %s", message);
}

/* ---- memory ---- */

static const char *type_name(uint64_t size)
{
    return size == 1   ? "uint8_t"
           : size == 2 ? "uint16_t"
           : size == 4 ? "uint32_t"
           : size == 8 ? "uint64_t"
                       : NULL;
}

static uint64_t word_at(const struct object *object, uint64_t at, uint64_t size)
{
    uint64_t word = 0;
    for (uint64_t i = 0; i < size && at + i < object->init_size; i++)
        word |= (uint64_t)object->init[at + i] << 8 * i;
    return word;
}

static bool check_object(struct litmus_writer *writer, const struct object *object)
{
    static const char *const types[] = {"wb", "wt", "wp", "wc", "uc"};
    struct place place = object->place;
    if (object->parent != NO_INDEX)
        cannot_say(writer, place, "'%s' is a name inside another object", object->name);
    else if (object->type != MEMORY_WB)
        cannot_say(writer, place, "'%s' is %s memory", object->name, types[object->type]);
    else if (object->persistent || object->code)
        cannot_say(writer, place, "'%s' is %s", object->name, object->code ? "code" : "persistent");
    else if (!type_name(object->size) && object->size > LINE_BYTES)
        cannot_say(writer, place, "'%s' has %" PRIu64 " bytes, more than %d", object->name,
                   object->size, LINE_BYTES);
    else
        return true;
    return false;
}

/* An address is the name of what is there. */
static void put_value(struct litmus_writer *writer, uint64_t value, struct place place)
{
    const struct program *program = writer->program;
    int object = value >= OBJECT_BASE ? program_object_at(program, value, 1) : NO_INDEX;
    if (object == NO_INDEX)
        text_printf(writer->out, "%" PRId64, (int64_t)value);
    else if (program->objects[object].address == value)
        text_add(writer->out, program->objects[object].name);
    else
        cannot_say(writer, place, "an address inside '%s'", program->objects[object].name);
}

static void put_object(struct litmus_writer *writer, const struct object *object)
{
    struct text *out = writer->out;
    const char *type = type_name(object->size);
    if (!check_object(writer, object))
        return;
    if (type) {
        text_printf(out, " %s %s", type, object->name);
        if (object->init) {
            text_add(out, "=");
            put_value(writer, word_at(object, 0, object->size), object->place);
        }
        text_add(out, ";\n");
        return;
    }
    text_printf(out, " uint8_t %s[%" PRIu64 "]={", object->name, object->size);
    for (uint64_t i = 0; i < object->size; i++)
        text_printf(out, "%s%" PRIu64, i ? "," : "", word_at(object, i, 1));
    text_add(out, "};\n");
}

/* ---- registers ---- */

static const char *const wide_names[16] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                           "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

/* The width that conditions give a register of a CPU; 64 without one. */
static uint8_t term_width(struct litmus_writer *writer, uint32_t cpu, uint8_t index, bool *named)
{
    const struct program *program = writer->program;
    uint8_t width = 64;
    *named = false;
    for (size_t i = 0; i < program->term_count; i++) {
        const struct term *term = &program->terms[i];
        if (term->is_object || term->cpu != cpu || term->view.file != REGISTER_GPR ||
            term->view.index != index)
            continue;
        if (*named && width != term->view.width)
            cannot_say(writer, program->cpus[cpu].place,
                       "conditions on two widths of the register %s", wide_names[index]);
        *named = true;
        width = term->view.width;
    }
    return width;
}

static void put_registers(struct litmus_writer *writer, uint32_t cpu)
{
    const struct cpu *from = &writer->program->cpus[cpu];
    struct text *out = writer->out;
    if (from->fs_base || from->gs_base)
        cannot_say(writer, from->place, "a base of fs or gs");
    for (uint8_t i = 0; i < 16; i++) {
        bool named, is_stack = i == 4 && from->gpr[i] == from->stack + STACK_TOP_OFFSET;
        uint8_t width = term_width(writer, cpu, i, &named);
        if (named)
            text_printf(out, " %s %u:%s;", type_name(width / 8u), cpu, wide_names[i]);
        if (from->gpr[i] && !is_stack) {
            text_printf(out, " %u:%s=", cpu, wide_names[i]);
            put_value(writer, from->gpr[i], from->place);
            text_add(out, ";");
        }
        if (named || (from->gpr[i] && !is_stack))
            text_add(out, "\n");
    }
}

/* ---- conditions ---- */

static void put_term(struct litmus_writer *writer, const struct term *term, struct place place)
{
    if (term->is_object) {
        const struct object *object = &writer->program->objects[term->object];
        text_printf(writer->out, "[%s]", object->name);
        return;
    }
    if (term->view.file != REGISTER_GPR || term->view.shift)
        cannot_say(writer, place, "a condition on %s", term->text);
    text_printf(writer->out, "%u:%s", term->cpu, wide_names[term->view.index & 15]);
}

static void put_side(struct litmus_writer *writer, const struct condition *side, struct place place)
{
    if (side->op == CONDITION_NUMBER)
        text_printf(writer->out, "%" PRIu64, side->number);
    else
        put_term(writer, &writer->program->terms[side->term], place);
}

static void put_comparison(struct litmus_writer *writer, const struct condition *condition,
                           struct place place)
{
    const struct condition *left = condition->left, *right = condition->right;
    if (condition->op != CONDITION_EQ && condition->op != CONDITION_NE) {
        cannot_say(writer, place, "a condition with <, <=, >, >=, crash or stuck");
        return;
    }
    if (left->op == CONDITION_NUMBER && right->op == CONDITION_NUMBER) {
        bool is_true = (left->number == right->number) == (condition->op == CONDITION_EQ);
        text_add(writer->out, is_true ? "true" : "false");
        return;
    }
    if (left->op == CONDITION_NUMBER) {
        left = condition->right;
        right = condition->left;
    }
    text_add(writer->out, condition->op == CONDITION_NE ? "not (" : "");
    put_side(writer, left, place);
    text_add(writer->out, "=");
    put_side(writer, right, place);
    text_add(writer->out, condition->op == CONDITION_NE ? ")" : "");
}

/* With brackets around everything inside that is joined otherwise; trees are balanced. */
static void put_condition(struct litmus_writer *writer, const struct condition *condition,
                          enum condition_op around, struct place place)
{
    bool bracketed = condition->op != around && around != CONDITION_NUMBER;
    switch (condition->op) {
    case CONDITION_AND:
    case CONDITION_OR:
        text_add(writer->out, bracketed ? "(" : "");
        put_condition(writer, condition->left, condition->op, place);
        text_add(writer->out, condition->op == CONDITION_AND ? " /\\ " : " \\/ ");
        put_condition(writer, condition->right, condition->op, place);
        text_add(writer->out, bracketed ? ")" : "");
        break;
    case CONDITION_NOT:
        text_add(writer->out, "not (");
        put_condition(writer, condition->left, CONDITION_NUMBER, place);
        text_add(writer->out, ")");
        break;
    default:
        put_comparison(writer, condition, place);
        break;
    }
}

/* Whether an expectation is of this variant and about final states. */
static bool is_told(const struct litmus_writer *writer, const struct expectation *expectation)
{
    const struct program *program = writer->program;
    const char *variant = program->variants[writer->variant].name;
    if (expectation->kind != EXPECT_NEVER && expectation->kind != EXPECT_SOMETIMES &&
        expectation->kind != EXPECT_ALWAYS)
        return false;
    struct expectation every_profile = *expectation;
    every_profile.profiles.count = 0;
    return expectation_applies(&every_profile, variant, "");
}

/* Many "never" are one about any of them, many "always" one about all. */
static void put_expectations(struct litmus_writer *writer)
{
    static const char *const quantifiers[] = {"~exists", "exists", "forall"};
    const struct program *program = writer->program;
    const struct expectation *first = NULL;
    size_t told = 0;
    for (size_t i = 0; i < program->expectation_count; i++)
        told += is_told(writer, &program->expectations[i]);
    for (size_t i = 0; i < program->expectation_count; i++) {
        const struct expectation *expectation = &program->expectations[i];
        if (!is_told(writer, expectation))
            continue;
        if (expectation->profiles.count)
            cannot_say(writer, expectation->place, "an expectation of some profiles only");
        if (first && (first->kind != expectation->kind || first->kind == EXPECT_SOMETIMES))
            cannot_say(writer, expectation->place,
                       "more than one expectation, unless all are never or all are always");
        if (first)
            text_add(writer->out, first->kind == EXPECT_NEVER ? " \\/ " : " /\\ ");
        else
            text_printf(writer->out, "%s (", quantifiers[expectation->kind]);
        first = first ? first : expectation;
        enum condition_op around = told == 1                     ? CONDITION_NUMBER
                                   : first->kind == EXPECT_NEVER ? CONDITION_OR
                                                                 : CONDITION_AND;
        put_condition(writer, expectation->condition, around, expectation->place);
    }
    text_add(writer->out, first ? ")\n" : "forall (true)\n");
}

static void put_locations(struct litmus_writer *writer)
{
    const struct program *program = writer->program;
    for (size_t i = 0; i < program->observed_count; i++) {
        const struct term *term = &program->terms[i];
        text_add(writer->out, i ? " " : "locations [");
        if (term->is_object)
            text_printf(writer->out, "%s;", program->objects[term->object].name);
        else
            text_printf(writer->out, "%u:%s;", term->cpu, wide_names[term->view.index & 15]);
    }
    text_add(writer->out, program->observed_count ? "]\n" : "");
}

/* ---- the whole ---- */

static void check_program(struct litmus_writer *writer)
{
    const struct program *program = writer->program;
    const struct variant *variant = &program->variants[writer->variant];
    for (size_t i = 0; i < program->cpu_count; i++) {
        if (program->cpus[i].agent == AGENT_DEVICE)
            cannot_say(writer, program->cpus[i].place, "'%s' is a device", program->cpus[i].name);
        if (variant->setup[i])
            cannot_say(writer, program->cpus[i].place, "'%s' has a setup", program->cpus[i].name);
    }
    for (size_t i = 0; i < program->handler_count; i++)
        cannot_say(writer, program->handlers[i].place, "an interrupt handler");
}

void write_litmus(struct text *out, const struct program *program, uint32_t variant,
                  struct diagnostics *diagnostics)
{
    struct litmus_writer writer = {out, program, variant, diagnostics};
    check_program(&writer);
    text_add(out, "X86_64 ");
    for (const char *c = program->name; *c; c++) {
        bool plain = *c > ' ' && *c < 0x7f && !strchr("{}()\"", *c);
        text_add_bytes(out, plain ? c : "_", 1);
    }
    if (program->variant_count > 1)
        text_printf(out, "+%s", program->variants[variant].name);
    text_add(out, "\n{\n");
    for (size_t i = 0; i < program->object_count; i++)
        put_object(&writer, &program->objects[i]);
    for (uint32_t i = 0; i < program->cpu_count; i++)
        put_registers(&writer, i);
    text_add(out, "}\n");
    put_litmus_code(&writer);
    put_locations(&writer);
    put_expectations(&writer);
}
