/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What propositions are built of: nodes, their text, and the atoms that speak of locations. */
#include "sim/program/litmus_proposition.h"

/* ---- nodes ---- */

struct condition *proposition_node(struct litmus_reader *reader, enum condition_op op,
                                   const struct condition *left, const struct condition *right)
{
    struct condition *node = region_alloc(reader->region, sizeof *node);
    *node = (struct condition){.op = op, .left = left, .right = right, .term = NO_INDEX};
    return node;
}

struct condition *proposition_number(struct litmus_reader *reader, uint64_t number)
{
    struct condition *node = proposition_node(reader, CONDITION_NUMBER, NULL, NULL);
    node->number = number;
    return node;
}

/* Balanced, so that walking the tree needs no deep stack. */
const struct condition *proposition_join(struct litmus_reader *reader, enum condition_op op,
                                         const struct condition *const *items, size_t count)
{
    if (count == 1)
        return items[0];
    return proposition_node(reader, op, proposition_join(reader, op, items, count / 2),
                            proposition_join(reader, op, items + count / 2, count - count / 2));
}

void chain_add(struct litmus_reader *reader, struct chain *chain, const struct condition *item)
{
    chain->items = region_push(reader->region, chain->items, chain->count, &chain->capacity,
                               sizeof *chain->items);
    chain->items[chain->count++] = item;
}

/* What is not understood ends the proposition: true stands for it. */
struct proposition proposition_give_up(struct litmus_reader *reader, const char *expected)
{
    if (expected && !reader->stopped)
        litmus_unexpected(reader, expected);
    reader->stopped = true;
    while (reader->word.kind != WORD_END)
        next_word(reader);
    return (struct proposition){proposition_number(reader, 1), ATOM, reader->normal.length};
}

void proposition_put(struct litmus_reader *reader, const char *text)
{
    text_add(&reader->normal, text);
}

/* ---- atoms ---- */

static struct condition *term_node(struct litmus_reader *reader, uint32_t use)
{
    const struct term *term = &reader->uses[use];
    struct condition *node = proposition_node(
        reader, term->is_object ? CONDITION_OBJECT : CONDITION_REGISTER, NULL, NULL);
    node->cpu = term->cpu;
    node->object = term->object;
    node->view = term->view;
    node->term = (int)use;
    reader->leaves = region_push(reader->region, reader->leaves, reader->leaf_count,
                                 &reader->leaf_capacity, sizeof *reader->leaves);
    reader->leaves[reader->leaf_count++] = node;
    return node;
}

static const struct litmus_location *draft_location(const struct litmus_reader *reader, int draft)
{
    return &reader->drafts[draft].location;
}

/* A number as a location of `width` bits holds it, or an address, and its text. */
static struct condition *read_value(struct litmus_reader *reader, uint8_t width)
{
    struct condition *node = proposition_number(reader, 0);
    bool negative = word_is_sign(reader, '-');
    uint64_t number;
    if (negative || reader->word.kind == WORD_NUMBER) {
        if (!read_number(reader, &number))
            return NULL;
        node->number = width < 64 ? number & ((UINT64_C(1) << width) - 1) : number;
        char digits[DECIMAL_BYTES];
        proposition_put(reader, decimal(digits, number, negative));
        return node;
    }
    struct pending pending = {.number = &node->number, .size = (uint8_t)(width / 8)};
    if (!read_symbol_address(reader, false, &pending.target, &pending.offset))
        return NULL;
    proposition_put(reader, reader->program->objects[pending.target].name);
    if (pending.offset)
        text_printf(&reader->normal, "+%lld", (long long)pending.offset);
    add_pending(reader, &pending);
    return node;
}

/* "{1, 2}" for all elements of an array. */
static const struct condition *read_elements(struct litmus_reader *reader, int draft)
{
    struct chain chain = {NULL, 0, 0};
    struct litmus_location location = *draft_location(reader, draft);
    struct place place = reader->word.place;
    next_word(reader);
    proposition_put(reader, "{");
    do {
        if (chain.count == location.count || !location.is_array)
            break;
        proposition_put(reader, chain.count ? "," : "");
        struct condition *value = read_value(reader, location.width);
        if (!value)
            return NULL;
        struct condition *term = term_node(reader, location.first + (uint32_t)chain.count);
        chain_add(reader, &chain, proposition_node(reader, CONDITION_EQ, term, value));
    } while (accept_sign(reader, ','));
    proposition_put(reader, "}");
    if (!location.is_array || chain.count != location.count || !word_is_sign(reader, '}')) {
        litmus_error(reader, place, "expected a list of %u values for '%s' here",
                     location.is_array ? location.count : 0, location.label);
        return NULL;
    }
    next_word(reader);
    return proposition_join(reader, CONDITION_AND, chain.items, chain.count);
}

static bool at_location(const struct litmus_reader *reader)
{
    return word_is_sign(reader, '[') ||
           ((reader->word.kind == WORD_NUMBER || reader->word.kind == WORD_NAME) &&
            peek_character(reader) == ':');
}

static const struct condition *read_right_location(struct litmus_reader *reader, int left,
                                                   bool shown)
{
    struct place place = reader->word.place;
    int right = read_location(reader, shown);
    if (right == NO_INDEX)
        return NULL;
    const struct litmus_location *a = draft_location(reader, left),
                                 *b = draft_location(reader, right);
    if (a->width != b->width || a->is_array || b->is_array) {
        litmus_error(reader, place, "'%s' and '%s' have different types, which cannot be compared",
                     a->label, b->label);
        return NULL;
    }
    proposition_put(reader, b->label);
    return term_node(reader, b->first);
}

/* "=", "==", "!=" or "<>"; false when it is none. */
static bool read_comparison(struct litmus_reader *reader, bool *negated)
{
    *negated = word_is_sign(reader, '!') || word_is_sign(reader, '<');
    if (*negated) {
        char second = word_is_sign(reader, '!') ? '=' : '>';
        next_word(reader);
        return accept_sign(reader, second);
    }
    if (!accept_sign(reader, '='))
        return false;
    accept_sign(reader, '=');
    return true;
}

struct proposition proposition_atom(struct litmus_reader *reader, bool shown)
{
    size_t start = reader->normal.length;
    bool negated;
    if (reader->word.kind != WORD_NUMBER && reader->word.kind != WORD_NAME &&
        !word_is_sign(reader, '['))
        return proposition_give_up(reader, "a condition such as 0:rax=1 or [x]=1");
    int draft = read_location(reader, shown);
    if (draft == NO_INDEX)
        return proposition_give_up(reader, NULL);
    if (!read_comparison(reader, &negated))
        return proposition_give_up(reader, "'=' or '!=' after a location");
    if (negated)
        proposition_put(reader, "not (");
    proposition_put(reader, draft_location(reader, draft)->label);
    proposition_put(reader, "=");
    const struct condition *condition;
    if (word_is_sign(reader, '{')) {
        condition = read_elements(reader, draft);
    } else {
        uint32_t use = draft_location(reader, draft)->first;
        const struct condition *right =
            at_location(reader) ? read_right_location(reader, draft, shown)
                                : read_value(reader, draft_location(reader, draft)->width);
        condition =
            right ? proposition_node(reader, CONDITION_EQ, term_node(reader, use), right) : NULL;
    }
    if (!condition)
        return proposition_give_up(reader, NULL);
    if (negated) {
        proposition_put(reader, ")");
        condition = proposition_node(reader, CONDITION_NOT, condition, NULL);
    }
    return (struct proposition){condition, ATOM, start};
}
