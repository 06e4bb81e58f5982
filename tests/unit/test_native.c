/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every instruction that the oracle executes, compared with the CPU that the tests run on;
 * what the decoder says that it reads and writes, compared with what it does; and cases
 * computed by hand, which need no such CPU.
 */
#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <capstone/capstone.h>

#include "sim/exec/native.h"
#include "tests/unit/instruction_bench.h"

void add_native_tests(void);

/* ---- against the host CPU ---- */

/* Copies between the bench and the memory that the host's instructions access. */
static void give_host_memory(void)
{
    memcpy((void *)(uintptr_t)OBJECT_BASE, bench.data, DATA_BYTES);
    memcpy((void *)(uintptr_t)STACK_BASE, bench.stack, STACK_BYTES);
}

static const char *memory_difference(void)
{
    if (memcmp((void *)(uintptr_t)OBJECT_BASE, bench.data, DATA_BYTES) != 0)
        return "data";
    return memcmp((void *)(uintptr_t)STACK_BASE, bench.stack, STACK_BYTES) != 0 ? "stack" : NULL;
}

static char difference[200];

/* What differs, NULL when nothing does. */
static const char *register_difference(const struct registers *simulated,
                                       const struct registers *host, uint64_t undefined)
{
    uint64_t flags = (STATUS_FLAGS | DIRECTION) & ~undefined;
    const uint64_t *a = simulated->gpr, *b = host->gpr;
    for (size_t i = 0; i < 16; i++)
        if (a[i] != b[i])
            snprintf(difference, sizeof difference,
                     "general register %zu is %#" PRIx64 ", the host's %#" PRIx64, i, a[i], b[i]);
    a = simulated->xmm[0];
    b = host->xmm[0];
    for (size_t i = 0; i < 64; i++)
        if (a[i] != b[i])
            snprintf(difference, sizeof difference,
                     "quadword %zu of the vectors is %#" PRIx64 ", the host's %#" PRIx64, i, a[i],
                     b[i]);
    if ((simulated->rflags ^ host->rflags) & flags)
        snprintf(difference, sizeof difference, "flags are %#" PRIx64 ", the host's %#" PRIx64,
                 simulated->rflags & flags, host->rflags & flags);
    return difference[0] ? difference : NULL;
}

static const char *compare_once(const struct insn *insn, enum exec_status *status)
{
    struct registers before, simulated, host;
    bool taken;
    difference[0] = 0;
    random_input(insn, &before);
    simulated = host = before;
    give_host_memory();
    *status = bench_step(insn, &simulated);
    if (*status != EXEC_OK && *status != EXEC_FAULT)
        return "not executed";
    if (!host_run(insn, &host, &taken))
        return *status == EXEC_FAULT ? NULL : "an exception on the host only";
    if (*status == EXEC_FAULT)
        return "no exception on the host";
    if (taken != (simulated.rip != insn->address + insn->length))
        return "branch";
    const char *found = register_difference(&simulated, &host, undefined_flags(insn, &before));
    return found ? found : memory_difference();
}

/* Misaligned on purpose. */
static bool always_faults(const struct insn *insn)
{
    return insn->id == X86_INS_CMPXCHG16B && insn->memory.displacement == 8;
}

static void compare_with_host(const struct insn *insn, unsigned trials)
{
    unsigned executed = 0, wrong = 0;
    char what[sizeof difference] = "";
    for (unsigned i = 0; i < trials; i++) {
        enum exec_status status;
        const char *found = compare_once(insn, &status);
        executed += status == EXEC_OK;
        if (found && wrong++ == 0)
            snprintf(what, sizeof what, "%s", found);
    }
    if (wrong || (!executed && !always_faults(insn)))
        printf("\n%s: %u of %u executed, %u differ: %s", insn->text, executed, trials, wrong, what);
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_TRUE(executed > 0 || always_faults(insn));
}

static void compare_group(const struct instruction_group *group, unsigned trials)
{
    bench_open_group(group);
    for (size_t i = 0; i < bench.code.insn_count; i++)
        compare_with_host(bench.code.insns[i], trials);
    bench_close();
}

static void test_host(void)
{
    unsigned trials = getenv("SLOW") ? 500 : 40;
    if (!host_open(DATA_BYTES)) {
        printf("\nskipped: no AVX here, or no memory at the addresses of the simulated one");
        return;
    }
    for (size_t i = 0; i < instruction_group_count; i++) {
        const struct instruction_group *group = &instruction_groups[i];
        if (host_has(group->feature))
            compare_group(group, trials);
        else
            printf("\nskipped, this CPU lacks them: %s", group->mnemonics);
    }
    host_close();
}

