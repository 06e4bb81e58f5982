/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The explorer: what ends and what does not, what is private, buffers, code taken out. */
#include "tests/unit/exploring.h"

void add_explore_tests(void);

static const struct explore_options reduced = {.reduce = true};

#define XY "trace: 1\nname: t\nmemory: {x: {size: 4}, y: {size: 4}, z: {size: 4}, own: {size: 8}}\n"

/* ---- what never ends ---- */

static struct exploration *explored(struct exploring *e, const char *text)
{
    exploring_open(e, text, "x86");
    struct exploration *found = exploring_run(e, "tso", &reduced);
    CU_ASSERT_TRUE(found->complete);
    return found;
}

static void test_never_released(void)
{
    struct exploring e;
    struct exploration *found = explored(&e, XY "cpus:\n"
                                                "  - asm: \"1: lock bts dword ptr [x], 0; jc 1b\"\n"
                                                "  - asm: \"1: lock bts dword ptr [x], 0; jc 1b\"\n"
                                                "expect:\n"
                                                "  - never: P0:stuck && !P1:stuck\n"
                                                "  - never: P1:stuck && !P0:stuck\n"
                                                "  - never: P0:stuck && P1:stuck\n"
                                                "  - never: x == 1\n");
    CU_ASSERT_TRUE(found->can_stick);
    CU_ASSERT_TRUE(exploring_finds(&e, found, 0));
    CU_ASSERT_TRUE(exploring_finds(&e, found, 1));
    CU_ASSERT_FALSE(exploring_finds(&e, found, 2)); /* the first one gets it */
    for (size_t i = 0; i < found->final_count; i++)
        CU_ASSERT_TRUE(found->finals[i].is_stuck);
    exploring_close(&e);
}

static void test_lock_is_released(void)
{
    struct exploring e;
    struct exploration *found = explored(&e, XY "cpus:\n"
                                                "  - name: P\n    count: 3\n    asm: |\n"
                                                "      1: mov ecx, 1\n"
                                                "      xchg dword ptr [x], ecx\n"
                                                "      test ecx, ecx\n"
                                                "      jnz 1b\n"
                                                "      mov eax, dword ptr [y]\n"
                                                "      inc eax\n"
                                                "      mov dword ptr [y], eax\n"
                                                "      mov dword ptr [x], 0\n"
                                                "expect:\n  - always: y == 3\n  - never: y != 3\n");
    CU_ASSERT_FALSE(found->can_stick);
    CU_ASSERT_TRUE(exploring_finds(&e, found, 0));
    CU_ASSERT_FALSE(exploring_finds(&e, found, 1));
    exploring_close(&e);
}

static void test_spins_alone(void)
{
    struct exploring e;
    struct exploration *found =
        explored(&e, XY "cpus:\n  - asm: \"mov dword ptr [x], 1; 1: jmp 1b\"\n"
                        "  - asm: mov eax, dword ptr [x]\n"
                        "expect:\n  - never: P0:stuck && !P1:stuck && x == 1 && P1:eax == 0\n"
                        "  - never: P1:stuck\n  - never: x == 0\n");
    CU_ASSERT_TRUE(found->can_stick);
    CU_ASSERT_TRUE(exploring_finds(&e, found, 0));
    CU_ASSERT_FALSE(exploring_finds(&e, found, 1));
    CU_ASSERT_FALSE(exploring_finds(&e, found, 2)); /* its store still leaves the buffer */
    exploring_close(&e);
}

static void test_waits_in_vain(void)
{
    struct exploring e;
    struct exploration *found =
        explored(&e, XY "cpus:\n"
                        "  - asm: \"1: cmp dword ptr [x], 2; jne 1b\"\n"
                        "  - asm: \"mov dword ptr [x], 2; mov dword ptr [x], 1\"\n"
                        "expect:\n  - never: P0:stuck && x == 1\n");
    CU_ASSERT_TRUE(found->can_stick);
    CU_ASSERT_TRUE(exploring_finds(&e, found, 0));
    bool ends = false; /* but it may also see the 2 in time */
    for (size_t i = 0; i < found->final_count; i++)
        ends = ends || !found->finals[i].is_stuck;
    CU_ASSERT_TRUE(ends);
    exploring_close(&e);
}

/* ---- what is private is found out ---- */

