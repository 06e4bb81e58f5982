/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The assembler stage: what comes out, where its errors point, and what it must not let by. */
#define _GNU_SOURCE
#include <CUnit/CUnit.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/program/read.h"

void add_assemble_tests(void);

enum { SNIPPETS = 8, LINES = 40, CODE = 0x400000, LIMIT = 0x20000 };

/* Some snippets of one file with the objects x, y and far, assembled together. */
static struct bench {
    struct region region;
    struct diagnostics diagnostics;
    struct object objects[3];
    struct program program;
    struct source_list list;
    struct source sources[SNIPPETS];
    struct snippet snippets[SNIPPETS];
    bool ran;
} bench;

static void bench_open(void)
{
    memset(&bench, 0, sizeof bench);
    region_init(&bench.region, 0);
    if (region_guard(&bench.region))
        abort();
    diagnostics_init(&bench.diagnostics, &bench.region);
    bench.objects[0] = (struct object){.name = "x", .address = 0x20000000, .size = 4};
    bench.objects[1] = (struct object){.name = "y", .address = 0x20000040, .size = 4};
    bench.objects[2] = (struct object){.name = "counter", .address = 0x20000080, .size = 8};
    bench.program = (struct program){.objects = bench.objects, .object_count = 3, .file = "t"};
    bench.list.region = &bench.region;
}

/* Adds a snippet; its line n of the text is line 10n, column 5 of the file. A line "=name" says
 * that the next ones come out of a slot, "=" that they do not. */
static struct source *bench_add(const char *text)
{
    size_t index = bench.list.count;
    struct source *source = &bench.sources[index];
    struct source_line *lines = region_array(&bench.region, LINES, sizeof *lines);
    const char *slot = NULL;
    *source = (struct source){.file = "t",
                              .lines = lines,
                              .program = &bench.program,
                              .snippet = &bench.snippets[index],
                              .limit = LIMIT};
    bench.snippets[index].address = CODE + index * 0x40000;
    for (uint32_t number = 1; *text; number++) {
        const char *end = strchrnul(text, '\n');
        char *line = region_strndup(&bench.region, text, (size_t)(end - text));
        text = *end ? end + 1 : end;
        if (*line == '=')
            slot = line[1] ? line + 1 : NULL;
        else
            lines[source->line_count++] = (struct source_line){line, {number * 10, 5}, slot};
    }
    source_list_add(&bench.list, source);
    return source;
}

static void bench_run(void) { bench.ran = assemble(&bench.list, &bench.diagnostics); }

static void bench_close(void) { region_release(&bench.region); }

static void print_diagnostics(void)
{
    for (size_t i = 0; i < bench.diagnostics.count; i++)
        printf("\n    %u:%u: %s", bench.diagnostics.items[i].place.line,
               bench.diagnostics.items[i].place.column, bench.diagnostics.items[i].message);
}

/* Whether the snippet's bytes are those given in hex. */
static bool bytes_are(const struct source *source, const char *hex)
{
    const struct snippet *snippet = source->snippet;
    char text[512] = "";
    size_t length = 0;
    for (uint32_t i = 0; i < snippet->size && i < 160; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%02x", i ? " " : "",
                                   snippet->bytes[i]);
    if (strcmp(text, hex) == 0)
        return true;
    printf("\n    bytes are [%s], not [%s]", text, hex);
    print_diagnostics();
    return false;
}

/* Whether there is an error at the line with this in its message. */
static bool error_at(uint32_t line, const char *part)
{
    for (size_t i = 0; i < bench.diagnostics.count; i++) {
        const struct diagnostic *item = &bench.diagnostics.items[i];
        if (item->place.line == line && item->place.column == 5 && strstr(item->message, part))
            return true;
    }
    printf("\n    no error at line %u with '%s'", line, part);
    print_diagnostics();
    return false;
}

/* Assembles one snippet that must have exactly one error. */
static bool refused(const char *text, uint32_t line, const char *part)
{
    bench_open();
    struct source *source = bench_add(text);
    bench_run();
    bool good = error_at(line, part) && bench.diagnostics.count == 1 && source->failed &&
                source->snippet->size == 0 && bench.ran;
    if (!good) {
        printf("\n  in %s", text);
        print_diagnostics();
    }
    bench_close();
    return good;
}

/* Assembles one snippet without errors. */
static bool gives(const char *text, bool att, const char *hex)
{
    bench_open();
    struct source *source = bench_add(text);
    source->att = att;
    bench_run();
    bool good = bytes_are(source, hex) && !source->failed && bench.diagnostics.count == 0;
    bench_close();
    return good;
}