/* ---- computed by hand ---- */

static const struct insn *open_one(const char *text)
{
    char line[80];
    snprintf(line, sizeof line, "      %s\n", text);
    bench_open(line);
    return bench.code.insns[0];
}

#define CF FLAG_CF
#define ZF FLAG_ZF
#define SF FLAG_SF
#define OF FLAG_OF

/* rax and rdx afterwards, and the flags that are defined; all were set before. */
static const struct integer_case {
    const char *text;
    uint64_t rax, rcx, rdx;
    uint64_t rax_after, rdx_after;
    uint64_t defined, flags;
} integer_cases[] = {
    {"andn eax, ecx, edx", 0, 0xf0, 0xff, 0x0f, 0xff, CF | ZF | SF | OF, 0},
    {"andn eax, ecx, edx", 0, 0xff, 0xff, 0, 0xff, CF | ZF | SF | OF, ZF},
    {"bextr rax, rcx, rdx", 0, 0x12345678, 0x0c08, 0x456, 0x0c08, CF | ZF | OF, 0},
    {"bextr eax, ecx, edx", 0, 0x12345678, 0x0820, 0, 0x0820, CF | ZF | OF, ZF},
    {"blsi rax, rcx", 0, 0x50, 0, 0x10, 0, CF | ZF | SF | OF, CF},
    {"blsi eax, ecx", 7, 0, 0, 0, 0, CF | ZF | SF | OF, ZF},
    {"blsmsk eax, ecx", 0, 0x50, 0, 0x1f, 0, CF | ZF | SF | OF, 0},
    {"blsmsk eax, ecx", 0, 0, 0, 0xffffffff, 0, CF | ZF | SF | OF, CF | SF},
    {"blsr rax, rcx", 0, 0x50, 0, 0x40, 0, CF | ZF | SF | OF, 0},
    {"bzhi eax, ecx, edx", 0, 0xffffffff, 0x104, 0xf, 0x104, CF | ZF | SF | OF, 0},
    {"bzhi eax, ecx, edx", 0, 0xffffffff, 32, 0xffffffff, 32, CF | ZF | SF | OF, CF | SF},
    {"mulx rax, rdx, rcx", 0, 1u << 31, UINT64_C(1) << 40, 1u << 7, 0, 0, 0},
    {"mulx rax, rax, rcx", 0, 1u << 31, UINT64_C(1) << 40, 1u << 7, UINT64_C(1) << 40, 0, 0},
    {"pdep eax, ecx, edx", 0, 5, 0x8421, 0x401, 0x8421, 0, 0},
    {"pext eax, ecx, edx", 0, 0x8020, 0x8421, 0xa, 0x8421, 0, 0},
    {"rorx eax, ecx, 4", 0, 0x12345678, 0, 0x81234567, 0, 0, 0},
    {"sarx eax, ecx, edx", 0, 0x80000000, 36, 0xf8000000, 36, 0, 0},
    {"shlx rax, rcx, rdx", 0, 3, 62, UINT64_C(3) << 62, 62, 0, 0},
    {"shrx eax, ecx, edx", 0, 0x80000000, 31, 1, 31, 0, 0},
    {"popcnt ax, cx", 0x70000, 0xf00f, 0, 0x70008, 0, CF | ZF | SF | OF, 0},
    {"tzcnt eax, ecx", 0, 0, 0, 32, 0, CF | ZF, CF},
    {"lzcnt rax, rcx", 0, 1, 0, 63, 0, CF | ZF, 0},
    {"div cl", 0x107, 16, 0, 0x710, 0, 0, 0},
    {"idiv ecx", 0xfffffff9, 2, 0xffffffff, 0xfffffffd, 0xffffffff, 0, 0},
    {"idiv rcx", 1, UINT64_MAX, 0, UINT64_MAX, 0, 0, 0},
    {"xgetbv", 5, 0, 5, 7, 0, 0, 0},
};

static void test_integer_cases(void)
{
    for (size_t i = 0; i < sizeof integer_cases / sizeof integer_cases[0]; i++) {
        const struct integer_case *c = &integer_cases[i];
        struct registers registers = {.gpr = {c->rax, c->rcx, c->rdx},
                                      .rflags = 0x202 | STATUS_FLAGS};
        const struct insn *insn = open_one(c->text);
        CU_ASSERT_EQUAL(bench_step(insn, &registers), EXEC_OK);
        bool right = registers.gpr[0] == c->rax_after && registers.gpr[2] == c->rdx_after &&
                     (registers.rflags & c->defined) == c->flags;
        if (!right)
            printf("\n%s: %#" PRIx64 " %#" PRIx64 " %#" PRIx64, c->text, registers.gpr[0],
                   registers.gpr[2], registers.rflags);
        CU_ASSERT_TRUE(right);
        bench_close();
    }
}

