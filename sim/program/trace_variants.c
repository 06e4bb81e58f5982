/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `variants:`: what each run puts into the slots. */
#include <string.h>

#include "sim/program/trace_reader.h"

static void unknown_slot(struct trace_reader *reader, const struct node *key)
{
    const struct program *program = reader->program;
    const char *near =
        input_suggest(&reader->input, key->text, program->slots, program->slot_count);
    input_error(
        &reader->input, key->place,
        "found the slot %s, which is in no snippet%s; a slot stands alone on its line, as {name}",
        input_describe(&reader->input, key), near);
}

static void read_slot_value(struct trace_reader *reader, const struct node *node,
                            struct slot_value *value)
{
    struct body body = {.no_slots = true};
    value->given = true;
    if (!read_assembly(reader, node, "a slot's value", &body))
        return;
    value->lines = body.lines;
    value->line_count = body.line_count;
}

static void read_variant(struct trace_reader *reader, const struct node_pair *pair,
                         struct slot_value *values)
{
    struct program *program = reader->program;
    const struct node *map = pair->value;
    bool empty = node_is_null(map);
    if (map->kind != NODE_MAP && !empty) {
        input_error(&reader->input, map->place,
                    "the variant '%.100s': found %s, expected slots with their instructions",
                    pair->key->text, input_describe(&reader->input, map));
        return;
    }
    for (size_t i = 0; i < map->count; i++) {
        int slot = name_table_find(&reader->slots, map->pairs[i].key->text);
        if (slot == NO_INDEX)
            unknown_slot(reader, map->pairs[i].key);
        else
            read_slot_value(reader, map->pairs[i].value, &values[slot]);
    }
    for (size_t slot = 0; slot < program->slot_count; slot++)
        if (!values[slot].given)
            input_error(&reader->input, pair->key->place,
                        "the variant '%.100s' does not fill the slot {%s}", pair->key->text,
                        program->slots[slot]);
}

static void add_variant(struct trace_reader *reader, const char *name, struct place place)
{
    struct program *program = reader->program;
    program->variants[program->variant_count] = (struct variant){.name = name, .place = place};
    name_table_add(&reader->variants, name, (int)program->variant_count++);
}

/* Without `variants:` there is one run. */
static void default_variant(struct trace_reader *reader, bool complain)
{
    struct program *program = reader->program;
    program->variants = region_array(program->region, 1, sizeof *program->variants);
    reader->slot_values =
        region_array(program->region, program->slot_count, sizeof *reader->slot_values);
    add_variant(reader, "default", (struct place){0});
    for (size_t slot = 0; complain && slot < program->slot_count; slot++)
        input_error(&reader->input, reader->slot_places[slot],
                    "found the slot {%s}, but the trace has no 'variants' to fill it",
                    program->slots[slot]);
}

void read_variants(struct trace_reader *reader, const struct node *node)
{
    struct program *program = reader->program;
    if (!node) {
        default_variant(reader, true);
        return;
    }
    if (node->kind != NODE_MAP || node->count == 0 || node->count > VARIANTS_MAX) {
        input_error(&reader->input, node->place, "variants: found %s, expected 1 to %d variants",
                    node->kind == NODE_MAP ? region_printf(reader->input.region, "%zu", node->count)
                                           : input_describe(&reader->input, node),
                    VARIANTS_MAX);
        default_variant(reader, false);
        return;
    }
    program->variants = region_array(program->region, node->count, sizeof *program->variants);
    reader->slot_values = region_array(program->region, node->count * program->slot_count,
                                       sizeof *reader->slot_values);
    for (size_t i = 0; i < node->count; i++) {
        const struct node *key = node->pairs[i].key;
        const char *name;
        if (!input_text(&reader->input, key, "a variant's name", &name))
            name = key->text;
        else if (strlen(name) > NAME_MAX_BYTES || !is_printable_line(name))
            input_error(&reader->input, key->place,
                        "found %s, expected a variant's name of at most %d letters",
                        input_describe(&reader->input, key), NAME_MAX_BYTES);
        add_variant(reader, name, key->place);
        read_variant(reader, &node->pairs[i], &reader->slot_values[i * program->slot_count]);
    }
}
