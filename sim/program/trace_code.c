/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine code in a trace: the bytes of `code:`, its `relocations:` and its `source:`. Initial
 * values of objects have relocations, too. */
#include <string.h>

#include "sim/program/layout.h"
#include "sim/program/trace_reader.h"

static const char code_expected[] = "machine code as pairs of hex digits (\"0f ae f0\")";

/* ---- bytes ---- */

static bool add_row(struct trace_reader *reader, const struct node *node, struct body *body,
                    size_t *capacity)
{
    struct input *input = &reader->input;
    size_t at, count;
    uint8_t *bytes;
    if (node->kind != NODE_SCALAR || node_is_null(node)) {
        input_error(input, node->place, "code: found %s, expected %s", input_describe(input, node),
                    code_expected);
        return false;
    }
    enum hex_result result = hex_parse(input->region, node->text, &bytes, &count, &at);
    if (result != HEX_OK) {
        input_error(input, node->place, "code: found %s at offset %zu of %s, expected %s",
                    result == HEX_HALF ? "half a byte" : input_character(input, node->text + at),
                    at, input_describe(input, node), code_expected);
        return false;
    }
    if (count > CODE_BYTES_MAX - body->byte_count) {
        input_error(input, node->place, "code: found %zu bytes, expected at most %d",
                    body->byte_count + count, (int)CODE_BYTES_MAX);
        return false;
    }
    body->bytes = region_resize(input->region, body->bytes, body->byte_count + count + 1);
    if (count)
        memcpy(body->bytes + body->byte_count, bytes, count);
    body->rows =
        region_push(input->region, body->rows, body->row_count, capacity, sizeof *body->rows);
    body->rows[body->row_count++] = (struct code_line){(uint32_t)body->byte_count, node->place};
    body->byte_count += count;
    return true;
}

bool read_code(struct trace_reader *reader, const struct node *node, struct body *body)
{
    size_t capacity = 0;
    bool good = true;
    body->given = true;
    body->place = node->place;
    if (node->kind != NODE_LIST) {
        good = add_row(reader, node, body, &capacity);
    } else {
        body->bytes = region_resize(reader->input.region, NULL, 1);
        for (size_t i = 0; i < node->count && good; i++)
            good = add_row(reader, node->items[i], body, &capacity);
    }
    if (!good)
        body->byte_count = body->row_count = 0;
    return good;
}

/* ---- relocations ---- */

enum { OFFSET, KIND, OBJECT, ADDEND, CPU, FIELD_COUNT };

static const struct {
    const char *name;
    uint8_t bytes;
    bool relative, is_signed;
} kinds[] = {[RELOCATION_PC32] = {"pc32", 4, true, true},
             [RELOCATION_ABS32] = {"abs32", 4, false, false},
             [RELOCATION_ABS32S] = {"abs32s", 4, false, true},
             [RELOCATION_ABS64] = {"abs64", 8, false, false}};

static bool read_signed(struct trace_reader *reader, const struct node *node, const char *what,
                        int64_t *value)
{
    const char *text = node->text;
    uint64_t number = 0;
    bool negative = node->kind == NODE_SCALAR && *text == '-';
    if (node->kind != NODE_SCALAR ||
        number_parse(text + negative, node->length - negative, &number) != NUMBER_OK ||
        number > INT64_MAX) {
        input_error(&reader->input, node->place, "%s: found %s, expected a number", what,
                    input_describe(&reader->input, node));
        return false;
    }
    *value = negative ? -(int64_t)number : (int64_t)number;
    return true;
}

/*
 * `bytes` is how many there are to relocate, `what` whose they are. Only in an object a
 * relocation can be about the code of a CPU, which `*cpu` is then.
 */
