/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that is not write-back, non-temporal stores, strings and flushes: what the manuals
 * allow (AMD APM vol. 2, "Memory Access Ordering", table of access pairs; Intel SDM vol. 3A,
 * "Memory Ordering" and "Memory Cache Control"), and each order parameter in both positions.
 * Where hardware was watched, the name says what it showed.
 */
#include "tests/unit/ordering.h"

void add_order_x86_tests(void);

enum { FORBID, ALLOW };

#define STALE   "P1:eax == 1 && P1:ebx == 0"
#define MISS    "P0:eax == 0 && P1:eax == 0"
#define READ_YX "mov eax, [y]; mov ebx, [x]"
#define READ_LF "mov eax, [y]; lfence; mov ebx, [x]"
#define NT_X    "mov ecx, 1; movnti [x], ecx;"
#define FLAG_Y  "mov dword ptr [y], 1"
#define WC_X    "  x: {size: 4, type: wc}\n  y: {size: 4}\n"
#define X_IS(t) "  x: {size: 4, type: " t "}\n  y: {size: 4}\n"
#define BOTH(t) "  x: {size: 4, type: " t "}\n  y: {size: 4, type: " t "}\n"
#define XY16    "  d: {size: 16}\n  x: {at: d+0, size: 8}\n  y: {at: d+8, size: 8}\n  z: {size: 8}\n"
#define STOS    "lea rdi, [d]; mov eax, 1; mov ecx, 2; rep stosq;"

