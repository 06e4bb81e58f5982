/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of a litmus test, with their places; comments are blanks. */
#include <ctype.h>
#include <stdio.h>

#include "sim/program/litmus_reader.h"

enum { SHOWN_BYTES = 40 };

void litmus_error(struct litmus_reader *reader, struct place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diagnostics_add_list(reader->diagnostics, reader->program->file, place, format, arguments);
    va_end(arguments);
}

static struct place place_of(const struct litmus_reader *reader, const char *at)
{
    return (struct place){reader->line, (uint32_t)(at - reader->line_start) + 1};
}

void litmus_new_line(struct litmus_reader *reader, const char *newline)
{
    reader->line++;
    reader->line_start = newline + 1;
}

const char *litmus_skip_comment(struct litmus_reader *reader, const char *at)
{
    struct place place = place_of(reader, at);
    for (at += 2; at < reader->end; at++) {
        if (*at == '\n')
            litmus_new_line(reader, at);
        if (*at == '*' && at + 1 < reader->end && at[1] == ')')
            return at + 2;
    }
    litmus_error(reader, place, "this comment is never closed by *)");
    return at;
}

static const char *skip_blanks(struct litmus_reader *reader, const char *at)
{
    while (at < reader->end) {
        if (*at == '\n')
            litmus_new_line(reader, at++);
        else if (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\f')
            at++;
        else if (*at == '(' && at + 1 < reader->end && at[1] == '*')
            at = litmus_skip_comment(reader, at);
        else
            break;
    }
    return at;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* '-' and '/' are part of a name when more of it follows: not in "x/\" or "x-". */
static size_t name_length(const char *at, const char *end)
{
    const char *start = at;
    for (; at < end; at++) {
        bool joins =
            (*at == '-' || *at == '/') && at + 1 < end && (is_letter(at[1]) || is_digit(at[1]));
        if (!is_letter(*at) && !is_digit(*at) && !joins)
            break;
    }
    return (size_t)(at - start);
}

static size_t number_length(const char *at, const char *end)
{
    const char *start = at;
    while (at < end && isalnum((unsigned char)*at))
        at++;
    return (size_t)(at - start);
}

void next_word(struct litmus_reader *reader)
{
    const char *at = skip_blanks(reader, reader->at);
    struct word *word = &reader->word;
    *word = (struct word){WORD_END, at, 0, place_of(reader, at)};
    if (at < reader->end) {
        word->kind = is_letter(*at) ? WORD_NAME : is_digit(*at) ? WORD_NUMBER : WORD_SIGN;
        word->length = word->kind == WORD_NAME     ? name_length(at, reader->end)
                       : word->kind == WORD_NUMBER ? number_length(at, reader->end)
                                                   : 1;
        if (reader->end - at > 1 && at[0] == '<' && at[1] == '<')
            *word = (struct word){WORD_END, at, 0, word->place}; /* the rest is not the test's */
    }
    reader->at = at + word->length;
}

char peek_character(const struct litmus_reader *reader)
{
    const char *at = reader->at;
    while (at < reader->end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
        at++;
    return at < reader->end ? *at : '\0';
}

bool word_is(const struct litmus_reader *reader, const char *text)
{
    const struct word *word = &reader->word;
    return word->kind == WORD_NAME && word->length == strlen(text) &&
           memcmp(word->start, text, word->length) == 0;
}

bool word_is_sign(const struct litmus_reader *reader, char sign)
{
    return reader->word.kind == WORD_SIGN && *reader->word.start == sign;
}

bool accept_sign(struct litmus_reader *reader, char sign)
{
    if (!word_is_sign(reader, sign))
        return false;
    next_word(reader);
    return true;
}

bool expect_sign(struct litmus_reader *reader, char sign, const char *after)
{
    if (accept_sign(reader, sign))
        return true;
    litmus_error(reader, reader->word.place, "found %s, expected '%c' after %s", word_found(reader),
                 sign, after);
    return false;
}

char *word_text(const struct litmus_reader *reader)
{
    return region_strndup(reader->region, reader->word.start, reader->word.length);
}

const char *word_found(const struct litmus_reader *reader)
{
    const struct word *word = &reader->word;
    unsigned char first = word->length ? (unsigned char)*word->start : 0;
    if (word->kind == WORD_END)
        return "the end of the test";
    if (word->kind == WORD_SIGN && (first < ' ' || first >= 0x7f))
        return region_printf(reader->region, "the byte 0x%02x", first);
    int shown = word->length > SHOWN_BYTES ? SHOWN_BYTES : (int)word->length;
    return region_printf(reader->region, "'%.*s'", shown, word->start);
}

void litmus_unexpected(struct litmus_reader *reader, const char *expected)
{
    litmus_error(reader, reader->word.place, "found %s, expected %s", word_found(reader), expected);
}

/* Digits of a number word; false when they are none or more than 64 bits. */
static bool parse_digits(const struct word *word, uint64_t *number)
{
    bool hex = word->length > 2 && word->start[0] == '0' && (word->start[1] | 0x20) == 'x';
    unsigned base = hex ? 16 : 10;
    uint64_t value = 0;
    for (size_t i = hex ? 2 : 0; i < word->length; i++) {
        char c = word->start[i];
        unsigned digit = is_digit(c) ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;
        if (digit >= base || value > (UINT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    *number = value;
    return true;
}

bool read_number(struct litmus_reader *reader, uint64_t *number)
{
    struct place place = reader->word.place;
    bool negative = accept_sign(reader, '-');
    uint64_t value = 0;
    if (reader->word.kind != WORD_NUMBER) {
        litmus_unexpected(reader, "a number");
        return false;
    }
    if (!parse_digits(&reader->word, &value)) {
        litmus_error(reader, place,
                     "found %s, expected a number of at most 64 bits (decimal or 0x)",
                     word_found(reader));
        next_word(reader);
        return false;
    }
    next_word(reader);
    *number = negative ? -value : value;
    return true;
}
