/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The init section: types and values of variables and registers at the start. */
#include "sim/program/litmus_reader.h"

enum { ARRAY_BYTES_MAX = 65536 };

static const struct {
    const char *name;
    struct value_type type;
} types[] = {
    {"int", {4, true}},        {"int8_t", {1, true}},     {"uint8_t", {1, false}},
    {"int16_t", {2, true}},    {"uint16_t", {2, false}},  {"int32_t", {4, true}},
    {"uint32_t", {4, false}},  {"int64_t", {8, true}},    {"uint64_t", {8, false}},
    {"char", {1, true}},       {"short", {2, true}},      {"long", {8, true}},
    {"intptr_t", {8, true}},   {"uintptr_t", {8, false}}, {"atomic_t", {4, true}},
    {"atomic_int", {4, true}}, {"bool", {1, false}},
};

static const struct value_type int_type = {4, true}, pointer_type = {8, false};

/* What stands before the location: its type. */
struct declaration {
    bool typed, pointer;
    struct value_type type;
};

bool accept_type(struct litmus_reader *reader, struct value_type *type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!word_is(reader, types[i].name))
            continue;
        *type = types[i].type;
        next_word(reader);
        return true;
    }
    return false;
}

static void take_type(struct litmus_reader *reader, struct declaration *declaration)
{
    if (word_is(reader, "_Atomic") || word_is(reader, "volatile")) {
        next_word(reader);
    } else if (accept_type(reader, &declaration->type)) {
        declaration->typed = true;
    } else {
        litmus_unexpected(reader, "a type (int, int8_t .. uint64_t)");
        next_word(reader);
    }
}

/* Whether the present name is a type: something other than what follows a location comes next. */
static bool before_location(const struct litmus_reader *reader)
{
    char next = peek_character(reader);
    return reader->word.kind == WORD_NAME && next && !strchr("=;:}[", next);
}

/* "int [x]": the bracket holds a name, not the length of an array. */
static bool before_bracketed(const struct litmus_reader *reader)
{
    const char *at = reader->at;
    if (reader->word.kind != WORD_NAME || peek_character(reader) != '[')
        return false;
    while (*at != '[')
        at++;
    for (at++; at < reader->end && (*at == ' ' || *at == '\t');)
        at++;
    return at < reader->end && !(*at >= '0' && *at <= '9');
}

static struct declaration read_type(struct litmus_reader *reader)
{
    struct declaration declaration = {.type = int_type};
    while (before_location(reader) || before_bracketed(reader))
        take_type(reader, &declaration);
    while (accept_sign(reader, '*'))
        declaration.pointer = true;
    if (declaration.pointer)
        declaration.type = pointer_type;
    return declaration;
}

static void skip_item(struct litmus_reader *reader)
{
    while (reader->word.kind != WORD_END && !word_is_sign(reader, ';') &&
           !word_is_sign(reader, '}'))
        next_word(reader);
}

bool read_symbol_address(struct litmus_reader *reader, bool make, uint32_t *symbol, int64_t *offset)
{
    accept_sign(reader, '&');
    if (reader->word.kind != WORD_NAME) {
        litmus_unexpected(reader, "a number or the name of a variable");
        return false;
    }
    int found = symbol_find(reader, reader->word.start, reader->word.length);
    if (found == NO_INDEX && make)
        found = symbol_add(reader, reader->word, int_type);
    else if (found == NO_INDEX)
        litmus_error(reader, reader->word.place, "found %s, which no thread and no value names",
                     word_found(reader));
    next_word(reader);
    *offset = 0;
    if (found == NO_INDEX)
        return false;
    *symbol = (uint32_t)found;
    if (!accept_sign(reader, '['))
        return true;
    uint64_t index;
    if (!read_number(reader, &index) || !expect_sign(reader, ']', "the index"))
        return false;
    *offset = (int64_t)(index * reader->symbols[found].type.size);
    return true;
}

