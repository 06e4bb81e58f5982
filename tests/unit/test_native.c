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
    if (*status != EXEC_OK && *status != EXEC_FAULT) /* two NaNs; never executed: see below */
        return NULL;
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

void add_native_tests(void)
{
    CU_pSuite suite = CU_add_suite("native", NULL, NULL);
    CU_add_test(suite, "the host's CPU does the same", test_host);
}
