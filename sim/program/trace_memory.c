/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `memory:`: the objects, where they lie, and names inside other objects. */
#include <string.h>

#include "sim/program/layout.h"
#include "sim/program/trace_reader.h"

enum { OBJECTS_MAX = 65536 };

/* All initial bytes together: a chase through an object must be written out. */
static const uint64_t init_budget = UINT64_C(256) << 20;

enum { SIZE, INIT, ALIGN, TYPE, AT, RESIDENT, PERSISTENT, CODE, RELOCATIONS, FIELD_COUNT };

static const struct field object_fields[FIELD_COUNT] = {
    [SIZE] = {.name = "size"},
    [INIT] = {.name = "init"},
    [ALIGN] = {.name = "align"},
    [TYPE] = {.name = "type"},
    [AT] = {.name = "at"},
    [RESIDENT] = {.name = "resident"},
    [PERSISTENT] = {.name = "persistent"},
    [CODE] = {.name = "code"},
    [RELOCATIONS] = {.name = "relocations"},
};

/* What is known of an object beside what the program keeps. */
struct draft {
    const struct node *init, *at, *relocations;
    enum { UNRESOLVED, RESOLVING, RESOLVED } state;
};

static void read_alignment(struct trace_reader *reader, const struct node *node,
                           uint64_t *alignment)
{
    uint64_t value;
    if (!input_size(&reader->input, node, "align", UINT64_C(1) << 30, &value))
        return;
    if (value & (value - 1))
        input_error(&reader->input, node->place, "align: found %s, expected a power of two",
                    input_describe(&reader->input, node));
    else
        *alignment = value;
}

static void read_properties(struct trace_reader *reader, const struct field *fields,
                            struct object *object)
{
    static const char *const types[] = {"wb", "wt", "wp", "wc", "uc"};
    static const char *const levels[] = {"L1", "L2", "L3", "DRAM"};
    struct input *input = &reader->input;
    int choice;
    if (fields[TYPE].value && input_choice(input, fields[TYPE].value, "type", types, 5, &choice))
        object->type = (enum memory_type)choice;
    if (fields[RESIDENT].value &&
        input_choice(input, fields[RESIDENT].value, "resident", levels, 4, &choice))
        object->resident = (enum residency)choice;
    if (fields[PERSISTENT].value)
        input_flag(input, fields[PERSISTENT].value, "persistent", &object->persistent);
    if (fields[CODE].value)
        input_flag(input, fields[CODE].value, "code", &object->code);
}

static void read_object(struct trace_reader *reader, const struct node_pair *pair,
                        struct object *object, struct draft *draft, uint64_t *alignment)
{
    struct input *input = &reader->input;
    struct field fields[FIELD_COUNT];
    memcpy(fields, object_fields, sizeof fields);
    *object = (struct object){
        .name = pair->key->text, .place = pair->key->place, .size = 8, .parent = NO_INDEX};
    draft->state = RESOLVED;
    if (!input_map(input, pair->value, "an object", fields, FIELD_COUNT))
        return;
    if (fields[SIZE].value)
        input_size(input, fields[SIZE].value, "size", OBJECT_END - OBJECT_BASE, &object->size);
    else
        input_error(input, pair->value->place, "the object '%s' has no size", object->name);
    if (!fields[AT].value) {
        draft->init = fields[INIT].value;
        draft->relocations = fields[RELOCATIONS].value;
        if (fields[ALIGN].value)
            read_alignment(reader, fields[ALIGN].value, alignment);
        read_properties(reader, fields, object);
        return;
    }
    draft->at = fields[AT].value;
    draft->state = UNRESOLVED;
    for (int i = 0; i < FIELD_COUNT; i++)
        if (fields[i].key && i != SIZE && i != AT)
            input_error(input, fields[i].key->place,
                        "found '%s' beside 'at': a name inside another object has that object's",
                        fields[i].name);
}

