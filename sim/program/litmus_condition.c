/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last section: filter, list of locations, and the quantified proposition. Beside the tree
 * the proposition is written down again in the form in which reports repeat it, with the
 * brackets that its operators need and no others.
 */
#include "sim/program/litmus_proposition.h"

enum { PROPOSITION_NESTING_MAX = 100, LEAVES_MAX = 20000 };

static struct proposition read_or(struct litmus_reader *reader);

/* ---- the normal form ---- */

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
        return proposition_give_up(reader, "a condition that is nested less deeply");
    if (reader->leaf_count > LEAVES_MAX)
        return proposition_give_up(reader, "a condition of fewer parts");
    if (negated) {
        next_word(reader);
        proposition_put(reader, "not (");
        inner = read_unary(reader);
        proposition_put(reader, ")");
        inner.condition = proposition_node(reader, CONDITION_NOT, inner.condition, NULL);
        inner.op = ATOM;
    } else if (accept_sign(reader, '(')) {
        inner = read_or(reader);
        if (!reader->stopped && !accept_sign(reader, ')'))
            inner = proposition_give_up(reader, "/\\, \\/, => or ')'");
    } else if (word_is(reader, "true") || word_is(reader, "false")) {
        bool is_true = word_is(reader, "true");
        proposition_put(reader, is_true ? "true" : "false");
        next_word(reader);
        inner = (struct proposition){proposition_number(reader, is_true), ATOM, start};
    } else {
        inner = proposition_atom(reader, !reader->in_filter);
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
        return proposition_give_up(reader, "a condition that is nested less deeply");
    bracket_operand(reader, IMPLIES, &left);
    proposition_put(reader, " => ");
    struct proposition right = read_implies(reader);
    bracket_operand(reader, IMPLIES, &right);
    reader->nesting--;
    const struct condition *not_left =
        proposition_node(reader, CONDITION_NOT, left.condition, NULL);
    return (struct proposition){proposition_node(reader, CONDITION_OR, not_left, right.condition),
                                IMPLIES, left.start};
}

static struct proposition read_chain(struct litmus_reader *reader, enum connective op)
{
    struct chain chain = {NULL, 0, 0};
    char first = op == AND ? '/' : '\\', second = op == AND ? '\\' : '/';
    struct proposition left = op == AND ? read_implies(reader) : read_chain(reader, AND);
    if (!word_is_sign(reader, first))
        return left;
    bracket_operand(reader, op, &left);
    chain_add(reader, &chain, left.condition);
    while (accept_pair(reader, first, second)) {
        proposition_put(reader, op == AND ? " /\\ " : " \\/ ");
        struct proposition next = op == AND ? read_implies(reader) : read_chain(reader, AND);
        bracket_operand(reader, op, &next);
        chain_add(reader, &chain, next.condition);
    }
    if (chain.count == 1)
        return left;
    return (struct proposition){proposition_join(reader, op == AND ? CONDITION_AND : CONDITION_OR,
                                                 chain.items, chain.count),
                                op, left.start};
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
        litmus->condition = proposition_number(reader, 1);
}
