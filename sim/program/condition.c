/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions: "P0:eax == 0 && (x != 1 || crash)". Recursive descent, a level for each kind of
 * operator. A comparison that names several CPUs ("P1.*:eax == 0") becomes a conjunction over
 * them. Chains of && and || are built balanced, so that nobody who walks the tree needs a
 * deep stack.
 */
#include "sim/program/condition_words.h"

enum { NESTING_MAX = 100, CONDITION_NODES_MAX = 1000000 };

int term_index(struct trace_reader *reader, const struct term *term, const char *register_name)
{
    struct program *program = reader->program;
    uint32_t packed[] = {term->is_object,  term->is_object ? term->object : term->cpu,
                         term->view.file,  term->view.index,
                         term->view.shift, term->view.width};
    bool fresh;
    uint32_t id = intern_add(&reader->terms, packed, sizeof packed, &fresh);
    if (!fresh)
        return (int)id;
    program->terms = region_push(program->region, program->terms, program->term_count,
                                 &reader->term_capacity, sizeof *program->terms);
    struct term *added = &program->terms[program->term_count++];
    *added = *term;
    added->text = term->is_object ? program->objects[term->object].name
                                  : region_printf(program->region, "%s:%s",
                                                  program->cpus[term->cpu].name, register_name);
    return (int)id;
}

/* ---- the tree ---- */

static struct condition *new_condition(struct condition_parser *parser, enum condition_op op)
{
    if (++parser->reader->condition_nodes > CONDITION_NODES_MAX)
        stop_at(parser, 0, "the conditions have too many terms once every CPU is filled in");
    struct condition *condition = region_alloc(parser->reader->input.region, sizeof *condition);
    condition->op = op;
    condition->term = NO_INDEX;
    return condition;
}

/* `list` joined by `op`, with a depth of the logarithm of its length. */
static const struct condition *join(struct condition_parser *parser, enum condition_op op,
                                    const struct condition **list, size_t count)
{
    if (count == 1)
        return list[0];
    struct condition *condition = new_condition(parser, op);
    condition->left = join(parser, op, list, count / 2);
    condition->right = join(parser, op, list + count / 2, count - count / 2);
    return condition;
}

/* The operand for one CPU of those that it names. */
static const struct condition *leaf(struct condition_parser *parser, const struct operand *operand,
                                    uint32_t cpu)
{
    struct condition *condition = new_condition(parser, operand->op);
    condition->number = operand->number;
    condition->cpu = cpu;
    condition->object = operand->object;
    condition->view = operand->view;
    parser->about_crash |= operand->op == CONDITION_CRASH;
    parser->about_stuck |= operand->op == CONDITION_STUCK;
    if (parser->failed || (operand->op != CONDITION_REGISTER && operand->op != CONDITION_OBJECT))
        return condition;
    struct term term = {.is_object = operand->op == CONDITION_OBJECT,
                        .cpu = cpu,
                        .object = operand->object,
                        .view = operand->view};
    condition->term = term_index(parser->reader, &term, operand->register_name);
    return condition;
}

/*
 * The comparison for every CPU that its sides name. When both name the same family, each CPU
 * is compared with itself; otherwise every one of the left with every one of the right.
 */
static const struct condition *compare(struct condition_parser *parser, enum condition_op op,
                                       const struct operand *left, const struct operand *right)
{
    bool paired = left->family && right->family && left->first == right->first;
    size_t pairs = paired ? left->count : (size_t)left->count * right->count;
    if (parser->reader->condition_nodes + 3 * pairs > CONDITION_NODES_MAX) {
        stop_at(parser, 0, "the conditions have too many terms once every CPU is filled in");
        return NULL;
    }
    const struct condition **list = region_array(parser->reader->input.region, pairs, sizeof *list);
    for (size_t i = 0; i < pairs; i++) {
        uint32_t of_left = (uint32_t)(paired ? i : i / right->count);
        uint32_t of_right = (uint32_t)(paired ? i : i % right->count);
        struct condition *condition = new_condition(parser, op);
        condition->left = leaf(parser, left, left->first + of_left);
        condition->right = leaf(parser, right, right->first + of_right);
        list[i] = condition;
    }
    return join(parser, CONDITION_AND, list, pairs);
}