/* Quadwords n of ymm1, ymm2 and memory are n+1, 16*(n+1) and 256*(n+1); then ymm1 is: */
static const struct vector_case {
    const char *text;
    uint64_t after[4];
} vector_cases[] = {
    {"vmovdqu ymm1, ymmword ptr [rdi]", {0x100, 0x200, 0x300, 0x400}},
    {"vmovdqu xmm1, xmmword ptr [rdi]", {0x100, 0x200, 0, 0}},
    {"movdqu xmm1, xmmword ptr [rdi]", {0x100, 0x200, 3, 4}},
    {"vmovaps xmm1, xmm2", {0x10, 0x20, 0, 0}},
    {"vmovq xmm1, xmm2", {0x10, 0, 0, 0}},
    {"vmovd xmm1, edi", {OBJECT_BASE + DATA_MIDDLE, 0, 0, 0}},
    {"vpaddq ymm1, ymm1, ymm2", {0x11, 0x22, 0x33, 0x44}},
    {"vpsubb xmm1, xmm1, xmm2", {0xf1, 0xe2, 0, 0}},
    {"vpcmpeqd ymm1, ymm1, ymm2",
     {UINT64_C(0xffffffff00000000), UINT64_C(0xffffffff00000000), UINT64_C(0xffffffff00000000),
      UINT64_C(0xffffffff00000000)}},
    {"vpxor ymm1, ymm1, ymm1", {0, 0, 0, 0}},
    {"vpandn ymm1, ymm1, ymm2", {0x10, 0x20, 0x30, 0x40}},
    {"vpbroadcastw xmm1, xmm2", {UINT64_C(0x0010001000100010), UINT64_C(0x0010001000100010), 0, 0}},
    {"vpbroadcastq ymm1, qword ptr [rdi + 8]", {0x200, 0x200, 0x200, 0x200}},
    {"vinserti128 ymm1, ymm1, xmm2, 1", {1, 2, 0x10, 0x20}},
    {"vextracti128 xmm1, ymm2, 1", {0x30, 0x40, 0, 0}},
    {"vzeroupper", {1, 2, 0, 0}},
    {"vpunpckhqdq ymm1, ymm1, ymm2", {2, 0x20, 4, 0x40}},
    {"vpmovzxbq ymm1, xmm2", {0x10, 0, 0, 0}},
    {"vpermq ymm1, ymm2, 0x1b", {0x40, 0x30, 0x20, 0x10}},
    {"vpsllvq ymm1, ymm1, ymm2", {UINT64_C(1) << 16, UINT64_C(2) << 32, UINT64_C(3) << 48, 0}},
    {"vpclmulqdq xmm1, xmm1, xmm2, 0x11", {0x40, 0, 0, 0}},
    {"vcvtsi2sd xmm1, xmm2, dword ptr [rdi]", {UINT64_C(0x4070000000000000), 0x20, 0, 0}},
    {"vfmadd213sd xmm1, xmm2, qword ptr [rdi]", {0x100, 2, 0, 0}}, /* denormals are kept */
    {"rsqrtps xmm1, xmm2",
     {UINT64_C(0x7f8000007f800000), UINT64_C(0x7f8000007f800000), 3, 4}}, /* and are zero here */
};

static void vector_input(struct registers *registers)
{
    memset(registers, 0, sizeof *registers);
    registers->gpr[7] = OBJECT_BASE + DATA_MIDDLE;
    for (uint64_t n = 0; n < 4; n++) {
        uint64_t memory = 0x100 * (n + 1);
        uint64_t *one = n < 2 ? &registers->xmm[1][n] : &registers->ymm_high[1][n - 2];
        uint64_t *two = n < 2 ? &registers->xmm[2][n] : &registers->ymm_high[2][n - 2];
        *one = n + 1;
        *two = 0x10 * (n + 1);
        memcpy(bench.data + DATA_MIDDLE + 8 * n, &memory, 8);
    }
}

