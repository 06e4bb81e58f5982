/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The YAML tree: what is in it, and where it says that things stand. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/program/yaml.h"

void add_yaml_tests(void);

static struct region region;
static struct diagnostics diagnostics;

static const struct yaml_document *parse(const char *text, size_t length)
{
    region_init(&region, 0);
    if (region_guard(&region))
        abort();
    diagnostics_init(&diagnostics, &region);
    return yaml_read(&region, "t.yaml", text, length, &diagnostics);
}

static const struct node *value_of(const struct yaml_document *document, const char *key)
{
    for (size_t i = 0; i < document->root->count; i++)
        if (strcmp(document->root->pairs[i].key->text, key) == 0)
            return document->root->pairs[i].value;
    return NULL;
}

static void test_tree(void)
{
    static const char text[] = "a: [1, 'two', \"three\"]\n"
                               "b: {c: d}\n"
                               "e: |\n  x\n  y\n"
                               "f: >\n  x\n  y\n"
                               "g:\nh: ~\ni: !!str 10\n";
    const struct yaml_document *document = parse(text, strlen(text));
    CU_ASSERT_PTR_NOT_NULL_FATAL(document);
    const struct node *list = value_of(document, "a");
    CU_ASSERT_EQUAL_FATAL(list->count, 3);
    CU_ASSERT_EQUAL(list->items[0]->style, NODE_PLAIN);
    CU_ASSERT_EQUAL(list->items[1]->style, NODE_SINGLE_QUOTED);
    CU_ASSERT_EQUAL(list->items[2]->style, NODE_DOUBLE_QUOTED);
    CU_ASSERT_EQUAL(list->items[2]->place.line, 1);
    CU_ASSERT_EQUAL(list->items[2]->place.column, 15);
    CU_ASSERT_EQUAL(value_of(document, "b")->kind, NODE_MAP);
    CU_ASSERT_STRING_EQUAL(value_of(document, "e")->text, "x\ny\n");
    CU_ASSERT_EQUAL(value_of(document, "e")->style, NODE_LITERAL);
    CU_ASSERT_STRING_EQUAL(value_of(document, "f")->text, "x y\n");
    CU_ASSERT_EQUAL(value_of(document, "f")->style, NODE_FOLDED);
    CU_ASSERT_TRUE(node_is_null(value_of(document, "g")));
    CU_ASSERT_TRUE(node_is_null(value_of(document, "h")));
    CU_ASSERT_TRUE(value_of(document, "i")->is_string);
    CU_ASSERT_EQUAL(diagnostics.count, 0);
    region_release(&region);
}

/* Each letter of the alphabet in a scalar must be found where the file has it. */
static void check_letters(const char *text)
{
    const struct yaml_document *document = parse(text, strlen(text));
    CU_ASSERT_PTR_NOT_NULL_FATAL(document);
    const struct node *node = value_of(document, "k");
    struct node_cursor cursor;
    node_cursor_init(&cursor, document, node);
    for (size_t i = 0; i < node->length; i++) {
        if (node->text[i] < 'A' || node->text[i] > 'Z')
            continue;
        const char *at = strchr(text, node->text[i]);
        uint32_t line = 1, column = 1;
        for (const char *c = text; c < at; c++) {
            line += *c == '\n';
            column = *c == '\n' ? 1 : column + (((unsigned char)*c & 0xc0) != 0x80);
        }
        struct place place = node_locate(document, node, i);
        CU_ASSERT_EQUAL(place.line, line);
        CU_ASSERT_EQUAL(place.column, column);
        place = node_cursor_seek(&cursor, i);
        CU_ASSERT_EQUAL(place.line, line);
        CU_ASSERT_EQUAL(place.column, column);
    }
    region_release(&region);
}

static void test_places(void)
{
    check_letters("k: A B C\n");
    check_letters("k:   A B\n   C\n\n   D   \n\n\n  E\n");
    check_letters("k: 'A''B C\n   D'\n");
    check_letters("k: \"A\\x61B\\u00e9C\\U0001f600D\\nE\\\\F\\\"G\"\n");
    check_letters("k: \"A \\\n   B\n   C\n\n   D\"\n");
    check_letters("k: |\n  A\n   B C\n\n  D\n");
    check_letters("k: |2\n    A\n  B\n");
    check_letters("k: |-   # comment\n     A\n     B");
    check_letters("k: >\n  A B\n  C\n\n  D\n  E\n");
    check_letters("k: >\n  A\n\n   B\n   C\n  D\n");
    check_letters("k: |\r\n  A\r\n  B\r\n");
    check_letters("{a: \xc3\xa9, k: A}\n");
    check_letters("k: \xc3\xa9 A \xf0\x9f\x98\x80 B\n");
    check_letters("k: !!str \"A B\"\n");
    check_letters("k: &x 'A B'\n");
}