static const struct condition *read_comparison(struct condition_parser *parser)
{
    struct operand left = read_operand(parser, "a term: CPU:register, an object or a number");
    if (left.op == CONDITION_CRASH || left.op == CONDITION_STUCK) {
        const struct condition **list =
            region_array(parser->reader->input.region, left.count, sizeof *list);
        for (uint32_t i = 0; i < left.count; i++)
            list[i] = leaf(parser, &left, left.first + i);
        if (parser->lexeme == COMPARISON)
            stop_here(parser, "&&, || or the end: crash and stuck are true or false by themselves");
        return join(parser, CONDITION_AND, list, left.count);
    }
    if (parser->lexeme != COMPARISON) {
        if (!parser->stopped)
            stop_here(parser, "a comparison (== != < <= > >=)");
        return NULL;
    }
    enum condition_op op = parser->comparison;
    advance(parser);
    size_t start = parser->start;
    struct operand right = read_operand(parser, "a value: CPU:register, an object or a number");
    if (right.op == CONDITION_CRASH || right.op == CONDITION_STUCK)
        complain_at(parser, start, "crash and stuck are true or false by themselves, not values");
    return compare(parser, op, &left, &right);
}

static const struct condition *read_or(struct condition_parser *parser);

static const struct condition *read_not(struct condition_parser *parser)
{
    const struct condition *inner;
    if (parser->lexeme != NOT && parser->lexeme != OPEN)
        return read_comparison(parser);
    if (++parser->nesting > NESTING_MAX) {
        stop_at(parser, parser->start, "the condition is nested too deeply");
        return NULL;
    }
    bool negated = parser->lexeme == NOT;
    advance(parser);
    if (negated) {
        struct condition *condition = new_condition(parser, CONDITION_NOT);
        condition->left = read_not(parser);
        inner = condition;
    } else {
        inner = read_or(parser);
        if (!parser->stopped && parser->lexeme != CLOSE)
            stop_here(parser, "&&, || or ')'");
        advance(parser);
    }
    parser->nesting--;
    return inner;
}

static const struct condition *
read_chain(struct condition_parser *parser, enum lexeme lexeme, enum condition_op op,
           const struct condition *(*read)(struct condition_parser *))
{
    struct region *region = parser->reader->input.region;
    const struct condition *first = read(parser), **list = NULL;
    size_t count = 0, capacity = 0;
    if (parser->lexeme != lexeme)
        return first;
    list = region_push(region, list, count, &capacity, sizeof *list);
    list[count++] = first;
    while (parser->lexeme == lexeme && !parser->stopped) {
        advance(parser);
        list = region_push(region, list, count, &capacity, sizeof *list);
        list[count++] = read(parser);
    }
    const struct condition *joined = join(parser, op, list, count);
    region_free(region, list);
    return joined;
}

static const struct condition *read_and(struct condition_parser *parser)
{
    return read_chain(parser, AND, CONDITION_AND, read_not);
}

static const struct condition *read_or(struct condition_parser *parser)
{
    return read_chain(parser, OR, CONDITION_OR, read_and);
}

const struct condition *read_condition(struct trace_reader *reader, const struct node *node,
                                       bool *about_crash, bool *about_stuck)
{
    if (node->kind != NODE_SCALAR || node->length == 0) {
        input_error(&reader->input, node->place, "found %s, expected a condition",
                    input_describe(&reader->input, node));
        return NULL;
    }
    struct condition_parser parser = condition_begin(reader, node);
    const struct condition *condition = read_or(&parser);
    if (!parser.stopped && parser.lexeme != END)
        stop_here(&parser, "&&, || or the end");
    *about_crash = parser.about_crash;
    *about_stuck = parser.about_stuck;
    return parser.failed ? NULL : condition;
}

void read_observed(struct trace_reader *reader, const struct node *node)
{
    static const char expected[] = "CPU:register or an object";
    if (node->kind != NODE_SCALAR || node->length == 0) {
        input_error(&reader->input, node->place, "observe: found %s, expected %s",
                    input_describe(&reader->input, node), expected);
        return;
    }
    struct condition_parser parser = condition_begin(reader, node);
    struct operand operand = read_operand(&parser, expected);
    if (!parser.stopped && parser.lexeme != END)
        stop_here(&parser, "the end: one term for each entry of 'observe'");
    else if (!parser.failed && operand.op != CONDITION_REGISTER && operand.op != CONDITION_OBJECT)
        complain_at(&parser, 0,
                    region_printf(reader->input.region, "observe: found %s, expected %s",
                                  input_describe(&reader->input, node), expected));
    for (uint32_t i = 0; !parser.failed && i < operand.count; i++)
        leaf(&parser, &operand, operand.first + i);
}
