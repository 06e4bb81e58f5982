/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The oracle: one test for each way in which an emulator could mislead it. */
#include <CUnit/CUnit.h>
#include <stdio.h>

#include "sim/exec/exec.h"
#include "tests/unit/reading.h"

void add_exec_tests(void);

enum { FLAG_CF = 1, FLAG_ZF = 0x40 };

/* A CPU with code, two pages of memory, and what loads return. */
struct stand {
    struct reading reading;
    struct exec *exec;
    struct code code;
    struct registers registers;
    struct exec_result result;
    uint64_t memory;    /* address of the object */
    uint8_t loaded[16]; /* from the first loaded address on */
    uint64_t first;
    unsigned loads;
};

static void supply(void *context, uint64_t address, unsigned size, uint8_t *data)
{
    struct stand *stand = context;
    if (stand->loads++ == 0)
        stand->first = address;
    if (address - stand->first + size <= sizeof stand->loaded)
        memcpy(data, stand->loaded + (address - stand->first), size);
}

static void stand_open(struct stand *stand, const char *code)
{
    char text[1024];
    memset(stand, 0, sizeof *stand);
    snprintf(text, sizeof text,
             "trace: 1\nname: t\nmemory: {m: {size: 8192}}\ncpus:\n  - asm: \"%s\"\n", code);
    reading_open(&stand->reading, text);
    assemble(&stand->reading.sources, &stand->reading.diagnostics);
    CU_ASSERT_EQUAL_FATAL(stand->reading.diagnostics.count, 0);
    const struct program *program = stand->reading.program;
    stand->exec = exec_open(&stand->reading.region, program);
    CU_ASSERT_PTR_NOT_NULL_FATAL(stand->exec);
    code_init(&stand->code, &stand->reading.region, program->variants[0].code[0]);
    registers_start(&stand->registers, &program->cpus[0], CODE_BASE);
    stand->memory = program->objects[0].address;
    stand->registers.gpr[7] = stand->memory; /* rdi */
}

static void stand_close(struct stand *stand) { reading_close(&stand->reading); }

/* Executes the next instruction. */
static void step(struct stand *stand, enum exec_status status)
{
    const struct insn *insn = code_at(&stand->code, stand->registers.rip);
    CU_ASSERT_PTR_NOT_NULL_FATAL(insn);
    stand->loads = 0;
    exec_step(stand->exec, insn, &stand->registers, supply, stand, &stand->result);
    CU_ASSERT_EQUAL(stand->result.status, status);
}

static bool is_access(const struct stand *stand, unsigned n, bool write, uint64_t address,
                      unsigned size, uint64_t value)
{
    const struct exec_access *access = &stand->result.accesses[n];
    return n < stand->result.count && access->write == write && access->address == address &&
           access->size == size && memcmp(access->data, &value, size < 8 ? size : 8) == 0;
}

static void test_cmpxchg_fails(void)
{
    struct stand s;
    stand_open(&s, "lock cmpxchg dword ptr [rdi], ecx");
    s.loaded[0] = 7;
    s.registers.gpr[0] = UINT64_C(0xdead000000000001);
    s.registers.gpr[1] = 5;
    step(&s, EXEC_OK);
    CU_ASSERT_EQUAL(s.result.count, 2);
    CU_ASSERT_TRUE(is_access(&s, 0, false, s.memory, 4, 7));
    CU_ASSERT_TRUE(is_access(&s, 1, true, s.memory, 4, 7)); /* the old value goes back */
    CU_ASSERT_EQUAL(s.registers.gpr[0], 7);
    CU_ASSERT_FALSE(s.registers.rflags & FLAG_ZF);
    stand_close(&s);
}

/* The accumulator is not written then, so that its upper half stays. */
static void test_cmpxchg_succeeds(void)
{
    struct stand s;
    stand_open(&s, "lock cmpxchg dword ptr [rdi], ecx; cmpxchg r9d, ecx; cmpxchg r9d, ecx");
    s.registers.gpr[0] = UINT64_C(0xdead000000000000);
    s.registers.gpr[1] = 5;
    s.registers.gpr[9] = UINT64_C(0xbeef000000000000);
    step(&s, EXEC_OK);
    CU_ASSERT_TRUE(is_access(&s, 1, true, s.memory, 4, 5));
    CU_ASSERT_EQUAL(s.registers.gpr[0], UINT64_C(0xdead000000000000));
    CU_ASSERT_TRUE(s.registers.rflags & FLAG_ZF);
    step(&s, EXEC_OK);
    CU_ASSERT_EQUAL(s.registers.gpr[9], 5); /* written: the upper half is cleared */
    CU_ASSERT_EQUAL(s.registers.gpr[0], UINT64_C(0xdead000000000000));
    s.registers.gpr[9] = UINT64_C(0xbeef000000000005);
    step(&s, EXEC_OK); /* differs: now the accumulator is written and r9 is not */
    CU_ASSERT_EQUAL(s.registers.gpr[9], UINT64_C(0xbeef000000000005));
    CU_ASSERT_EQUAL(s.registers.gpr[0], 5);
    stand_close(&s);
}