static void test_syntaxes(void)
{
    CU_ASSERT(gives("mov eax, 1", false, "b8 01 00 00 00"));
    CU_ASSERT(gives("movl $1, %eax", true, "b8 01 00 00 00"));
    CU_ASSERT(gives("", false, ""));
    CU_ASSERT(gives("mov al, 'a'; mov al, 'b", false, "b0 61 b0 62"));
    CU_ASSERT(gives("nop # comment ; nop\n/* nop\nnop */ ret // nop", false, "90 c3"));
    CU_ASSERT(gives("lock; addl $0,-4(%rsp)", true, "f0 83 44 24 fc 00"));
    CU_ASSERT(gives("f:\n.cfi_startproc\npushq %rbx\n.cfi_def_cfa_offset 16; .cfi_offset 3, -16\n"
                    "l: .cfi_endproc",
                    true, "53"));
    CU_ASSERT(gives("# 1 \"/etc/passwd\"\nnop", false, "90"));
    bench_open();
    struct source *intel = bench_add("mov ecx, 1"), *att = bench_add("mov $1, %ecx");
    struct source *last = bench_add("mov ecx, 1");
    att->att = true;
    bench_run();
    CU_ASSERT(bytes_are(intel, "b9 01 00 00 00"));
    CU_ASSERT(bytes_are(att, "b9 01 00 00 00"));
    CU_ASSERT(bytes_are(last, "b9 01 00 00 00"));
    bench_close();
}

static void test_objects(void)
{
    CU_ASSERT(gives("mov dword ptr [x], 1", false, "c7 04 25 00 00 00 20 01 00 00 00"));
    CU_ASSERT(gives("mov eax, [y+2]", false, "8b 04 25 42 00 00 20"));
    CU_ASSERT(gives("mov eax, [rip+x]", false, "8b 05 fa ff bf 1f"));
    CU_ASSERT(gives("mov dword ptr [rip+x], 1", false, "c7 05 f6 ff bf 1f 01 00 00 00"));
    CU_ASSERT(gives("movabs rax, offset counter", false, "48 b8 80 00 00 20 00 00 00 00"));
    CU_ASSERT(gives("mov eax, offset x", false, "b8 00 00 00 20"));
    CU_ASSERT(gives("call x", false, "e8 fb ff bf 1f"));
    CU_ASSERT(gives("jmp 0x400100", false, "e9 fb 00 00 00"));
    CU_ASSERT(gives(".quad y, x - .", false, "40 00 00 20 00 00 00 00 f8 ff bf 1f 00 00 00 00"));
    CU_ASSERT(gives("movl $x, %eax", true, "b8 00 00 00 20"));
    CU_ASSERT(refused("nop\nmov dword ptr [w], 1", 20, "no object named 'w'"));
    CU_ASSERT(refused("nop\ncall countre", 20, "did you mean 'counter'?"));
    CU_ASSERT(refused("nop\nlop: jmp looop; loop: nop", 20, "did you mean 'loop'?"));
    CU_ASSERT(refused("nop\n.byte x", 20, "address of x does not fit in 8 bits"));
}

static void test_labels(void)
{
    CU_ASSERT(gives("loop: dec ecx; jnz loop", false, "ff c9 75 fc"));
    CU_ASSERT(gives("1: jmp 1b; jmp 1f\n1:", false, "eb fe eb 00"));
    CU_ASSERT(
        gives("inc: lock inc dword ptr [x]; jmp inc", false, "f0 ff 04 25 00 00 00 20 eb f6"));
    CU_ASSERT(gives("mov rax, offset here; here:", false, "48 c7 c0 07 00 40 00"));
    CU_ASSERT(gives("lea rax, [rip+here]; here:", false, "48 8d 05 00 00 00 00"));
    CU_ASSERT(gives(".L1: jmp .L1", false, "eb fe"));
    CU_ASSERT(gives("k: movl $k, %eax; jmp *%rax", true, "b8 00 00 40 00 ff e0"));
    CU_ASSERT(refused("nop\nx: nop", 20, "'x' cannot be a label"));
    CU_ASSERT(refused("nop\nrax: nop", 20, "'rax' cannot be a label"));
    CU_ASSERT(refused("nop\nxmm3: nop", 20, "'xmm3' cannot be a label"));
    CU_ASSERT(refused("a: nop\na: nop", 20, "second time"));
    CU_ASSERT(refused("nop\njmp 1f", 20, "no label 1: after it"));
    CU_ASSERT(refused("nop\njmp L$1", 20, "$ has no place"));
    bench_open();
    struct source *first = bench_add("1: nop; again: jmp again"), *second = bench_add("jmp 1b");
    struct source *third = bench_add("again: nop; jmp again; jmp 1f; 1:");
    struct source *fourth = bench_add("1: nop; nop");
    bench_run();
    CU_ASSERT(bytes_are(first, "90 eb fe"));
    CU_ASSERT(second->failed && error_at(10, "no label 1: before it"));
    CU_ASSERT(bytes_are(third, "90 eb fd eb 00"));
    CU_ASSERT(bytes_are(fourth, "90 90"));
    bench_close();
}

