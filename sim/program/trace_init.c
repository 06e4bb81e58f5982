/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Initial values: numbers, bytes, addresses of objects, lists of them, and chases. */
#include <ctype.h>
#include <string.h>

#include "sim/program/layout.h"
#include "sim/program/trace_reader.h"

enum { WORD_BYTES = 8 };

/* Splits "name + number"; false when it does not look like that. */
static bool split_address(struct region *region, const char *text, const char **name,
                          uint64_t *offset)
{
    size_t length = strcspn(text, "+ \t");
    *name = region_strndup(region, text, length);
    *offset = 0;
    text += length + strspn(text + length, " \t");
    if (length == 0 || !*text)
        return length != 0;
    if (*text != '+')
        return false;
    text += 1 + strspn(text + 1, " \t");
    return number_parse(text, strlen(text), offset) == NUMBER_OK;
}

bool read_address(struct trace_reader *reader, const struct node *node, const char *what,
                  int *object, uint64_t *offset, uint64_t *address)
{
    struct input *input = &reader->input;
    const char *name;
    uint64_t distance;
    if (node->kind != NODE_SCALAR || node->length == 0 ||
        !split_address(input->region, node->text, &name, &distance)) {
        input_error(input, node->place,
                    "%s: found %s, expected an object's name, with +N for N bytes into it", what,
                    input_describe(input, node));
        return false;
    }
    int index = name_table_find(&reader->objects, name);
    if (index == NO_INDEX) {
        input_error(input, node->place, "%s: found '%.100s', which is no object%s", what, name,
                    input_suggest(input, name, reader->objects.names, reader->objects.name_count));
        return false;
    }
    if (object)
        *object = index;
    if (offset)
        *offset = distance;
    if (address)
        *address = reader->program->objects[index].address + distance;
    return true;
}

/* Whether a scalar is meant as a number: it begins with a digit, or a sign and a digit. */
static bool looks_like_number(const struct node *node)
{
    const char *text = node->text;
    if (node->kind != NODE_SCALAR)
        return false;
    if (*text == '-' || *text == '+')
        text++;
    return isdigit((unsigned char)*text);
}

bool read_value(struct trace_reader *reader, const struct node *node, const char *what,
                unsigned bits, uint64_t *value)
{
    struct input *input = &reader->input;
    uint64_t most = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    uint64_t number;
    if (!looks_like_number(node)) {
        if (!read_address(reader, node, what, NULL, NULL, &number))
            return false;
        if (number > most) {
            input_error(input, node->place, "%s: an address does not fit in %u bits", what, bits);
            return false;
        }
        *value = number;
        return true;
    }
    bool negative = node->text[0] == '-';
    enum number_result result =
        number_parse(node->text + negative, node->length - negative, &number);
    if (result == NUMBER_NONE || result == NUMBER_OCTAL) {
        input_error(input, node->place, "%s: found %s%s, expected a number (decimal or 0x)", what,
                    input_describe(input, node),
                    result == NUMBER_OCTAL ? ", which could be octal" : "");
        return false;
    }
    if (result == NUMBER_TOO_BIG || number > (negative ? most / 2 + 1 : most)) {
        input_error(input, node->place, "%s: found %s, which does not fit in %u bits", what,
                    input_describe(input, node), bits);
        return false;
    }
    *value = (negative ? -number : number) & most;
    return true;
}

/* Takes `bytes` from what all initial values may have together. */
static bool take_budget(struct trace_reader *reader, const struct node *node, uint64_t *budget,
                        uint64_t bytes)
{
    if (bytes <= *budget) {
        *budget -= bytes;
        return true;
    }
    input_error(&reader->input, node->place, "init: more initial bytes than 256 MiB in all");
    return false;
}

