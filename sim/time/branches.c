/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Branch prediction: each conditional jump's own recent outcomes choose a two-bit counter.
 * That learns the short patterns of loops and misses the end of a wait, which is what the
 * timing of waiting code depends on. Indirect jumps and returns are taken to be predicted.
 */
#include "sim/time/core.h"

enum { HISTORY_BITS = 6, COUNTERS = 1 << HISTORY_BITS, LIKELY = 2, CERTAIN = 3 };

struct predictor {
    uint8_t history;
    uint8_t counters[COUNTERS]; /* 0, 1 not taken, 2, 3 taken */
};

/* At first, backward jumps are taken and forward ones are not. */
static struct predictor *make_predictor(struct core *core, const struct op *op)
{
    struct predictor *predictor = region_alloc(core->machine->region, sizeof *predictor);
    bool backward = op->insn->has_target && op->insn->target <= op->insn->address;
    for (int i = 0; i < COUNTERS; i++)
        predictor->counters[i] = backward ? LIKELY : LIKELY - 1;
    predictor->history = backward ? COUNTERS - 1 : 0;
    return predictor;
}

void time_branch(struct core *core, const struct event *event)
{
    struct op *op = event->op;
    if (!op->is_conditional)
        return;
    if (op->predictor == NULL)
        op->predictor = make_predictor(core, op);
    struct predictor *predictor = op->predictor;
    uint8_t *counter = &predictor->counters[predictor->history];
    if ((*counter >= LIKELY) != event->taken) {
        ticks restart = event->done + core->timing->mispredict;
        if (restart > core->barrier) {
            core->barrier = restart;
            core->barrier_cause = STALL_FRONT_END;
        }
    }
    if (event->taken && *counter < CERTAIN)
        ++*counter;
    else if (!event->taken && *counter > 0)
        --*counter;
    predictor->history = (uint8_t)((predictor->history << 1 | event->taken) & (COUNTERS - 1));
}
