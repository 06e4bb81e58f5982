/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoding: what instructions are taken for, and which registers they touch. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/isa/insn.h"

void add_isa_tests(void);

enum { ADDRESS = 0x400000 };
static struct region region;
static struct code code;

/* The instruction in these hex bytes; NULL when they are none. */
static const struct insn *decode(const char *hex)
{
    static uint8_t bytes[16];
    static struct snippet snippet;
    uint32_t size = 0;
    for (; *hex; hex += 2 + (hex[2] == ' '))
        bytes[size++] = (uint8_t)strtoul((char[]){hex[0], hex[1], '\0'}, NULL, 16);
    snippet = (struct snippet){.address = ADDRESS, .bytes = bytes, .size = size};
    region_release(&region);
    region_init(&region, 0);
    if (region_guard(&region))
        abort();
    code_init(&code, &region, &snippet);
    return code_at(&code, ADDRESS);
}

static void check_class(const char *hex, enum insn_class class, enum insn_kind kind)
{
    const struct insn *insn = decode(hex);
    CU_ASSERT_PTR_NOT_NULL_FATAL(insn);
    CU_ASSERT_EQUAL(insn->class, class);
    CU_ASSERT_EQUAL(insn->kind, kind);
    if (insn->class != class || insn->kind != kind)
        printf("%s: %s is class %d, kind %d\n", hex, insn->text, insn->class, insn->kind);
    CU_ASSERT_EQUAL(insn->length, (strlen(hex) + 1) / 3);
}

static void test_fences(void)
{
    check_class("0f ae f0", INSN_MFENCE, KIND_NONE);
    check_class("0f ae e8", INSN_LFENCE, KIND_NONE);
    check_class("0f ae f8", INSN_SFENCE, KIND_NONE);
    /* Any ModRM.rm, and prefixes that mean nothing. */
    for (unsigned rm = 0; rm < 8; rm++) {
        char hex[] = "0f ae f0";
        snprintf(hex, sizeof hex, "0f ae %02x", 0xf0 + rm);
        check_class(hex, INSN_MFENCE, KIND_NONE);
        snprintf(hex, sizeof hex, "0f ae %02x", 0xe8 + rm);
        check_class(hex, INSN_LFENCE, KIND_NONE);
        snprintf(hex, sizeof hex, "0f ae %02x", 0xf8 + rm);
        check_class(hex, INSN_SFENCE, KIND_NONE);
    }
    check_class("48 0f ae f0", INSN_MFENCE, KIND_NONE);
    check_class("3e 0f ae e9", INSN_LFENCE, KIND_NONE);
}

/* The same opcodes with a mandatory prefix, or with memory, are other instructions. */
static void test_not_fences(void)
{
    check_class("f3 0f ae e8", INSN_UNMODELLED, KIND_NONE);    /* incsspd eax */
    check_class("f3 48 0f ae e8", INSN_UNMODELLED, KIND_NONE); /* incsspq rax */
    check_class("f3 0f ae f0", INSN_UNMODELLED, KIND_NONE);    /* umonitor rax */
    check_class("f2 0f ae f0", INSN_UNMODELLED, KIND_NONE);    /* umwait eax */
    check_class("66 0f ae f0", INSN_UNMODELLED, KIND_NONE);    /* tpause eax */
    check_class("0f ae 38", INSN_FLUSH, KIND_CLFLUSH);
    check_class("66 0f ae 38", INSN_FLUSH, KIND_CLFLUSHOPT);
    check_class("66 0f ae 30", INSN_FLUSH, KIND_CLWB);
}