static void test_alias_is_shared(void)
{
    static const char text[] = "a: &x {p: q}\nb: *x\n";
    const struct yaml_document *document = parse(text, strlen(text));
    CU_ASSERT_PTR_NOT_NULL_FATAL(document);
    CU_ASSERT_PTR_EQUAL(value_of(document, "a"), value_of(document, "b"));
    CU_ASSERT_EQUAL(document->root->expanded, 9);
    region_release(&region);
}

static void test_byte_order_mark(void)
{
    static const char text[] = "\xef\xbb\xbfk: A\n";
    const struct yaml_document *document = parse(text, strlen(text));
    CU_ASSERT_PTR_NOT_NULL_FATAL(document);
    CU_ASSERT_EQUAL(value_of(document, "k")->place.column, 4);
    region_release(&region);
}

static void check_refused(const char *text, size_t length, uint32_t line, uint32_t column,
                          const char *words)
{
    CU_ASSERT_PTR_NULL(parse(text, length));
    CU_ASSERT_EQUAL_FATAL(diagnostics.count, 1);
    CU_ASSERT_EQUAL(diagnostics.items[0].place.line, line);
    CU_ASSERT_EQUAL(diagnostics.items[0].place.column, column);
    CU_ASSERT_PTR_NOT_NULL(strstr(diagnostics.items[0].message, words));
    region_release(&region);
}

static void test_refused(void)
{
    check_refused("", 0, 1, 1, "empty file");
    check_refused("a: \xff", 4, 1, 4, "0xff");
    check_refused("a: \xed\xa0\x80", 6, 1, 4, "UTF-8");     /* a surrogate */
    check_refused("a: \xc0\xaf", 5, 1, 4, "UTF-8");         /* an overlong '/' */
    check_refused("a: \xf4\x90\x80\x80", 7, 1, 4, "UTF-8"); /* beyond Unicode */
    check_refused("a\r\nb\r\x01", 6, 3, 1, "control");
    check_refused("a: \"\\0\"\n", 8, 1, 4, "NUL");
    check_refused("a: &x [*x]\n", 11, 1, 8, "never end");
    check_refused("a: 1\n...\nb: 2\n", 14, 3, 1, "one document");
}

static char *repeat(const char *piece, size_t count, const char *end)
{
    size_t length = strlen(piece);
    char *text = malloc(length * count + strlen(end) + 1);
    for (size_t i = 0; i < count; i++)
        memcpy(text + i * length, piece, length);
    strcpy(text + length * count, end);
    return text;
}

static void test_bounds(void)
{
    char *text = repeat("[", 100000, "");
    check_refused(text, strlen(text), 1, YAML_DEPTH_MAX + 2, "deeper");
    free(text);
    text = repeat("- &a x\n", YAML_ANCHORS_MAX + 2, "");
    check_refused(text, strlen(text), YAML_ANCHORS_MAX + 2, 3, "anchors");
    free(text);
    text = repeat("-\n", YAML_NODES_MAX + 1, "");
    CU_ASSERT_PTR_NULL(parse(text, strlen(text)));
    CU_ASSERT_EQUAL(diagnostics.count, 1);
    region_release(&region);
    CU_ASSERT_PTR_NULL(parse(text, (size_t)YAML_FILE_BYTES_MAX + 1));
    CU_ASSERT_EQUAL(diagnostics.count, 1);
    region_release(&region);
    free(text);
}

static void test_duplicate_keys(void)
{
    static const char text[] = "a: 1\nb: {a: 2, a: 3}\na: 4\n";
    const struct yaml_document *document = parse(text, strlen(text));
    CU_ASSERT_PTR_NOT_NULL_FATAL(document);
    CU_ASSERT_EQUAL_FATAL(diagnostics.count, 2);
    CU_ASSERT_EQUAL(diagnostics.items[0].place.column, 11);
    CU_ASSERT_EQUAL(diagnostics.items[1].place.line, 3);
    CU_ASSERT_STRING_EQUAL(value_of(document, "a")->text, "1");
    region_release(&region);
}

void add_yaml_tests(void)
{
    CU_pSuite suite = CU_add_suite("yaml", NULL, NULL);
    CU_add_test(suite, "the tree holds what the file says", test_tree);
    CU_add_test(suite, "every byte is found in the file", test_places);
    CU_add_test(suite, "an alias shares its node", test_alias_is_shared);
    CU_add_test(suite, "a byte order mark is no column", test_byte_order_mark);
    CU_add_test(suite, "what is no YAML is refused", test_refused);
    CU_add_test(suite, "floods are refused", test_bounds);
    CU_add_test(suite, "duplicate keys are reported", test_duplicate_keys);
}