static void test_across_pages(void)
{
    struct stand s;
    stand_open(&s, "mov rax, [rdi]; mov [rdi], rax");
    uint64_t edge = (s.memory & ~UINT64_C(4095)) + 4096 - 3;
    s.registers.gpr[7] = edge;
    memcpy(s.loaded, "\1\2\3\4\5\6\7\10", 8);
    step(&s, EXEC_OK);
    CU_ASSERT_EQUAL(s.result.count, 1);
    CU_ASSERT_EQUAL(s.loads, 1);
    CU_ASSERT_TRUE(is_access(&s, 0, false, edge, 8, UINT64_C(0x0807060504030201)));
    CU_ASSERT_EQUAL(s.registers.gpr[0], UINT64_C(0x0807060504030201));
    step(&s, EXEC_OK);
    CU_ASSERT_EQUAL(s.result.count, 1);
    CU_ASSERT_TRUE(is_access(&s, 0, true, edge, 8, UINT64_C(0x0807060504030201)));
    stand_close(&s);
}

static void test_rep_stos(void)
{
    struct stand s;
    stand_open(&s, "rep stosd; nop");
    s.registers.gpr[0] = 9;
    s.registers.gpr[1] = 3;
    for (unsigned i = 0; i < 3; i++) {
        step(&s, EXEC_OK);
        CU_ASSERT_EQUAL(s.result.count, 1);
        CU_ASSERT_TRUE(is_access(&s, 0, true, s.memory + 4 * i, 4, 9));
        CU_ASSERT_EQUAL(s.registers.gpr[1], 2 - i);
    }
    while (s.registers.rip == CODE_BASE) {
        step(&s, EXEC_OK);
        CU_ASSERT_EQUAL_FATAL(s.result.count, 0);
    }
    CU_ASSERT_EQUAL(s.registers.rip, CODE_BASE + 2);
    CU_ASSERT_EQUAL(s.registers.gpr[7], s.memory + 12);
    stand_close(&s);
}

static void test_sixteen_bytes(void)
{
    struct stand s;
    stand_open(&s, "movaps xmm0, [rdi]; movups [rdi+1], xmm0; movaps xmm1, [rdi+8]");
    memcpy(s.loaded, "0123456789abcdef", 16);
    step(&s, EXEC_OK);
    CU_ASSERT_EQUAL(s.result.count, 1);
    CU_ASSERT_EQUAL(s.result.accesses[0].size, 16);
    CU_ASSERT_EQUAL(memcmp(s.registers.xmm[0], "0123456789abcdef", 16), 0);
    step(&s, EXEC_OK);
    CU_ASSERT_EQUAL(s.result.count, 1);
    CU_ASSERT_EQUAL(memcmp(s.result.accesses[0].data, "0123456789abcdef", 16), 0);
    uint64_t before = s.registers.rip;
    step(&s, EXEC_FAULT); /* not on 16 bytes */
    CU_ASSERT_EQUAL(s.result.vector, 13);
    CU_ASSERT_EQUAL(s.registers.rip, before);
    stand_close(&s);
}

static void test_faults(void)
{
    struct stand s;
    stand_open(&s, "div ecx; mov eax, [rbx]; mov [rbx+8], eax; ud2");
    uint64_t start = s.registers.rip;
    step(&s, EXEC_FAULT);
    CU_ASSERT_EQUAL(s.result.vector, 0);
    CU_ASSERT_EQUAL(s.registers.rip, start);
    s.registers.rip = start + 2;
    s.registers.gpr[3] = 0x5000;
    step(&s, EXEC_FAULT);
    CU_ASSERT_TRUE(s.result.vector == 14 && s.result.fault_address == 0x5000);
    s.registers.rip = start + 4;
    step(&s, EXEC_FAULT);
    CU_ASSERT_TRUE(s.result.vector == 14 && s.result.fault_address == 0x5008);
    s.registers.rip = start + 7;
    step(&s, EXEC_FAULT);
    CU_ASSERT_EQUAL(s.result.vector, 6);
    stand_close(&s);
}

