/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The formats that machines read: nothing that is in a report may break their syntax. */
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/problems.h"

void add_formats_tests(void);

/* Every byte but NUL, in their order and then each before an 'a'. */
static void fill(char *bytes)
{
    for (unsigned i = 1; i < 256; i++) {
        bytes[i - 1] = (char)i;
        bytes[255 + 2 * (i - 1)] = (char)i;
        bytes[256 + 2 * (i - 1)] = 'a';
    }
    bytes[255 + 2 * 255] = '\0';
}

typedef void writer(struct text *out, const struct report_view *view);

/* A report of two errors whose file and message hold every byte, as `write` writes it. */
static char *write_every_byte(struct region *region, writer *write)
{
    static char every[255 * 3 + 1];
    fill(every);
    struct diagnostic items[] = {{.file = "a.yaml", .place = {1, 2}, .message = "first"},
                                 {.file = every, .place = {3, 4}, .message = every}};
    struct diagnostics diagnostics = {.region = region, .items = items, .count = 2};
    struct result_list results = {0};
    struct report_view view = {.results = &results, .diagnostics = &diagnostics};
    struct text out;
    text_init(&out, region);
    write(&out, &view);
    return out.data;
}

static size_t count_lines(const char *text, const char *start)
{
    size_t count = 0, length = strlen(start);
    for (const char *line = text; *line;) {
        count += strncmp(line, start, length) == 0;
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return count;
}

static bool is_utf8(const char *text, bool xml)
{
    uint32_t c;
    size_t length = strlen(text), size;
    for (size_t at = 0; at < length; at += size) {
        size = utf8_decode(text, length, at, &c);
        bool control = c < ' ' && c != '\n' && !(xml && (c == '\t' || c == '\r'));
        if (size == 0 || control || (c & 0xfffe) == 0xfffe)
            return false;
    }
    return true;
}

static void test_every_byte(void)
{
    struct region region;
    region_init(&region, 0);
    if (region_guard(&region)) {
        CU_FAIL_FATAL("memory ran out");
    }
    const char *junit = write_every_byte(&region, write_junit);
    CU_ASSERT_TRUE(is_utf8(junit, true));
    CU_ASSERT_EQUAL(count_lines(junit, "    <testcase "), 2);
    CU_ASSERT_EQUAL(count_lines(junit, "  </testsuite>"), 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(junit, "!&quot;#$%&amp;'()*+,-./0123456789:;&lt;=&gt;?@A"));
    const char *tap = write_every_byte(&region, write_tap);
    CU_ASSERT_TRUE(is_utf8(tap, false));
    CU_ASSERT_EQUAL(count_lines(tap, "not ok "), 2);
    CU_ASSERT_EQUAL(count_lines(tap, "  ..."), 2);
    CU_ASSERT_EQUAL(count_lines(tap, ""), 2 + 2 * 10);
    const char *github = write_every_byte(&region, write_github);
    CU_ASSERT_EQUAL(count_lines(github, "::error file="), 2);
    CU_ASSERT_EQUAL(count_lines(github, ""), 2);
    CU_ASSERT_PTR_NULL(strpbrk(github, "\r\033"));
    const char *gcc = write_every_byte(&region, write_gcc);
    CU_ASSERT_EQUAL(count_lines(gcc, ""), 2);
    CU_ASSERT_PTR_NULL(strpbrk(gcc, "\r\033"));
    region_release(&region);
}

static const char trace[] = "tests/golden/sb.yaml";

/* Every allocation of a writer fails once; then the text is the same as without. */
static void fail_each_allocation(fs_report *report, fs_format format, const fs_style *style)
{
    const char *text;
    size_t length;
    CU_ASSERT_EQUAL_FATAL(fs_report_write(report, format, style, &text, &length), FS_OK);
    char *whole = strdup(text);
    fs_status status = FS_NO_MEMORY;
    uint64_t n;
    for (n = 1; n < 10000 && status == FS_NO_MEMORY; n++) {
        region_fail_after(n);
        status = fs_report_write(report, format, style, &text, &length);
        region_fail_after(0);
    }
    CU_ASSERT_EQUAL(status, FS_OK);
    CU_ASSERT_TRUE(n > 2);
    CU_ASSERT_STRING_EQUAL(text, whole);
    free(whole);
}

static void test_exhausted_memory(void)
{
    fs_options options;
    fs_report *report;
    const char *const paths[] = {trace, "tests/golden/bad.yaml"};
    fs_options_init(&options);
    options.jobs = 1;
    CU_ASSERT_EQUAL_FATAL(fs_run(paths, 2, &options, &report), FS_BAD_INPUT);
    for (int format = 0; fs_format_name((fs_format)format); format++)
        fail_each_allocation(report, (fs_format)format, NULL);
    fail_each_allocation(report, FS_FORMAT_TEXT, &(fs_style){.summary = true});
    fs_report_free(report);
}

static void test_names(void)
{
    CU_ASSERT_STRING_EQUAL(fs_format_name(FS_FORMAT_TEXT), "text");
    CU_ASSERT_STRING_EQUAL(fs_format_name(FS_FORMAT_GITHUB), "github");
    CU_ASSERT_PTR_NULL(fs_format_name((fs_format)-1));
    CU_ASSERT_PTR_NULL(fs_format_name((fs_format)1000));
    for (int format = 0; fs_format_name((fs_format)format); format++)
        for (int other = 0; other < format; other++)
            CU_ASSERT_STRING_NOT_EQUAL(fs_format_name((fs_format)format),
                                       fs_format_name((fs_format)other));
}

static void check_rule(const struct rule *rule)
{
    CU_ASSERT_FATAL(rule->id && rule->summary && rule->advice && rule->help);
    CU_ASSERT_TRUE(rule->id[0] && rule->summary[0] && rule->advice[0] && strlen(rule->help) > 80);
    CU_ASSERT_EQUAL(strspn(rule->id, "abcdefghijklmnopqrstuvwxyz-"), strlen(rule->id));
}

/* Everything that a report can name is explained, under a name of its own. */
static void test_explanations(void)
{
    size_t rule_count, verdict_count;
    const struct rule *all = rules(&rule_count), *verdicts = verdict_rules(&verdict_count);
    for (size_t i = 0; i < rule_count; i++)
        check_rule(&all[i]);
    for (size_t i = 0; i < verdict_count; i++) {
        check_rule(&verdicts[i]);
        CU_ASSERT_PTR_NULL(rule_find(verdicts[i].id));
    }
    for (int i = 0; i < STALL_COUNT; i++) {
        struct rule rule = stall_rule((enum stall)i);
        check_rule(&rule);
        CU_ASSERT_PTR_NULL(rule_find(rule.id));
        CU_ASSERT_STRING_EQUAL(rule.id, stall_name((enum stall)i));
    }
}

void add_formats_tests(void)
{
    CU_pSuite suite = CU_add_suite("formats", NULL, NULL);
    CU_add_test(suite, "every byte", test_every_byte);
    CU_add_test(suite, "exhausted memory", test_exhausted_memory);
    CU_add_test(suite, "names", test_names);
    CU_add_test(suite, "explanations", test_explanations);
}