static const struct {
    struct ask ask;
    int verdict;
} rows[] = {
    {{"NT-MP (Zen 4: 99.8 % of 300000)", NULL, {NT_X FLAG_Y, READ_YX}, STALE}, ALLOW},
    {{"NT-MP+lfence (Zen 4: 99.9 %)", NULL, {NT_X "lfence;" FLAG_Y, READ_YX}, STALE}, ALLOW},
    {{"NT-MP+sfence (Zen 4: 0)", NULL, {NT_X "sfence;" FLAG_Y, READ_YX}, STALE}, FORBID},
    {{"NT-MP+mfence (Zen 4: 0)", NULL, {NT_X "mfence;" FLAG_Y, READ_YX}, STALE}, FORBID},
    {{"NT-MP+lock (Zen 4: 0)", NULL, {NT_X "lock add dword ptr [rsp], 0;" FLAG_Y, READ_YX}, STALE},
     FORBID},
    {{"NT-MP, flag by xchg (Zen 4: 0)", NULL, {NT_X "xchg [y], ecx", READ_YX}, STALE}, FORBID},
    {{"NT-MP+cpuid", NULL, {NT_X "cpuid;" FLAG_Y, READ_YX}, STALE}, FORBID},
    {{"NT-MP, a UC store between",
      "  x: {size: 4}\n  y: {size: 4}\n  u: {size: 4, type: uc}\n",
      {NT_X "mov dword ptr [u], 1;" FLAG_Y, READ_YX},
      STALE},
     FORBID},
    {{"NT flag, rule h (Zen 4: 0 of 200000)",
      NULL,
      {"mov ecx, 1; mov [x], ecx; movnti [y], ecx", READ_YX},
      STALE},
     ALLOW},
    {{"NT flag+sfence",
      NULL,
      {"mov ecx, 1; mov [x], ecx; sfence; movnti [y], ecx", READ_YX},
      STALE},
     FORBID},
    {{"NT-NT", NULL, {NT_X "movnti [y], ecx", READ_YX}, STALE}, ALLOW},
    {{"own NT data is read back", NULL, {NT_X "mov eax, [x]"}, "P0:eax == 0"}, FORBID},
    {{"WC-MP", WC_X, {"mov dword ptr [x], 1;" FLAG_Y, READ_LF}, STALE}, ALLOW},
    {{"WC-MP+sfence", WC_X, {"mov dword ptr [x], 1; sfence;" FLAG_Y, READ_LF}, STALE}, FORBID},
    {{"WC then UC store, rule m",
      "  x: {size: 4, type: wc}\n  y: {size: 4, type: uc}\n",
      {"mov dword ptr [x], 1;" FLAG_Y, READ_LF},
      STALE},
     FORBID},
    {{"UC-SB, rule f",
      BOTH("uc"),
      {"mov dword ptr [x], 1; mov eax, [y]", "mov dword ptr [y], 1; mov eax, [x]"},
      MISS},
     FORBID},
    {{"UC store, WB load, rule i",
      "  x: {size: 4, type: uc}\n  y: {size: 4}\n",
      {"mov dword ptr [x], 1; mov eax, [y]", "mov dword ptr [y], 1; mfence; mov eax, [x]"},
      MISS},
     ALLOW},
    {{"UC store, mfence, WB load",
      "  x: {size: 4, type: uc}\n  y: {size: 4}\n",
      {"mov dword ptr [x], 1; mfence; mov eax, [y]", "mov dword ptr [y], 1; mfence; mov eax, [x]"},
      MISS},
     FORBID},
    {{"WC loads, rule b", BOTH("wc"), {"mov dword ptr [x], 1; sfence;" FLAG_Y, READ_YX}, STALE},
     ALLOW},
    {{"WC loads+lfence",
      BOTH("wc"),
      {"mov dword ptr [x], 1; sfence;" FLAG_Y, "mov eax, [y]; lfence; mov ebx, [x]"},
      STALE},
     FORBID},
    {{"WC loads+mfence",
      BOTH("wc"),
      {"mov dword ptr [x], 1; sfence;" FLAG_Y, "mov eax, [y]; mfence; mov ebx, [x]"},
      STALE},
     FORBID},
    {{"MOVNTDQA of WB memory is a load",
      "  x: {size: 16}\n  y: {size: 4}\n",
      {"mov dword ptr [x], 1;" FLAG_Y, "mov eax, [y]; movntdqa xmm0, [x]; movd ebx, xmm0"},
      STALE},
     FORBID},
    {{"MOVNTDQA of WC memory",
      "  x: {size: 16, type: wc}\n  y: {size: 4}\n",
      {"mov dword ptr [x], 1; sfence;" FLAG_Y, "mov eax, [y]; movntdqa xmm0, [x]; movd ebx, xmm0"},
      STALE},
     ALLOW},
    {{"WT-MP", X_IS("wt"), {"mov dword ptr [x], 1;" FLAG_Y, READ_YX}, STALE}, FORBID},
    {{"NT hint on WT", X_IS("wt"), {NT_X FLAG_Y, READ_YX}, STALE}, ALLOW},
    {{"NT hint on WP is ignored", X_IS("wp"), {NT_X FLAG_Y, READ_YX}, STALE}, FORBID},
    {{"NT hint on UC is ignored", X_IS("uc"), {NT_X FLAG_Y, READ_YX}, STALE}, FORBID},
    {{"WP-SB",
      BOTH("wp"),
      {"mov dword ptr [x], 1; mov eax, [y]", "mov dword ptr [y], 1; mov eax, [x]"},
      MISS},
     ALLOW},
    {{"SDM 8-11: inside a string",
      XY16,
      {STOS, "mov rax, [y]; mov rbx, [x]"},
      "P1:rax == 1 && P1:rbx == 0"},
     ALLOW},
    {{"SDM 8-12: two strings",
      XY16,
      {STOS "lea rdi, [z]; mov ecx, 1; rep stosq", "mov rax, [z]; mov rbx, [x]"},
      "P1:rax == 1 && P1:rbx == 0"},
     FORBID},
    {{"SDM 8-13: string, store",
      XY16,
      {STOS "mov [z], rax", "mov rax, [z]; mov rbx, [x]"},
      "P1:rax == 1 && P1:rbx == 0"},
     FORBID},
    {{"SDM 8-15: store, string",
      XY16,
      {"mov eax, 1; mov [z], rax;" STOS, "mov rax, [y]; mov rbx, [z]"},
      "P1:rax == 1 && P1:rbx == 0"},
     FORBID},
    {{"SDM 8-14: an interrupt splits a string",
      XY16 "  f: {size: 4}\n",
      {STOS, "mov ecx, 0x830; mov eax, 0xf2; xor edx, edx; wrmsr",
       "mov eax, [f]; mov rbx, [y]; mov rcx, [x]"},
      "P2:eax == 1 && P2:rbx == 0 && P2:rcx == 0",
      "handlers:\n  - {cpu: P0, vector: 0xf2, asm: \"mov dword ptr [f], 1; iretq\"}\n"},
     ALLOW},
    {{"SB+lfence (Zen 4: 0 of 400000)",
      NULL,
      {"mov dword ptr [x], 1; lfence; mov eax, [y]", "mov dword ptr [y], 1; lfence; mov eax, [x]"},
      MISS},
     ALLOW},
    {{"SB+sfence;lfence (Zen 4: 0 of 400000)",
      NULL,
      {"mov dword ptr [x], 1; sfence; lfence; mov eax, [y]",
       "mov dword ptr [y], 1; mfence; mov eax, [x]"},
      MISS},
     ALLOW},
    {{"SB+cpuid",
      NULL,
      {"mov dword ptr [x], 1; cpuid; mov eax, [y]", "mov dword ptr [y], 1; cpuid; mov eax, [x]"},
      MISS},
     FORBID},
    {{"SB, mov cr3 as fence",
      NULL,
      {"mov dword ptr [x], 1; mov rbx, cr3; mov cr3, rbx; mov eax, [y]",
       "mov dword ptr [y], 1; mfence; mov eax, [x]"},
      MISS},
     FORBID},
    {{"SB, rdtscp is no store fence",
      NULL,
      {"mov dword ptr [x], 1; rdtscp; mov eax, [y]", "mov dword ptr [y], 1; mfence; mov eax, [x]"},
      MISS},
     ALLOW},
};

