/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cycle model's own interpreter against the oracle. */
#include <CUnit/CUnit.h>
#include <string.h>

#include "sim/time/interpret.h"
#include "tests/unit/timing_bench.h"

void add_interpreter_tests(void);

static const char *const forms[] = {
    "add rax, rbx",
    "add eax, 5",
    "adc cl, dl",
    "sbb rax, -3",
    "sub r8d, r9d",
    "and ax, bx",
    "or r10, 0x1000",
    "xor cl, 7",
    "cmp rax, rcx",
    "cmp al, 0x80",
    "test eax, ebx",
    "inc r9",
    "dec cl",
    "neg rdx",
    "not eax",
    "imul rax, rbx",
    "imul ecx, edx, 77",
    "imul r9, r8, -1000",
    "shl rax, 3",
    "shr ecx, 31",
    "sar rdx, 1",
    "sar r8d, 5",
    "shl eax, 1",
    "movzx eax, cl",
    "movsx rdx, bx",
    "movsxd rax, ecx",
    "mov rax, 0x123456789abcdef",
    "mov ebx, eax",
    "mov dl, al",
    "lea rax, [rbx + rcx*4 - 3]",
    "lea r8d, [rax + rdx]",
    "lea ecx, [eax + 1]",
    "nop",
    "mov ah, cl",
    "bswap rax",
    "cmovz rax, rbx",
    "setc al",
};

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t value = *seed ^ *seed >> 29;
    return value >> 60 < 4 ? value % 3 - 1 : value; /* often 0, 1, -1 */
}

static void no_memory(void *context, uint64_t address, unsigned size, uint8_t *data)
{
    (void)context, (void)address;
    memset(data, 0, size);
}

static void compare_once(const struct insn *insn, uint64_t *seed)
{
    struct interpreted interpreted;
    interpret_decode(&interpreted, insn);
    if (interpreted.operation == OPERATION_NONE)
        return;
    struct registers mine, theirs;
    memset(&mine, 0, sizeof mine);
    for (int i = 0; i < 16; i++)
        mine.gpr[i] = i == 4 ? STACK_BASE + 0x8000 : next_random(seed);
    mine.rip = insn->address;
    mine.rflags = 0x202 | (next_random(seed) & 0x8d5);
    theirs = mine;
    struct transfer transfer = {0};
    struct exec_result result;
    interpret(&interpreted, insn, &mine, &transfer);
    exec_step(timed_bench.exec, insn, &theirs, no_memory, NULL, &result);
    uint64_t undefined = strstr(insn->text, "imul")                            ? 0xd4
                         : insn->text[0] == 's' && strchr("ha", insn->text[1]) ? 0x810
                                                                               : 0;
    undefined |= strstr("and or xor test", insn->mnemonic) ? 0x10 : 0;
    CU_ASSERT_EQUAL(result.status, EXEC_OK);
    CU_ASSERT_EQUAL(memcmp(mine.gpr, theirs.gpr, sizeof mine.gpr), 0);
    CU_ASSERT_EQUAL(mine.rip, theirs.rip);
    CU_ASSERT_EQUAL(mine.rflags & 0x8d5 & ~undefined, theirs.rflags & 0x8d5 & ~undefined);
}

static void test_interpreter(void)
{
    static char text[TEXT];
    char body[TEXT] = "";
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        strcat(body, forms[i]);
        strcat(body, ";");
    }
    trace_text(text, "", body, 0);
    timed_run("zen4", text, 0);
    const struct snippet *snippet = timed_bench.reading.program->variants[0].code[0];
    struct code code;
    code_init(&code, &timed_bench.reading.region, snippet);
    uint64_t seed = 42;
    for (uint64_t at = snippet->address; at < snippet->address + snippet->size;) {
        const struct insn *insn = code_at(&code, at);
        CU_ASSERT_PTR_NOT_NULL_FATAL(insn);
        for (int i = 0; i < 200; i++)
            compare_once(insn, &seed);
        at += insn->length;
    }
    timed_close();
}

void add_interpreter_tests(void)
{
    CU_pSuite suite = CU_add_suite("interpreter", NULL, NULL);
    CU_add_test(suite, "the interpreter agrees with the oracle", test_interpreter);
}
