/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dispatch: in order, a width of slots a cycle, no earlier than the last barrier allows and
 * only while the window has room.
 */
#include "sim/time/stages.h"

/* The latest of what the window's limits demand. */
static ticks window_limit(const struct core *core, const struct event *event, enum stall *cause)
{
    const struct timing *t = core->timing;
    const struct op *op = event->op;
    bool shares =
        op->kind == OP_NOP && core->nops_in_entry > 0 && core->nops_in_entry < t->nops_per_entry;
    ticks limit = shares ? 0 : ring_back(&core->entry_retire, t->reorder_buffer);
    if (op->load_count > 0) {
        limit = later(limit, ring_back(&core->load_retire, t->load_queue));
    }
    if (op->stores) {
        ticks free = ring_back(&core->store_commit, t->store_queue);
        if (free > limit)
            *cause = (enum stall)core->queue_cause;
        limit = later(limit, free);
    }
    if (op->writes_integer) {
        limit = later(limit, ring_back(&core->integer_retire, t->integer_registers));
    }
    if (op->multiplies && t->multiply_queue > 0) {
        ticks issued = ring_back(&core->multiply_issue, t->multiply_queue);
        limit = later(limit, issued > 0 ? issued + CYCLE : 0);
    }
    return limit;
}

static ticks cost_of(const struct core *core, const struct event *event)
{
    ticks slots = event->fused ? 0 : event->op->slots;
    if (core->uncached) {
        return later(slots, core->timing->uncached_instruction);
    }
    if (!core->decoding) {
        return slots;
    }
    /* The loop's end is two instructions in one operation. */
    ticks decode = event->op == &core->loop_end ? 2 * core->timing->decode : core->timing->decode;
    return later(slots, decode);
}

static ticks floor_cycle(ticks time) { return time - time % CYCLE; }

/* The multipliers' scheduler takes only so many a cycle. */
static ticks multiply_slot(struct core *core, ticks slot)
{
    if (core->timing->multiplies_dispatched <= 0) {
        return slot;
    }
    ticks cycle = floor_cycle(slot);
    if (core->multiply_cycle == cycle &&
        core->multiplies_in_cycle >= core->timing->multiplies_dispatched) {
        slot = cycle = cycle + CYCLE;
    }
    if (core->multiply_cycle != cycle) {
        core->multiply_cycle = cycle;
        core->multiplies_in_cycle = 0;
    }
    core->multiplies_in_cycle++;
    return slot;
}

void dispatch(struct core *core, struct event *event)
{
    ticks slot = core->slot;
    mark(event, core->woken ? STALL_SLEEP : STALL_FRONT_END, slot);
    core->woken = false;
    enum stall cause = STALL_FRONT_END, full = STALL_WINDOW;
    ticks limit = event->fused ? 0 : window_limit(core, event, &full);
    if (limit > slot) {
        slot = next_cycle(limit);
        cause = full;
        mark(event, cause, slot);
    }
    if (core->barrier > slot) {
        slot = next_cycle(core->barrier);
        cause = (enum stall)core->barrier_cause;
    }
    if (event->op->multiplies) {
        slot = multiply_slot(core, slot);
    }
    event->dispatch = floor_cycle(slot);
    event->earliest = event->dispatch + core->timing->dispatch_to_issue;
    mark(event, cause, event->earliest);
    core->slot = slot + cost_of(core, event);
}

void front_end_taken(struct core *core, struct event *event)
{
    if (core->timing->taken_branches > 0 && event->dispatch <= core->last_taken) {
        event->dispatch = core->last_taken + CYCLE;
        event->earliest = event->dispatch + core->timing->dispatch_to_issue;
        core->slot = later(core->slot, event->dispatch);
        mark(event, STALL_FRONT_END, event->earliest);
    }
    core->last_taken = event->dispatch;
    core->decoding = false;
}