static void test_directives(void)
{
    CU_ASSERT(gives(".byte 1, 2; .word 3; .LONG 4", false, "01 02 03 00 04 00 00 00"));
    CU_ASSERT(gives("nop; .p2align 2; nop", false, "90 0f 1f 00 90"));
    CU_ASSERT(gives("nop; .balign 4, 0xcc; nop; .skip 2", false, "90 cc cc cc 90 00 00"));
    CU_ASSERT(gives("nop\n.rept 3\nclc; stc\n.endr\nnop", false, "90 f8 f9 f8 f9 f8 f9 90"));
    CU_ASSERT(gives(".rept 0\nclc\n.endr\nnop", false, "90"));
    CU_ASSERT(gives("a: .rept 2; 1: jmp 1b; .endr; jmp a", false, "eb fe eb fe eb fa"));
    static const char *const hostile[] = {
        ".include \"/etc/passwd\"",
        ".incbin \"/etc/passwd\"",
        ".section .data",
        ".data",
        ".text",
        ".org 100",
        ".macro m",
        ".set x, 1",
        ".equ a, 1",
        ".INCBIN f",
        ".att_syntax",
        ".intel_syntax noprefix",
        ".code32",
        ".globl x",
        ".err",
        ".print 1",
        ".irp a,b",
        ".if 1",
        ".p2align 30",
        ".p2align x",
        ".balign 3",
        ".skip 1000000000",
        ".nops 1000000",
        ".zero 1<<30",
        ".fill 1000000",
        ".rept 5000; .endr",
        ".rept x; .endr",
        ".endr",
        ".rept 2; nop",
        "a = 5",
        "a == 5",
        ". = 100",
        ".equiv b, 2",
        ".file 1",
        ".loc 1 1",
        ".byte \"a\"",
        "/* nop",
        "nop \\",
        "mov eax, '",
        "mov eax, [x@GOTPCREL]",
        "\x01",
        "\xff",
        "nop \\; .include f",
        "nop; .pushsection a",
        "a: .data",
        "{vex} .data",
        ".reloc 0,1,x",
        "mov eax, '\\",
        ".subsection 1",
        "%rax",
        "/ nop",
        ".end",
        ".bundle_lock",
    };
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        bench_open();
        char *text = region_printf(&bench.region, "nop\n%s", hostile[i]);
        struct source *source = bench_add(text), *other = bench_add("nop");
        bench_run();
        bool good = source->failed && bench.diagnostics.count > 0 && !other->failed &&
                    bench.diagnostics.items[0].place.line == 20 && bytes_are(other, "90");
        CU_ASSERT(good);
        if (!good)
            printf("\n    passed: %s", hostile[i]);
        bench_close();
    }
    CU_ASSERT(refused("nop\n.rept 2; .rept 2; nop; .endr", 20, ".rept inside .rept"));
}

static void test_sizes(void)
{
    bench_open();
    struct source *source = bench_add(".nops 100\n.rept 100; nop; .endr\nnop");
    source->limit = 150;
    bench_run();
    CU_ASSERT(error_at(20, "201 bytes of code, but only 150 fit"));
    bench_close();
    CU_ASSERT(refused("nop\n.rept 4096; .balign 4096; nop; .endr\nnop", 20, "far more code"));
    bench_open();
    char *text = region_alloc(&bench.region, 100001);
    memset(text, '(', 100000);
    bench_add(region_printf(&bench.region, "mov eax, %s", text));
    struct source *other = bench_add("nop");
    bench_run();
    CU_ASSERT(error_at(10, "more than 4096 characters"));
    CU_ASSERT(bytes_are(other, "90"));
    bench_close();
}

