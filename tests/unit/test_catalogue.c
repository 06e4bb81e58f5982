/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The litmus tests of the literature for write-back memory, each with the outcome that it
 * asks for and whether x86 allows it. Sources: SDM: Intel SDM vol. 3A, memory ordering
 * examples; APM: AMD APM vol. 2, the same; TSO: Owens, Sarkar, Sewell, "A better x86 memory
 * model: x86-TSO", 2009, and its long version; herd: the names of herd's x86 catalogue.
 */
#include "tests/unit/exploring.h"

void add_catalogue_tests(void);

#define W(x, v) "mov dword ptr [" #x "], " #v "\n"
#define R(r, x) "mov " #r ", dword ptr [" #x "]\n"
#define A(x, v) "mov edi, " #v "\n xchg dword ptr [" #x "], edi\n"
#define F       "mfence\n"
#define L       "lock add dword ptr [rsp-8], 0\n"

enum verdict_wanted { FORBID, ALLOW };

struct row {
    const char *name, *source;
    const char *cpus[4];
    const char *asked;
    enum verdict_wanted verdict;
};

#define SB_X(f)   W(x, 1) f R(eax, y)
#define SB_Y(f)   W(y, 1) f R(eax, x)
#define BOTH_MISS "P0:eax == 0 && P1:eax == 0"
#define ALL_MISS  "P0:eax == 0 && P1:eax == 0 && P2:eax == 0"
#define READ_XY   R(eax, x) R(ebx, y)
#define READ_YX   R(eax, y) R(ebx, x)
#define RING(f, g, h)                                                                              \
    {                                                                                              \
        W(x, 1) f R(eax, y), W(y, 1) g R(eax, z), W(z, 1) h R(eax, x)                              \
    }