/* P1 comes to P0's word only after it has seen the flag, long after the search began. */
static void test_late_sharing(void)
{
    static const char text[] = XY "cpus:\n"
                                  "  - asm: |\n"
                                  "      mov dword ptr [own], 1\n"
                                  "      mov dword ptr [own], 2\n"
                                  "      mov dword ptr [x], 1\n"
                                  "      mov dword ptr [own], 3\n"
                                  "  - asm: |\n"
                                  "      mov eax, dword ptr [x]\n"
                                  "      test eax, eax\n"
                                  "      jz 1f\n"
                                  "      mov ebx, dword ptr [own]\n"
                                  "      1:\n"
                                  "observe: [P1:eax, P1:ebx]\n"
                                  "expect:\n"
                                  "  - never: P1:eax == 1 && P1:ebx == 2\n"
                                  "  - never: P1:eax == 1 && P1:ebx == 3\n"
                                  "  - never: P1:eax == 1 && P1:ebx < 2\n";
    for (int reduce = 0; reduce < 2; reduce++) {
        struct exploring e;
        exploring_open(&e, text, "x86");
        struct exploration *found =
            exploring_run(&e, "tso", &(struct explore_options){.reduce = reduce != 0});
        CU_ASSERT_TRUE(found->complete);
        CU_ASSERT_TRUE(exploring_finds(&e, found, 0));
        CU_ASSERT_TRUE(exploring_finds(&e, found, 1));
        CU_ASSERT_FALSE(exploring_finds(&e, found, 2));
        CU_ASSERT_EQUAL(found->final_count, 3);
        exploring_close(&e);
    }
}

static void test_footprint(void)
{
    struct exploring e;
    struct footprint footprint;
    exploring_open(&e, "trace: 1\nname: t\nmemory: {a: {size: 64}}\ncpus:\n  - asm: nop\n", "x86");
    uint64_t a = e.reading.program->objects[0].address;
    footprint_init(&footprint, &e.reading.region, e.reading.program, false);
    footprint_begin(&footprint);
    CU_ASSERT_EQUAL(footprint_access(&footprint, 0, a, 4, true), WORD_PRIVATE);
    CU_ASSERT_EQUAL(footprint_access(&footprint, 1, a + 8, 8, false), WORD_PRIVATE);
    CU_ASSERT_FALSE(footprint.broken);
    CU_ASSERT_EQUAL(footprint_owner(&footprint, a + 3), 0);
    CU_ASSERT_TRUE(footprint_is_private(&footprint, 1, a + 15));
    footprint_access(&footprint, 0, a + 8, 1, false); /* a second reader */
    CU_ASSERT_TRUE(footprint.broken);
    footprint_begin(&footprint);
    CU_ASSERT_FALSE(footprint.broken);
    CU_ASSERT_EQUAL(footprint_access(&footprint, 0, a + 8, 1, false), WORD_CONSTANT);
    CU_ASSERT_FALSE(footprint.broken);
    footprint_access(&footprint, 2, a + 8, 1, true);
    CU_ASSERT_TRUE(footprint.broken);
    footprint_begin(&footprint);
    CU_ASSERT_EQUAL(footprint_access(&footprint, 0, a + 8, 1, false), WORD_SHARED);
    /* An access to a private and a shared byte: both are shared from now on. */
    CU_ASSERT_EQUAL(footprint_access(&footprint, 1, a + 8, 2, false), WORD_SHARED);
    CU_ASSERT_TRUE(footprint.broken);
    footprint_begin(&footprint);
    CU_ASSERT_EQUAL(footprint_access(&footprint, 1, a + 9, 1, true), WORD_SHARED);
    CU_ASSERT_FALSE(footprint.broken);
    exploring_close(&e);
}

/* ---- buffers, fences, limits ---- */

#define TWO_STORES                                                                                 \
    XY "cpus:\n"                                                                                   \
       "  - asm: \"mov dword ptr [x], 1; mov dword ptr [z], 1; mov eax, dword ptr [y]\"\n"         \
       "  - asm: \"mov dword ptr [y], 1; mov dword ptr [z], 2; mov eax, dword ptr [x]\"\n"         \
       "expect:\n  - never: P0:eax == 0 && P1:eax == 0\n"

