/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the text of a snippet to clean statements. The text is a stranger's: comments are
 * taken out, every character is checked against those that instructions need, directives
 * against a list of harmless ones, and `.rept` is expanded here, so that `as` sees neither
 * strings, escapes, macros nor anything else that could reach out of the snippet.
 */
#include "sim/program/assemble.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
    STATEMENT_MAX = 4096, /* characters; bounds the depth of expressions inside `as` */
    REPEAT_MAX = 4096
};

struct scan {
    struct unit *unit;
    struct region *region;
    struct diagnostics *diagnostics;
    struct text statement; /* what was read of it so far */
    uint32_t line;
    bool spoilt;    /* the statement holds an error already */
    bool exhausted; /* too much came out, stop */
    bool in_comment;
    uint32_t comment_line;
    bool in_repeat;
    uint32_t repeat_line;
    uint64_t repeats;
    size_t repeat_first;
    uint64_t repeat_estimate;
};

bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

bool is_name_part(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }

struct token token_at(const char *at, const char *end)
{
    struct token token = {TOKEN_END, at, 0};
    if (at >= end)
        return token;
    token.length = 1;
    if (is_name_part(*at)) {
        token.kind = is_name_start(*at) ? TOKEN_NAME : TOKEN_NUMBER;
        while (at + token.length < end && is_name_part(at[token.length]))
            token.length++;
    } else {
        token.kind = *at == ' ' ? TOKEN_SPACE : TOKEN_OTHER;
    }
    return token;
}

void unit_error(struct unit *unit, struct diagnostics *diagnostics, uint32_t line,
                const char *format, ...)
{
    const struct source *source = unit->source;
    struct place place = line < source->line_count ? source->lines[line].place : (struct place){0};
    va_list arguments;
    va_start(arguments, format);
    diagnostics_add_list(source->diagnostics ? source->diagnostics : diagnostics, source->file,
                         place, format, arguments);
    va_end(arguments);
    unit->source->failed = true;
}

static void spoil(struct scan *scan, const char *message)
{
    if (!scan->spoilt)
        unit_error(scan->unit, scan->diagnostics, scan->line, "%s", message);
    scan->spoilt = true;
}

/* Room for one more statement, NULL when there are too many. */
static struct statement *new_statement(struct scan *scan)
{
    struct unit *unit = scan->unit;
    /* Every statement that makes code makes a byte; the rest is labels and empty slots. */
    if (unit->count >= 2 * (size_t)unit->source->limit + unit->source->line_count + 16) {
        scan->exhausted = true;
        return NULL;
    }
    unit->statements = region_push(scan->region, unit->statements, unit->count, &unit->capacity,
                                   sizeof *unit->statements);
    return &unit->statements[unit->count++];
}

static void add_statement(struct scan *scan, const char *text, size_t length, size_t label_length)
{
    struct statement *statement = new_statement(scan);
    if (statement)
        *statement = (struct statement){.text = region_strndup(scan->region, text, length),
                                        .length = (uint32_t)length,
                                        .label_length = (uint32_t)label_length,
                                        .line = scan->line,
                                        .bad = scan->spoilt};
}

/* How many characters at the start of a statement are labels. */
static size_t labels_length(const char *text, const char *end)
{
    const char *at = text;
    for (;;) {
        const char *next = at;
        while (next < end && *next == ' ')
            next++;
        struct token name = token_at(next, end);
        if (name.kind != TOKEN_NAME && name.kind != TOKEN_NUMBER)
            break;
        next += name.length;
        while (next < end && *next == ' ')
            next++;
        if (next >= end || *next != ':')
            break;
        at = next + 1;
    }
    return (size_t)(at - text);
}