static bool read_relocation(struct trace_reader *reader, const struct node *node, uint64_t bytes,
                            const char *what, struct code_relocation *relocation, int *cpu)
{
    static const char *const names[] = {"pc32", "abs32", "abs32s", "abs64"};
    struct input *input = &reader->input;
    struct field fields[FIELD_COUNT] = {[OFFSET] = {.name = "offset"},
                                        [KIND] = {.name = "kind"},
                                        [OBJECT] = {.name = "object"},
                                        [ADDEND] = {.name = "addend"},
                                        [CPU] = {.name = "cpu"}};
    uint64_t offset, distance = 0;
    int kind;
    *relocation = (struct code_relocation){.object = NO_INDEX, .place = node->place};
    if (!input_map(input, node, "a relocation", fields, FIELD_COUNT - (cpu ? 0 : 1)))
        return false;
    if (!fields[OFFSET].value || !fields[KIND].value) {
        input_error(input, node->place, "the relocation has no '%s'",
                    fields[OFFSET].value ? "kind" : "offset");
        return false;
    }
    if (!input_number(input, fields[OFFSET].value, "offset", 0, OBJECT_END, &offset) ||
        !input_choice(input, fields[KIND].value, "kind", names, 4, &kind))
        return false;
    bool zero = !cpu && fields[OBJECT].value && fields[OBJECT].value->kind == NODE_SCALAR &&
                strcmp(fields[OBJECT].value->text, "0") == 0;
    relocation->absolute = zero;
    if (fields[OBJECT].value && !zero &&
        !read_address(reader, fields[OBJECT].value, "object", &relocation->object, &distance, NULL))
        return false;
    if (cpu) {
        uint32_t first = 0, count;
        if ((fields[CPU].key != NULL) == (fields[OBJECT].key != NULL)) {
            input_error(input, node->place, "found %s 'object' %s 'cpu', expected one of them",
                        fields[CPU].key ? "both" : "neither", fields[CPU].key ? "and" : "nor");
            return false;
        }
        if (fields[CPU].value &&
            !read_cpu_name(reader, fields[CPU].value, "cpu", false, &first, &count))
            return false;
        *cpu = (int)first;
    }
    if (fields[ADDEND].value &&
        !read_signed(reader, fields[ADDEND].value, "addend", &relocation->addend))
        return false;
    /* "x+8" is x with an addend of 8 */
    relocation->addend = (int64_t)((uint64_t)relocation->addend + distance);
    if (offset > bytes || kinds[kind].bytes > bytes - offset) {
        input_error(input, fields[OFFSET].value->place,
                    "offset: %d bytes at %s are not all in %s, which has %llu bytes",
                    kinds[kind].bytes, fields[OFFSET].value->text, what, (unsigned long long)bytes);
        return false;
    }
    relocation->offset = (uint32_t)offset;
    relocation->kind = (enum relocation_kind)kind;
    return true;
}

/* ---- source ---- */

static void read_mark(struct trace_reader *reader, const struct node_pair *pair, struct body *body)
{
    struct input *input = &reader->input;
    uint64_t offset;
    if (!input_number(input, pair->key, "source", 0, CODE_BYTES_MAX, &offset))
        return;
    if (offset >= body->byte_count) {
        input_error(input, pair->key->place,
                    "source: found the offset %s, but the code has %zu bytes", pair->key->text,
                    body->byte_count);
        return;
    }
    if (body->source_count && body->sources[body->source_count - 1].offset >= offset) {
        input_error(input, pair->key->place,
                    "source: found the offset %s after %u, expected them "
                    "to ascend",
                    pair->key->text, body->sources[body->source_count - 1].offset);
        return;
    }
    const struct node *value = pair->value;
    if (value->kind != NODE_SCALAR || !is_printable_line(value->text)) {
        input_error(input, value->place, "source: found %s, expected a line such as demo.c:12",
                    input_describe(input, value));
        return;
    }
    body->sources[body->source_count++] =
        (struct source_mark){(uint32_t)offset, node_is_null(value) ? "" : value->text};
}

void read_code_details(struct trace_reader *reader, const struct field *code,
                       const struct field *relocations, const struct field *source,
                       struct body *body)
{
    struct input *input = &reader->input;
    const struct field *first = relocations->key ? relocations : source;
    if (!first->key)
        return;
    if (!code->key)
        input_error(input, first->key->place, "found '%s' without 'code'", first->name);
    if (!body->bytes)
        return;
    if (relocations->value && input_list(input, relocations->value, "relocations", "relocations")) {
        body->relocations =
            region_array(input->region, relocations->value->count, sizeof *body->relocations);
        for (size_t i = 0; i < relocations->value->count; i++)
            body->relocation_count +=
                read_relocation(reader, relocations->value->items[i], body->byte_count, "the code",
                                &body->relocations[body->relocation_count], NULL);
    }
    if (!source->value)
        return;
    if (source->value->kind != NODE_MAP) {
        input_error(input, source->value->place,
                    "source: found %s, expected offsets with lines of source",
                    input_describe(input, source->value));
        return;
    }
    body->sources = region_array(input->region, source->value->count, sizeof *body->sources);
    for (size_t i = 0; i < source->value->count; i++)
        read_mark(reader, &source->value->pairs[i], body);
}