/* With one entry, the second store waits until the first is seen by all. */
static void test_capacity(void)
{
    for (unsigned entries = 0; entries <= 3; entries++) {
        struct exploring e;
        exploring_open(&e, TWO_STORES, "x86");
        e.own.order.store_buffer_entries = entries;
        e.profile = &e.own;
        struct exploration *found = exploring_run(&e, "tso", &reduced);
        CU_ASSERT_TRUE(found->complete);
        CU_ASSERT_EQUAL(exploring_finds(&e, found, 0), entries != 1);
        exploring_close(&e);
    }
}

static void test_removed_code(void)
{
    struct exploring e;
    exploring_open(&e,
                   XY "cpus:\n"
                      "  - asm: \"mov dword ptr [x], 1; mfence; mov eax, dword ptr [y]\"\n"
                      "  - asm: \"mov dword ptr [y], 1; mfence; mov eax, dword ptr [x]\"\n"
                      "expect:\n  - never: P0:eax == 0 && P1:eax == 0\n",
                   "x86");
    struct removed removed[] = {{.cpu = 0, .start = 11, .end = 14},
                                {.cpu = 1, .start = 11, .end = 14}};
    struct explore_options options = reduced;
    options.removed = removed;
    for (size_t count = 0; count <= 2; count++) {
        options.removed_count = count;
        struct exploration *found = exploring_run(&e, "tso", &options);
        CU_ASSERT_TRUE(found->complete);
        CU_ASSERT_EQUAL(exploring_finds(&e, found, 0), count > 0);
    }
    exploring_close(&e);
}

static void test_limits(void)
{
    struct exploring e;
    exploring_open(&e, TWO_STORES, "x86");
    struct explore_options options = {.reduce = true, .max_states = 10};
    struct exploration *found = exploring_run(&e, "tso", &options);
    CU_ASSERT_FALSE(found->complete);
    CU_ASSERT_PTR_NOT_NULL_FATAL(found->incomplete);
    CU_ASSERT_PTR_NOT_NULL(strstr(found->incomplete, "states"));
    options = (struct explore_options){.reduce = true, .max_memory = 20000};
    found = exploring_run(&e, "tso", &options);
    CU_ASSERT_FALSE(found->complete);
    CU_ASSERT_PTR_NOT_NULL_FATAL(found->incomplete);
    CU_ASSERT_PTR_NOT_NULL(strstr(found->incomplete, "memory"));
    exploring_close(&e);
}

/* Control goes back by RET; meanwhile the others come to their ends, one of them to a fault. */
static void test_returns_for_ever(void)
{
#define RETURNING                                                                                  \
    XY "cpus:\n  - asm: \"mov eax, [x]; push 0x400000; ret\"\n"                                    \
       "  - asm: \"mov dword ptr [x], 1; mfence; mov eax, [z]; mov dword ptr [y], 1%s\"\n"         \
       "  - asm: \"mov ebx, [y]; mov dword ptr [z], 1\"\n"                                         \
       "expect:\n  - sometimes: P0:stuck && P2:ebx == 1\n"                                         \
       "  - sometimes: P0:stuck && P1:eax == 1\n  - never: P1:stuck || P2:stuck\n"
    struct exploring e;
    char text[1000];
    snprintf(text, sizeof text, RETURNING, "");
    struct exploration *found = explored(&e, text);
    CU_ASSERT_TRUE(found->can_stick);
    CU_ASSERT_TRUE(exploring_finds(&e, found, 0));
    CU_ASSERT_TRUE(exploring_finds(&e, found, 1));
    CU_ASSERT_FALSE(exploring_finds(&e, found, 2));
    exploring_close(&e);
    snprintf(text, sizeof text, RETURNING, "; ud2");
    exploring_open(&e, text, "x86");
    found = exploring_run(&e, "tso", &reduced);
    CU_ASSERT_FALSE(found->complete);
    CU_ASSERT_EQUAL(found->issue_count, 1);
    exploring_close(&e);
}

/* ---- instructions inside others ---- */

/* All ones by PCMPEQD xmm0, xmm0 and MOVQ rax, xmm0, which a sweep from the start does not meet. */
static void test_vectors_inside(void)
{
    struct exploring e;
    struct exploration *found =
        explored(&e, XY "cpus:\n  - code: \"eb 01 b8 66 0f 76 c0 eb 02 48 b9 66 48 0f 7e c0 90 90 "
                        "90\"\nexpect:\n  - always: P0:rax == 0xffffffffffffffff\n");
    CU_ASSERT_EQUAL(found->final_count, 1);
    CU_ASSERT_TRUE(exploring_finds(&e, found, 0));
    exploring_close(&e);
}