static void put_word(uint8_t *bytes, uint64_t size, uint64_t value)
{
    for (uint64_t i = 0; i < size && i < WORD_BYTES; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

static void init_bytes(struct trace_reader *reader, struct object *object, const struct node *node,
                       uint64_t *budget)
{
    struct input *input = &reader->input;
    size_t count, at;
    uint8_t *bytes;
    if (!take_budget(reader, node, budget, node->length / 2))
        return;
    switch (hex_parse(input->region, node->text, &bytes, &count, &at)) {
    case HEX_NOT:
        input_error(input, node->place,
                    "init: found %s in %s, expected pairs of hex digits (only unquoted text is a "
                    "number or a name)",
                    input_character(input, node->text + at), input_describe(input, node));
        return;
    case HEX_HALF:
        input_error(input, node->place, "init: found half a byte in %s, expected two hex digits",
                    input_describe(input, node));
        return;
    default:
        break;
    }
    if (count > object->size) {
        input_error(input, node->place, "init: found %zu bytes for '%s', which has %llu", count,
                    object->name, (unsigned long long)object->size);
        return;
    }
    object->init = bytes;
    object->init_size = count;
}

static void init_chase(struct trace_reader *reader, struct object *object, const struct node *node,
                       uint64_t *budget)
{
    if (object->size % LINE_BYTES) {
        input_error(&reader->input, node->place,
                    "init: a chase needs whole lines of %d bytes, '%s' has %llu bytes", LINE_BYTES,
                    object->name, (unsigned long long)object->size);
        return;
    }
    if (!take_budget(reader, node, budget, object->size))
        return;
    object->init_size = object->size;
    object->init = region_alloc(reader->input.region, object->init_size);
    layout_chase(reader->input.region, object->init, object->size / LINE_BYTES, object->address);
}

static void init_list(struct trace_reader *reader, struct object *object, const struct node *node,
                      uint64_t *budget)
{
    if (node->count > object->size / WORD_BYTES) {
        input_error(&reader->input, node->place,
                    "init: found %zu values of 8 bytes for '%s', which has %llu bytes", node->count,
                    object->name, (unsigned long long)object->size);
        return;
    }
    if (!take_budget(reader, node, budget, node->count * WORD_BYTES))
        return;
    object->init_size = node->count * WORD_BYTES;
    object->init = region_alloc(reader->input.region, object->init_size);
    for (size_t i = 0; i < node->count; i++) {
        uint64_t value = 0;
        read_value(reader, node->items[i], "init", 64, &value);
        put_word(object->init + i * WORD_BYTES, WORD_BYTES, value);
    }
}

/* A number fills the object, an address needs 8 bytes of it. */
static void init_word(struct trace_reader *reader, struct object *object, const struct node *node,
                      uint64_t *budget)
{
    bool number = looks_like_number(node);
    uint64_t size = object->size, value;
    bool is_integer = size == 1 || size == 2 || size == 4 || size == 8;
    if (number && !is_integer && size < WORD_BYTES) {
        input_error(&reader->input, node->place,
                    "init: '%s' has %llu bytes, which is no integer; expected quoted hex bytes",
                    object->name, (unsigned long long)size);
        return;
    }
    unsigned bits = size < WORD_BYTES ? (unsigned)size * 8 : 64;
    if (!read_value(reader, node, "init", bits, &value) ||
        !take_budget(reader, node, budget, WORD_BYTES))
        return;
    object->init_size = size < WORD_BYTES ? size : WORD_BYTES;
    object->init = region_alloc(reader->input.region, object->init_size);
    put_word(object->init, object->init_size, value);
}

/* "de ad be ef" without its quotes: neither a number nor a name has blanks in it. */
static bool is_byte_list(const char *text) { return strchr(text, ' ') && !strchr(text, '+'); }

void read_object_init(struct trace_reader *reader, struct object *object, const struct node *node,
                      uint64_t *budget)
{
    if (node->kind == NODE_LIST) {
        init_list(reader, object, node, budget);
    } else if (node->kind == NODE_MAP || node_is_null(node)) {
        input_error(&reader->input, node->place,
                    "init: found %s, expected a number, quoted hex bytes, a name, a list of "
                    "numbers and names, or chase",
                    input_describe(&reader->input, node));
    } else if (node->style != NODE_PLAIN || node->is_string || is_byte_list(node->text)) {
        init_bytes(reader, object, node, budget);
    } else if (strcmp(node->text, "chase") == 0 &&
               name_table_find(&reader->objects, "chase") == NO_INDEX) {
        init_chase(reader, object, node, budget);
    } else {
        init_word(reader, object, node, budget);
    }
}
