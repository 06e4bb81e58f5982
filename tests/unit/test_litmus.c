/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The litmus reader: what a test becomes. What it says of bad ones is in tests/malformed. */
#include <CUnit/CUnit.h>
#include <stdio.h>

#include "sim/program/layout.h"
#include "sim/program/litmus.h"
#include "tests/unit/reading.h"

void add_litmus_tests(void);

static void litmus_open(struct reading *reading, const char *text)
{
    reading_start(reading);
    reading->program = litmus_parse(&reading->region, "dir/base.litmus", text, strlen(text),
                                    &reading->sources, &reading->diagnostics);
}

/* The n-th line of a thread's code as it goes to the assembler; "" past the end. */
static const char *line_of(const struct reading *reading, size_t cpu, size_t n)
{
    const struct snippet *snippet = reading->program->variants[0].code[cpu];
    for (size_t i = 0; i < reading->sources.count; i++) {
        const struct source *source = reading->sources.items[i];
        if (source->snippet == snippet)
            return n < source->line_count ? source->lines[n].text : "";
    }
    return "";
}

static uint64_t word_of(const struct reading *reading, const char *name)
{
    const struct object *object =
        &reading->program->objects[program_object(reading->program, name)];
    uint64_t word = 0;
    for (size_t i = 0; i < 8 && i < object->init_size; i++)
        word |= (uint64_t)object->init[i] << 8 * i;
    return word;
}

static void test_init(void)
{
    struct reading r;
    litmus_open(&r, "X86_64 --\n\"about it\"\nHash=0123\n"
                    "{ x=-1; uint8_t y=300; [z]=y; uint64_t w=0xffffffffff; int *p=&x;\n"
                    "  int t[3]={1,2,-3}; int16_t P1:r9=-1; 0:rax=t[1]; 1:rbx=-2; ; u; }\n"
                    " P0 | P1 ;\n nop | ;\nlocations [x; t[2]; 1:r9;]\n");
    CU_ASSERT_EQUAL_FATAL(r.diagnostics.count, 0);
    const struct program *program = r.program;
    CU_ASSERT_STRING_EQUAL(program->name, "base");
    CU_ASSERT_STRING_EQUAL(program->about, "about it");
    CU_ASSERT_STRING_EQUAL(program->litmus->hash, "0123");
    CU_ASSERT_EQUAL(word_of(&r, "x"), 0xffffffff);
    CU_ASSERT_EQUAL(word_of(&r, "y"), 44);
    CU_ASSERT_EQUAL(word_of(&r, "z"), program->objects[program_object(program, "y")].address);
    CU_ASSERT_EQUAL(word_of(&r, "w"), 0xffffffffff);
    CU_ASSERT_EQUAL(word_of(&r, "p"), program->objects[program_object(program, "x")].address);
    CU_ASSERT_EQUAL(word_of(&r, "t"), 0x200000001);
    int t = program_object(program, "t");
    CU_ASSERT_EQUAL(program->objects[t].size, 12);
    CU_ASSERT_EQUAL(program->cpus[0].gpr[0], program->objects[t].address + 4);
    CU_ASSERT_EQUAL(program->cpus[1].gpr[9], 0xffff);
    CU_ASSERT_EQUAL(program->cpus[1].gpr[3], (uint64_t)-2);
    CU_ASSERT_EQUAL(program->term_count, 3);
    CU_ASSERT_STRING_EQUAL(program->terms[0].text, "P1:r9w");
    CU_ASSERT_STRING_EQUAL(program->litmus->locations[1].label, "t[2]");
    CU_ASSERT_STRING_EQUAL(program->litmus->locations[2].label, "[x]");
    CU_ASSERT_STRING_EQUAL(program->litmus->text, "true");
    reading_close(&r);
}

static void test_code(void)
{
    static const char *const expected[] = {"movl $1,x",
                                           "lock cmpxchgl %ebx,x",
                                           "lock incl x",
                                           "L:",
                                           "movq $-1,8(%rdi)",
                                           "movl $5,%eax",
                                           "movb $-1,%al",
                                           "xchgw %ax,(%rsi,%rbx,4)",
                                           "jl L",
                                           "shll $2,%eax",
                                           "movl $1,x",
                                           "movntil %ecx,x",
                                           "movl %eax,x",
                                           "cmovcl x,%eax",
                                           "mfence",
                                           "movb %ah,x",
                                           "addw $65535,x",
                                           "nopl (%rax,%rax,1)",
                                           "movl $1,_.variable.1"};
    struct reading r;
    litmus_open(&r, "X86_64 t\n{ }\n P0 ;\n movl $1,(x) ; LOCK; CMPXCHGL (x),%ebx ;\n"
                    " lock incl [x] ; L: movq $-1,8(%rdi) ; MOVL 5,eax ; movb $-1,%al ;\n"
                    " xchgw %ax,(%rsi,%rbx,4) ; jlt L ; shl 2,%eax ; mov $1,(x) ;\n"
                    " movntil %ecx,(x) ; movl %rax,(x) ; cmovc %eax,(x) ; mfence ;\n"
                    " movb %ah,(x) ; addw $131071,(x) ; nopl %cs:0(%rax,%eax,0) ;\n"
                    " movl $1,(offset) ;\n");
    CU_ASSERT_EQUAL_FATAL(r.diagnostics.count, 0);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        CU_ASSERT_STRING_EQUAL(line_of(&r, 0, i), expected[i]);
    CU_ASSERT_STRING_EQUAL(line_of(&r, 0, sizeof expected / sizeof *expected), "");
    reading_close(&r);
}

