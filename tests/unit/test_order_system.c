/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MSRs, interrupts, the timer, the clock and what a power cut leaves, in small programs. */
#include "tests/unit/ordering.h"

void add_order_system_tests(void);

#define MISS        "P0:eax == 0 && P1:eax == 0"
#define SB_1        "mov dword ptr [y], 1; mfence; mov eax, [x]"
#define ICR(c)      "mov ecx, 0x830; mov eax, 0xf2; mov edx, " #c "; wrmsr;"
#define ON_P0(code) "handlers:\n  - {cpu: P0, vector: 0xf2, asm: \"" code "\"}\n"

/* ---- which WRMSR is a fence, by vendor and edition ---- */

static const struct {
    const char *msr;
    bool weak_2016, weak_2026, weak_amd;
} msrs[] = {
    {"0x48", false, true, true},         /* SPEC_CTRL */
    {"0x49", false, true, true},         /* PRED_CMD */
    {"0x122", false, true, false},       /* TSX_CTRL */
    {"0x6e1", false, true, false},       /* PKRS */
    {"0x774", false, true, false},       /* HWP_REQUEST */
    {"0x808", true, true, true},         /* x2APIC: TPR */
    {"0x10b", false, false, false},      /* FLUSH_CMD: on no list */
    {"0xe1", false, false, false},       /* UMWAIT_CONTROL: on no list */
    {"0xc0000100", false, false, true},  /* FS_BASE */
    {"0xc0000080", false, false, false}, /* EFER */
};

static void test_msr_lists(void)
{
    for (size_t i = 0; i < sizeof msrs / sizeof msrs[0]; i++) {
        char code[160];
        snprintf(
            code, sizeof code,
            "mov dword ptr [x], 1; mov ecx, %s; xor eax, eax; xor edx, edx; wrmsr; mov eax, [y]",
            msrs[i].msr);
        struct ask ask = {msrs[i].msr, NULL, {code, SB_1}, MISS};
        struct change lists[][2] = {
            {{"weak_wrmsr_list", 2016}}, {{"weak_wrmsr_list", 2026}}, {{"weak_wrmsr_list", 2}}};
        ordering_expect(&ask, "intel", lists[0], msrs[i].weak_2016);
        ordering_expect(&ask, "intel", lists[1], msrs[i].weak_2026);
        struct change waits[] = {{"weak_wrmsr_list", 2}, {"apic_wrmsr_waits", 0}, {NULL, 0}};
        ordering_expect(&ask, "amd", waits, msrs[i].weak_amd);
    }
}

static void test_wrmsrns(void)
{
    static const struct ask wrmsr = {
        "wrmsr",
        NULL,
        {"mov dword ptr [x], 1; mov ecx, 0x10b; xor eax, eax; xor edx, edx; wrmsr; mov eax, [y]",
         SB_1},
        MISS};
    static const struct ask wrmsrns = {"wrmsrns",
                                       NULL,
                                       {"mov dword ptr [x], 1; mov ecx, 0x10b; xor eax, eax; xor "
                                        "edx, edx; .byte 0x0f, 0x01, 0xc6; mov eax, [y]",
                                        SB_1},
                                       MISS};
    ordering_expect(&wrmsr, "intel", NULL, false);
    ordering_expect(&wrmsrns, "intel", NULL, true);
}

/* ---- interrupts ---- */