/* A WRMSR inside of `mov eax, ..` sends the interrupt, however it is explored. */
static void test_interrupt_from_inside(void)
{
    static const struct explore_options unreduced = {.reduce = false};
    struct exploring e;
    exploring_open(&e,
                   XY "cpus:\n  - code: \"b9 30 08 00 00 ba 01 00 00 00 b8 f2 00 00 00 eb 01 b8 0f "
                      "30 90 90\"\n  - asm: nop\n"
                      "handlers:\n  - {cpu: P1, vector: 0xf2, asm: \"mov ebx, 7; iretq\"}\n"
                      "expect:\n  - always: P1:ebx == 7\n",
                   "x86");
    for (int i = 0; i < 2; i++) {
        struct exploration *found = exploring_run(&e, "x86", i ? &reduced : &unreduced);
        CU_ASSERT_TRUE(found->complete);
        CU_ASSERT_FALSE(found->can_stick);
        CU_ASSERT_EQUAL(found->final_count, 1);
        CU_ASSERT_TRUE(exploring_finds(&e, found, 0));
    }
    exploring_close(&e);
}

/* Nobody can know beforehand what an indirect jump comes upon there. */
static void test_indirectly_inside(void)
{
    struct exploring e;
    exploring_open(&e, XY "cpus:\n  - code: \"b8 08 00 40 00 ff e0 b8 90 90 90 90\"\n", "x86");
    struct exploration *found = exploring_run(&e, "x86", &reduced);
    CU_ASSERT_FALSE(found->complete);
    CU_ASSERT_EQUAL_FATAL(found->issue_count, 1);
    CU_ASSERT_EQUAL(found->issues[0].kind, ISSUE_UNMODELLED);
    exploring_close(&e);
}

/* What one profile lets loads do says nothing of the next, though both share what they learn. */
static void test_early_by_profile(void)
{
    struct exploring e;
    exploring_open(&e,
                   "trace: 1\nname: t\nmemory: {w: {size: 8, type: wc}, y: {size: 4}}\ncpus:\n"
                   "  - asm: \"mov dword ptr [w], 1; sfence; mov dword ptr [y], 1\"\n"
                   "  - asm: \"mov eax, [y]; mov ebx, [w]\"\n"
                   "expect:\n  - never: P1:eax == 1 && P1:ebx == 0\n",
                   "x86");
    struct footprint footprint;
    footprint_init(&footprint, &e.reading.region, e.reading.program, false);
    for (unsigned weak = 2; weak-- > 0;) {
        e.own.order.wc_loads_weak = weak;
        struct exploration *found =
            explore(&e.reading.region, e.oracle, e.start, &e.own, model_find("x86"), &footprint,
                    e.reading.program->terms, e.reading.program->term_count, &reduced);
        CU_ASSERT_TRUE(found->complete);
        CU_ASSERT_EQUAL(exploring_finds(&e, found, 0), weak);
    }
    exploring_close(&e);
}

void add_explore_tests(void)
{
    CU_pSuite suite = CU_add_suite("explorer", NULL, NULL);
    CU_add_test(suite, "a lock that is never released", test_never_released);
    CU_add_test(suite, "a lock that is released", test_lock_is_released);
    CU_add_test(suite, "a CPU that spins alone", test_spins_alone);
    CU_add_test(suite, "a wait that may be in vain", test_waits_in_vain);
    CU_add_test(suite, "a word that turns out to be shared", test_late_sharing);
    CU_add_test(suite, "footprint", test_footprint);
    CU_add_test(suite, "store buffer entries", test_capacity);
    CU_add_test(suite, "code taken out", test_removed_code);
    CU_add_test(suite, "limits", test_limits);
    CU_add_test(suite, "round for ever by returning", test_returns_for_ever);
    CU_add_test(suite, "vector registers inside of another instruction", test_vectors_inside);
    CU_add_test(suite, "an interrupt from inside of another", test_interrupt_from_inside);
    CU_add_test(suite, "an indirect jump inside of another", test_indirectly_inside);
    CU_add_test(suite, "early loads of another profile", test_early_by_profile);
}