static void test_code_32(void)
{
    static const char *const expected[] = {"movl $1,x", "movl y,%eax", "movb $2,(%rbx)",
                                           "lock incl x", "xchgl %eax,x"};
    struct reading r;
    litmus_open(&r, "X86 t\n{ 0:EBX=x; }\n P0 ;\n MOV [x],$1 ; MOV EAX,[y] ; MOVB (EBX),2 ;\n"
                    " LOCK; INC [x] ; XCHG [x],EAX ;\nexists (0:EAX=1)\n");
    CU_ASSERT_EQUAL_FATAL(r.diagnostics.count, 0);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        CU_ASSERT_STRING_EQUAL(line_of(&r, 0, i), expected[i]);
    CU_ASSERT_STRING_EQUAL(r.program->litmus->locations[0].label, "0:EAX");
    reading_close(&r);
}

/* What is accessed beyond a variable's type is its own, too, but not shown. */
static void test_room(void)
{
    struct reading r;
    litmus_open(&r, "X86_64 t\n{ x=7; 0:rdi=y; }\n P0 ;\n movq $1,(x) ; movq $1,(%rdi) ;\n"
                    "exists (x=1 /\\ y=1)\n");
    CU_ASSERT_EQUAL_FATAL(r.diagnostics.count, 0);
    const struct program *program = r.program;
    const struct object *x = &program->objects[program_object(program, "x")];
    CU_ASSERT_EQUAL(x->size, 4);
    CU_ASSERT_NOT_EQUAL_FATAL(x->parent, NO_INDEX);
    CU_ASSERT_EQUAL(program->objects[x->parent].size, 8);
    CU_ASSERT_EQUAL(program->objects[x->parent].init[0], 7);
    const struct object *y = &program->objects[program_object(program, "y")];
    CU_ASSERT_NOT_EQUAL_FATAL(y->parent, NO_INDEX);
    CU_ASSERT_EQUAL(program->objects[y->parent].size, 8);
    CU_ASSERT_EQUAL(program->cpus[0].gpr[7], y->address);
    reading_close(&r);
}

/* The condition in its normal form, for a test with x, y and an array. */
static void check_condition(const char *condition, enum quantifier quantifier, const char *normal)
{
    struct reading r;
    char text[512];
    snprintf(text, sizeof text,
             "X86_64 t\n{ int t[2]; uint8_t b; }\n P0 | P1 ;\n movl (x),%%eax | movl $1,(y) ;\n%s",
             condition);
    litmus_open(&r, text);
    CU_ASSERT_EQUAL_FATAL(r.diagnostics.count, 0);
    CU_ASSERT_EQUAL(r.program->litmus->quantifier, quantifier);
    CU_ASSERT_STRING_EQUAL(r.program->litmus->text, normal);
    CU_ASSERT_EQUAL(r.program->expectation_count, quantifier != QUANTIFIER_EXISTS);
    reading_close(&r);
}

static void test_condition(void)
{
    check_condition("exists x=1 /\\ [y]=2", QUANTIFIER_EXISTS, "[x]=1 /\\ [y]=2");
    check_condition("~ exists ((x=1))", QUANTIFIER_NOT_EXISTS, "[x]=1");
    check_condition("final 0:%RAX==0x10", QUANTIFIER_EXISTS, "0:rax=16");
    check_condition("forall x=1 /\\ y=1 => x=2 \\/ y=3", QUANTIFIER_FORALL,
                    "[x]=1 /\\ ([y]=1 => [x]=2) \\/ [y]=3");
    check_condition("exists not x=1 /\\ ~(y=1 \\/ y=2)", QUANTIFIER_EXISTS,
                    "not ([x]=1) /\\ not ([y]=1 \\/ [y]=2)");
    check_condition("exists (x=1 \\/ x=2) /\\ y<>-1;", QUANTIFIER_EXISTS,
                    "([x]=1 \\/ [x]=2) /\\ not ([y]=-1)");
    check_condition("exists t={1,2} /\\ t[1]!=3", QUANTIFIER_EXISTS, "t={1,2} /\\ not (t[1]=3)");
    check_condition("exists 0:rax=[y] \\/ 0:rbx=x (* addresses *)", QUANTIFIER_EXISTS,
                    "0:rax=[y] \\/ 0:rbx=x");
    check_condition("locations [x; y;]", QUANTIFIER_FORALL, "true");
    check_condition("filter x=0 exists true << whatever", QUANTIFIER_EXISTS, "true");
}

static void test_recognise(void)
{
    static const char *const tests[] = {"X86_64 t\n", "X86 t", "X86\tt"};
    static const char *const others[] = {"trace: 1", "X86_65 t", "", "X86"};
    for (size_t i = 0; i < 3; i++)
        CU_ASSERT_TRUE(litmus_recognise(tests[i], strlen(tests[i])));
    for (size_t i = 0; i < 4; i++)
        CU_ASSERT_FALSE(litmus_recognise(others[i], strlen(others[i])));
}

void add_litmus_tests(void)
{
    CU_pSuite suite = CU_add_suite("litmus", NULL, NULL);
    CU_add_test(suite, "init", test_init);
    CU_add_test(suite, "code", test_code);
    CU_add_test(suite, "code of X86 tests", test_code_32);
    CU_add_test(suite, "room", test_room);
    CU_add_test(suite, "condition", test_condition);
    CU_add_test(suite, "recognise", test_recognise);
}
