/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Test results as TAP, version 14: a line for each case of cases.h, and for those that are not
 * ok a YAML block with the reason, the place and the witness. Findings are comments.
 */
#include <string.h>

#include "sim/report/cases.h"
#include "sim/report/escape.h"

/* One line, in which '#' would begin a directive and '\' an escape. */
static const char *description_escape(uint32_t character)
{
    switch (character) {
    case '#':
        return "\\#";
    case '\\':
        return "\\\\";
    default:
        return character < ' ' || character == 0x7f ? " " : NULL;
    }
}

/* A double-quoted scalar of YAML, of `length` bytes. */
static void add_quoted(struct text *out, const char *string, size_t length)
{
    text_add(out, "\"");
    for (size_t at = 0; at < length;) {
        uint32_t character;
        size_t size = utf8_decode(string, length, at, &character);
        if (size == 0)
            text_add(out, "\\uFFFD");
        else if (character == '"' || character == '\\')
            text_printf(out, "\\%c", (char)character);
        else if (character < ' ' || (character >= 0x7f && character < 0xa0) ||
                 character == 0x2028 || character == 0x2029 || (character & 0xfffe) == 0xfffe ||
                 character == 0xfeff)
            text_printf(out, character > 0xffff ? "\\U%08X" : "\\u%04X", character);
        else
            text_add_bytes(out, string + at, size);
        at += size ? size : 1;
    }
    text_add(out, "\"");
}

static void add_entry(struct text *out, const char *key, const char *value)
{
    text_printf(out, "  %s: ", key);
    add_quoted(out, value, strlen(value));
    text_add(out, "\n");
}

static void add_lines(struct text *out, const char *key, const char *lines)
{
    text_printf(out, "  %s:\n", key);
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        text_add(out, "    - ");
        add_quoted(out, lines, length);
        text_add(out, "\n");
        lines += length + (lines[length] == '\n');
    }
}

static void add_block(struct text *out, const struct test_case *test)
{
    text_add(out, "  ---\n");
    add_entry(out, "message", test->message);
    text_printf(out, "  severity: %s\n  rule: %s\n", test->state == CASE_FAILED ? "fail" : "error",
                test->rule->id);
    text_add(out, "  at:\n  ");
    add_entry(out, "file", test->file);
    if (test->place.line)
        text_printf(out, "    line: %u\n", test->place.line);
    if (test->place.line && test->place.column)
        text_printf(out, "    column: %u\n", test->place.column);
    if (test->details)
        add_lines(out, "witness", test->details);
    text_add(out, "  ...\n");
}

static void add_comments(struct text *out, const char *file, const char *lines)
{
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        text_add(out, "# ");
        text_add_escaped(out, file, description_escape);
        text_add(out, ": ");
        text_add_escaped(out, region_strndup(out->region, lines, length), description_escape);
        text_add(out, "\n");
        lines += length + (lines[length] == '\n');
    }
}

void write_tap(struct text *out, const struct report_view *view)
{
    struct case_list list = cases_of(out->region, view);
    size_t next_run = 0;
    text_printf(out, "TAP version 14\n1..%zu\n", list.count);
    for (size_t i = 0; i < list.count; i++) {
        const struct test_case *test = &list.items[i];
        text_printf(out, "%sok %zu - ", test->state == CASE_PASSED ? "" : "not ", i + 1);
        text_add_escaped(out, test->file, description_escape);
        text_add(out, ": ");
        text_add_escaped(out, test->name, description_escape);
        text_add(out, "\n");
        if (test->state != CASE_PASSED)
            add_block(out, test);
        bool is_last = i + 1 == list.count || strcmp(list.items[i + 1].file, test->file) != 0;
        if (is_last)
            add_comments(out, test->file,
                         findings_of_file(out->region, view, test->file, &next_run));
    }
}
