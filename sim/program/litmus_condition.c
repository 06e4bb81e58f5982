/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last section: filter, list of locations, and the quantified proposition. Beside the tree
 * the proposition is written down again in the form in which reports repeat it, with the
 * brackets that its operators need and no others.
 */
#include "sim/program/litmus_reader.h"

enum { PROPOSITION_NESTING_MAX = 100, LEAVES_MAX = 20000 };

enum connective { ATOM, AND, OR, IMPLIES };

struct proposition {
    const struct condition *condition;
    enum connective op;
    size_t start; /* in the normal form's text */
};

struct chain {
    const struct condition **items;
    size_t count, capacity;
};

static struct proposition read_or(struct litmus_reader *reader);

/* ---- the tree ---- */

static struct condition *new_node(struct litmus_reader *reader, enum condition_op op,
                                  const struct condition *left, const struct condition *right)
{
    struct condition *node = region_alloc(reader->region, sizeof *node);
    *node = (struct condition){.op = op, .left = left, .right = right, .term = NO_INDEX};
    return node;
}

static struct condition *number_node(struct litmus_reader *reader, uint64_t number)
{
    struct condition *node = new_node(reader, CONDITION_NUMBER, NULL, NULL);
    node->number = number;
    return node;
}

static struct condition *term_node(struct litmus_reader *reader, uint32_t use)
{
    const struct term *term = &reader->uses[use];
    struct condition *node =
        new_node(reader, term->is_object ? CONDITION_OBJECT : CONDITION_REGISTER, NULL, NULL);
    node->cpu = term->cpu;
    node->object = term->object;
    node->view = term->view;
    node->term = (int)use;
    reader->leaves = region_push(reader->region, reader->leaves, reader->leaf_count,
                                 &reader->leaf_capacity, sizeof *reader->leaves);
    reader->leaves[reader->leaf_count++] = node;
    return node;
}

/* Balanced, so that walking the tree needs no deep stack. */
static const struct condition *join(struct litmus_reader *reader, enum condition_op op,
                                    const struct condition *const *items, size_t count)
{
    if (count == 1)
        return items[0];
    return new_node(reader, op, join(reader, op, items, count / 2),
                    join(reader, op, items + count / 2, count - count / 2));
}

static void add_item(struct litmus_reader *reader, struct chain *chain,
                     const struct condition *item)
{
    chain->items = region_push(reader->region, chain->items, chain->count, &chain->capacity,
                               sizeof *chain->items);
    chain->items[chain->count++] = item;
}

/* ---- errors ---- */

/* What is not understood ends the proposition: true stands for it. */
static struct proposition give_up(struct litmus_reader *reader, const char *expected)
{
    if (expected && !reader->stopped)
        litmus_unexpected(reader, expected);
    reader->stopped = true;
    while (reader->word.kind != WORD_END)
        next_word(reader);
    return (struct proposition){number_node(reader, 1), ATOM, reader->normal.length};
}

/* ---- the normal form ---- */

static void put(struct litmus_reader *reader, const char *text) { text_add(&reader->normal, text); }

static void bracket(struct litmus_reader *reader, size_t start)
{
    struct text *normal = &reader->normal;
    text_add(normal, "()");
    memmove(normal->data + start + 1, normal->data + start, normal->length - 2 - start);
    normal->data[start] = '(';
    normal->data[normal->length - 1] = ')';
}

/* An operand of `above` gets brackets where it would be read otherwise without them. */
static void bracket_operand(struct litmus_reader *reader, enum connective above,
                            const struct proposition *operand)
{
    bool needed = above == AND       ? operand->op == OR || operand->op == IMPLIES
                  : above == OR      ? operand->op == IMPLIES
                  : above == IMPLIES ? operand->op == AND || operand->op == OR
                                     : false;
    if (needed)
        bracket(reader, operand->start);
}

/* ---- atoms ---- */

static const struct litmus_location *draft_location(const struct litmus_reader *reader, int draft)
{
    return &reader->drafts[draft].location;
}