static bool at_number(const struct litmus_reader *reader)
{
    return reader->word.kind == WORD_NUMBER || word_is_sign(reader, '-');
}

static void put_bytes(uint8_t *bytes, uint64_t value, uint8_t size)
{
    for (uint8_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

/* A value of `size` bytes into an object, or an address that is filled in later. */
static bool read_object_value(struct litmus_reader *reader, uint32_t object, uint64_t at,
                              uint8_t size)
{
    uint64_t number;
    struct pending pending = {.object = object, .at = at, .size = size};
    if (at_number(reader)) {
        if (!read_number(reader, &number))
            return false;
        put_bytes(reader->program->objects[object].init + at, number, size);
        return true;
    }
    if (!read_symbol_address(reader, true, &pending.target, &pending.offset))
        return false;
    add_pending(reader, &pending);
    return true;
}

static void make_room(struct litmus_reader *reader, uint32_t index, uint64_t size)
{
    struct object *object = &reader->program->objects[index];
    object->size = object->init_size = size;
    object->init = region_alloc(reader->region, size);
}

/* "{1, 2}" for an array of `count`. */
static bool read_elements(struct litmus_reader *reader, uint32_t index, uint64_t count)
{
    struct place place = reader->word.place;
    uint8_t size = reader->symbols[index].type.size;
    uint64_t given = 0;
    if (!expect_sign(reader, '{', "the '=' of an array"))
        return false;
    do {
        if (given < count ? !read_object_value(reader, index, given * size, size)
                          : reader->word.kind == WORD_END)
            return false;
        if (given >= count)
            next_word(reader);
        given++;
    } while (accept_sign(reader, ','));
    if (!expect_sign(reader, '}', "the values of an array"))
        return false;
    if (given != count)
        litmus_error(reader, place, "found %llu values for the array '%s', expected %llu",
                     (unsigned long long)given, reader->program->objects[index].name,
                     (unsigned long long)count);
    return true;
}

/* "ATOMIC_INIT(v)", "(v)" or v. */
static bool read_single(struct litmus_reader *reader, uint32_t index)
{
    bool wrapped = false;
    if (word_is(reader, "ATOMIC_INIT"))
        next_word(reader);
    wrapped = accept_sign(reader, '(');
    return read_object_value(reader, index, 0, reader->symbols[index].type.size) &&
           (!wrapped || expect_sign(reader, ')', "the value"));
}

static bool read_array_length(struct litmus_reader *reader, uint32_t index, uint64_t *count)
{
    struct place place = reader->word.place;
    if (!read_number(reader, count) || !expect_sign(reader, ']', "the array's length"))
        return false;
    if (*count >= 1 && *count <= ARRAY_BYTES_MAX / reader->symbols[index].type.size)
        return true;
    litmus_error(reader, place,
                 "found an array of %llu, expected 1 or more, in all at most %d bytes",
                 (unsigned long long)*count, ARRAY_BYTES_MAX);
    return false;
}

/*
 * Notes that an item speaks of the variable. One item may give its type and another its value;
 * false when this one says either again.
 */
static bool declare(struct litmus_reader *reader, uint32_t index,
                    const struct declaration *declaration, struct place place)
{
    struct symbol *symbol = &reader->symbols[index];
    bool again = symbol->declared && (declaration->typed || symbol->valued);
    if (again)
        litmus_error(reader, place, "found '%s' a second time in the init section",
                     reader->program->objects[index].name);
    else if (!symbol->declared || declaration->typed)
        symbol->type = declaration->type;
    symbol->typed |= declaration->typed || declaration->pointer;
    symbol->declared = true;
    return !again;
}

/* "[3]" behind the name of an array, "= value", both of them optional. */
static bool read_contents(struct litmus_reader *reader, uint32_t index, bool bracketed)
{
    uint64_t count = reader->symbols[index].elements;
    if (!bracketed && accept_sign(reader, '[') && !read_array_length(reader, index, &count))
        return false;
    struct symbol *symbol = &reader->symbols[index];
    symbol->elements = (uint32_t)count;
    symbol->valued = accept_sign(reader, '=');
    bool given = symbol->valued;
    if (given && !symbol->typed && !count && !at_number(reader) &&
        !word_is(reader, "ATOMIC_INIT") && !word_is_sign(reader, '('))
        symbol->type = pointer_type; /* an address needs its room */
    make_room(reader, index, (count ? count : 1) * symbol->type.size);
    return !given || (count ? read_elements(reader, index, count) : read_single(reader, index));
}

static bool read_variable(struct litmus_reader *reader, const struct declaration *declaration)
{
    bool bracketed = accept_sign(reader, '[');
    struct word name = reader->word;
    if (name.kind != WORD_NAME) {
        litmus_unexpected(reader, "a variable or a register such as 0:rax");
        return false;
    }
    int found = symbol_find(reader, name.start, name.length);
    if (found == NO_INDEX)
        found = symbol_add(reader, name, declaration->type);
    next_word(reader);
    if (found == NO_INDEX || (bracketed && !expect_sign(reader, ']', "the variable")) ||
        !declare(reader, (uint32_t)found, declaration, name.place))
        return false;
    return read_contents(reader, (uint32_t)found, bracketed);
}

static bool read_register_value(struct litmus_reader *reader, struct typed_register *value)
{
    uint32_t target;
    int64_t offset;
    value->given = true;
    if (at_number(reader))
        return read_number(reader, &value->value);
    if (!read_symbol_address(reader, true, &target, &offset))
        return false;
    value->target = (int)target;
    value->value = (uint64_t)offset;
    reader->litmus->has_addresses = true;
    return true;
}

/*
 * The value that a register holds at the start, as the 64 bits that the processor has: the
 * type says how many of them matter.
 */
static void wrap_register(struct typed_register *value)
{
    unsigned bits = value->type.size * 8u;
    if (value->target == NO_INDEX && bits < 64)
        value->value &= (UINT64_C(1) << bits) - 1;
}

static bool read_register(struct litmus_reader *reader, const struct declaration *declaration)
{
    struct place place = reader->word.place;
    struct litmus_register which;
    uint32_t cpu;
    if (!read_thread_number(reader, &cpu) || !expect_sign(reader, ':', "the thread's number") ||
        !read_whole_register(reader, &which))
        return false;
    struct typed_register *value = register_find(reader, cpu, which.order);
    if (!value)
        value = register_add(reader, cpu, which.order);
    else if ((declaration->typed && value->typed) || (value->given && word_is_sign(reader, '=')))
        litmus_error(reader, place, "found this register a second time in the init section");
    if (declaration->typed || declaration->pointer)
        value->type = declaration->type;
    value->typed |= declaration->typed;
    if (accept_sign(reader, '=') && !read_register_value(reader, value))
        return false;
    if (value->typed)
        wrap_register(value);
    return true;
}

static bool read_item(struct litmus_reader *reader)
{
    struct declaration declaration = read_type(reader);
    bool is_register = reader->word.kind == WORD_NUMBER ||
                       (reader->word.kind == WORD_NAME && peek_character(reader) == ':');
    if (is_register ? !read_register(reader, &declaration) : !read_variable(reader, &declaration))
        return false;
    if (word_is_sign(reader, ';') || word_is_sign(reader, '}'))
        return true;
    litmus_unexpected(reader, "';' or '}' after a value");
    return false;
}

void read_init_section(struct litmus_reader *reader)
{
    if (!expect_sign(reader, '{', "the header"))
        return;
    while (!accept_sign(reader, '}')) {
        if (reader->word.kind == WORD_END) {
            litmus_unexpected(reader, "'}' at the end of the init section");
            return;
        }
        if (!accept_sign(reader, ';') && !read_item(reader))
            skip_item(reader);
    }
}
