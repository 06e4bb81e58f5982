/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions: what tree a text becomes. The trees are printed with every bracket. */
#include <CUnit/CUnit.h>
#include <stdio.h>

#include "sim/base/text.h"
#include "tests/unit/reading.h"

void add_condition_tests(void);

static const char *const signs[] = {
    [CONDITION_EQ] = "==", [CONDITION_NE] = "!=", [CONDITION_LT] = "<",   [CONDITION_LE] = "<=",
    [CONDITION_GT] = ">",  [CONDITION_GE] = ">=", [CONDITION_AND] = "&&", [CONDITION_OR] = "||",
};

static void print(struct text *out, const struct program *program, const struct condition *c)
{
    switch (c->op) {
    case CONDITION_NUMBER:
        text_printf(out, "%llu", (unsigned long long)c->number);
        break;
    case CONDITION_REGISTER:
    case CONDITION_OBJECT:
        text_add(out, program->terms[c->term].text);
        break;
    case CONDITION_CRASH:
        text_add(out, "crash");
        break;
    case CONDITION_STUCK:
        text_printf(out, "%s:stuck", program->cpus[c->cpu].name);
        break;
    case CONDITION_NOT:
        text_add(out, "!");
        print(out, program, c->left);
        break;
    default:
        text_add(out, "(");
        print(out, program, c->left);
        text_add(out, signs[c->op]);
        print(out, program, c->right);
        text_add(out, ")");
    }
}

#define HEAD                                                                                       \
    "trace: 1\nname: t\nmemory: {x: {size: 4}, y: {size: 8}}\ncpus:\n  - {code: \"90\"}\n"         \
    "  - {name: W, count: 3, code: \"90\"}\n  - {name: V, count: 2, code: \"90\"}\n"

/* Reads the condition and compares its tree. */
static void check(const char *condition, const char *tree)
{
    struct reading r;
    char source[1024];
    snprintf(source, sizeof source, HEAD "expect:\n  - never: '%s'\n", condition);
    reading_open(&r, source);
    CU_ASSERT_EQUAL_FATAL(r.diagnostics.count, 0);
    struct text out;
    text_init(&out, &r.region);
    print(&out, r.program, r.program->expectations[0].condition);
    CU_ASSERT_STRING_EQUAL(out.data, tree);
    if (strcmp(out.data, tree) != 0)
        printf("got %s\n", out.data);
    reading_close(&r);
}

static void test_precedence(void)
{
    check("x == 1", "(x==1)");
    check("x==1||y!=0x10&&P0:al<2", "((x==1)||((y!=16)&&(P0:al<2)))");
    check("(x <= 1 || y >= 2) && P0:r8d > y", "(((x<=1)||(y>=2))&&(P0:r8d>y))");
    check("!x == 1 && !(x == 2 || crash)", "(!(x==1)&&!((x==2)||crash))");
    check("!!crash", "!!crash");
    check("1 == 1", "(1==1)");
    check("P0:zf == 1 && P0:AH == 2", "((P0:zf==1)&&(P0:ah==2))");
    check("18446744073709551615 == y", "(18446744073709551615==y)");
}

static void test_families(void)
{
    check("W.1:eax == 1", "(W.1:eax==1)");
    check("V.*:eax == 1", "((V.0:eax==1)&&(V.1:eax==1))");
    check("!(V.*:eax == 1)", "!((V.0:eax==1)&&(V.1:eax==1))");
    check("V.*:stuck", "(V.0:stuck&&V.1:stuck)");
    check("V.*:eax == V.*:ebx", "((V.0:eax==V.0:ebx)&&(V.1:eax==V.1:ebx))");
    check("x == V.*:eax", "((x==V.0:eax)&&(x==V.1:eax))");
    check("W.*:al == 1", "((W.0:al==1)&&((W.1:al==1)&&(W.2:al==1)))");
}

static void test_about(void)
{
    struct reading r;
    reading_open(&r, HEAD "expect:\n"
                          "  - never: x == 1\n"
                          "  - never: x == 1 && crash\n"
                          "  - never: x == 1 || W.*:stuck\n");
    CU_ASSERT_EQUAL_FATAL(r.diagnostics.count, 0);
    const struct expectation *e = r.program->expectations;
    CU_ASSERT_TRUE(!e[0].about_crash && !e[0].about_stuck);
    CU_ASSERT_TRUE(e[1].about_crash && !e[1].about_stuck);
    CU_ASSERT_TRUE(!e[2].about_crash && e[2].about_stuck);
    reading_close(&r);
}