static void test_often_misread(void)
{
    check_class("f3 0f c7 f8", INSN_NATIVE, KIND_RDPID);
    check_class("f3 41 0f c7 f9", INSN_NATIVE, KIND_RDPID);
    check_class("0f 01 e8", INSN_SERIALIZING, KIND_SERIALIZE);
    check_class("f3 0f 09", INSN_SERIALIZING, KIND_WBNOINVD);
    check_class("0f 09", INSN_SERIALIZING, KIND_WBINVD);
    check_class("0f 01 c6", INSN_WRMSR, KIND_WRMSRNS);
    check_class("0f 30", INSN_WRMSR, KIND_WRMSR);
    check_class("f3 0f b8 c3", INSN_NATIVE, KIND_POPCNT);
    check_class("f3 0f ae c0", INSN_NATIVE, KIND_RDFSBASE);
    check_class("f3 90", INSN_NOTHING, KIND_PAUSE);
    check_class("f3 0f 1e fa", INSN_NOTHING, KIND_NOP);        /* endbr64 */
    check_class("f3 48 0f 1e c8", INSN_UNMODELLED, KIND_NONE); /* rdsspq rax */
    check_class("0f a2", INSN_SERIALIZING, KIND_CPUID);
    check_class("0f 31", INSN_TSC, KIND_RDTSC);
    check_class("0f 01 f9", INSN_TSC, KIND_RDTSCP);
}

static void test_locked(void)
{
    check_class("f0 83 04 24 00", INSN_LOCKED, KIND_NONE); /* lock add dword [rsp], 0 */
    check_class("87 07", INSN_LOCKED, KIND_NONE);          /* xchg [rdi], eax: without a prefix */
    check_class("f0 87 07", INSN_LOCKED, KIND_NONE);
    check_class("87 c3", INSN_ORDINARY, KIND_NONE);    /* xchg ebx, eax */
    check_class("0f c1 07", INSN_ORDINARY, KIND_NONE); /* xadd [rdi], eax */
    check_class("f0 0f c1 07", INSN_LOCKED, KIND_NONE);
    check_class("0f b1 0f", INSN_ORDINARY, KIND_NONE); /* cmpxchg [rdi], ecx */
    check_class("f0 0f b1 0f", INSN_LOCKED, KIND_NONE);
    check_class("f0 48 0f c7 0f", INSN_LOCKED, KIND_NONE); /* lock cmpxchg16b */
    check_class("0f c3 07", INSN_NT_STORE, KIND_NONE);     /* movnti */
    check_class("f3 ab", INSN_STRING, KIND_NONE);          /* rep stosd */
}

/* Of AVX-512 and what else Capstone does not know only the length is told. */
static void test_wide_vectors(void)
{
    static const char *const lengths[] = {
        "62 f3 75 28 25 17 03",                /* vpternlogd */
        "c4 e2 7d 5a 14 8f",                   /* vbroadcasti128 */
        "c4 e2 6d dc d9",                      /* vaesenc */
        "62 f2 75 c9 75 57 01",                /* vpermi2b */
        "62 f3 75 28 3e 8c 77 45 23 01 00 05", /* vpcmpnltub */
        "62 f2 6f 48 72 d9",                   /* vcvtne2ps2bf16 */
        "62 f2 6d 28 50 d9",                   /* vpdpbusd */
        "62 f6 6d 48 98 d9",                   /* vfmadd132ph */
        "62 62 6d 08 71 f9",                   /* vpshldvd */
        "64 c4 e3 ed ce 1d 04 00 00 00 03",    /* vgf2p8affineqb */
        "62 f2 7d 49 a0 1c 97",                /* vpscatterdd */
        "62 f5 7d 08 6e c8",                   /* vmovw */
        "62 f2 ed 48 83 d9",                   /* vpmultishiftqb */
    };
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        check_class(lengths[i], INSN_UNMODELLED, KIND_NONE);
    CU_ASSERT_STRING_EQUAL(decode("62 f3 75 28 25 17 03")->text,
                           "an AVX-512 instruction, map 3, opcode 0x25");
    CU_ASSERT_PTR_NULL(decode("62 f3 75 28 25 17"));    /* its last byte is missing */
    CU_ASSERT_PTR_NULL(decode("66 c4 e2 6d dc d9"));    /* no prefix may come before */
    CU_ASSERT_PTR_NULL(decode("62 f0 75 28 25 17 03")); /* no such map */
}