/* ---- snippets ---- */

static bool fits(int kind, uint64_t value)
{
    if (kinds[kind].bytes == 8)
        return true;
    return kinds[kind].is_signed ? (int64_t)value == (int32_t)value : value <= UINT32_MAX;
}

/* `address` is where the bytes lie, `base` what the relocation is about. */
static void relocate(struct trace_reader *reader, const struct code_relocation *relocation,
                     uint64_t address, uint64_t base, uint8_t *bytes)
{
    const struct object *object =
        relocation->object == NO_INDEX ? NULL : &reader->program->objects[relocation->object];
    if (relocation->absolute)
        base = 0;
    uint64_t value = (object ? object->address : base) + (uint64_t)relocation->addend;
    if (kinds[relocation->kind].relative)
        value -= address + relocation->offset;
    if (!fits((int)relocation->kind, value)) {
        input_error(&reader->input, relocation->place, "the %s %s%+lld does not fit in %d bits",
                    kinds[relocation->kind].relative ? "distance to" : "address of",
                    object                 ? object->name
                    : relocation->absolute ? "0"
                                           : "the code",
                    (long long)relocation->addend, kinds[relocation->kind].bytes * 8);
        return;
    }
    for (unsigned i = 0; i < kinds[relocation->kind].bytes; i++)
        bytes[relocation->offset + i] = (uint8_t)(value >> 8 * i);
}

struct snippet *captured_snippet(struct trace_reader *reader, const struct body *body,
                                 uint64_t address)
{
    struct snippet *snippet = region_alloc(reader->input.region, sizeof *snippet);
    *snippet = (struct snippet){.address = address,
                                .bytes = body->bytes,
                                .size = (uint32_t)body->byte_count,
                                .lines = body->rows,
                                .line_count = body->row_count,
                                .sources = body->sources,
                                .source_count = body->source_count};
    if (body->relocation_count) { /* each CPU's code lies elsewhere */
        snippet->bytes = region_alloc(reader->input.region, body->byte_count);
        memcpy(snippet->bytes, body->bytes, body->byte_count);
    }
    for (size_t i = 0; i < body->relocation_count; i++)
        relocate(reader, &body->relocations[i], address, address, snippet->bytes);
    return snippet;
}

/* ---- objects ---- */

enum { RELOCATED_BYTES_MAX = 16 << 20 };

static void relocate_object(struct trace_reader *reader, struct object *object,
                            const struct node *node)
{
    struct code_relocation relocation;
    int cpu;
    if (!input_list(&reader->input, node, "relocations", "relocations"))
        return;
    for (size_t i = 0; i < node->count; i++) {
        if (!read_relocation(reader, node->items[i], object->size, object->name, &relocation, &cpu))
            continue;
        uint64_t end = (uint64_t)relocation.offset + kinds[relocation.kind].bytes;
        if (end > RELOCATED_BYTES_MAX) {
            input_error(&reader->input, relocation.place,
                        "a relocation more than %d MiB into an object", RELOCATED_BYTES_MAX >> 20);
            continue;
        }
        if (end > object->init_size) {
            uint8_t *init =
                region_alloc(reader->input.region, object->size < end * 2 ? object->size : end * 2);
            if (object->init_size)
                memcpy(init, object->init, object->init_size);
            object->init = init;
            object->init_size = object->size < end * 2 ? object->size : end * 2;
        }
        relocate(reader, &relocation, object->address, code_address((size_t)cpu), object->init);
    }
}

void read_object_relocations(struct trace_reader *reader)
{
    for (size_t i = 0; i < reader->object_relocation_count; i++)
        relocate_object(reader, &reader->program->objects[reader->object_relocations[i].object],
                        reader->object_relocations[i].node);
}
