/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/program/fields.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/program/program.h"

enum { SHOWN_BYTES = 40, CANDIDATES_MAX = 2000, LISTED_MAX = 15 };

void input_error(struct input *input, struct place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diagnostics_add_list(input->diagnostics, input->file, place, format, arguments);
    va_end(arguments);
}

const char *input_describe(struct input *input, const struct node *node)
{
    if (node->kind == NODE_LIST)
        return "a list";
    if (node->kind == NODE_MAP)
        return "a mapping";
    if (node_is_null(node))
        return "nothing";
    if (node->length == 0)
        return "an empty text";
    size_t shown = strcspn(node->text, "\n");
    bool cut = shown < node->length;
    if (shown > SHOWN_BYTES) {
        shown = SHOWN_BYTES;
        cut = true;
        while (shown > 0 && ((unsigned char)node->text[shown] & 0xc0) == 0x80)
            shown--; /* not into the middle of a character */
    }
    return region_printf(input->region, "'%.*s%s'", (int)shown, node->text, cut ? "..." : "");
}

const char *input_character(struct input *input, const char *text)
{
    int length = 1;
    while (((unsigned char)text[length] & 0xc0) == 0x80)
        length++;
    return region_printf(input->region, "'%.*s'", length, text);
}

/* "a, b or c" */
static const char *join(struct input *input, const char *const *words, size_t count)
{
    const char *text = words[0];
    for (size_t i = 1; i < count; i++)
        text =
            region_printf(input->region, "%s%s%s", text, i + 1 < count ? ", " : " or ", words[i]);
    return text;
}

const char *input_suggest(struct input *input, const char *word, const char *const *candidates,
                          size_t count)
{
    if (input->diagnostics->dropped || count == 0 || count > CANDIDATES_MAX)
        return "";
    /* In a word of one or two letters one that differs is no misspelling. */
    const char *near = strlen(word) > 2 ? nearest_name(word, candidates, count) : NULL;
    if (near)
        return region_printf(input->region, " (did you mean '%s'?)", near);
    if (count <= LISTED_MAX)
        return region_printf(input->region, ", expected %s", join(input, candidates, count));
    return "";
}

static void unknown_key(struct input *input, const struct node *key, const char *what,
                        const struct field *fields, size_t count)
{
    const char **names = region_array(input->region, count, sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = fields[i].name;
    input_error(input, key->place, "found the unknown key %s in %s%s", input_describe(input, key),
                what, input_suggest(input, key->text, names, count));
}

bool input_map(struct input *input, const struct node *node, const char *what, struct field *fields,
               size_t count)
{
    if (node->kind != NODE_MAP) {
        input_error(input, node->place, "found %s, expected %s, which is a mapping",
                    input_describe(input, node), what);
        return false;
    }
    for (size_t i = 0; i < node->count; i++) {
        const struct node_pair *pair = &node->pairs[i];
        size_t at = 0;
        while (at < count && strcmp(fields[at].name, pair->key->text) != 0)
            at++;
        if (at == count) {
            unknown_key(input, pair->key, what, fields, count);
            continue;
        }
        fields[at].key = pair->key;
        fields[at].value = pair->value;
    }
    return true;
}

bool input_list(struct input *input, const struct node *node, const char *what,
                const char *expected)
{
    if (node->kind == NODE_LIST)
        return true;
    input_error(input, node->place, "%s: found %s, expected a list of %s", what,
                input_describe(input, node), expected);
    return false;
}

static bool is_scalar(struct input *input, const struct node *node, const char *what,
                      const char *expected)
{
    if (node->kind == NODE_SCALAR && node->length > 0 && !node_is_null(node))
        return true;
    input_error(input, node->place, "%s: found %s, expected %s", what, input_describe(input, node),
                expected);
    return false;
}

bool input_text(struct input *input, const struct node *node, const char *what, const char **text)
{
    if (!is_scalar(input, node, what, "text"))
        return false;
    *text = node->text;
    return true;
}

bool is_printable_line(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if ((*c < ' ' && *c != '\t') || *c == 0x7f || (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0))
            return false;
    return true;
}

bool input_name(struct input *input, const struct node *node, const char *what, const char *more,
                const char **name)
{
    if (!is_scalar(input, node, what, "a name"))
        return false;
    const char *text = node->text;
    bool valid = node->length <= NAME_MAX_BYTES && !isdigit((unsigned char)text[0]) &&
                 !strchr(more, text[0]);
    for (size_t i = 0; valid && i < node->length; i++) {
        unsigned char c = (unsigned char)text[i];
        valid = c < 0x80 && (isalnum(c) || c == '_' || strchr(more, c));
    }
    if (!valid) {
        input_error(input, node->place,
                    "%s: found %s, expected a name: a letter or '_', then letters, digits%s%s and "
                    "'_', at most %d",
                    what, input_describe(input, node), *more ? ", " : "", more, NAME_MAX_BYTES);
        return false;
    }
    *name = text;
    return true;
}

bool input_flag(struct input *input, const struct node *node, const char *what, bool *flag)
{
    if (!is_scalar(input, node, what, "true or false"))
        return false;
    *flag = strcmp(node->text, "true") == 0;
    if (*flag || strcmp(node->text, "false") == 0)
        return true;
    input_error(input, node->place, "%s: found %s, expected true or false", what,
                input_describe(input, node));
    return false;
}

bool input_choice(struct input *input, const struct node *node, const char *what,
                  const char *const *words, size_t count, int *index)
{
    if (!is_scalar(input, node, what, join(input, words, count)))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], node->text) == 0) {
            *index = (int)i;
            return true;
        }
    }
    const char *meant = input_suggest(input, node->text, words, count);
    if (!*meant)
        meant = region_printf(input->region, ", expected %s", join(input, words, count));
    input_error(input, node->place, "%s: found %s%s", what, input_describe(input, node), meant);
    return false;
}