static void test_undecodable(void)
{
    CU_ASSERT_PTR_NULL(decode("06"));       /* not in 64-bit code */
    CU_ASSERT_PTR_NULL(decode("c7 06 01")); /* cut off */
    CU_ASSERT_PTR_NULL(decode("0f ae"));
    const struct insn *ud2 = decode("0f 0b");
    CU_ASSERT_PTR_NOT_NULL(ud2);
}

enum { AX = 1, CX = 2, DX = 4, BX = 8, SP = 16, SI = 64, DI = 128 };
#define FLAGS REGISTER_BIT_FLAGS

static void check_registers(const char *hex, uint64_t reads, uint64_t writes)
{
    const struct insn *insn = decode(hex);
    CU_ASSERT_PTR_NOT_NULL_FATAL(insn);
    CU_ASSERT_EQUAL(insn->reads, reads);
    CU_ASSERT_EQUAL(insn->writes, writes);
    if (insn->reads != reads || insn->writes != writes)
        printf("%s: reads %llx, writes %llx\n", insn->text, (unsigned long long)insn->reads,
               (unsigned long long)insn->writes);
}

static void test_registers(void)
{
    check_registers("89 07", AX | DI, 0);                     /* mov [rdi], eax */
    check_registers("8b 04 8f", DI | CX, AX);                 /* mov eax, [rdi+rcx*4] */
    check_registers("01 07", AX | DI, FLAGS);                 /* add [rdi], eax */
    check_registers("01 d8", AX | BX, AX | FLAGS);            /* add eax, ebx */
    check_registers("39 d8", AX | BX, FLAGS);                 /* cmp eax, ebx */
    check_registers("87 07", AX | DI, AX);                    /* xchg [rdi], eax */
    check_registers("50", AX | SP, SP);                       /* push rax */
    check_registers("5b", SP, BX | SP);                       /* pop rbx */
    check_registers("f7 e3", AX | BX, AX | DX | FLAGS);       /* mul ebx */
    check_registers("f0 0f b1 0f", AX | CX | DI, AX | FLAGS); /* lock cmpxchg [rdi], ecx */
    check_registers("8d 04 4b", BX | CX, AX);                 /* lea eax, [rbx+rcx*2] */
    check_registers("88 07", AX | DI, 0);                     /* mov [rdi], al */
    check_registers("89 d8", BX, AX);                         /* mov eax, ebx */
}

static void test_memory_operand(void)
{
    const struct insn *insn = decode("89 44 8f 10"); /* mov [rdi+rcx*4+16], eax */
    CU_ASSERT_PTR_NOT_NULL_FATAL(insn);
    CU_ASSERT_TRUE(insn->memory.present && insn->memory.write && !insn->memory.read);
    CU_ASSERT_TRUE(insn->memory.base == 7 && insn->memory.index == 1 && insn->memory.scale == 4);
    CU_ASSERT_TRUE(insn->memory.displacement == 16 && insn->memory.size == 4);
    insn = decode("8b 05 10 00 00 00"); /* mov eax, [rip+16] */
    CU_ASSERT_PTR_NOT_NULL_FATAL(insn);
    CU_ASSERT_EQUAL(insn->memory.base, NO_REGISTER);
    CU_ASSERT_EQUAL(insn->memory.displacement, ADDRESS + 6 + 16);
    insn = decode("74 fe"); /* je to itself */
    CU_ASSERT_PTR_NOT_NULL_FATAL(insn);
    CU_ASSERT_TRUE(insn->is_branch && insn->is_conditional && insn->has_target);
    CU_ASSERT_EQUAL(insn->target, ADDRESS);
    region_release(&region);
}

void add_isa_tests(void)
{
    CU_pSuite suite = CU_add_suite("decoder", NULL, NULL);
    CU_add_test(suite, "fences in every encoding", test_fences);
    CU_add_test(suite, "what only looks like a fence", test_not_fences);
    CU_add_test(suite, "instructions that are often misread", test_often_misread);
    CU_add_test(suite, "locked or not", test_locked);
    CU_add_test(suite, "wide vectors", test_wide_vectors);
    CU_add_test(suite, "bytes that are no instruction", test_undecodable);
    CU_add_test(suite, "registers", test_registers);
    CU_add_test(suite, "memory operands and targets", test_memory_operand);
}