/* Declared is declared to the byte, though whole pages are mapped. */
static void test_end_of_object(void)
{
    struct stand s;
    stand_open(&s, "mov eax, [rdi+8188]; mov eax, [rdi+8189]");
    step(&s, EXEC_OK);
    step(&s, EXEC_FAULT);
    CU_ASSERT_EQUAL(s.result.vector, 14);
    stand_close(&s);
}

static void test_branches(void)
{
    struct stand s;
    stand_open(&s, "1: cmp eax, 1; je 1b; mov ebx, 3; jmp rcx");
    uint64_t start = s.registers.rip;
    step(&s, EXEC_OK);
    step(&s, EXEC_OK);
    CU_ASSERT_EQUAL(s.registers.rip, start + 5); /* not taken */
    step(&s, EXEC_OK);                           /* a whole instruction, not a byte of it */
    CU_ASSERT_EQUAL(s.registers.rip, start + 10);
    CU_ASSERT_EQUAL(s.registers.gpr[3], 3);
    s.registers.gpr[1] = 0x1234;
    step(&s, EXEC_OK); /* nowhere: the next fetch fails, not the jump */
    CU_ASSERT_EQUAL(s.registers.rip, 0x1234);
    s.registers.rip = start;
    s.registers.gpr[0] = 1;
    step(&s, EXEC_OK);
    step(&s, EXEC_OK);
    CU_ASSERT_EQUAL(s.registers.rip, start); /* taken */
    stand_close(&s);
}

static void test_native(void)
{
    struct stand s;
    stand_open(&s, "popcnt eax, ecx; popcnt rax, [rdi]; movbe eax, [rdi]; movbe [rdi+4], rcx");
    s.registers.gpr[1] = 0xff01;
    s.registers.rflags |= FLAG_CF;
    step(&s, EXEC_OK);
    CU_ASSERT_EQUAL(s.registers.gpr[0], 9);
    CU_ASSERT_FALSE(s.registers.rflags & (FLAG_CF | FLAG_ZF));
    step(&s, EXEC_OK); /* of 0 */
    CU_ASSERT_EQUAL(s.registers.gpr[0], 0);
    CU_ASSERT_TRUE(s.registers.rflags & FLAG_ZF);
    CU_ASSERT_TRUE(is_access(&s, 0, false, s.memory, 8, 0));
    memcpy(s.loaded, "\1\2\3\4", 4);
    step(&s, EXEC_OK);
    CU_ASSERT_EQUAL(s.registers.gpr[0], 0x01020304);
    step(&s, EXEC_OK);
    CU_ASSERT_TRUE(is_access(&s, 0, true, s.memory + 4, 8, UINT64_C(0x01ff000000000000)));
    stand_close(&s);
}

/* Memory is the models': a load returns what it is told, whatever was stored before. */
static void test_no_memory_of_its_own(void)
{
    struct stand s;
    stand_open(&s, "mov dword ptr [rdi], 5; mov eax, [rdi]; add dword ptr [rdi], 1");
    s.loaded[0] = 40;
    step(&s, EXEC_OK);
    CU_ASSERT_TRUE(is_access(&s, 0, true, s.memory, 4, 5));
    step(&s, EXEC_OK);
    CU_ASSERT_EQUAL(s.registers.gpr[0], 40);
    step(&s, EXEC_OK);
    CU_ASSERT_EQUAL(s.result.count, 2);
    CU_ASSERT_TRUE(is_access(&s, 0, false, s.memory, 4, 40));
    CU_ASSERT_TRUE(is_access(&s, 1, true, s.memory, 4, 41));
    stand_close(&s);
}

void add_exec_tests(void)
{
    CU_pSuite suite = CU_add_suite("oracle", NULL, NULL);
    CU_add_test(suite, "cmpxchg that fails", test_cmpxchg_fails);
    CU_add_test(suite, "cmpxchg that succeeds", test_cmpxchg_succeeds);
    CU_add_test(suite, "accesses across pages", test_across_pages);
    CU_add_test(suite, "rep stos by iterations", test_rep_stos);
    CU_add_test(suite, "16 bytes", test_sixteen_bytes);
    CU_add_test(suite, "faults", test_faults);
    CU_add_test(suite, "the end of an object", test_end_of_object);
    CU_add_test(suite, "branches", test_branches);
    CU_add_test(suite, "popcnt and movbe", test_native);
    CU_add_test(suite, "no memory of its own", test_no_memory_of_its_own);
}
