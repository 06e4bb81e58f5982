/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statements that many snippets have: thousands of litmus tests are made of a few hundred
 * different ones. One whose code does not depend on where it stands is a piece; `as` sees each
 * piece once, and snippets of nothing but pieces are put together from its code.
 */
#include "sim/program/assemble.h"

#include <string.h>

enum { KEY_MAX = 256 }; /* longer statements are hardly written twice */

void pieces_init(struct pieces *pieces, struct region *region)
{
    *pieces = (struct pieces){0};
    intern_init(&pieces->names, region);
}

/*
 * With a label, the code of jumps to it depends on what is between; a dot begins a directive or
 * stands for the place itself, as a dollar sign does in Intel's syntax.
 */
static bool is_movable(const struct unit *unit, const struct statement *statement)
{
    return !unit->has_labels && !statement->bad && statement->length < KEY_MAX &&
           !memchr(statement->text, '.', statement->length) &&
           (unit->source->att || !memchr(statement->text, '$', statement->length));
}

static uint32_t piece_of(struct pieces *pieces, bool att, const struct statement *statement)
{
    char key[KEY_MAX] = {att ? 'a' : 'i'};
    bool fresh;
    memcpy(key + 1, statement->text, statement->length);
    size_t count = pieces->names.count;
    uint32_t id = intern_add(&pieces->names, key, statement->length + 1, &fresh);
    if (fresh) {
        pieces->items = region_push(pieces->names.region, pieces->items, count, &pieces->capacity,
                                    sizeof *pieces->items);
        pieces->items[id] = (struct piece){0};
    }
    return id;
}

void unit_pieces(struct unit *unit, struct pieces *pieces)
{
    bool movable = true;
    for (size_t i = 0; i < unit->count && movable; i++)
        movable = is_movable(unit, &unit->statements[i]);
    unit->of_pieces = movable && unit->alignment == 1;
    for (size_t i = 0; i < unit->count && unit->of_pieces; i++)
        unit->statements[i].piece = piece_of(pieces, unit->source->att, &unit->statements[i]);
}

bool unit_is_shared(const struct unit *unit, const struct pieces *pieces)
{
    for (size_t i = 0; i < unit->count && unit->of_pieces; i++)
        if (pieces->items[unit->statements[i].piece].bad)
            return false;
    return unit->of_pieces;
}

/* ---- a unit's own output ---- */

static uint64_t piece_begin(const struct as_output *output, const struct piece *piece)
{
    return output->marks[piece->line];
}

/* The mark of the line after it stands behind its code. */
static uint64_t piece_end(const struct as_output *output, const struct piece *piece)
{
    return output->marks[piece->line + 1];
}

/* Adds up the sizes; false when the object file does not have what was asked for. */
static bool total_size(const struct unit *unit, const struct as_output *output,
                       const struct pieces *pieces, uint64_t *size)
{
    *size = 0;
    for (size_t i = 0; i < unit->count; i++) {
        const struct piece *piece = &pieces->items[unit->statements[i].piece];
        uint64_t begin = piece_begin(output, piece), end = piece_end(output, piece);
        if (begin == NO_MARK || end < begin || end > output->size)
            return false;
        *size += end - begin;
    }
    return true;
}

static void add_piece(struct pieces *pieces, const struct as_output *output,
                      const struct piece *piece)
{
    struct as_output *own = &pieces->own;
    uint64_t begin = piece_begin(output, piece), end = piece_end(output, piece);
    for (size_t i = first_relocation(output, begin);
         i < output->relocation_count && output->relocations[i].offset < end; i++) {
        own->relocations =
            region_push(pieces->names.region, own->relocations, own->relocation_count,
                        &pieces->relocation_capacity, sizeof *own->relocations);
        struct relocation *relocation = &own->relocations[own->relocation_count++];
        *relocation = output->relocations[i];
        relocation->offset += own->size - begin;
    }
    memcpy(own->bytes + own->size, output->bytes + begin, end - begin);
    own->size += end - begin;
}

static void make_room(struct pieces *pieces, size_t statements, uint64_t bytes)
{
    struct region *region = pieces->names.region;
    struct as_output *own = &pieces->own;
    own->bytes = region_reach(region, own->bytes, bytes, &pieces->byte_capacity, 1);
    own->marks =
        region_reach(region, own->marks, statements, &pieces->mark_capacity, sizeof *own->marks);
    pieces->origins = region_reach(region, pieces->origins, statements, &pieces->origin_capacity,
                                   sizeof *pieces->origins);
}

void unit_finish_shared(struct unit *unit, const struct as_output *output, struct pieces *pieces,
                        const struct label_table *labels, struct region *region,
                        struct diagnostics *diagnostics)
{
    uint64_t size;
    bool whole = total_size(unit, output, pieces, &size);
    struct as_output *own = &pieces->own;
    make_room(pieces, unit->count, whole ? size : 0);
    own->size = own->relocation_count = 0;
    for (size_t i = 0; i <= unit->count; i++) {
        const struct statement *statement = &unit->statements[i];
        bool marked = i == 0 || i == unit->count || statement->line != statement[-1].line;
        own->marks[i] = marked && whole ? own->size : NO_MARK;
        pieces->origins[i] = (struct origin){0, (uint32_t)i};
        if (i < unit->count && whole)
            add_piece(pieces, output, &pieces->items[statement->piece]);
    }
    unit->first_line = 0;
    unit->end_line = unit->count;
    unit_finish(unit, own, pieces->origins, labels, region, diagnostics);
}

void pieces_free(struct pieces *pieces)
{
    struct region *region = pieces->names.region;
    region_free(region, pieces->own.bytes);
    region_free(region, pieces->own.marks);
    region_free(region, pieces->own.relocations);
    region_free(region, pieces->origins);
}
