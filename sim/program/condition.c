/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions: "P0:eax == 0 && (x != 1 || crash)". Recursive descent, a level for each kind of
 * operator. A comparison that names several CPUs ("P1.*:eax == 0") becomes a conjunction over
 * them. Chains of && and || are built balanced, so that nobody who walks the tree needs a
 * deep stack.
 */
#include <ctype.h>
#include <string.h>

#include "sim/program/trace_reader.h"

enum { NESTING_MAX = 100, CONDITION_NODES_MAX = 100000 };

enum lexeme { END, NAME, NUMBER, COMPARISON, AND, OR, NOT, OPEN, CLOSE, STRANGE };

struct condition_parser {
    struct trace_reader *reader;
    const struct node *node;
    const char *text;
    size_t next;  /* offset behind the lexeme */
    size_t start; /* the lexeme itself: */
    size_t length;
    enum lexeme lexeme;
    enum condition_op comparison;
    unsigned nesting;
    size_t nodes;
    bool failed;  /* some error was reported: no tree comes out */
    bool stopped; /* the rest cannot be understood any more */
    bool about_crash, about_stuck;
};

/* A term as it is written: it may stand for the same register of several CPUs. */
struct operand {
    enum condition_op op;
    uint64_t number;
    uint32_t first, count; /* CPUs */
    bool family;
    uint32_t object;
    struct register_view view;
    const char *register_name;
};

static void complain_at(struct condition_parser *parser, size_t offset, const char *message)
{
    struct input *input = &parser->reader->input;
    if (!parser->stopped)
        input_error(input, node_locate(input->document, parser->node, offset), "%s", message);
    parser->failed = true;
}

static void stop_at(struct condition_parser *parser, size_t offset, const char *message)
{
    complain_at(parser, offset, message);
    parser->stopped = true;
    parser->lexeme = END;
}

/* ---- lexemes ---- */

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* A word with what belongs to it: "P1.*:eax", "P0-a:stuck", "0x10", "x". */
static size_t word_length(const char *text)
{
    size_t length = 0;
    while (
        is_word(text[length]) || text[length] == '-' ||
        (text[length] == '.' && length && (is_word(text[length + 1]) || text[length + 1] == '*')))
        length += text[length] == '.' ? 2 : 1;
    if (text[length] == ':')
        for (length++; is_word(text[length]);)
            length++;
    return length;
}

static const struct {
    char text[3];
    enum lexeme lexeme;
    enum condition_op comparison;
} signs[] = {
    {"==", COMPARISON, CONDITION_EQ}, {"!=", COMPARISON, CONDITION_NE},
    {"<=", COMPARISON, CONDITION_LE}, {">=", COMPARISON, CONDITION_GE},
    {"&&", AND, CONDITION_AND},       {"||", OR, CONDITION_OR},
    {"<", COMPARISON, CONDITION_LT},  {">", COMPARISON, CONDITION_GT},
    {"!", NOT, CONDITION_NOT},        {"(", OPEN, CONDITION_AND},
    {")", CLOSE, CONDITION_AND},
};

static void advance(struct condition_parser *parser)
{
    const char *text = parser->text;
    if (parser->stopped)
        return;
    parser->start = parser->next + strspn(text + parser->next, " \t\n");
    const char *at = text + parser->start;
    parser->length = 1;
    parser->lexeme = STRANGE;
    if (!*at) {
        parser->lexeme = END;
        parser->length = 0;
    } else if (is_word(*at)) {
        parser->lexeme = isdigit((unsigned char)*at) ? NUMBER : NAME;
        parser->length = word_length(at);
    } else {
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
            size_t length = strlen(signs[i].text);
            if (strncmp(at, signs[i].text, length) != 0)
                continue;
            parser->lexeme = signs[i].lexeme;
            parser->comparison = signs[i].comparison;
            parser->length = length;
            break;
        }
    }
    parser->next = parser->start + parser->length;
}

static const char *lexeme_text(struct condition_parser *parser)
{
    struct region *region = parser->reader->input.region;
    if (parser->lexeme == END)
        return "the end";
    if (parser->lexeme == STRANGE)
        return input_character(&parser->reader->input, parser->text + parser->start);
    int shown = parser->length < 80 ? (int)parser->length : 80;
    return region_printf(region, "'%.*s'", shown, parser->text + parser->start);
}

static void stop_here(struct condition_parser *parser, const char *expected)
{
    const char *text = parser->text + parser->start;
    const char *hint = "";
    if (parser->lexeme == STRANGE && *text == '=')
        hint = " (equality is ==)";
    else if (parser->lexeme == STRANGE && (*text == '&' || *text == '/'))
        hint = " (and is &&)";
    else if (parser->lexeme == STRANGE && (*text == '|' || *text == '\\'))
        hint = " (or is ||)";
    stop_at(parser, parser->start,
            region_printf(parser->reader->input.region, "found %s, expected %s%s",
                          lexeme_text(parser), expected, hint));
}

/* ---- terms ---- */