/* clang-format off */
static const struct row rows[] = {
    {"MP", "SDM 8-1, APM 1", {W(x, 1) W(y, 1), READ_YX}, "P1:eax == 1 && P1:ebx == 0", FORBID},
    {"LB", "SDM 8-2, APM 2", {R(eax, x) W(y, 1), R(eax, y) W(x, 1)}, "P0:eax == 1 && P1:eax == 1", FORBID},
    {"SB", "SDM 8-3, APM 4", {SB_X(""), SB_Y("")}, BOTH_MISS, ALLOW},
    {"CoWR", "SDM 8-4", {W(x, 1) R(eax, x)}, "P0:eax == 0", FORBID},
    {"SB+rfi-pos", "SDM 8-5, APM 9", {W(x, 1) READ_XY, W(y, 1) READ_YX},
     "P0:eax == 1 && P0:ebx == 0 && P1:eax == 1 && P1:ebx == 0", ALLOW},
    {"WRC", "SDM 8-6, APM 8", {W(x, 1), R(eax, x) W(y, 1), READ_YX},
     "P1:eax == 1 && P2:eax == 1 && P2:ebx == 0", FORBID},
    {"iwp2.6", "TSO", {W(x, 1), W(x, 2), R(eax, x) R(ebx, x), R(eax, x) R(ebx, x)},
     "P2:eax == 1 && P2:ebx == 2 && P3:eax == 2 && P3:ebx == 1", FORBID},
    {"IRIW", "SDM 8-7, APM 6", {W(x, 1), W(y, 1), READ_XY, READ_YX},
     "P2:eax == 1 && P2:ebx == 0 && P3:eax == 1 && P3:ebx == 0", FORBID},
    {"IRIW+locked", "SDM 8-8, APM 7", {A(x, 1), A(y, 1), READ_XY, READ_YX},
     "P2:eax == 1 && P2:ebx == 0 && P3:eax == 1 && P3:ebx == 0", FORBID},
    {"SB+xchgs", "SDM 8-9", {A(x, 1) R(eax, y), A(y, 1) R(eax, x)}, BOTH_MISS, FORBID},
    {"MP+xchg", "SDM 8-10", {A(x, 1) W(y, 1), READ_YX}, "P1:eax == 1 && P1:ebx == 0", FORBID},
    {"amd3", "APM 3", {W(x, 1) W(x, 2) R(eax, y), W(y, 1) W(y, 2) R(eax, x)},
     "P0:eax == 1 && P1:eax == 1", ALLOW},
    {"SB+mfences", "APM 5", {SB_X(F), SB_Y(F)}, BOTH_MISS, FORBID},
    {"SB+mfence-rfi", "APM 10", {W(x, 1) F READ_XY, W(y, 1) F READ_YX},
     "P0:eax == 1 && P0:ebx == 0 && P1:eax == 1 && P1:ebx == 0", FORBID},
    {"n1", "TSO", {W(x, 2) R(eax, y), W(y, 1) W(x, 1), R(eax, x) R(ebx, x)},
     "P0:eax == 0 && P2:eax == 1 && P2:ebx == 2", ALLOW},
    {"n2", "TSO", {W(y, 1) W(x, 1), W(x, 2) W(z, 1), R(eax, x) R(ebx, x), R(eax, z) R(ebx, y)},
     "P2:eax == 1 && P2:ebx == 2 && P3:eax == 1 && P3:ebx == 0", FORBID},
    {"n3", "TSO", {A(x, 1), W(y, 1), R(eax, y) R(ebx, x) R(ecx, x), R(eax, x) R(ebx, y) R(ecx, y)},
     "P2:eax == 1 && P2:ebx == 0 && P2:ecx == 1 && P3:eax == 1 && P3:ebx == 0 && P3:ecx == 1", FORBID},
    {"n4", "TSO", {R(eax, x) W(x, 1) R(ebx, x), R(eax, x) W(x, 2) R(ebx, x)},
     "P0:eax == 2 && P0:ebx == 1 && P1:eax == 1 && P1:ebx == 2", FORBID},
    {"n5", "TSO", {W(x, 1) R(eax, x), W(x, 2) R(eax, x)}, "P0:eax == 2 && P1:eax == 1", FORBID},
    {"n6", "TSO", {W(x, 1) READ_XY, W(y, 2) W(x, 2)}, "P0:eax == 1 && P0:ebx == 0 && x == 1", ALLOW},
    {"n7", "TSO", {W(x, 1) READ_XY, W(y, 1), READ_YX},
     "P0:eax == 1 && P0:ebx == 0 && P2:eax == 1 && P2:ebx == 0", ALLOW},
    {"n8", "TSO", {A(x, 1) R(eax, y), SB_Y("")}, BOTH_MISS, ALLOW},
    {"RWC", "herd", {W(x, 1), READ_XY, SB_Y("")}, "P1:eax == 1 && P1:ebx == 0 && P2:eax == 0", ALLOW},
    {"RWC+mfence", "herd", {W(x, 1), READ_XY, SB_Y(F)}, "P1:eax == 1 && P1:ebx == 0 && P2:eax == 0", FORBID},
    {"2+2W", "herd", {W(x, 2) W(y, 1), W(y, 2) W(x, 1)}, "x == 2 && y == 2", FORBID},
    {"S", "herd", {W(x, 2) W(y, 1), R(eax, y) W(x, 1)}, "P1:eax == 1 && x == 2", FORBID},
    {"R", "herd", {W(x, 1) W(y, 1), W(y, 2) R(eax, x)}, "P1:eax == 0 && y == 2", ALLOW},
    {"R+po+mfence", "herd", {W(x, 1) W(y, 1), W(y, 2) F R(eax, x)}, "P1:eax == 0 && y == 2", FORBID},
    {"R+po+rfi-po", "herd", {W(x, 1) W(y, 1), W(y, 2) READ_YX},
     "P1:eax == 2 && P1:ebx == 0 && y == 2", ALLOW},
    {"SB+mfence+po", "herd", {SB_X(F), SB_Y("")}, BOTH_MISS, ALLOW},
    {"MP+po+po-rfi-po", "herd", {W(x, 1) W(y, 1), R(eax, y) W(z, 1) R(ecx, z) R(ebx, x)},
     "P1:eax == 1 && P1:ecx == 1 && P1:ebx == 0", FORBID},
    {"WWC", "herd", {W(x, 2), R(eax, x) W(y, 1), R(eax, y) W(x, 1)},
     "P1:eax == 2 && P2:eax == 1 && x == 2", FORBID},
    {"WRR+2W", "herd", {W(x, 2), READ_XY, W(y, 1) W(x, 1)}, "P1:eax == 2 && P1:ebx == 0 && x == 2", FORBID},
    {"WRW+2W", "herd", {W(x, 2), R(eax, x) W(y, 1), W(y, 2) W(x, 1)},
     "P1:eax == 2 && x == 2 && y == 2", FORBID},
    {"WRW+WR", "herd", {W(x, 1), R(eax, x) W(y, 1), W(y, 2) R(eax, x)},
     "P1:eax == 1 && P2:eax == 0 && y == 2", ALLOW},
    {"WRW+WR+po+mfence", "herd", {W(x, 1), R(eax, x) W(y, 1), W(y, 2) F R(eax, x)},
     "P1:eax == 1 && P2:eax == 0 && y == 2", FORBID},
    {"3.SB", "TSO", RING("", "", ""), ALL_MISS, ALLOW},
    {"3.SB, one fence", "TSO", RING(F, "", ""), ALL_MISS, ALLOW},
    {"3.SB, two fences", "TSO", RING(F, F, ""), ALL_MISS, ALLOW},
    {"3.SB+mfences", "TSO", RING(F, F, F), ALL_MISS, FORBID},
    {"3.LB", "TSO", {R(eax, x) W(y, 1), R(eax, y) W(z, 1), R(eax, z) W(x, 1)},
     "P0:eax == 1 && P1:eax == 1 && P2:eax == 1", FORBID},
    {"ISA2", "herd", {W(x, 1) W(y, 1), R(eax, y) W(z, 1), R(eax, z) R(ebx, x)},
     "P1:eax == 1 && P2:eax == 1 && P2:ebx == 0", FORBID},
    {"Z6.3", "herd", {W(x, 1) W(y, 1), W(y, 2) W(z, 1), R(eax, z) R(ebx, x)},
     "P2:eax == 1 && P2:ebx == 0 && y == 2", FORBID},
    {"W+RWC", "herd", {W(x, 1) W(y, 1), R(eax, y) R(ebx, z), W(z, 1) R(eax, x)},
     "P1:eax == 1 && P1:ebx == 0 && P2:eax == 0", ALLOW},
    {"SB+xchg+mfence", "TSO", {A(x, 1) R(eax, y), SB_Y(F)}, BOTH_MISS, FORBID},
    {"SB+locked-adds", "TSO", {SB_X(L), SB_Y(L)}, BOTH_MISS, FORBID},
};
/* clang-format on */