static void begin_repeat(struct scan *scan, const char *arguments, const char *end)
{
    uint64_t repeats = 0;
    if (!parse_count(arguments, end, &repeats) || repeats > REPEAT_MAX) {
        spoil(scan, ".rept takes a plain number up to 4096");
        repeats = 1;
    }
    if (scan->in_repeat) {
        spoil(scan, ".rept inside .rept is not supported");
        return;
    }
    scan->in_repeat = true;
    scan->repeat_line = scan->line;
    scan->repeats = repeats;
    scan->repeat_first = scan->unit->count;
    scan->repeat_estimate = scan->unit->estimate;
}

static void end_repeat(struct scan *scan)
{
    struct unit *unit = scan->unit;
    if (!scan->in_repeat) {
        spoil(scan, ".endr without .rept");
        return;
    }
    scan->in_repeat = false;
    size_t last = unit->count;
    if (scan->repeats == 0)
        unit->count = scan->repeat_first;
    uint64_t once = unit->estimate - scan->repeat_estimate;
    unit->estimate = scan->repeat_estimate + once * scan->repeats;
    for (uint64_t round = 1; round < scan->repeats; round++)
        for (size_t i = scan->repeat_first; i < last; i++) {
            struct statement *copy = new_statement(scan);
            if (!copy)
                return;
            *copy = unit->statements[i];
        }
}

static bool word_is(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && strncasecmp(word, name, length) == 0;
}

/* Checks what follows the labels; false when it was dealt with and is not to be kept. */
static bool check_body(struct scan *scan, const char *body, const char *end)
{
    struct token word = token_at(body, end);
    if (word.kind != TOKEN_NAME && *body != '{') {
        spoil(scan, "expected an instruction, a directive or a label");
        return true;
    }
    if (*body != '.') {
        scan->unit->estimate += 16;
        return true;
    }
    const char *arguments = body + word.length;
    if (word_is(body, word.length, ".rept")) {
        begin_repeat(scan, arguments, end);
        return false;
    }
    if (word_is(body, word.length, ".endr")) {
        end_repeat(scan);
        return false;
    }
    if (word.length > 5 && strncasecmp(body, ".cfi_", 5) == 0)
        return false; /* compilers describe the stack to debuggers with them: no code */
    const char *wrong =
        directive_check(scan->unit, scan->region, body, word.length, arguments, end);
    if (wrong)
        spoil(scan, wrong);
    return true;
}

static void end_statement(struct scan *scan)
{
    const char *text = scan->statement.data, *end = text + scan->statement.length;
    while (end > text && end[-1] == ' ')
        end--;
    size_t label_length = labels_length(text, end);
    const char *body = text + label_length;
    while (body < end && *body == ' ')
        body++;
    bool keep_body = body < end;
    if (keep_body && label_length > 0 && *body == '.') {
        /* The label of a `.rept` stands before what is repeated. */
        add_statement(scan, text, label_length, label_length);
        text = body;
        label_length = 0;
    }
    if (keep_body)
        keep_body = check_body(scan, body, end);
    if (keep_body)
        add_statement(scan, text, (size_t)(end - text), label_length);
    else if (label_length > 0)
        add_statement(scan, text, label_length, label_length);
    scan->statement.length = 0;
    scan->spoilt = false;
    if (scan->unit->estimate > 16 * (uint64_t)scan->unit->source->limit + (1 << 20))
        scan->exhausted = true;
}

static void add_character(struct scan *scan, char c)
{
    struct text *text = &scan->statement;
    if (c == ' ' && (text->length == 0 || text->data[text->length - 1] == ' '))
        return;
    if (text->length >= STATEMENT_MAX) {
        spoil(scan, "a statement of more than 4096 characters");
        return;
    }
    text_add_bytes(text, &c, 1);
}

/* 'c' or 'c as `as` has it, turned into a number; returns how much was read. */
static size_t character_constant(struct scan *scan, const char *at)
{
    unsigned char c = (unsigned char)at[1];
    if (c <= ' ' || c >= 0x7f || c == '\\' || c == '\'' || c == '"') {
        spoil(scan, "expected a printable character after '");
        return 1;
    }
    char number[8];
    int length = snprintf(number, sizeof number, "%d", c);
    for (int i = 0; i < length; i++)
        add_character(scan, number[i]);
    return at[2] == '\'' ? 3 : 2;
}