static void test_terms(void)
{
    struct reading r;
    reading_open(&r, HEAD "observe: [y, V.*:eax, V.0:EAX]\n"
                          "expect:\n"
                          "  - never: x == 1 && V.1:eax == 2 && P0:rax == y\n");
    CU_ASSERT_EQUAL_FATAL(r.diagnostics.count, 0);
    const struct program *p = r.program;
    CU_ASSERT_TRUE(p->observe_given);
    CU_ASSERT_EQUAL(p->observed_count, 3);
    CU_ASSERT_EQUAL_FATAL(p->term_count, 5);
    CU_ASSERT_STRING_EQUAL(p->terms[0].text, "y");
    CU_ASSERT_TRUE(p->terms[0].is_object);
    CU_ASSERT_STRING_EQUAL(p->terms[1].text, "V.0:eax");
    CU_ASSERT_EQUAL(p->terms[1].view.width, 32);
    CU_ASSERT_STRING_EQUAL(p->terms[3].text, "x");
    CU_ASSERT_STRING_EQUAL(p->terms[4].text, "P0:rax");
    reading_close(&r);
}

/* A long chain must not become a deep tree: whoever walks it recurses. */
static unsigned depth(const struct condition *c)
{
    if (c->op < CONDITION_EQ)
        return 0;
    unsigned left = depth(c->left), right = c->right ? depth(c->right) : 0;
    return 1 + (left > right ? left : right);
}

static void test_long_chain(void)
{
    static const char piece[] = " || x == 1";
    enum { PIECES = 20000 };
    struct reading r;
    char *source = malloc(sizeof HEAD + 64 + sizeof piece * PIECES);
    char *end = source + sprintf(source, HEAD "expect:\n  - never: x == 0");
    for (size_t i = 0; i < PIECES; i++, end += sizeof piece - 1)
        memcpy(end, piece, sizeof piece);
    reading_open(&r, source);
    CU_ASSERT_EQUAL_FATAL(r.diagnostics.count, 0);
    CU_ASSERT_TRUE(depth(r.program->expectations[0].condition) < 20);
    reading_close(&r);
    free(source);
}

static void check_view(const char *name, enum register_file file, unsigned index, unsigned shift,
                       unsigned width)
{
    struct register_view view;
    CU_ASSERT_TRUE_FATAL(register_parse(name, &view));
    CU_ASSERT_TRUE(view.file == file && view.index == index && view.shift == shift &&
                   view.width == width);
}

static void test_registers(void)
{
    static const char *const none[] = {"",    "r",      "eaz", "r16",  "r7d", "r08",  "r8x", "xmm0",
                                       "rip", "eflags", "cs",  "spl1", "hh",  "r8dd", "rd",  "e"};
    struct register_view view;
    check_view("rax", REGISTER_GPR, 0, 0, 64);
    check_view("esp", REGISTER_GPR, 4, 0, 32);
    check_view("di", REGISTER_GPR, 7, 0, 16);
    check_view("sil", REGISTER_GPR, 6, 0, 8);
    check_view("bh", REGISTER_GPR, 3, 8, 8);
    check_view("r8", REGISTER_GPR, 8, 0, 64);
    check_view("r15d", REGISTER_GPR, 15, 0, 32);
    check_view("r9w", REGISTER_GPR, 9, 0, 16);
    check_view("R10B", REGISTER_GPR, 10, 0, 8);
    check_view("zf", REGISTER_FLAG, 0, 6, 1);
    check_view("of", REGISTER_FLAG, 0, 11, 1);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        CU_ASSERT_FALSE(register_parse(none[i], &view));
}

void add_condition_tests(void)
{
    CU_pSuite suite = CU_add_suite("conditions", NULL, NULL);
    CU_add_test(suite, "operators bind as in C", test_precedence);
    CU_add_test(suite, "a family is each of its CPUs", test_families);
    CU_add_test(suite, "what a condition is about", test_about);
    CU_add_test(suite, "terms are numbered, the observed first", test_terms);
    CU_add_test(suite, "a long chain is no deep tree", test_long_chain);
    CU_add_test(suite, "names of registers", test_registers);
}