static void test_access_pairs(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ordering_expect(&rows[i].ask, "x86", NULL, rows[i].verdict == ALLOW);
}

/* What Zen 4 does beyond its manual. */
static void test_zen4(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strstr(rows[i].ask.name, "rule h"))
            ordering_expect(&rows[i].ask, "zen4", NULL, false);
}

#define IPI(fence)                                                                                 \
    {                                                                                              \
        "mov dword ptr [x], 1;" fence "mov ecx, 0x830; mov eax, 0xf2; mov edx, 1; wrmsr",          \
            "1: cmp dword ptr [y], 0; je 1b"                                                       \
    }
#define IPI_HANDLER                                                                                \
    "handlers:\n  - {cpu: P1, vector: 0xf2, asm: \"mov ebx, [x]; mov dword ptr [y], 1; iretq\"}\n"
#define WRMSR(n)                                                                                   \
    "mov dword ptr [x], 1; mov ecx, " n "; xor eax, eax; xor edx, edx; wrmsr; mov eax, [y]"
#define OTHER_SB "mov dword ptr [y], 1; mfence; mov eax, [x]"
#define PMEM     "  x: {size: 4, persistent: true}\n  y: {size: 4, persistent: true}\n"
#define HALVES   "  x: {size: 16}\n  y: {size: 4}\n"

/* One parameter at a time on x86: with `forbids` the outcome is gone, with `allows` it is there. */
static const struct {
    struct change forbids, allows;
    struct ask ask;
} switches[] = {
    {{"mfence_serializes", 1},
     {"mfence_serializes", 0},
     {"MFENCE before a weak WRMSR", NULL, IPI("mfence;"), "P1:ebx == 0", IPI_HANDLER}},
    {{"fences_order_apic_wrmsr", 1},
     {"fences_order_apic_wrmsr", 0},
     {"the fences of 2016", NULL, IPI("mfence;"), "P1:ebx == 0", IPI_HANDLER}},
    {{"fences_order_apic_wrmsr", 1},
     {"fences_order_apic_wrmsr", 0},
     {"SFENCE in 2016", NULL, IPI("sfence;"), "P1:ebx == 0", IPI_HANDLER}},
    {{"apic_wrmsr_waits", 1},
     {"apic_wrmsr_waits", 0},
     {"a WRMSR that waits", NULL, IPI(""), "P1:ebx == 0", IPI_HANDLER}},
    {{"apic_wrmsr_serializes", 1},
     {"apic_wrmsr_serializes", 0},
     {"x2APIC serializing", NULL, IPI(""), "P1:ebx == 0", IPI_HANDLER}},
    {{"lfence_follows_sfence", 1},
     {"lfence_follows_sfence", 0},
     {"SFENCE; LFENCE before a weak WRMSR", NULL, IPI("sfence; lfence;"), "P1:ebx == 0",
      IPI_HANDLER}},
    {{"lfence_orders_stores", 1},
     {"lfence_orders_stores", 0},
     {"NT store, LFENCE, flag", NULL, {NT_X "lfence;" FLAG_Y, READ_YX}, STALE}},
    {{"sfence_drains", 1},
     {"sfence_drains", 0},
     {"SB, SFENCE", NULL, {"mov dword ptr [x], 1; sfence; mov eax, [y]", OTHER_SB}, MISS}},
    {{"lfence_serializes", 1},
     {"lfence_serializes", 0},
     {"MFENCE; LFENCE", NULL, IPI("mfence; lfence;"), "P1:ebx == 0", IPI_HANDLER}},
    {{"deadline_wrmsr_serializes", 1},
     {"deadline_wrmsr_serializes", 0},
     {"TSC_DEADLINE as a fence",
      NULL,
      {WRMSR("0x6e0"), OTHER_SB},
      MISS,
      "timer: {vector: 0xec}\n"}},
    {{"weak_wrmsr_list", 2016},
     {"weak_wrmsr_list", 2026},
     {"SPEC_CTRL became weak", NULL, {WRMSR("0x48"), OTHER_SB}, MISS}},
    {{"weak_wrmsr_list", 2026},
     {"weak_wrmsr_list", 2},
     {"FS_BASE is weak on AMD", NULL, {WRMSR("0xc0000100"), OTHER_SB}, MISS}},
    {{"mov_cr8_serializes", 1},
     {"mov_cr8_serializes", 0},
     {"CR8 as a fence",
      NULL,
      {"mov dword ptr [x], 1; xor ebx, ebx; mov cr8, rbx; mov eax, [y]", OTHER_SB},
      MISS}},
    {{"lock_orders_wc_loads", 1},
     {"lock_orders_wc_loads", 0},
     {"a lock between WC loads",
      BOTH("wc"),
      {"mov dword ptr [x], 1; sfence;" FLAG_Y,
       "mov eax, [y]; lock add dword ptr [rsp], 0; mov ebx, [x]"},
      STALE}},
    {{"mfence_orders_wc_loads", 1},
     {"mfence_orders_wc_loads", 0},
     {"MFENCE between WC loads",
      BOTH("wc"),
      {"mov dword ptr [x], 1; sfence;" FLAG_Y, "mov eax, [y]; mfence; mov ebx, [x]"},
      STALE}},
    {{"wc_loads_weak", 0},
     {"wc_loads_weak", 1},
     {"WC loads", BOTH("wc"), {"mov dword ptr [x], 1; sfence;" FLAG_Y, READ_YX}, STALE}},
    {{"nt_passes_older_stores", 0},
     {"nt_passes_older_stores", 1},
     {"NT flag", NULL, {"mov ecx, 1; mov [x], ecx; movnti [y], ecx", READ_YX}, STALE}},
    {{"stores_out_of_order", 0},
     {"stores_out_of_order", 1},
     {"MP", NULL, {"mov dword ptr [x], 1;" FLAG_Y, READ_YX}, STALE}},
    {{"string_stores_unordered", 0},
     {"string_stores_unordered", 1},
     {"inside a string", XY16, {STOS, "mov rax, [y]; mov rbx, [x]"}, "P1:rax == 1 && P1:rbx == 0"}},
    {{"string_stores_passed", 0},
     {"string_stores_passed", 1},
     {"string, then flag",
      XY16,
      {STOS "mov [z], rax", "mov rax, [z]; mov rbx, [x]"},
      "P1:rax == 1 && P1:rbx == 0"}},
    {{"atomic_bytes", 64},
     {"atomic_bytes", 8},
     {"an unaligned store",
      HALVES,
      {"mov rax, -1; mov [x+4], rax", "mov rbx, [x+4]"},
      "P1:rbx == 0xffffffff"}},
    {{"atomic_aligned_16", 1},
     {"atomic_aligned_16", 0},
     {"a 16-byte store",
      HALVES,
      {"pcmpeqd xmm0, xmm0; movaps [x], xmm0",
       "movaps xmm1, [x]; movq rax, xmm1; pextrq rbx, xmm1, 1"},
      "P1:rax != P1:rbx"}},
    {{"persistent_caches", 1},
     {"persistent_caches", 0},
     {"no flush", PMEM, {"mov dword ptr [x], 1;" FLAG_Y}, "y == 1 && x == 0", NULL, true}},
};