static void test_vector_cases(void)
{
    for (size_t i = 0; i < sizeof vector_cases / sizeof vector_cases[0]; i++) {
        const struct vector_case *c = &vector_cases[i];
        struct registers registers;
        const struct insn *insn = open_one(c->text);
        vector_input(&registers);
        CU_ASSERT_EQUAL(bench_step(insn, &registers), EXEC_OK);
        bool right = memcmp(registers.xmm[1], c->after, 16) == 0 &&
                     memcmp(registers.ymm_high[1], c->after + 2, 16) == 0;
        if (!right)
            printf("\n%s", c->text);
        CU_ASSERT_TRUE(right);
        bench_close();
    }
}

/* 32 bytes are two accesses, the lower first; unaligned ones fault where CPUs fault. */
static void test_wide_accesses(void)
{
    struct registers registers;
    struct exec_result result;
    const struct insn *insn = open_one("vmovntdq ymmword ptr [rdi], ymm1");
    CU_ASSERT_EQUAL(insn->class, INSN_NT_STORE);
    CU_ASSERT_TRUE(insn->native && insn->nt && insn->uses_xmm && insn->uses_ymm);
    CU_ASSERT_EQUAL(insn->memory.size, 32);
    vector_input(&registers);
    registers.rip = insn->address;
    exec_step(bench.exec, insn, &registers, NULL, NULL, &result);
    CU_ASSERT_EQUAL(result.status, EXEC_OK);
    CU_ASSERT_EQUAL(result.count, 2);
    CU_ASSERT_EQUAL(result.accesses[0].size, 16);
    CU_ASSERT_EQUAL(result.accesses[1].address, result.accesses[0].address + 16);
    CU_ASSERT_EQUAL(result.accesses[1].data[0], 3);
    registers.gpr[7] += 16;
    exec_step(bench.exec, insn, &registers, NULL, NULL, &result);
    CU_ASSERT_EQUAL(result.status, EXEC_FAULT);
    CU_ASSERT_EQUAL(result.vector, 13);
    registers.gpr[7] = OBJECT_BASE + DATA_BYTES;
    exec_step(bench.exec, insn, &registers, NULL, NULL, &result);
    CU_ASSERT_EQUAL(result.vector, 14);
    bench_close();
}

/* Unicorn takes these for SSE, or gets them wrong. */
static void test_unmodelled(void)
{
    static const char *const texts[] = {
        "vcvtps2ph xmm1, xmm2, 0",
        "vpaddd zmm1, zmm2, zmm3",
        "vmovdqu ymm1, ymmword ptr [edi]",
        "phaddd xmm1, xmm1",
        "pcmpestri xmm1, xmm2, 0",
        "vmpsadbw ymm1, ymm2, ymm3, 1",
        "vpgatherdd xmm1, dword ptr [rdi + xmm2*4], xmm3",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        CU_ASSERT_EQUAL(open_one(texts[i])->class, INSN_UNMODELLED);
        bench_close();
    }
}

/* Of 1, 4, 16 and 0.25; no CPU is further off than 1.5 * 2^-12. */
static void test_approximations(void)
{
    static const float from[4] = {1.0f, 4.0f, 16.0f, 0.25f};
    static const struct {
        const char *text;
        float result[4];
    } cases[] = {
        {"rcpps xmm1, xmm2", {1.0f, 0.25f, 0.0625f, 4.0f}},
        {"vrsqrtps xmm1, xmm2", {1.0f, 0.5f, 0.25f, 2.0f}},
        {"vrsqrtss xmm1, xmm2, xmm2", {1.0f, 4.0f, 16.0f, 0.25f}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct registers registers = {0};
        memcpy(registers.xmm[2], from, sizeof from);
        const struct insn *insn = open_one(cases[i].text);
        CU_ASSERT_EQUAL(insn->kind, KIND_APPROXIMATION);
        CU_ASSERT_EQUAL(bench_step(insn, &registers), EXEC_OK);
        CU_ASSERT_EQUAL(memcmp(registers.xmm[1], cases[i].result, sizeof from), 0);
        bench_close();
    }
}

void add_native_tests(void)
{
    CU_pSuite suite = CU_add_suite("native", NULL, NULL);
    CU_add_test(suite, "integers by hand", test_integer_cases);
    CU_add_test(suite, "vectors by hand", test_vector_cases);
    CU_add_test(suite, "approximations", test_approximations);
    CU_add_test(suite, "accesses of 32 bytes", test_wide_accesses);
    CU_add_test(suite, "what is not modelled", test_unmodelled);
    CU_add_test(suite, "the host's CPU does the same", test_host);
}
