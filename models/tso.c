/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86-TSO (Sewell, Sarkar, Owens, Zappa Nardelli, Myreen: "x86-TSO: a rigorous and usable
 * programmer's model", CACM 53(7), 2010) for write-back memory: a FIFO store buffer per CPU
 * with forwarding; MFENCE and locked instructions wait until it is empty. The paper's lock,
 * read, write, unlock is one atomic step here, which gives the same outcomes.
 *
 * LFENCE and SFENCE do nothing to ordinary write-back accesses: LFENCE waits for local
 * completion only and SFENCE orders stores that TSO keeps in order anyway (Intel SDM vol. 2,
 * their instruction pages; Intel SDM vol. 3A and AMD APM vol. 2, memory ordering).
 */
#include "models/fifo.h"

static bool may(const struct model_context *context, const struct buffers *buffers,
                const struct action *action)
{
    switch (action->kind) {
    case ACTION_LOAD:
    case ACTION_LFENCE:
    case ACTION_SFENCE:
    case ACTION_FLUSH:
        return true;
    case ACTION_STORE:
        return fifo_has_room(context, buffers, action->store_count);
    case ACTION_LOCKED:
    case ACTION_MFENCE:
    case ACTION_SERIALIZE:
    case ACTION_MSR:
    case ACTION_INTERRUPT:
        return buffers->count == 0;
    }
    return false;
}

static void take(const struct model_context *context, struct buffers *buffers,
                 const struct action *action)
{
    (void)context;
    if (action->kind == ACTION_STORE)
        fifo_push(buffers, action);
}

const struct model model_tso = {
    .name = "tso",
    .about = "x86-TSO: a FIFO store buffer with forwarding, write-back memory",
    .write_back_only = true,
    .may = may,
    .take = take,
    .forward = fifo_forward,
    .drains = fifo_drains,
    .store_of = fifo_store_of,
};