static void test_interrupts(void)
{
    static const struct {
        struct ask ask;
        bool allowed;
    } rows[] = {
        {{"between any two instructions",
          NULL,
          {"mov eax, 1; mov eax, 2", ICR(0)},
          "P0:ebx == 1",
          ON_P0("mov ebx, eax; iretq")},
         true},
        {{"after the end",
          NULL,
          {"mov eax, 1; mov eax, 2", ICR(0)},
          "P0:ebx == 2",
          ON_P0("mov ebx, eax; iretq")},
         true},
        {{"always once", NULL, {"mov eax, 1", ICR(0)}, "P0:ecx != 1", ON_P0("inc ecx; iretq")},
         false},
        {{"not with IF clear",
          NULL,
          {"cli; mov eax, 1; mov eax, 2; sti; nop", "mov eax, 3;" ICR(0)},
          "P0:ebx == 1",
          ON_P0("mov ebx, eax; iretq")},
         false},
        {{"not before the instruction behind STI",
          NULL,
          {"cli; mov eax, 1; sti; mov eax, 2", ICR(0)},
          "P0:ebx == 1",
          ON_P0("mov ebx, eax; iretq")},
         false},
        {{"no nesting while IF is clear",
          NULL,
          {"nop", ICR(0) "mov eax, 0xf3; wrmsr"},
          "x == 2",
          "handlers:\n  - {cpu: P0, vector: 0xf2, asm: \"inc ebx; mov [x], ebx; dec ebx; iretq\"}\n"
          "  - {cpu: P0, vector: 0xf3, asm: \"inc ebx; mov [y], ebx; dec ebx; iretq\"}\n"},
         false},
        {{"nesting after STI",
          NULL,
          {"nop", ICR(0) "mov eax, 0xf3; wrmsr"},
          "y == 2",
          "handlers:\n  - {cpu: P0, vector: 0xf2, asm: \"inc ebx; sti; nop; cli; dec ebx; "
          "iretq\"}\n"
          "  - {cpu: P0, vector: 0xf3, asm: \"inc ebx; mov [y], ebx; dec ebx; iretq\"}\n"},
         true},
        {{"STI; HLT wakes",
          NULL,
          {"cli; sti; hlt; mov eax, 1", ICR(0)},
          "P0:stuck",
          ON_P0("mov ebx, 1; iretq")},
         true}, /* it came before CLI: nobody else wakes it */
        {{"CLI; look; STI; HLT loses nothing",
          NULL,
          {"cli; cmp dword ptr [x], 0; jne 1f; sti; hlt; 1: mov eax, 1", ICR(0)},
          "P0:stuck",
          ON_P0("mov dword ptr [x], 1; iretq")},
         false},
        {{"STI is the last instruction",
          NULL,
          {"cli; " ICR(0) "sti", "nop"},
          "P0:ebx != 1",
          ON_P0("mov ebx, 1; iretq")},
         false},
        {{"HLT with IF clear", NULL, {"cli; hlt", ICR(0)}, "!P0:stuck", ON_P0("iretq")}, false},
        {{"an interrupt empties the store buffer",
          NULL,
          {"mov dword ptr [x], 1; mov ebx, [y]",
           "mov dword ptr [y], 1; mfence; lfence;" ICR(
               0) "1: cmp dword ptr [z], 0; je 1b; mov ebx, [x]"},
          "P0:ebx == 0 && P1:ebx == 0",
          "handlers:\n  - {cpu: P0, vector: 0xf2, asm: \"mov dword ptr [z], 1; iretq\"}\n"},
         false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ask ask = rows[i].ask;
        char condition[128];
        if (ask.asked[0] == '!') {
            snprintf(condition, sizeof condition, "\"%s\"", ask.asked);
            ask.asked = condition;
        }
        if (strstr(ask.cpus[1], "[z]"))
            ask.memory = "  x: {size: 4}\n  y: {size: 4}\n  z: {size: 4}\n";
        ordering_expect(&ask, "x86", NULL, rows[i].allowed);
    }
}

/* Why a program cannot be judged: the words are in the reason, or in what is wrong with it. */
static void expect_issue(const struct ask *ask, const char *words, bool bad_input)
{
    struct exploring e;
    struct exploration *found = ordering_explore(&e, ask, "x86", NULL);
    bool seen = false;
    for (size_t i = 0; i < found->issue_count; i++) {
        const struct issue *issue = &found->issues[i];
        const char *text = bad_input ? issue->bad_input : issue->reason;
        seen = seen || (text && strstr(text, words));
    }
    if (!seen)
        printf("%s: nothing says '%s'\n", ask->name, words);
    CU_ASSERT_TRUE(seen);
    CU_ASSERT_FALSE(found->complete);
    exploring_close(&e);
}

static void test_refused(void)
{
    static const struct {
        struct ask ask;
        const char *words;
        bool bad_input;
    } rows[] = {
        {{"IPI to nobody", NULL, {ICR(7)}, "x == 0"}, "x2APIC ID 7", true},
        {{"unknown MSR", NULL, {"mov ecx, 0x12345; wrmsr"}, "x == 0"}, "MSR 0x12345", true},
        {{"unknown MSR read", NULL, {"mov ecx, 0x12345; rdmsr"}, "x == 0"}, "MSR 0x12345", true},
        {{"IRETQ without an interrupt",
          NULL,
          {"mov rax, rsp; push 0x18; push rax; pushf; push 0x10; lea rbx, [rip+1f]; push rbx; "
           "iretq; 1: nop"},
          "x == 0"},
         "IRETQ without an interrupt",
         false},
        {{"no handler", NULL, {"nop", ICR(0)}, "x == 0"}, "no handler", false},
        {{"illegal vector", NULL, {"mov ecx, 0x830; mov eax, 3; xor edx, edx; wrmsr"}, "x == 0"},
         "illegal vector",
         false},
        {{"lock on UC memory", "  x: {size: 4, type: uc}\n", {"lock inc dword ptr [x]"}, "x == 0"},
         "not cached",
         false},
        {{"lock on WC memory", "  x: {size: 4, type: wc}\n", {"lock inc dword ptr [x]"}, "x == 0"},
         "not cached",
         false},
        {{"INVD", NULL, {"mov dword ptr [x], 1; invd"}, "x == 0"}, "throws away", false},
        {{"handlers in handlers without end",
          NULL,
          {"mov ecx, 0x83f; mov eax, 0xf2; wrmsr"},
          "x == 1",
          ON_P0("sti; wrmsr; iretq")},
         "interrupt storm",
         false},
        {{"a port", NULL, {"in al, 0x60"}, "x == 0"}, "port", false},
        {{"no timer", NULL, {"mov ecx, 0x6e0; mov eax, 1; wrmsr"}, "x == 0"},
         "without a 'timer:'",
         false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_issue(&rows[i].ask, rows[i].words, rows[i].bad_input);
}

/* A CPU that sends itself interrupts without end: an end is found all the same. */
static void test_ipi_storm(void)
{
    static const struct ask storm = {
        "storm",
        NULL,
        {"mov ecx, 0x83f; mov eax, 0xf2; wrmsr; 1: cmp dword ptr [x], 0; je 1b"},
        "x == 1",
        ON_P0("wrmsr; iretq")};
    ordering_expect(&storm, "x86", NULL, false);
    static const struct ask stuck = {
        "storm",
        NULL,
        {"mov ecx, 0x83f; mov eax, 0xf2; wrmsr; 1: cmp dword ptr [x], 0; je 1b"},
        "P0:stuck",
        ON_P0("wrmsr; iretq")};
    ordering_expect(&stuck, "x86", NULL, true);
}

/* ---- timer and clock ---- */

#define DEADLINE(fence)                                                                            \
    {                                                                                              \
        "mov dword ptr [lvt], 0x400ec;" fence                                                      \
        "mov ecx, 0x6e0; mov eax, 9; xor edx, edx; wrmsr; hlt"                                     \
    }
#define LVT "  lvt: {size: 4, type: uc}\n  x: {size: 4}\n"
#define TIMER                                                                                      \
    "timer: {vector: 0xec, lvt: lvt}\nhandlers:\n"                                                 \
    "  - {cpu: P0, vector: 0xec, asm: \"mov dword ptr [x], 1; iretq\"}\n"

static void test_timer(void)
{
    static const struct {
        struct ask ask;
        bool allowed;
    } rows[] = {
        {{"no fence", LVT, DEADLINE(""), "P0:stuck", TIMER}, true},
        {{"mfence", LVT, DEADLINE("mfence;"), "P0:stuck", TIMER}, true},
        {{"lfence", LVT, DEADLINE("lfence;"), "P0:stuck", TIMER}, true},
        {{"both", LVT, DEADLINE("mfence; lfence;"), "P0:stuck", TIMER}, false},
        {{"one-shot mode: the write is ignored",
          LVT,
          {"mov dword ptr [lvt], 0xec; mfence; lfence; mov ecx, 0x6e0; mov eax, 9; wrmsr"},
          "x == 1",
          TIMER},
         false},
        {{"disarmed by 0",
          LVT,
          {"mov dword ptr [lvt], 0x400ec; mfence; lfence; cli; mov ecx, 0x6e0; mov eax, 9; xor "
           "edx, edx; "
           "wrmsr; xor eax, eax; wrmsr; sti; nop"},
          "x == 0",
          TIMER},
         true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ordering_expect(&rows[i].ask, "intel", NULL, rows[i].allowed);
}

static void test_clock(void)
{
    static const struct {
        struct ask ask;
        bool allowed;
    } rows[] = {
        {{"one CPU's readings only grow",
          NULL,
          {"lfence; rdtsc; mov ebx, eax; lfence; rdtsc"},
          "P0:eax <= P0:ebx"},
         false},
        {{"a reading is made early",
          NULL,
          {"rdtsc; mov dword ptr [x], 1", "mov ecx, [x]; rdtsc"},
          "P1:ecx == 1 && P1:eax < P0:eax"},
         true},
        {{"not with LFENCE",
          NULL,
          {"rdtsc; mov dword ptr [x], 1", "mov ecx, [x]; lfence; rdtsc"},
          "P1:ecx == 1 && P1:eax < P0:eax"},
         false},
        {{"not with RDTSCP",
          NULL,
          {"rdtsc; mov dword ptr [x], 1", "mov ebx, [x]; rdtscp"},
          "P1:ebx == 1 && P1:eax < P0:eax"},
         false},
        {{"MFENCE does not keep it back",
          NULL,
          {"rdtsc; mov dword ptr [x], 1", "mov ecx, [x]; mfence; rdtsc"},
          "P1:ecx == 1 && P1:eax < P0:eax"},
         true},
        {{"a store need not be visible when the clock is read",
          NULL,
          {"mov dword ptr [x], 1; lfence; rdtsc", "rdtsc; lfence; mov ecx, [x]"},
          "P1:ecx == 0 && P0:eax < P1:eax"},
         true},
        {{"with MFENCE; LFENCE it is",
          NULL,
          {"mov dword ptr [x], 1; mfence; lfence; rdtsc", "rdtsc; lfence; mov ecx, [x]"},
          "P1:ecx == 0 && P0:eax < P1:eax"},
         false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ordering_expect(&rows[i].ask, "intel", NULL, rows[i].allowed);
}

/* ---- what a power cut leaves ---- */

#define PMEM "  x: {size: 4, persistent: true}\n  y: {size: 4, persistent: true}\n"
#define LOST "y == 1 && x == 0"

static void test_persistence(void)
{
    static const struct {
        struct ask ask;
        bool allowed;
    } rows[] = {
        {{"no flush",
          PMEM,
          {"mov dword ptr [x], 1; sfence; mov dword ptr [y], 1"},
          LOST,
          NULL,
          true},
         true},
        {{"clflush",
          PMEM,
          {"mov dword ptr [x], 1; clflush [x]; mov dword ptr [y], 1"},
          LOST,
          NULL,
          true},
         false},
        {{"clwb", PMEM, {"mov dword ptr [x], 1; clwb [x]; mov dword ptr [y], 1"}, LOST, NULL, true},
         true},
        {{"clwb+sfence",
          PMEM,
          {"mov dword ptr [x], 1; clwb [x]; sfence; mov dword ptr [y], 1"},
          LOST,
          NULL,
          true},
         false},
        {{"clflushopt+lock",
          PMEM,
          {"mov dword ptr [x], 1; clflushopt [x]; lock add dword ptr [rsp], 0; mov dword ptr [y], "
           "1"},
          LOST,
          NULL,
          true},
         false},
        {{"clwb+lfence",
          PMEM,
          {"mov dword ptr [x], 1; clwb [x]; lfence; mov dword ptr [y], 1"},
          LOST,
          NULL,
          true},
         true},
        {{"the flush of another line",
          PMEM,
          {"mov dword ptr [x], 1; clflush [y]; mov dword ptr [y], 1"},
          LOST,
          NULL,
          true},
         true},
        {{"a flush in front of the store",
          PMEM,
          {"clflush [x]; mov dword ptr [x], 1; sfence; mov dword ptr [y], 1"},
          LOST,
          NULL,
          true},
         true},
        {{"movnti+sfence",
          PMEM,
          {"mov ecx, 1; movnti [x], ecx; sfence; mov [y], ecx"},
          LOST,
          NULL,
          true},
         false},
        {{"movnti", PMEM, {"mov ecx, 1; movnti [x], ecx; mov [y], ecx"}, LOST, NULL, true}, true},
        {{"wbinvd", PMEM, {"mov dword ptr [x], 1; wbinvd; mov dword ptr [y], 1"}, LOST, NULL, true},
         false},
        {{"one line persists in order",
          "  d: {size: 8, persistent: true}\n  x: {at: d+0, size: 4}\n  y: {at: d+4, size: 4}\n",
          {"mov dword ptr [x], 1; mov dword ptr [y], 1"},
          LOST,
          NULL,
          true},
         false},
        {{"another CPU's commit",
          PMEM,
          {"mov dword ptr [x], 1; clwb [x]; sfence; mov dword ptr [z], 1",
           "mov eax, [z]; test eax, eax; jz 1f; mov dword ptr [y], 1; 1:"},
          LOST,
          NULL,
          true},
         false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ask ask = rows[i].ask;
        if (ask.cpus[1])
            ask.memory = PMEM "  z: {size: 4}\n";
        ordering_expect(&ask, "x86", NULL, rows[i].allowed);
    }
}

void add_order_system_tests(void)
{
    CU_pSuite suite = CU_add_suite("order, system instructions", NULL, NULL);
    CU_add_test(suite, "MSR lists by edition", test_msr_lists);
    CU_add_test(suite, "WRMSRNS", test_wrmsrns);
    CU_add_test(suite, "interrupts", test_interrupts);
    CU_add_test(suite, "what is refused", test_refused);
    CU_add_test(suite, "an IPI storm", test_ipi_storm);
    CU_add_test(suite, "the timer", test_timer);
    CU_add_test(suite, "the clock", test_clock);
    CU_add_test(suite, "power cuts", test_persistence);
}
