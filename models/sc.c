/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sequential consistency, the yardstick: an instruction waits until the stores before it are
 * in memory, so that nothing is ever seen out of order. Also how a device agent behaves: its
 * stores become visible at once, in order.
 */
#include "models/fifo.h"

static bool may(const struct model_context *context, const struct buffers *buffers,
                const struct action *action)
{
    (void)context, (void)action;
    return buffers->count == 0;
}

static void take(const struct model_context *context, struct buffers *buffers,
                 const struct action *action)
{
    (void)context;
    if (action->kind == ACTION_STORE)
        fifo_push(buffers, action);
}

static uint32_t forward(const struct model_context *context, const struct buffers *buffers,
                        uint64_t address, unsigned size, uint8_t *data)
{
    (void)context, (void)buffers, (void)address, (void)size, (void)data;
    return 0;
}

const struct model model_sc = {
    .name = "sc",
    .about = "sequential consistency: one interleaving of all CPUs' accesses",
    .may = may,
    .take = take,
    .forward = forward,
    .drains = fifo_drains,
    .store_of = fifo_store_of,
};
