/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locations whose final values a test speaks of, and the terms that they become. */
#include <stdlib.h>

#include "sim/program/litmus_reader.h"

enum { ELEMENTS_SHOWN_MAX = 1024 };

static int add_draft(struct litmus_reader *reader, const struct location_draft *draft)
{
    reader->drafts = region_push(reader->region, reader->drafts, reader->draft_count,
                                 &reader->draft_capacity, sizeof *reader->drafts);
    reader->drafts[reader->draft_count] = *draft;
    reader->drafts[reader->draft_count].location.first = (uint32_t)reader->use_count;
    return (int)reader->draft_count++;
}

static void add_use(struct litmus_reader *reader, const struct term *term)
{
    reader->uses = region_push(reader->region, reader->uses, reader->use_count,
                               &reader->use_capacity, sizeof *reader->uses);
    reader->uses[reader->use_count++] = *term;
}

static int find_draft(const struct litmus_reader *reader, const char *label)
{
    for (size_t i = 0; i < reader->draft_count; i++)
        if (strcmp(reader->drafts[i].location.label, label) == 0)
            return (int)i;
    return NO_INDEX;
}

/* ---- registers ---- */

/* "P0:eax" */
static const char *register_term(struct litmus_reader *reader, uint32_t cpu, uint8_t number,
                                 uint8_t width)
{
    char text[DECIMAL_BYTES + 8], digits[DECIMAL_BYTES];
    strcpy(text, "P");
    strcat(text, decimal(digits, cpu, false));
    return joined(reader, text, ":", register_text(number, width) + 1);
}

/* rip and cs, which no instruction of a test writes, are kept beside the memory. */
static void use_constant(struct litmus_reader *reader, const char *label,
                         const struct typed_register *start, struct value_type type)
{
    struct word name = {WORD_NAME, label, strlen(label), {0}};
    int index = symbol_add(reader, name, type);
    if (index == NO_INDEX)
        return;
    reader->symbols[index].hidden = true;
    struct object *object = &reader->program->objects[index];
    object->init = region_alloc(reader->region, type.size);
    object->init_size = type.size;
    for (uint8_t i = 0; start && i < type.size; i++)
        object->init[i] = (uint8_t)(start->value >> 8 * i);
    add_use(reader, &(struct term){.text = label, .is_object = true, .object = (uint32_t)index});
}

static void use_register(struct litmus_reader *reader, uint32_t cpu,
                         const struct litmus_register *which, const char *label)
{
    const struct typed_register *start = register_find(reader, cpu, which->order);
    struct value_type type = start ? start->type : (struct value_type){4, true};
    if (which->number >= 16) {
        use_constant(reader, label, start, type);
        return;
    }
    if (which->number == 4 && !start)
        register_add(reader, cpu, which->order)->given = true; /* 0 as any other, no stack */
    uint8_t width = (uint8_t)(type.size * 8);
    add_use(reader, &(struct term){.text = register_term(reader, cpu, which->number, width),
                                   .cpu = cpu,
                                   .view = {REGISTER_GPR, which->number, 0, width}});
}

static int read_register_location(struct litmus_reader *reader)
{
    struct litmus_register which;
    struct place place = reader->word.place;
    uint32_t cpu;
    if (!read_thread_number(reader, &cpu) || !expect_sign(reader, ':', "the thread's number") ||
        !read_whole_register(reader, &which))
        return NO_INDEX;
    if (cpu >= reader->thread_count) {
        litmus_error(reader, place, "found the thread %u, the test has %zu", cpu,
                     reader->thread_count);
        return NO_INDEX;
    }
    char digits[DECIMAL_BYTES];
    const char *label = joined(reader, decimal(digits, cpu, false), ":",
                               register_label(which.order, reader->litmus->is_32_bit));
    int found = find_draft(reader, label);
    if (found != NO_INDEX)
        return found;
    const struct typed_register *start = register_find(reader, cpu, which.order);
    struct location_draft draft = {
        .location = {.label = label, .count = 1, .is_signed = true, .width = 32},
        .cpu = cpu,
        .order = which.order,
        .name = label};
    if (start) {
        draft.location.is_signed = start->type.is_signed;
        draft.location.width = (uint8_t)(start->type.size * 8);
    }
    found = add_draft(reader, &draft);
    use_register(reader, cpu, &which, label);
    return found;
}

/* ---- memory ---- */

static void use_part(struct litmus_reader *reader, uint32_t index, uint64_t element)
{
    struct value_type type = reader->symbols[index].type;
    const char *name =
        region_printf(reader->region, "%s[%llu]", reader->program->objects[index].name,
                      (unsigned long long)element);
    uint32_t part = symbol_part(reader, index, name, element * type.size, type);
    add_use(reader, &(struct term){.text = name, .is_object = true, .object = part});
}

/* "x", "[x]", "t" or "t[1]" as they are shown; an element is NO_INDEX without one. */
static int memory_location(struct litmus_reader *reader, uint32_t index, int64_t element)
{
    const char *name = reader->program->objects[index].name;
    uint32_t elements = reader->symbols[index].elements;
    bool whole = elements && element == NO_INDEX;
    const char *label = whole ? name
                        : element != NO_INDEX
                            ? region_printf(reader->region, "%s[%lld]", name, (long long)element)
                            : joined(reader, "[", name, "]");
    int found = find_draft(reader, label);
    if (found != NO_INDEX)
        return found;
    struct value_type type = reader->symbols[index].type;
    found =
        add_draft(reader, &(struct location_draft){.location = {.label = label,
                                                                .is_array = whole,
                                                                .is_signed = type.is_signed,
                                                                .width = (uint8_t)(type.size * 8),
                                                                .count = whole ? elements : 1},
                                                   .cpu = UINT32_MAX,
                                                   .name = name});
    if (!elements)
        add_use(reader, &(struct term){.text = name, .is_object = true, .object = index});
    for (uint32_t i = 0; whole && i < elements; i++)
        use_part(reader, index, i);
    if (element != NO_INDEX)
        use_part(reader, index, (uint64_t)element);
    return found;
}