static void test_switches(void)
{
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        struct change forbids[] = {switches[i].forbids, {NULL, 0}};
        struct change allows[] = {switches[i].allows, {NULL, 0}};
        ordering_expect(&switches[i].ask, "x86", forbids, false);
        ordering_expect(&switches[i].ask, "x86", allows, true);
    }
}

/* Buffers of limited size: what does not fit must leave. */
static void test_sizes(void)
{
    static const struct ask full = {"two stores, then a load",
                                    "  x: {size: 4}\n  y: {size: 4}\n  p: {size: 4}\n",
                                    {"mov dword ptr [x], 1; mov dword ptr [p], 1; mov eax, [y]",
                                     "mov dword ptr [y], 1; mov ebx, [p]; mfence; mov eax, [x]"},
                                    MISS};
    static const struct ask lines = {
        "three NT lines, then the flag",
        "  x: {size: 4}\n  a: {size: 4}\n  b: {size: 4}\n  y: {size: 4}\n",
        {NT_X "movnti [a], ecx; movnti [b], ecx;" FLAG_Y,
         "mov eax, [y]; mov ebx, [x]; mov ecx, [a]; mov edx, [b]"},
        "P1:eax == 1 && P1:ebx == 0 && P1:ecx == 0 && P1:edx == 0"};
    for (double n = 1; n <= 4; n++) {
        struct change stores[] = {{"store_buffer_entries", n}, {NULL, 0}};
        struct change wc[] = {{"write_combining_buffers", n}, {NULL, 0}};
        ordering_expect(&full, "x86", stores, n >= 2);
        ordering_expect(&lines, "x86", wc, n >= 3);
    }
}

void add_order_x86_tests(void)
{
    CU_pSuite suite = CU_add_suite("order, x86", NULL, NULL);
    CU_add_test(suite, "pairs of accesses by memory type", test_access_pairs);
    CU_add_test(suite, "Zen 4 beyond its manual", test_zen4);
    CU_add_test(suite, "each parameter in both positions", test_switches);
    CU_add_test(suite, "sizes of buffers", test_sizes);
}