static void bad_character(struct scan *scan, char c)
{
    char message[80];
    if (c == '\\')
        spoil(scan, "a backslash has no place in a snippet");
    else if (c == '"')
        spoil(scan, "quotes have no place in a snippet");
    else if (c == '=')
        spoil(scan, "assignments to symbols have no place in a snippet");
    else if (c == '@')
        spoil(scan, "relocation operators (@) have no place in a snippet");
    else if (c == '$')
        spoil(scan, "$ has no place inside a name");
    else {
        snprintf(message, sizeof message, "the byte 0x%02x has no place in a snippet",
                 (unsigned char)c);
        spoil(scan, message);
    }
}

/* Names and numbers are most of the text; returns the length of the one here. */
static size_t scan_word(struct scan *scan, const char *at)
{
    size_t length = 1;
    while (is_name_part(at[length]))
        length++;
    if (length <= STATEMENT_MAX - scan->statement.length)
        text_add_bytes(&scan->statement, at, length);
    else
        spoil(scan, "a statement of more than 4096 characters");
    return length;
}

/* Reads one word, character, comment or constant that is no comment's inside; returns its length.
 */
static size_t scan_element(struct scan *scan, const char *at)
{
    static const char punctuation[] = "%*()[]{},:+-/~!&|^<>";
    const struct text *text = &scan->statement;
    if (is_name_part(*at))
        return scan_word(scan, at);
    bool after_name = text->length > 0 && is_name_part(text->data[text->length - 1]);
    if (*at == '/' && at[1] == '*') {
        scan->in_comment = true;
        scan->comment_line = scan->line;
        add_character(scan, ' ');
        return 2;
    }
    if (*at == '#' || (*at == '/' && at[1] == '/'))
        return strlen(at);
    if (*at == ';' || *at == '\n') {
        end_statement(scan);
        return 1;
    }
    if (*at == '\'')
        return character_constant(scan, at);
    if (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\f' || *at == '\v')
        add_character(scan, ' ');
    else if (strchr(punctuation, *at) || (*at == '$' && !after_name))
        add_character(scan, *at);
    else
        bad_character(scan, *at);
    return 1;
}

static void scan_line(struct scan *scan, const char *at)
{
    while (*at && !scan->exhausted) {
        if (!scan->in_comment) {
            at += scan_element(scan, at);
            continue;
        }
        const char *close = strstr(at, "*/");
        if (!close)
            break;
        scan->in_comment = false;
        at = close + 2;
    }
    end_statement(scan);
}

void source_scan(struct source *source, struct region *region, struct diagnostics *diagnostics)
{
    struct unit *unit = region_alloc(region, sizeof *unit);
    unit->source = source;
    unit->region = region;
    unit_scan(unit, region, diagnostics);
    source->scanned = unit;
}

void unit_scan(struct unit *unit, struct region *region, struct diagnostics *diagnostics)
{
    struct scan scan = {.unit = unit, .region = region, .diagnostics = diagnostics};
    const struct source *source = unit->source;
    unit->alignment = 1;
    text_init(&scan.statement, region);
    for (uint32_t line = 0; line < source->line_count && !scan.exhausted; line++) {
        size_t before = unit->count;
        scan.line = line;
        scan_line(&scan, source->lines[line].text);
        if (source->lines[line].slot && unit->count == before)
            add_statement(&scan, "", 0, 0); /* an empty slot has a place all the same */
    }
    region_free(region, scan.statement.data);
    if (scan.exhausted) {
        unit_error(unit, diagnostics, scan.line, "far more code than the %u bytes that fit",
                   (unsigned)source->limit);
        unit->skip = true;
        return;
    }
    if (scan.in_comment)
        unit_error(unit, diagnostics, scan.comment_line, "this comment is never closed by */");
    if (scan.in_repeat)
        unit_error(unit, diagnostics, scan.repeat_line, ".rept without .endr");
}
