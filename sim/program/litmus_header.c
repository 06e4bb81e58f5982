/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first lines of a litmus test: architecture, name, information. */
#include <ctype.h>

#include "sim/program/litmus_reader.h"

enum { HEADER_NAME_BYTES = 255 };

static const char *line_end(const struct litmus_reader *reader, const char *at)
{
    const char *end = memchr(at, '\n', (size_t)(reader->end - at));
    return end ? end : reader->end;
}

static bool begins(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - at) > length && memcmp(at, word, length) == 0 &&
           isspace((unsigned char)at[length]);
}

bool litmus_recognise(const char *text, size_t length)
{
    return begins(text, text + length, "X86_64") || begins(text, text + length, "X86");
}

static const char *skip_spaces(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

/* The file's name without folders and ending, which "--" stands for. */
static const char *base_name(struct region *region, const char *file)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    const char *dot = strrchr(base, '.');
    return region_strndup(region, base, dot ? (size_t)(dot - base) : strlen(base));
}

/* Printable text between quotes that begins at `at`; NULL when it is neither. */
static const char *quoted(struct litmus_reader *reader, const char *at)
{
    const char *close =
        at < reader->end && *at == '"' ? memchr(at + 1, '"', (size_t)(reader->end - at - 1)) : NULL;
    for (const char *c = at + 1; close && c < close; c++)
        if (*c < ' ' || *c >= 0x7f)
            return NULL;
    return close ? region_strndup(reader->region, at + 1, (size_t)(close - at - 1)) : NULL;
}

/* "X86_64 NAME (texname) "doc" {": what is left begins behind the name. */
static bool read_first_line(struct litmus_reader *reader)
{
    const char *start = reader->at, *end = line_end(reader, start);
    reader->litmus->is_32_bit = begins(start, reader->end, "X86");
    if (!litmus_recognise(start, (size_t)(reader->end - start))) {
        size_t shown = strcspn(start, " \t\r\n");
        litmus_error(reader, (struct place){1, 1},
                     "found %s%.*s%s, expected X86_64 or X86 and the test's name",
                     shown ? "'" : "nothing", (int)(shown < 40 ? shown : 40), start,
                     shown ? "'" : "");
        return false;
    }
    const char *name = skip_spaces(start + strcspn(start, " \t\r\n"), end), *at = name;
    while (at<end && * at> ' ' && *at < 0x7f && *at != '{')
        at++;
    if (at == name || at - name > HEADER_NAME_BYTES) {
        litmus_error(reader, (struct place){1, (uint32_t)(name - start) + 1},
                     "found no name of the test, expected one of at most %d letters",
                     HEADER_NAME_BYTES);
        return false;
    }
    reader->program->name = region_strndup(reader->region, name, (size_t)(at - name));
    if (strcmp(reader->program->name, "--") == 0)
        reader->program->name = base_name(reader->region, reader->program->file);
    reader->at = at;
    return true;
}

/* "Hash=..." is repeated in reports; the other lines say nothing that is needed here. */
static void read_information(struct litmus_reader *reader, const char *at, const char *end)
{
    at = skip_spaces(at, end);
    if (*at == '"' && !reader->program->about)
        reader->program->about = quoted(reader, at);
    if (end - at <= 5 || memcmp(at, "Hash=", 5) != 0)
        return;
    while (end > at && isspace((unsigned char)end[-1]))
        end--;
    for (const char *c = at; c < end; c++)
        if (*c < ' ' || *c >= 0x7f)
            return;
    reader->litmus->hash = region_strndup(reader->region, at + 5, (size_t)(end - at - 5));
}

/* Finds the '{' of the init section; lines before it are free text but for some. */
static void read_preamble(struct litmus_reader *reader)
{
    const char *at = reader->at;
    bool fresh = true; /* nothing but blanks in this line so far */
    for (; at < reader->end && *at != '{'; at++) {
        if (*at == '(' && at + 1 < reader->end && at[1] == '*') {
            at = litmus_skip_comment(reader, at) - 1;
        } else if (*at == '\n') {
            litmus_new_line(reader, at);
            fresh = true;
        } else if (*at == '"' || (fresh && isalpha((unsigned char)*at))) {
            read_information(reader, at, line_end(reader, at));
            at = line_end(reader, at) - 1;
        } else if (!isspace((unsigned char)*at)) {
            fresh = false;
        }
    }
    reader->at = at;
    next_word(reader);
}

bool read_litmus_header(struct litmus_reader *reader)
{
    if (!read_first_line(reader))
        return false;
    read_preamble(reader);
    return true;
}
