/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/program/condition_words.h"

#include <ctype.h>
#include <string.h>

void complain_at(struct condition_parser *parser, size_t offset, const char *message)
{
    struct input *input = &parser->reader->input;
    struct place place = parser->node->place;
    if (!input->diagnostics->dropped) /* otherwise nobody will read the place */
        place = node_locate(input->document, parser->node, offset);
    if (!parser->stopped)
        input_error(input, place, "%s", message);
    parser->failed = true;
}

void stop_at(struct condition_parser *parser, size_t offset, const char *message)
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

void advance(struct condition_parser *parser)
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

void stop_here(struct condition_parser *parser, const char *expected)
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

struct operand read_operand(struct condition_parser *parser, const char *expected)
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

struct condition_parser condition_begin(struct trace_reader *reader, const struct node *node)
{
    struct condition_parser parser = {.reader = reader, .node = node, .text = node->text};
    advance(&parser);
    return parser;
}
