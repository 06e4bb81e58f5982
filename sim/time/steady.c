/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ending a loop early. When everything that decides where an iteration goes and what it
 * accesses has the same value as a window of iterations ago, the program repeats itself for
 * ever; when the last windows also took exactly the same time, so does the core.
 */
#include <string.h>

#include "sim/time/stages.h"

#define COUNTER (UINT64_C(1) << 15) /* r15 */

/* A multiple of the periods that loops have: 2, 3, 4, 5, 6, 8, 10, 12, ... iterations. */
enum { WINDOW = 240, EQUAL_WINDOWS = 3 };

/* Which registers matter; `*memory` tells whether loaded values do. */
static uint64_t relevant_registers(const struct core *core, bool *memory)
{
    uint64_t relevant = 0, before;
    uint32_t size = core->code->snippet->size;
    do {
        before = relevant;
        for (uint32_t offset = 0; offset < size; offset++) {
            const struct op *op = core->ops[offset];
            if (op == NULL)
                continue;
            const struct insn *insn = op->insn;
            bool all = op->is_branch || op->lock >= LOCK_CMPXCHG || insn->implicit_load ||
                       insn->implicit_store || insn->class == INSN_STRING ||
                       (op->writes & relevant) != 0 || op->may_fault;
            if ((op->writes & COUNTER) != 0)
                relevant |= COUNTER; /* the body plays with it */
            relevant |= insn->address_reads | (all ? insn->reads : 0);
            *memory = *memory || (all && op->load_count > 0);
        }
    } while (relevant != before);
    return relevant;
}

static bool stores_anywhere(const struct core *core)
{
    for (uint32_t offset = 0; offset < core->code->snippet->size; offset++) {
        const struct op *op = core->ops[offset];
        if (op != NULL && op->stores && op->insn->class != INSN_SFENCE)
            return true;
    }
    return false;
}

static bool same_registers(const struct registers *a, const struct registers *b, uint64_t relevant)
{
    for (uint64_t left = relevant; left != 0; left &= left - 1) {
        int index = __builtin_ctzll(left);
        bool same = true;
        if (index < 16)
            same = a->gpr[index] == b->gpr[index];
        else if (index >= 32)
            same = memcmp(a->xmm[index - 32], b->xmm[index - 32], sizeof a->xmm[0]) == 0 &&
                   memcmp(a->ymm_high[index - 32], b->ymm_high[index - 32],
                          sizeof a->ymm_high[0]) == 0;
        else
            same = a->rflags == b->rflags && a->fs_base == b->fs_base && a->gs_base == b->gs_base;
        if (!same)
            return false;
    }
    return true;
}

/* Whether the program does the same in every window from now on. */
static bool program_repeats(struct core *core)
{
    bool memory = false;
    uint64_t relevant = relevant_registers(core, &memory);
    if ((memory && stores_anywhere(core)) || (relevant & COUNTER) != 0)
        return false; /* the loop's counter never repeats */
    return same_registers(&core->registers, &core->steady.registers, relevant);
}

/* Whether as many interrupts will come as soon; one that comes once ends what seemed steady. */
static bool same_interrupts(struct core *core)
{
    struct steady *steady = &core->steady;
    unsigned coming = core->interrupt_count;
    ticks first = coming > 0 ? core->interrupts[0].at - core->retire : 0;
    ticks last = coming > 0 ? core->interrupts[coming - 1].at - core->retire : 0;
    bool same = coming == steady->coming && first == steady->first && last == steady->last;
    steady->coming = coming;
    steady->first = first;
    steady->last = last;
    return same;
}

bool steady_end(struct core *core)
{
    struct steady *steady = &core->steady;
    if (core->iteration % WINDOW != 0)
        return false;
    ticks window = core->retire - steady->time;
    bool same = same_interrupts(core) && window == steady->window && program_repeats(core);
    steady->equal = same ? steady->equal + 1 : 0;
    steady->window = window;
    steady->time = core->retire;
    steady->registers = core->registers;
    if (core->iteration >= core->half_iteration || !same)
        return false;
    if (steady->equal == EQUAL_WINDOWS) { /* measure the next one */
        steady->measured_from = core->iteration;
        measure_from_here(core);
    }
    if (steady->equal <= EQUAL_WINDOWS || steady->measured_from + WINDOW != core->iteration)
        return false;
    core->half_iteration = steady->measured_from;
    steady->left_out = core->registers.gpr[15];
    return true;
}
