/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the decoder says that an instruction reads and writes, against what it does: the cycle
 * model waits for the one and for nothing else. Every register is changed in turn; whatever
 * becomes different depends on it.
 */
#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <capstone/capstone.h>

#include "sim/exec/native.h"
#include "tests/unit/instruction_bench.h"

void add_register_sets_tests(void);

enum {
    TRIALS = 12,
    DATA_WINDOW = 3072,
    STACK_WINDOW = 512,
    FLAGS_INPUT = 16,
    FIRST_VECTOR = 32,
    INPUTS = 48
};

struct seen {
    uint64_t reads, writes; /* as in struct insn */
    unsigned loads, stores; /* bytes at most */
};

/* The part of the bench's memory that instructions access. */
struct memory {
    uint8_t data[DATA_WINDOW], stack[STACK_WINDOW];
};

struct outcome {
    struct registers before, after;
    enum exec_status status;
    struct memory memory;
};

static struct outcome first, second;

static uint8_t *stack_window(void) { return bench.stack + STACK_TOP_OFFSET - STACK_WINDOW / 2; }

static void save(struct memory *memory)
{
    memcpy(memory->data, bench.data, sizeof memory->data);
    memcpy(memory->stack, stack_window(), sizeof memory->stack);
}

static void restore(const struct memory *memory)
{
    memcpy(bench.data, memory->data, sizeof memory->data);
    memcpy(stack_window(), memory->stack, sizeof memory->stack);
}

static void run(const struct insn *insn, struct outcome *outcome)
{
    outcome->after = outcome->before;
    outcome->status = bench_step(insn, &outcome->after);
    save(&outcome->memory);
}

/* A register as up to four words; flags in the first. */
static void value_of(const struct registers *registers, unsigned input, uint64_t words[4])
{
    memset(words, 0, 4 * sizeof *words);
    if (input < FLAGS_INPUT)
        words[0] = registers->gpr[input];
    else if (input == FLAGS_INPUT)
        words[0] = registers->rflags & (STATUS_FLAGS | DIRECTION);
    else {
        memcpy(words, registers->xmm[input - FIRST_VECTOR], 16);
        memcpy(words + 2, registers->ymm_high[input - FIRST_VECTOR], 16);
    }
}

static bool same(const struct registers *a, const struct registers *b, unsigned input)
{
    uint64_t left[4], right[4];
    value_of(a, input, left);
    value_of(b, input, right);
    return memcmp(left, right, sizeof left) == 0;
}

static void change(struct registers *registers, unsigned input)
{
    uint64_t by = random_word() % 3 ? UINT64_C(1) << random_word() % 64 : random_word();
    if (input < FLAGS_INPUT)
        registers->gpr[input] ^= by;
    else if (input == FLAGS_INPUT)
        registers->rflags ^= random_word() & STATUS_FLAGS;
    else
        registers->xmm[input - FIRST_VECTOR][random_word() % 2] ^= by;
}

/* Flags that only pass through do not count: CPUs rename them in groups. */
static bool flags_depend(void)
{
    uint64_t passed = ~((first.before.rflags ^ first.after.rflags) |
                        (second.before.rflags ^ second.after.rflags));
    return (first.after.rflags ^ second.after.rflags) & STATUS_FLAGS & ~passed;
}

/* Whether the outcome depends on `input`, in which the two runs differ. */
static bool depends(const struct insn *insn, unsigned input)
{
    if (first.status != second.status || first.after.rip != second.after.rip ||
        memcmp(&first.memory, &second.memory, sizeof first.memory) != 0)
        return true;
    for (unsigned i = 0; i < INPUTS; i++) {
        if (i == input || (i > FLAGS_INPUT && i < FIRST_VECTOR))
            continue;
        if (!same(&first.after, &second.after, i))
            return true;
    }
    if (input == FLAGS_INPUT)
        return flags_depend();
    bool passes =
        same(&first.after, &first.before, input) && same(&second.after, &second.before, input);
    if (passes) /* not written this time: it must be kept from before */
        return insn->writes >> input & 1;
    return !same(&first.after, &second.after, input);
}

static void observe(const struct insn *insn, struct seen *seen)
{
    static struct memory memory;
    random_input(insn, &first.before);
    save(&memory);
    run(insn, &first);
    if (first.status != EXEC_OK)
        return;
    seen->loads = seen->loads > bench.loaded ? seen->loads : bench.loaded;
    seen->stores = seen->stores > bench.stored ? seen->stores : bench.stored;
    for (unsigned i = 0; i < INPUTS; i++) {
        if (i > FLAGS_INPUT && i < FIRST_VECTOR)
            continue;
        if (!same(&first.before, &first.after, i))
            seen->writes |= UINT64_C(1) << i;
        if (insn->address_reads >> i & 1)
            continue;
        second.before = first.before;
        change(&second.before, i);
        restore(&memory);
        run(insn, &second);
        if (depends(insn, i))
            seen->reads |= UINT64_C(1) << i;
    }
}

/* Implicit accesses of one instruction are of any size; of string instructions the class tells. */
static bool accesses_fit(const struct insn *insn, const struct seen *seen)
{
    bool misaligned = insn->id == X86_INS_CMPXCHG16B && !seen->loads;
    if (misaligned || insn->class == INSN_STRING)
        return true;
    if (insn->native &&
        strstr(insn->mnemonic, "maskmov")) /* what is not selected is not accessed */
        return seen->loads <= insn->memory.size && seen->stores <= insn->memory.size;
    unsigned loads = insn->memory.read ? insn->memory.size : 0;
    unsigned stores = insn->memory.write ? insn->memory.size : 0;
    return (insn->implicit_load ? seen->loads > loads : seen->loads == loads) &&
           (insn->implicit_store ? seen->stores > stores : seen->stores == stores);
}

static void check(const struct insn *insn)
{
    struct seen seen = {0};
    for (int i = 0; i < TRIALS; i++)
        observe(insn, &seen);
    bool vzeroupper = insn->id == X86_INS_VZEROUPPER; /* changes no lower half */
    uint64_t unread = vzeroupper ? 0 : seen.reads & ~insn->reads;
    uint64_t unwritten = vzeroupper ? 0 : seen.writes & ~insn->writes;
    bool accesses = accesses_fit(insn, &seen);
    if (unread || unwritten || !accesses)
        printf("\n%s: reads %#" PRIx64 " beyond, writes %#" PRIx64 " beyond; loads %u stores %u",
               insn->text, unread, unwritten, seen.loads, seen.stores);
    CU_ASSERT_EQUAL(unread, 0);
    CU_ASSERT_EQUAL(unwritten, 0);
    CU_ASSERT_TRUE(accesses);
}

static void test_sets(void)
{
    for (size_t i = 0; i < instruction_group_count; i++) {
        bench_open_group(&instruction_groups[i]);
        for (size_t k = 0; k < bench.code.insn_count; k++)
            check(bench.code.insns[k]);
        bench_close();
    }
}

void add_register_sets_tests(void)
{
    CU_pSuite suite = CU_add_suite("register sets", NULL, NULL);
    CU_add_test(suite, "an instruction reads and writes what the decoder says", test_sets);
}