/* Finds what an `at:` name lies in, which may be another such name. */
static void resolve(struct trace_reader *reader, struct draft *drafts, size_t index)
{
    struct program *program = reader->program;
    struct object *object = &program->objects[index];
    const struct node *at = drafts[index].at;
    int parent;
    uint64_t offset;
    drafts[index].state = RESOLVED; /* an object of its own when something is wrong below */
    if (!read_address(reader, at, "at", &parent, &offset, NULL))
        return;
    if (drafts[parent].state != RESOLVED || parent == (int)index) {
        input_error(&reader->input, at->place, "at: '%s' is not defined before '%s'",
                    program->objects[parent].name, object->name);
        return;
    }
    const struct object *container = &program->objects[parent];
    if (offset > container->size || object->size > container->size - offset) {
        input_error(&reader->input, at->place,
                    "at: %llu bytes at %s reach beyond '%s', which has %llu bytes",
                    (unsigned long long)object->size, input_describe(&reader->input, at),
                    container->name, (unsigned long long)container->size);
        return;
    }
    if (container->parent != NO_INDEX) {
        offset += container->address; /* still an offset, layout makes it an address */
        parent = container->parent;
        container = &program->objects[parent];
    }
    object->parent = parent;
    object->address = offset;
    object->type = container->type;
    object->resident = container->resident;
    object->persistent = container->persistent;
    object->code = container->code;
}

/* Whether a name can be used; `crash` is taken by conditions, the rest by the assembler. */
static bool check_name(struct trace_reader *reader, const struct node *key)
{
    const char *name;
    if (!input_name(&reader->input, key, "an object's name", "", &name))
        return false;
    if (name_is_reserved(name)) {
        input_error(&reader->input, key->place,
                    "the object '%s' has the name of a register or a word of the assembler", name);
        return false;
    }
    return true;
}

static void lay_out(struct trace_reader *reader, const uint64_t *alignments)
{
    struct program *program = reader->program;
    int outside = program_layout(program, alignments);
    if (outside != NO_INDEX)
        input_error(&reader->input, program->objects[outside].place,
                    "no room for '%s': all objects together may have %llu MiB",
                    program->objects[outside].name,
                    (unsigned long long)((OBJECT_END - OBJECT_BASE) >> 20));
}

void read_memory(struct trace_reader *reader, const struct node *node)
{
    struct program *program = reader->program;
    if (node->kind != NODE_MAP) {
        input_error(&reader->input, node->place, "memory: found %s, expected named objects",
                    input_describe(&reader->input, node));
        return;
    }
    if (node->count > OBJECTS_MAX) {
        input_error(&reader->input, node->place, "memory: found %zu objects, expected at most %d",
                    node->count, OBJECTS_MAX);
        return;
    }
    program->objects = region_array(program->region, node->count, sizeof *program->objects);
    struct draft *drafts = region_array(program->region, node->count, sizeof *drafts);
    uint64_t *alignments = region_array(program->region, node->count, sizeof *alignments);
    for (size_t i = 0; i < node->count; i++) {
        check_name(reader, node->pairs[i].key);
        name_table_add(&reader->objects, node->pairs[i].key->text, (int)i);
        read_object(reader, &node->pairs[i], &program->objects[i], &drafts[i], &alignments[i]);
        program->object_count++;
    }
    for (size_t i = 0; i < node->count; i++)
        if (drafts[i].state == UNRESOLVED)
            resolve(reader, drafts, i);
    lay_out(reader, alignments);
    uint64_t budget = init_budget;
    for (size_t i = 0; i < node->count; i++)
        if (drafts[i].init)
            read_object_init(reader, &program->objects[i], drafts[i].init, &budget);
    for (size_t i = 0; i < node->count; i++) {
        if (!drafts[i].relocations)
            continue;
        reader->object_relocations = region_push(
            program->region, reader->object_relocations, reader->object_relocation_count,
            &reader->object_relocation_capacity, sizeof *reader->object_relocations);
        reader->object_relocations[reader->object_relocation_count++] =
            (struct object_relocations){(int)i, drafts[i].relocations};
    }
}
