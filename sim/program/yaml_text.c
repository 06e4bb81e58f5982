/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of a YAML file itself: is it text at all, and where does a scalar's byte come from. */
#include <string.h>

#include "sim/base/text.h"
#include "sim/program/yaml.h"

/* ---- is it text ---- */

/*
 * Control characters that text does not have. The line separators of Unicode are among them:
 * YAML would count them as line breaks and no editor does.
 */
static bool is_control(uint32_t c)
{
    return (c < ' ' && c != '\t' && c != '\n' && c != '\r') || (c >= 0x7f && c < 0xa0) ||
           c == 0x2028 || c == 0x2029 || c == 0xfeff || (c & 0xfffe) == 0xfffe;
}

/* Length of the line break at `at`, 0 when there is none. */
static size_t break_at(const char *text, size_t length, size_t at)
{
    if (at >= length)
        return 0;
    if (text[at] == '\r')
        return at + 1 < length && text[at + 1] == '\n' ? 2 : 1;
    return text[at] == '\n';
}

bool yaml_check_text(const char *file, const char *text, size_t length,
                     struct diagnostics *diagnostics)
{
    struct place place = {1, 1};
    for (size_t at = 0; at < length;) {
        uint32_t character;
        size_t size = utf8_decode(text, length, at, &character);
        if (size == 0) {
            diagnostics_add(diagnostics, file, place,
                            "found the byte 0x%02x where no UTF-8 character has it; expected "
                            "UTF-8 text",
                            (unsigned char)text[at]);
            return false;
        }
        if (is_control(character)) {
            diagnostics_add(diagnostics, file, place,
                            "found the control character U+%04X, expected text", character);
            return false;
        }
        size_t line_break = break_at(text, length, at);
        if (line_break)
            place = (struct place){place.line + 1, 1};
        else
            place.column++;
        at += line_break ? line_break : size;
    }
    return true;
}

void yaml_find_lines(struct region *region, struct yaml_document *document)
{
    size_t *lines = NULL, count = 0, capacity = 0;
    lines = region_push(region, lines, count, &capacity, sizeof *lines);
    lines[count++] = 0;
    for (size_t at = 0; at < document->length;) {
        size_t line_break = break_at(document->text, document->length, at);
        at += line_break ? line_break : 1;
        if (line_break) {
            lines = region_push(region, lines, count, &capacity, sizeof *lines);
            lines[count++] = at;
        }
    }
    lines = region_push(region, lines, count, &capacity, sizeof *lines);
    lines[count] = document->length;
    document->lines = lines;
    document->line_count = count;
}

/* ---- where a scalar's bytes come from ---- */