static void test_errors(void)
{
    CU_ASSERT(refused("nop\nmovv eax, 1", 20, "no such instruction: `movv eax,1'"));
    CU_ASSERT(refused("nop\nmov [x], 1", 20, "ambiguous operand size"));
    CU_ASSERT(refused("nop\nmov al, 300", 20, "shortened to"));
    CU_ASSERT(refused("nop\n.byte 300", 20, "truncated to"));
    CU_ASSERT(gives("and al, ~1; and eax, ~1; .byte -1, 255", false, "24 fe 83 e0 fe ff ff"));
    CU_ASSERT(refused(".nops 3, 146", 10, "could not assemble this: i386_output_nops"));
    bench_open();
    bench_add("foo\nmov dword ptr [w], 1\n.data\nbar: barr");
    struct source *good = bench_add("nop");
    bench_add("nop\nbaz");
    bench_run();
    CU_ASSERT(error_at(10, "no such instruction: `foo'"));
    CU_ASSERT(error_at(20, "no object named 'w'"));
    CU_ASSERT(error_at(30, ".data may not be used"));
    CU_ASSERT(error_at(40, "no such instruction: `barr'"));
    CU_ASSERT(error_at(20, "no such instruction: `baz'"));
    CU_ASSERT_EQUAL(bench.diagnostics.count, 5);
    CU_ASSERT(bytes_are(good, "90"));
    bench_close();
}

static bool line_is(const struct snippet *snippet, size_t index, uint32_t offset, uint32_t line)
{
    return index < snippet->line_count && snippet->lines[index].offset == offset &&
           snippet->lines[index].place.line == line && snippet->lines[index].place.column == 5;
}

static bool slot_is(const struct snippet *snippet, size_t index, const char *slot, uint32_t start,
                    uint32_t end)
{
    return index < snippet->slot_count && strcmp(snippet->slots[index].slot, slot) == 0 &&
           snippet->slots[index].start == start && snippet->slots[index].end == end;
}

static void test_tables(void)
{
    bench_open();
    const struct snippet *snippet =
        bench_add("nop; nop\n\n# nothing\nhere:\nmov eax, 1\n=a\nmfence\nnop\n=b\n\n=\nret\n=a\n ")
            ->snippet;
    bench_run();
    CU_ASSERT_EQUAL(snippet->line_count, 5);
    CU_ASSERT(line_is(snippet, 0, 0, 10));
    CU_ASSERT(line_is(snippet, 1, 2, 50));
    CU_ASSERT(line_is(snippet, 2, 7, 70));
    CU_ASSERT(line_is(snippet, 3, 10, 80));
    CU_ASSERT(line_is(snippet, 4, 11, 120));
    CU_ASSERT_EQUAL(snippet->slot_count, 3);
    CU_ASSERT(slot_is(snippet, 0, "a", 7, 11));
    CU_ASSERT(slot_is(snippet, 1, "b", 11, 11));
    CU_ASSERT(slot_is(snippet, 2, "a", 12, 12));
    CU_ASSERT_EQUAL(snippet->size, 12);
    bench_close();
    bench_open();
    snippet = bench_add(".rept 2\nnop\nclc\n.endr")->snippet;
    bench_run();
    CU_ASSERT_EQUAL(snippet->line_count, 4);
    CU_ASSERT(line_is(snippet, 2, 2, 20) && line_is(snippet, 3, 3, 30));
    bench_close();
}

static size_t entries_of(const char *directory)
{
    size_t count = 0;
    DIR *stream = opendir(directory);
    while (stream && readdir(stream))
        count++;
    if (stream)
        closedir(stream);
    return count;
}

/* Whether two snippets are assembled although the n-th allocation fails. */
static bool survives(uint64_t n)
{
    bench_open();
    bench_add("a: mov eax, [x]; jmp a\n=b\nnop");
    bench_add("foo");
    if (region_guard(&bench.region))
        return false;
    region_fail_after(n);
    bench_run();
    return true;
}

/* Fails every allocation in turn; each time nothing may stay behind. */
static void test_exhaustion(void)
{
    char directory[] = "/tmp/fencesim-test-XXXXXX";
    bool survived = false;
    CU_ASSERT_FATAL(mkdtemp(directory) != NULL);
    setenv("TMPDIR", directory, 1);
    size_t descriptors = entries_of("/proc/self/fd");
    for (uint64_t n = 1; n < 500 && !survived; n++) {
        survived = survives(n);
        region_fail_after(0);
        bench_close();
    }
    CU_ASSERT(survived);
    CU_ASSERT_EQUAL(entries_of(directory), 2);
    CU_ASSERT_EQUAL(entries_of("/proc/self/fd"), descriptors);
    unsetenv("TMPDIR");
    rmdir(directory);
}

