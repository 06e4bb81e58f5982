/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of snippets: lines and slots of `asm:`; and tables of names. */
#include <ctype.h>
#include <string.h>

#include "sim/program/layout.h"
#include "sim/program/trace_reader.h"

/* ---- names ---- */

void name_table_init(struct name_table *table, struct region *region)
{
    *table = (struct name_table){0};
    intern_init(&table->intern, region);
}

static int *index_of(struct name_table *table, const char *name)
{
    bool fresh;
    uint32_t id = intern_add(&table->intern, name, strlen(name) + 1, &fresh);
    if (fresh) {
        table->indices = region_push(table->intern.region, table->indices, table->index_count,
                                     &table->index_capacity, sizeof *table->indices);
        table->indices[table->index_count++] = NO_INDEX;
    }
    return &table->indices[id];
}

bool name_table_add(struct name_table *table, const char *name, int index)
{
    int *entry = index_of(table, name);
    if (*entry != NO_INDEX)
        return false;
    *entry = index;
    table->names = region_push(table->intern.region, table->names, table->name_count,
                               &table->name_capacity, sizeof *table->names);
    table->names[table->name_count++] = name;
    return true;
}

int name_table_find(struct name_table *table, const char *name) { return *index_of(table, name); }

/* ---- assembly ---- */

static bool is_slot_character(char c) { return isalnum((unsigned char)c) || c == '_' || c == '-'; }

/*
 * The name of the slot that a line consists of, NULL when it is an ordinary line. A comment
 * may follow the slot.
 */
static const char *slot_name(struct region *region, const char *line, size_t length)
{
    size_t name = 0, at;
    if (length < 3 || line[0] != '{' || !(isalpha((unsigned char)line[1]) || line[1] == '_'))
        return NULL;
    while (1 + name < length && is_slot_character(line[1 + name]))
        name++;
    at = 1 + name;
    if (at == length || line[at] != '}')
        return NULL;
    for (at++; at < length && (line[at] == ' ' || line[at] == '\t');)
        at++;
    bool comment = at < length &&
                   (line[at] == '#' || (at + 1 < length && line[at] == '/' && line[at + 1] == '/'));
    return at == length || comment ? region_strndup(region, line + 1, name) : NULL;
}

/* The number of a slot in program->slots, where it is added when it is new. */
static int slot_index(struct trace_reader *reader, const char *name, struct place place)
{
    struct program *program = reader->program;
    int index = name_table_find(&reader->slots, name);
    if (index != NO_INDEX)
        return index;
    index = (int)program->slot_count;
    name_table_add(&reader->slots, name, index);
    program->slots = region_push(program->region, program->slots, program->slot_count,
                                 &reader->slot_capacity, sizeof *program->slots);
    reader->slot_places = region_push(program->region, reader->slot_places, program->slot_count,
                                      &reader->slot_place_capacity, sizeof *reader->slot_places);
    reader->slot_places[program->slot_count] = place;
    program->slots[program->slot_count++] = name;
    return index;
}

static void add_line(struct trace_reader *reader, struct node_cursor *cursor, const char *line,
                     size_t length, struct body *body, size_t *capacity)
{
    struct region *region = reader->input.region;
    while (length && strchr(" \t\r", line[0])) {
        line++;
        length--;
    }
    while (length && strchr(" \t\r", line[length - 1]))
        length--;
    if (length == 0)
        return;
    struct place place = node_cursor_seek(cursor, (size_t)(line - cursor->node->text));
    const char *slot = slot_name(region, line, length);
    struct body_line entry = {.place = place, .slot = NO_INDEX};
    if (slot && body->no_slots) {
        input_error(&reader->input, place, "found the slot {%s} in a slot's value", slot);
        return;
    }
    if (slot)
        entry.slot = slot_index(reader, slot, place);
    else
        entry.text = region_strndup(region, line, length);
    body->lines = region_push(region, body->lines, body->line_count, capacity, sizeof *body->lines);
    body->lines[body->line_count++] = entry;
    body->has_slots |= slot != NULL;
}

bool read_assembly(struct trace_reader *reader, const struct node *node, const char *what,
                   struct body *body)
{
    if (node->kind != NODE_SCALAR) {
        input_error(&reader->input, node->place, "%s: found %s, expected assembly text", what,
                    input_describe(&reader->input, node));
        return false;
    }
    struct node_cursor cursor;
    node_cursor_init(&cursor, reader->input.document, node);
    size_t capacity = 0;
    body->given = true;
    body->place = node->place;
    if (node_is_null(node))
        return true;
    for (size_t at = 0; at < node->length;) {
        size_t length = strcspn(node->text + at, "\n");
        add_line(reader, &cursor, node->text + at, length, body, &capacity);
        at += length + 1;
    }
    return true;
}
