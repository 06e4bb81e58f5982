/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Repeated string instructions. The oracle executes them element by element; the core moves
 * whole lines, so only the first step in a pair of lines takes time.
 */
#include "sim/time/stages.h"

static bool goes_on(const struct core *core, const struct event *event)
{
    return core->previous == event->op;
}

bool repeat_merges(struct core *core, const struct event *event)
{
    uint64_t load = event->load[0].address / LINE_BYTES;
    uint64_t store = event->store.address / LINE_BYTES;
    bool nothing = event->load[0].size == 0; /* the last step only finds rcx at 0 */
    bool same = load == core->rep_load && store == core->rep_store;
    core->rep_load = load;
    core->rep_store = store;
    return (goes_on(core, event) && same) || nothing;
}

void repeat_start(struct core *core, const struct event *event)
{
    if (!goes_on(core, event)) {
        core->barrier = later(core->barrier, event->dispatch + core->timing->rep_hold);
        core->barrier_cause = STALL_SYSTEM;
        core->barrier_op = event->op;
    }
}