/* A statement that several snippets have means in each what it means alone. */
static void test_shared_statements(void)
{
    bench_open();
    struct source *first = bench_add("mov eax, [y]\njmp x\nmov eax, [y]");
    struct source *second = bench_add("jmp x\n=slot\n=\nmov eax, [y]");
    struct source *intel = bench_add("push 1\nnop"), *att = bench_add("push 1\nnop");
    struct source *labelled = bench_add("jmp x\na: jmp a");
    struct source *placed = bench_add("nop\njmp .+2");
    struct source *also_placed = bench_add("nop\nmov eax, offset $");
    att->att = true;
    bench_run();
    CU_ASSERT(bytes_are(first, "8b 04 25 40 00 00 20 e9 f4 ff bf 1f 8b 04 25 40 00 00 20"));
    CU_ASSERT(bytes_are(second, "e9 fb ff bb 1f 8b 04 25 40 00 00 20"));
    CU_ASSERT(bytes_are(intel, "6a 01 90"));
    CU_ASSERT(bytes_are(att, "ff 34 25 01 00 00 00 90"));
    CU_ASSERT(bytes_are(labelled, "e9 fb ff af 1f eb fe"));
    CU_ASSERT(bytes_are(placed, "90 eb 00"));
    CU_ASSERT(bytes_are(also_placed, "90 b8 01 00 58 00"));
    CU_ASSERT_EQUAL_FATAL(first->snippet->line_count, 3);
    CU_ASSERT_EQUAL(first->snippet->lines[2].offset, 12);
    CU_ASSERT_EQUAL(first->snippet->lines[2].place.line, 30);
    CU_ASSERT_EQUAL(second->snippet->lines[1].place.line, 40);
    bench_close();
}

/* One that `as` refuses is an error wherever it stands, and spoils nobody else's snippet. */
static void test_shared_errors(void)
{
    bench_open();
    struct source *first = bench_add("nop\nfoo"), *good = bench_add("nop\nmov eax, 1");
    struct source *second = bench_add("foo\nnop\nmov al, 300"), *third = bench_add("call w\nnop");
    struct source *last = bench_add("mov eax, 1\nnop\nnop\nnop\ncall w");
    bench_run();
    CU_ASSERT(first->failed && second->failed && third->failed && last->failed);
    CU_ASSERT(bytes_are(good, "90 b8 01 00 00 00"));
    CU_ASSERT(error_at(10, "foo") && error_at(20, "foo") && error_at(30, "0x12c shortened"));
    CU_ASSERT(error_at(10, "no object named 'w'") && error_at(50, "no object named 'w'"));
    CU_ASSERT_EQUAL(bench.diagnostics.count, 5);
    bench_close();
}

static void test_without_as(void)
{
    char *path = strdup(getenv("PATH"));
    setenv("PATH", "/nonexistent", 1);
    bench_open();
    struct source *source = bench_add("nop");
    bench_add("nop");
    bench_run();
    CU_ASSERT(!bench.ran && source->failed && bench.diagnostics.count == 1);
    CU_ASSERT(error_at(10, "install the package binutils"));
    bench_close();
    setenv("PATH", path, 1);
    free(path);
    setenv("TMPDIR", "/nonexistent", 1);
    bench_open();
    bench_add("nop");
    bench_run();
    CU_ASSERT(!bench.ran && error_at(10, "cannot make a temporary directory"));
    bench_close();
    unsetenv("TMPDIR");
}

void add_assemble_tests(void)
{
    CU_pSuite suite = CU_add_suite("assemble", NULL, NULL);
    CU_add_test(suite, "both syntaxes, comments", test_syntaxes);
    CU_add_test(suite, "objects are symbols", test_objects);
    CU_add_test(suite, "labels are local", test_labels);
    CU_add_test(suite, "only harmless directives", test_directives);
    CU_add_test(suite, "sizes are bounded", test_sizes);
    CU_add_test(suite, "all errors at their lines", test_errors);
    CU_add_test(suite, "line table and slots", test_tables);
    CU_add_test(suite, "statements that snippets share", test_shared_statements);
    CU_add_test(suite, "errors in what snippets share", test_shared_errors);
    CU_add_test(suite, "nothing stays behind", test_exhaustion);
    CU_add_test(suite, "without as or a place to write", test_without_as);
}