/* ---- numbers ---- */

enum number_result number_parse(const char *text, size_t length, uint64_t *number)
{
    unsigned base = 10;
    size_t at = 0;
    if (length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        at = 2;
    }
    if (at == length)
        return NUMBER_NONE;
    uint64_t value = 0;
    bool too_big = false;
    for (size_t i = at; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        unsigned digit = isdigit(c) ? c - 48u : (c | 0x20u) - 'a' + 10u;
        if (!isalnum(c) || digit >= base)
            return NUMBER_NONE;
        too_big |= value > (UINT64_MAX - digit) / base;
        value = value * base + digit;
    }
    if (base == 10 && length > 1 && text[0] == '0')
        return NUMBER_OCTAL;
    if (too_big)
        return NUMBER_TOO_BIG;
    *number = value;
    return NUMBER_OK;
}

/* Says why a number was not read; true when there is nothing to say. */
static bool number_read(struct input *input, const struct node *node, const char *what,
                        enum number_result result, const char *expected)
{
    if (result == NUMBER_OK)
        return true;
    const char *why = result == NUMBER_TOO_BIG ? ", which does not fit in 64 bits"
                      : result == NUMBER_OCTAL ? ", which could be octal"
                                               : "";
    input_error(input, node->place, "%s: found %s%s, expected %s", what,
                input_describe(input, node), why, expected);
    return false;
}

bool input_number(struct input *input, const struct node *node, const char *what, uint64_t least,
                  uint64_t most, uint64_t *number)
{
    const char *expected =
        most == UINT64_MAX
            ? region_printf(input->region, "an integer, %llu or more", (unsigned long long)least)
            : region_printf(input->region, "an integer from %llu to %llu",
                            (unsigned long long)least, (unsigned long long)most);
    if (!is_scalar(input, node, what, expected))
        return false;
    uint64_t value;
    if (!number_read(input, node, what, number_parse(node->text, node->length, &value), expected))
        return false;
    if (value < least || value > most) {
        input_error(input, node->place, "%s: found %s, expected %s", what,
                    input_describe(input, node), expected);
        return false;
    }
    *number = value;
    return true;
}

bool input_real(struct input *input, const struct node *node, const char *what, double *number)
{
    static const char expected[] = "a number, 0 or more";
    if (!is_scalar(input, node, what, expected))
        return false;
    char *end;
    /* Only decimal digits: strtod would also take "inf", "nan" and hexadecimal fractions. */
    bool decimal = strspn(node->text, "0123456789.eE+-") == node->length;
    double value = decimal ? strtod(node->text, &end) : 0;
    if (!decimal || *end || end == node->text || !isfinite(value) || signbit(value)) {
        input_error(input, node->place, "%s: found %s, expected %s", what,
                    input_describe(input, node), expected);
        return false;
    }
    *number = value;
    return true;
}

bool input_size(struct input *input, const struct node *node, const char *what, uint64_t most,
                uint64_t *bytes)
{
    static const char expected[] = "a number of bytes, 1 or more (4, 128KiB, 2MiB)";
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    if (!is_scalar(input, node, what, expected))
        return false;
    size_t length = node->length;
    unsigned shift = 0;
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++) {
        if (length > 3 && strcmp(node->text + length - 3, units[i]) == 0) {
            shift = 10 * (i + 1);
            length -= 3;
            while (length > 0 && node->text[length - 1] == ' ')
                length--;
            break;
        }
    }
    uint64_t value = 0;
    if (!number_read(input, node, what, number_parse(node->text, length, &value), expected))
        return false;
    if (value > UINT64_MAX >> shift || value << shift > most) {
        input_error(input, node->place, "%s: found %s, expected at most %llu bytes", what,
                    input_describe(input, node), (unsigned long long)most);
        return false;
    }
    if (value == 0) {
        input_error(input, node->place, "%s: found %s, expected %s", what,
                    input_describe(input, node), expected);
        return false;
    }
    *bytes = value << shift;
    return true;
}

/* ---- bytes ---- */

static int hex_digit(char c)
{
    return isdigit((unsigned char)c)    ? c - '0'
           : isxdigit((unsigned char)c) ? (c | 0x20) - 'a' + 10
                                        : -1;
}

enum hex_result hex_parse(struct region *region, const char *text, uint8_t **bytes, size_t *count,
                          size_t *at)
{
    uint8_t *out = region_alloc(region, strlen(text) / 2 + 1);
    *count = 0;
    for (*at = 0;;) {
        *at += strspn(text + *at, " \t\r\n");
        if (!text[*at])
            break;
        int high = hex_digit(text[*at]), low = high < 0 ? -1 : hex_digit(text[*at + 1]);
        if (high < 0)
            return HEX_NOT;
        if (low < 0 && (text[*at + 1] == '\0' || isspace((unsigned char)text[*at + 1])))
            return HEX_HALF;
        if (low < 0) {
            ++*at;
            return HEX_NOT;
        }
        out[(*count)++] = (uint8_t)(high << 4 | low);
        *at += 2;
    }
    *bytes = out;
    return HEX_OK;
}