static int read_memory_location(struct litmus_reader *reader)
{
    bool bracketed = accept_sign(reader, '[');
    struct place place = reader->word.place;
    int64_t element = NO_INDEX;
    uint64_t number;
    if (reader->word.kind != WORD_NAME) {
        litmus_unexpected(reader, "a variable or a register such as 0:rax");
        return NO_INDEX;
    }
    int index = symbol_find(reader, reader->word.start, reader->word.length);
    if (index == NO_INDEX)
        litmus_error(reader, place, "found %s, which no thread and no value names",
                     word_found(reader));
    next_word(reader);
    if (bracketed && !expect_sign(reader, ']', "the variable"))
        return NO_INDEX;
    if (!bracketed && accept_sign(reader, '[')) {
        if (!read_number(reader, &number) || !expect_sign(reader, ']', "the index"))
            return NO_INDEX;
        element = number <= INT32_MAX ? (int64_t)number : INT32_MAX;
    }
    if (index == NO_INDEX)
        return NO_INDEX;
    uint32_t elements = reader->symbols[index].elements;
    if (element != NO_INDEX ? element >= elements : elements > ELEMENTS_SHOWN_MAX) {
        litmus_error(reader, place,
                     element != NO_INDEX ? "'%s' has %u elements"
                                         : "'%s' has %u elements, too many to list; name one",
                     reader->program->objects[index].name, elements);
        return NO_INDEX;
    }
    if (reader->program->object_count + elements > OBJECTS_MAX) {
        litmus_error(reader, place, "more than %d elements of arrays are named", OBJECTS_MAX);
        return NO_INDEX;
    }
    return memory_location(reader, (uint32_t)index, element);
}

int read_location(struct litmus_reader *reader, bool shown)
{
    bool is_register = reader->word.kind == WORD_NUMBER ||
                       (reader->word.kind == WORD_NAME && peek_character(reader) == ':');
    int found = is_register ? read_register_location(reader) : read_memory_location(reader);
    if (found != NO_INDEX)
        reader->drafts[found].shown |= shown;
    return found;
}

/* A type behind a location in the list says how its value is shown. */
static void retype(struct litmus_reader *reader, int draft)
{
    struct value_type type;
    if (!accept_type(reader, &type) || draft == NO_INDEX)
        return;
    struct litmus_location *location = &reader->drafts[draft].location;
    struct term *term = &reader->uses[location->first];
    location->is_signed = type.is_signed;
    if (term->is_object || type.size * 8 == location->width)
        return;
    location->width = (uint8_t)(type.size * 8);
    term->view.width = location->width;
    term->text = register_term(reader, term->cpu, term->view.index, location->width);
}

void read_locations(struct litmus_reader *reader)
{
    next_word(reader);
    if (!expect_sign(reader, '[', "'locations'"))
        return;
    while (!accept_sign(reader, ']')) {
        if (accept_sign(reader, ';'))
            continue;
        int draft = read_location(reader, true);
        retype(reader, draft);
        if (word_is_sign(reader, ';') || word_is_sign(reader, ']'))
            continue;
        if (draft != NO_INDEX)
            litmus_unexpected(reader, "';' or ']' after a location");
        while (reader->word.kind != WORD_END && !word_is_sign(reader, ';') &&
               !word_is_sign(reader, ']'))
            next_word(reader);
        if (reader->word.kind == WORD_END)
            return;
    }
}

/* ---- order ---- */

static int compare_drafts(const void *left, const void *right)
{
    const struct location_draft *a = left, *b = right;
    if (a->shown != b->shown)
        return a->shown ? -1 : 1;
    if (a->cpu != b->cpu)
        return a->cpu < b->cpu ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    int order = strcmp(a->name, b->name);
    return order
               ? order
               : (a->location.first > b->location.first) - (a->location.first < b->location.first);
}

void finish_locations(struct litmus_reader *reader)
{
    struct program *program = reader->program;
    struct litmus *litmus = reader->litmus;
    uint32_t *places = region_array(reader->region, reader->use_count + 1, sizeof *places);
    if (reader->draft_count)
        qsort(reader->drafts, reader->draft_count, sizeof *reader->drafts, compare_drafts);
    program->terms = region_array(reader->region, reader->use_count + 1, sizeof *program->terms);
    litmus->locations =
        region_array(reader->region, reader->draft_count + 1, sizeof *litmus->locations);
    for (size_t i = 0; i < reader->draft_count; i++) {
        struct litmus_location location = reader->drafts[i].location;
        uint32_t first = (uint32_t)program->term_count;
        for (uint32_t n = 0; n < location.count && location.first + n < reader->use_count; n++) {
            places[location.first + n] = (uint32_t)program->term_count;
            program->terms[program->term_count++] = reader->uses[location.first + n];
        }
        location.first = first;
        if (reader->drafts[i].shown)
            litmus->locations[litmus->location_count++] = location;
    }
    for (size_t i = 0; i < reader->leaf_count; i++)
        reader->leaves[i]->term = (int)places[reader->leaves[i]->term];
    program->observed_count = program->term_count;
    program->observe_given = true;
}
