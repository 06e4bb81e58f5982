/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Test results as JUnit's XML: a suite for each file, a case as in cases.h. Times, hosts and
 * dates, which some readers know, are left out: equal input gives equal bytes.
 */
#include <string.h>

#include "sim/report/cases.h"
#include "sim/report/escape.h"

static const char *content_escape(uint32_t character)
{
    if (character == '\r') /* readers make a line feed of it otherwise ... */
        return "&#13;";
    return is_xml_character(character) ? markup_entity(character) : REPLACEMENT;
}

static const char *attribute_escape(uint32_t character)
{
    switch (character) {
    case '\n': /* ... and spaces of both in attributes */
        return "&#10;";
    case '\t':
        return "&#9;";
    default:
        return content_escape(character);
    }
}

static void add_content(struct text *out, const char *string)
{
    text_add_escaped(out, string, content_escape);
}

static void add_attribute(struct text *out, const char *name, const char *value)
{
    text_printf(out, " %s=\"", name);
    text_add_escaped(out, value, attribute_escape);
    text_add(out, "\"");
}

static void add_counts(struct text *out, const struct test_case *cases, size_t count)
{
    size_t tally[3] = {0};
    for (size_t i = 0; i < count; i++)
        tally[cases[i].state]++;
    text_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", count, tally[CASE_FAILED],
                tally[CASE_ERROR]);
}

static void add_case(struct text *out, const struct test_case *test)
{
    text_add(out, "    <testcase");
    add_attribute(out, "classname", test->file);
    add_attribute(out, "name", test->name);
    add_attribute(out, "file", test->file);
    if (test->place.line)
        text_printf(out, " line=\"%u\"", test->place.line);
    if (test->state == CASE_PASSED) {
        text_add(out, "/>\n");
        return;
    }
    const char *element = test->state == CASE_FAILED ? "failure" : "error";
    text_printf(out, ">\n      <%s", element);
    add_attribute(out, "type", test->rule->id);
    add_attribute(out, "message", test->message);
    text_add(out, ">");
    add_content(out, test->file);
    if (test->place.line)
        text_printf(out, ":%u", test->place.line);
    text_add(out, ": ");
    add_content(out, test->message);
    text_add(out, "\n");
    if (test->details)
        add_content(out, test->details);
    text_printf(out, "</%s>\n    </testcase>\n", element);
}

static void add_suite(struct text *out, const struct test_case *cases, size_t count,
                      const char *findings)
{
    text_add(out, "  <testsuite");
    add_attribute(out, "name", cases[0].file);
    add_counts(out, cases, count);
    text_add(out, ">\n");
    for (size_t i = 0; i < count; i++)
        add_case(out, &cases[i]);
    if (findings[0]) {
        text_add(out, "    <system-out>");
        add_content(out, findings);
        text_add(out, "</system-out>\n");
    }
    text_add(out, "  </testsuite>\n");
}

void write_junit(struct text *out, const struct report_view *view)
{
    struct case_list list = cases_of(out->region, view);
    size_t next_run = 0;
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"fencesim\"");
    add_counts(out, list.items, list.count);
    text_add(out, ">\n");
    for (size_t first = 0, end = 0; first < list.count; first = end) {
        const char *file = list.items[first].file;
        while (end < list.count && strcmp(list.items[end].file, file) == 0)
            end++;
        add_suite(out, list.items + first, end - first,
                  findings_of_file(out->region, view, file, &next_run));
    }
    text_add(out, "</testsuites>\n");
}
