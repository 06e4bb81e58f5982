/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Branch prediction: each conditional jump's own recent outcomes choose a two-bit counter, and
 * loops of a fixed length are counted, up to the 128 iterations that a Zen 5 was seen to know (of
 * 200 it misses the end). That misses the end of a wait, which is what the timing of waiting code
 * depends on. Indirect jumps and returns are taken to be predicted.
 */
#include "sim/time/stages.h"

enum { RUN_MAX = 128, SURE = 2 };
enum { HISTORY_BITS = 6, COUNTERS = 1 << HISTORY_BITS, LIKELY = 2, CERTAIN = 3 };

struct predictor {
    unsigned run, last_run; /* equal outcomes in a row: now, and in the last such row */
    unsigned confidence;    /* rows of taken that were as long as the one before */
    bool last;
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

/* A loop of a fixed, not too large number of iterations ends where it ended before. */
static bool predict(const struct predictor *predictor)
{
    if (predictor->last && predictor->confidence >= SURE)
        return predictor->run != predictor->last_run;
    return predictor->counters[predictor->history] >= LIKELY;
}

static void learn(struct predictor *predictor, bool taken)
{
    uint8_t *counter = &predictor->counters[predictor->history];
    if (taken && *counter < CERTAIN)
        ++*counter;
    else if (!taken && *counter > 0)
        --*counter;
    predictor->history = (uint8_t)((predictor->history << 1 | taken) & (COUNTERS - 1));
    if (taken == predictor->last) {
        predictor->run++;
        if (taken && predictor->run > predictor->last_run)
            predictor->confidence = 0;
        return;
    }
    if (!taken) {
        bool again = predictor->run == predictor->last_run && predictor->run <= RUN_MAX;
        predictor->confidence = again ? predictor->confidence + 1 : 0;
        predictor->last_run = predictor->run;
    }
    predictor->run = 1;
    predictor->last = taken;
}

void time_branch(struct core *core, const struct event *event)
{
    struct op *op = event->op;
    if (!op->is_conditional)
        return;
    if (op->predictor == NULL)
        op->predictor = make_predictor(core, op);
    struct predictor *predictor = op->predictor;
    if (predict(predictor) != event->taken) {
        ticks restart = event->done + core->timing->mispredict;
        if (restart > core->barrier) {
            core->barrier = restart;
            core->barrier_cause = STALL_FRONT_END;
        }
    }
    learn(predictor, event->taken);
}