enum { ROWS = sizeof rows / sizeof rows[0] };

static void add_code(char *text, size_t size, const char *code)
{
    for (const char *at = code; *at;) {
        size_t length = strcspn(at, "\n");
        size_t used = strlen(text);
        snprintf(text + used, size - used, "      %.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
}

static void write_trace(const struct row *row, char *text, size_t size)
{
    snprintf(text, size,
             "trace: 1\nname: t\nmemory: {x: {size: 4}, y: {size: 4}, z: {size: 4}}\ncpus:\n");
    for (unsigned cpu = 0; cpu < 4 && row->cpus[cpu]; cpu++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "  - asm: |\n");
        add_code(text, size, row->cpus[cpu]);
    }
    size_t used = strlen(text);
    snprintf(text + used, size - used, "expect:\n  - sometimes: %s\n", row->asked);
}

static void check_row(const struct row *row, const char *profile, const char *model, bool reduce)
{
    struct exploring e;
    char text[2048];
    write_trace(row, text, sizeof text);
    exploring_open(&e, text, profile);
    struct exploration *found = exploring_run(&e, model ? model : e.profile->model,
                                              &(struct explore_options){.reduce = reduce});
    bool reachable = exploring_finds(&e, found, 0);
    CU_ASSERT_TRUE(found->complete);
    CU_ASSERT_FALSE(found->can_stick);
    CU_ASSERT_EQUAL(reachable, row->verdict == ALLOW);
    if (reachable != (row->verdict == ALLOW))
        printf("%s (%s) on %s: %s\n%s", row->name, row->source, profile,
               reachable ? "allowed" : "forbidden", text);
    exploring_close(&e);
}

static void test_whole(void) { CU_ASSERT_EQUAL(ROWS, 46); }

static void test_x86(void)
{
    for (size_t i = 0; i < ROWS; i++)
        check_row(&rows[i], "x86", NULL, true);
}

static void test_tso(void)
{
    for (size_t i = 0; i < ROWS; i++)
        check_row(&rows[i], "x86", "tso", false);
}

/* What a part does is within what its vendor and the architecture guarantee. */
static void test_parts(void)
{
    for (size_t i = 0; i < ROWS; i++)
        check_row(&rows[i], i % 2 ? "zen4" : "skylake", NULL, true);
}

/* Every outcome that is allowed here but not under SC is one that a fence forbids. */
static void test_sc(void)
{
    for (size_t i = 0; i < ROWS; i++) {
        struct row row = rows[i];
        row.verdict = FORBID;
        check_row(&row, "x86", "sc", true);
    }
}

void add_catalogue_tests(void)
{
    CU_pSuite suite = CU_add_suite("litmus catalogue", NULL, NULL);
    CU_add_test(suite, "46 tests", test_whole);
    CU_add_test(suite, "x86", test_x86);
    CU_add_test(suite, "x86-TSO, without reduction", test_tso);
    CU_add_test(suite, "parts of both vendors", test_parts);
    CU_add_test(suite, "SC forbids them all", test_sc);
}