static bool find_cpus(struct condition_parser *parser, const char *name, struct operand *operand)
{
    struct trace_reader *reader = parser->reader;
    size_t length = strlen(name);
    int index = name_table_find(&reader->cpus, name);
    operand->count = 1;
    if (index == NO_INDEX && length > 2 && strcmp(name + length - 2, ".*") == 0) {
        const char *family = region_strndup(reader->input.region, name, length - 2);
        index = name_table_find(&reader->families, family);
        operand->family = index != NO_INDEX;
        if (operand->family)
            operand->count = reader->program->cpus[index].family_count;
    }
    operand->first = index == NO_INDEX ? 0 : (uint32_t)index;
    if (index != NO_INDEX)
        return true;
    bool is_family = name_table_find(&reader->families, name) != NO_INDEX;
    complain_at(parser, parser->start,
                region_printf(reader->input.region, "found '%.80s', which is no CPU%s", name,
                              is_family
                                  ? region_printf(reader->input.region,
                                                  " but several; %.80s.* is each of them", name)
                                  : input_suggest(&reader->input, name, reader->cpus.names,
                                                  reader->cpus.name_count)));
    return false;
}

static void read_register(struct condition_parser *parser, const char *word, size_t colon,
                          struct operand *operand)
{
    struct region *region = parser->reader->input.region;
    const char *cpu = region_strndup(region, word, colon), *name = word + colon + 1;
    if (!find_cpus(parser, cpu, operand))
        return;
    if (strcmp(name, "stuck") == 0) {
        operand->op = CONDITION_STUCK;
        return;
    }
    operand->op = CONDITION_REGISTER;
    if (register_parse(name, &operand->view)) {
        char *lower = region_strdup(region, name);
        for (char *c = lower; *c; c++)
            *c = (char)tolower((unsigned char)*c);
        operand->register_name = lower;
        return;
    }
    complain_at(parser, parser->start,
                region_printf(region,
                              "found '%.80s': '%.80s' is no register, expected one such as eax, "
                              "r8, al or zf, or stuck",
                              word, name));
}

static void read_object_term(struct condition_parser *parser, const char *word,
                             struct operand *operand)
{
    struct trace_reader *reader = parser->reader;
    struct region *region = reader->input.region;
    int index = name_table_find(&reader->objects, word);
    operand->op = CONDITION_OBJECT;
    if (strcmp(word, "crash") == 0) {
        operand->op = CONDITION_CRASH;
        return;
    }
    if (index == NO_INDEX) {
        bool is_cpu = name_table_find(&reader->families, word) != NO_INDEX;
        complain_at(parser, parser->start,
                    region_printf(region, "found '%.80s', which is no object%s", word,
                                  is_cpu
                                      ? " but a CPU; name a register of it: CPU:register"
                                      : input_suggest(&reader->input, word, reader->objects.names,
                                                      reader->objects.name_count)));
        return;
    }
    const struct object *object = &reader->program->objects[index];
    operand->object = (uint32_t)index;
    if (object->size > 8 || (object->size & (object->size - 1)))
        complain_at(parser, parser->start,
                    region_printf(region,
                                  "'%s' has %llu bytes, expected an object of 1, 2, 4 or 8; a name "
                                  "inside it (at: %s+0) can be compared",
                                  word, (unsigned long long)object->size, word));
}

static struct operand read_operand(struct condition_parser *parser, const char *expected)
{
    struct region *region = parser->reader->input.region;
    struct operand operand = {.op = CONDITION_NUMBER, .count = 1};
    const char *word = region_strndup(region, parser->text + parser->start, parser->length);
    const char *colon = strchr(word, ':');
    if (parser->lexeme == NUMBER) {
        enum number_result result = number_parse(word, parser->length, &operand.number);
        if (result != NUMBER_OK)
            complain_at(parser, parser->start,
                        region_printf(region, "found '%.80s'%s, expected a number (decimal or 0x)",
                                      word,
                                      result == NUMBER_TOO_BIG ? ", which does not fit in 64 bits"
                                      : result == NUMBER_OCTAL ? ", which could be octal"
                                                               : ""));
    } else if (parser->lexeme != NAME) {
        stop_here(parser, expected);
    } else if (colon) {
        read_register(parser, word, (size_t)(colon - word), &operand);
    } else {
        read_object_term(parser, word, &operand);
    }
    advance(parser);
    return operand;
}

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
    if (++parser->nodes > CONDITION_NODES_MAX)
        stop_at(parser, 0, "the condition has too many terms once every CPU is filled in");
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
    if (parser->nodes + 3 * pairs > CONDITION_NODES_MAX) {
        stop_at(parser, 0, "the condition has too many terms once every CPU is filled in");
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

static struct condition_parser begin(struct trace_reader *reader, const struct node *node)
{
    struct condition_parser parser = {.reader = reader, .node = node, .text = node->text};
    advance(&parser);
    return parser;
}

const struct condition *read_condition(struct trace_reader *reader, const struct node *node,
                                       bool *about_crash, bool *about_stuck)
{
    if (node->kind != NODE_SCALAR || node->length == 0) {
        input_error(&reader->input, node->place, "found %s, expected a condition",
                    input_describe(&reader->input, node));
        return NULL;
    }
    struct condition_parser parser = begin(reader, node);
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
    struct condition_parser parser = begin(reader, node);
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