static size_t characters(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* Line `number` (from 1) without its break; empty beyond the end. */
static const char *line_text(const struct yaml_document *document, size_t number, size_t *length)
{
    *length = 0;
    if (number == 0 || number > document->line_count)
        return document->text + document->length;
    const char *line = document->text + document->lines[number - 1];
    size_t size = document->lines[number] - document->lines[number - 1];
    while (size && (line[size - 1] == '\n' || line[size - 1] == '\r'))
        size--;
    *length = size;
    return line;
}

/* The byte offset in the file of a place. */
static size_t offset_of(const struct yaml_document *document, struct place place)
{
    size_t length;
    const char *line = line_text(document, place.line, &length);
    size_t at = 0;
    for (uint32_t column = 1; at < length && column < place.column; column++)
        for (at++; at < length && ((unsigned char)line[at] & 0xc0) == 0x80;)
            at++;
    return (size_t)(line - document->text) + at;
}

/* In a literal block each line of the text is the end of a line of the file. */
static struct place seek_literal(struct node_cursor *cursor, size_t offset)
{
    const struct node *node = cursor->node;
    for (; cursor->value < offset; cursor->value++) {
        if (node->text[cursor->value] == '\n') {
            cursor->marked.line++;
            cursor->raw = cursor->value + 1;
        }
    }
    size_t content = strcspn(node->text + cursor->raw, "\n"), raw_length;
    const char *raw = line_text(cursor->document, cursor->marked.line, &raw_length);
    size_t indent = raw_length > content ? raw_length - content : 0;
    size_t within = indent + (offset - cursor->raw);
    if (within > raw_length)
        within = raw_length;
    return (struct place){cursor->marked.line, (uint32_t)characters(raw, within) + 1};
}

/* In a folded block line breaks became blanks: match the file's lines one after the other. */
static struct place seek_folded(struct node_cursor *cursor, size_t offset)
{
    const struct node *node = cursor->node;
    for (; cursor->marked.line <= cursor->document->line_count; cursor->marked.line++) {
        size_t length, blanks = 0, value = cursor->value;
        const char *raw = line_text(cursor->document, cursor->marked.line, &length);
        while (blanks < length && raw[blanks] == ' ')
            blanks++;
        if (blanks == length)
            continue;
        if (cursor->indent == SIZE_MAX)
            cursor->indent = blanks;
        if (blanks < cursor->indent || value >= node->length)
            break;
        size_t content = length - cursor->indent;
        while (value < node->length && strchr("\n ", node->text[value]) &&
               strncmp(node->text + value, raw + cursor->indent, content) != 0)
            value++;
        if (offset <= value + content) {
            size_t within = cursor->indent + (offset > value ? offset - value : 0);
            return (struct place){cursor->marked.line, (uint32_t)characters(raw, within) + 1};
        }
        cursor->value = value + content;
    }
    return node->place;
}

/* Bytes of the file and of the text that one escape of a double-quoted scalar takes. */
static size_t escape_size(const char *raw, size_t left, size_t *value)
{
    static const char hex[] = "0123456789abcdefABCDEF";
    char kind = left > 1 ? raw[1] : '\0';
    size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    *value = kind == 'N' || kind == '_' ? 2 : kind == 'L' || kind == 'P' ? 3 : 1;
    if (digits == 0 || left < 2 + digits)
        return left < 2 ? left : 2;
    uint32_t code = 0;
    for (size_t i = 0; i < digits; i++) {
        const char *digit = strchr(hex, raw[2 + i]);
        size_t number = digit && *digit ? (size_t)(digit - hex) : 0;
        code = code << 4 | (uint32_t)(number > 15 ? number - 6 : number);
    }
    *value = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    return 2 + digits;
}

/*
 * Blanks around line breaks inside plain and quoted scalars fold to one blank, or to the
 * breaks after the first. Returns how many bytes of the file fold here, 0 when none do.
 */
static size_t fold_size(const char *raw, size_t left, size_t *value)
{
    size_t at = 0, breaks = 0;
    while (at < left && strchr(" \t\r\n", raw[at])) {
        size_t line_break = break_at(raw, left, at);
        breaks += line_break != 0;
        at += line_break ? line_break : 1;
    }
    if (breaks == 0)
        return 0;
    *value = breaks == 1 ? 1 : breaks - 1;
    return at;
}

/* Counts lines and columns on from where they were counted last. */
static struct place place_of_raw(struct node_cursor *cursor)
{
    const struct yaml_document *document = cursor->document;
    struct place *marked = &cursor->marked;
    while (marked->line < document->line_count && document->lines[marked->line] <= cursor->raw) {
        cursor->mark = document->lines[marked->line++];
        marked->column = 1;
    }
    if (cursor->raw > cursor->mark)
        marked->column +=
            (uint32_t)characters(document->text + cursor->mark, cursor->raw - cursor->mark);
    cursor->mark = cursor->raw;
    return *marked;
}

/* What one step through a plain or quoted scalar takes from the file and adds to the text. */
static void flow_step(const struct node_cursor *cursor, size_t *taken, size_t *made)
{
    const struct yaml_document *document = cursor->document;
    const char *raw = document->text + cursor->raw;
    size_t left = document->length - cursor->raw;
    enum node_style style = cursor->node->style;
    *made = 1;
    if ((*taken = fold_size(raw, left, made)) != 0)
        return;
    *taken = 1;
    if (style == NODE_SINGLE_QUOTED && *raw == '\'') {
        *taken = 2;
    } else if (style == NODE_DOUBLE_QUOTED && *raw == '\\') {
        size_t line_break = break_at(document->text, document->length, cursor->raw + 1);
        if (!line_break) {
            *taken = escape_size(raw, left, made);
            return;
        }
        *made = 0; /* an escaped line break vanishes with the next line's indentation */
        *taken = 1 + line_break;
        while (*taken < left && strchr(" \t", raw[*taken]))
            ++*taken;
    }
}

static struct place seek_flow(struct node_cursor *cursor, size_t offset)
{
    while (cursor->raw < cursor->document->length) {
        size_t taken, made;
        flow_step(cursor, &taken, &made);
        if (cursor->value >= offset && made > 0) /* what makes nothing stands before the byte */
            break;
        cursor->raw += taken;
        cursor->value += made;
    }
    return place_of_raw(cursor);
}

void node_cursor_init(struct node_cursor *cursor, const struct yaml_document *document,
                      const struct node *node)
{
    *cursor = (struct node_cursor){.document = document, .node = node, .indent = SIZE_MAX};
    cursor->marked = node->place;
    if (node->style == NODE_LITERAL || node->style == NODE_FOLDED) {
        cursor->marked.line++;
        return;
    }
    cursor->raw = cursor->mark = offset_of(document, node->place);
    if (node->style == NODE_PLAIN)
        return;
    /* An anchor or a tag may stand before the quote. */
    char quote = node->style == NODE_SINGLE_QUOTED ? '\'' : '"';
    const char *text = document->text;
    const char *start = memchr(text + cursor->raw, quote, document->length - cursor->raw);
    if (start)
        cursor->raw = (size_t)(start - text) + 1;
}

struct place node_cursor_seek(struct node_cursor *cursor, size_t offset)
{
    const struct node *node = cursor->node;
    if (node->kind != NODE_SCALAR)
        return node->place;
    if (offset > node->length)
        offset = node->length;
    if (node->style == NODE_LITERAL)
        return seek_literal(cursor, offset);
    if (node->style == NODE_FOLDED)
        return seek_folded(cursor, offset);
    return seek_flow(cursor, offset);
}

struct place node_locate(const struct yaml_document *document, const struct node *node,
                         size_t offset)
{
    struct node_cursor cursor;
    node_cursor_init(&cursor, document, node);
    return node_cursor_seek(&cursor, offset);
}