/* A number as a location of `width` bits holds it, or an address, and its text. */
static struct condition *read_value(struct litmus_reader *reader, uint8_t width)
{
    struct condition *node = number_node(reader, 0);
    bool negative = word_is_sign(reader, '-');
    uint64_t number;
    if (negative || reader->word.kind == WORD_NUMBER) {
        if (!read_number(reader, &number))
            return NULL;
        node->number = width < 64 ? number & ((UINT64_C(1) << width) - 1) : number;
        char digits[DECIMAL_BYTES];
        put(reader, decimal(digits, number, negative));
        return node;
    }
    struct pending pending = {.number = &node->number, .size = (uint8_t)(width / 8)};
    if (!read_symbol_address(reader, false, &pending.target, &pending.offset))
        return NULL;
    put(reader, reader->program->objects[pending.target].name);
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
    put(reader, "{");
    do {
        if (chain.count == location.count || !location.is_array)
            break;
        put(reader, chain.count ? "," : "");
        struct condition *value = read_value(reader, location.width);
        if (!value)
            return NULL;
        struct condition *term = term_node(reader, location.first + (uint32_t)chain.count);
        add_item(reader, &chain, new_node(reader, CONDITION_EQ, term, value));
    } while (accept_sign(reader, ','));
    put(reader, "}");
    if (!location.is_array || chain.count != location.count || !word_is_sign(reader, '}')) {
        litmus_error(reader, place, "expected a list of %u values for '%s' here",
                     location.is_array ? location.count : 0, location.label);
        return NULL;
    }
    next_word(reader);
    return join(reader, CONDITION_AND, chain.items, chain.count);
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
    put(reader, b->label);
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

static struct proposition read_atom(struct litmus_reader *reader, bool shown)
{
    size_t start = reader->normal.length;
    bool negated;
    if (reader->word.kind != WORD_NUMBER && reader->word.kind != WORD_NAME &&
        !word_is_sign(reader, '['))
        return give_up(reader, "a condition such as 0:rax=1 or [x]=1");
    int draft = read_location(reader, shown);
    if (draft == NO_INDEX)
        return give_up(reader, NULL);
    if (!read_comparison(reader, &negated))
        return give_up(reader, "'=' or '!=' after a location");
    if (negated)
        put(reader, "not (");
    put(reader, draft_location(reader, draft)->label);
    put(reader, "=");
    const struct condition *condition;
    if (word_is_sign(reader, '{')) {
        condition = read_elements(reader, draft);
    } else {
        uint32_t use = draft_location(reader, draft)->first;
        const struct condition *right =
            at_location(reader) ? read_right_location(reader, draft, shown)
                                : read_value(reader, draft_location(reader, draft)->width);
        condition = right ? new_node(reader, CONDITION_EQ, term_node(reader, use), right) : NULL;
    }
    if (!condition)
        return give_up(reader, NULL);
    if (negated) {
        put(reader, ")");
        condition = new_node(reader, CONDITION_NOT, condition, NULL);
    }
    return (struct proposition){condition, ATOM, start};
}

/* ---- connectives ---- */

/* Takes a connective of two characters. */
static bool accept_pair(struct litmus_reader *reader, char first, char second)
{
    if (!word_is_sign(reader, first) || reader->at >= reader->end || *reader->at != second)
        return false;
    next_word(reader);
    next_word(reader);
    return true;
}

static struct proposition read_unary(struct litmus_reader *reader)
{
    size_t start = reader->normal.length;
    bool negated = word_is(reader, "not") || word_is_sign(reader, '~');
    struct proposition inner;
    if (++reader->nesting > PROPOSITION_NESTING_MAX)
        return give_up(reader, "a condition that is nested less deeply");
    if (reader->leaf_count > LEAVES_MAX)
        return give_up(reader, "a condition of fewer parts");
    if (negated) {
        next_word(reader);
        put(reader, "not (");
        inner = read_unary(reader);
        put(reader, ")");
        inner.condition = new_node(reader, CONDITION_NOT, inner.condition, NULL);
        inner.op = ATOM;
    } else if (accept_sign(reader, '(')) {
        inner = read_or(reader);
        if (!reader->stopped && !accept_sign(reader, ')'))
            inner = give_up(reader, "/\\, \\/, => or ')'");
    } else if (word_is(reader, "true") || word_is(reader, "false")) {
        bool is_true = word_is(reader, "true");
        put(reader, is_true ? "true" : "false");
        next_word(reader);
        inner = (struct proposition){number_node(reader, is_true), ATOM, start};
    } else {
        inner = read_atom(reader, !reader->in_filter);
    }
    reader->nesting--;
    inner.start = start;
    return inner;
}

static struct proposition read_implies(struct litmus_reader *reader)
{
    struct proposition left = read_unary(reader);
    if (!accept_pair(reader, '=', '>'))
        return left;
    if (++reader->nesting > PROPOSITION_NESTING_MAX)
        return give_up(reader, "a condition that is nested less deeply");
    bracket_operand(reader, IMPLIES, &left);
    put(reader, " => ");
    struct proposition right = read_implies(reader);
    bracket_operand(reader, IMPLIES, &right);
    reader->nesting--;
    const struct condition *not_left = new_node(reader, CONDITION_NOT, left.condition, NULL);
    return (struct proposition){new_node(reader, CONDITION_OR, not_left, right.condition), IMPLIES,
                                left.start};
}

static struct proposition read_chain(struct litmus_reader *reader, enum connective op)
{
    struct chain chain = {NULL, 0, 0};
    char first = op == AND ? '/' : '\\', second = op == AND ? '\\' : '/';
    struct proposition left = op == AND ? read_implies(reader) : read_chain(reader, AND);
    if (!word_is_sign(reader, first))
        return left;
    bracket_operand(reader, op, &left);
    add_item(reader, &chain, left.condition);
    while (accept_pair(reader, first, second)) {
        put(reader, op == AND ? " /\\ " : " \\/ ");
        struct proposition next = op == AND ? read_implies(reader) : read_chain(reader, AND);
        bracket_operand(reader, op, &next);
        add_item(reader, &chain, next.condition);
    }
    if (chain.count == 1)
        return left;
    return (struct proposition){
        join(reader, op == AND ? CONDITION_AND : CONDITION_OR, chain.items, chain.count), op,
        left.start};
}

static struct proposition read_or(struct litmus_reader *reader) { return read_chain(reader, OR); }

static const struct condition *read_proposition(struct litmus_reader *reader)
{
    reader->normal.length = 0;
    text_add(&reader->normal, "");
    reader->nesting = 0;
    return read_or(reader).condition;
}

/* ---- the section ---- */

/* Takes the quantifier; false when none stands here. */
static bool accept_quantifier(struct litmus_reader *reader, enum quantifier *quantifier)
{
    if (word_is_sign(reader, '~')) {
        next_word(reader);
        if (!word_is(reader, "exists")) {
            litmus_unexpected(reader, "'exists' after '~'");
            return false;
        }
        *quantifier = QUANTIFIER_NOT_EXISTS;
    } else if (word_is(reader, "exists") || word_is(reader, "final")) {
        *quantifier = QUANTIFIER_EXISTS;
    } else if (word_is(reader, "forall")) {
        *quantifier = QUANTIFIER_FORALL;
    } else {
        litmus_unexpected(reader, "exists, ~exists, forall, locations or filter");
        return false;
    }
    next_word(reader);
    return true;
}

void read_condition_section(struct litmus_reader *reader)
{
    struct litmus *litmus = reader->litmus;
    litmus->quantifier = QUANTIFIER_FORALL;
    litmus->text = "true";
    if (word_is(reader, "locations"))
        read_locations(reader);
    if (word_is(reader, "filter")) {
        next_word(reader);
        reader->in_filter = true;
        litmus->filter = read_proposition(reader);
        reader->in_filter = false;
        accept_sign(reader, ';');
    }
    struct place place = reader->word.place;
    if (reader->word.kind != WORD_END && accept_quantifier(reader, &litmus->quantifier)) {
        litmus->place = place;
        litmus->condition = read_proposition(reader);
        litmus->text = region_strdup(reader->region, reader->normal.data);
        accept_sign(reader, ';');
        if (reader->word.kind != WORD_END && !word_is(reader, "with") && !reader->stopped)
            litmus_unexpected(reader, "/\\, \\/, => or the end of the test");
    }
    if (!litmus->condition)
        litmus->condition = number_node(reader, 1);
}
