/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A CPU that waits for another in a loop repeats itself until memory changes. It is set aside
 * until then and its clock jumps, so that a wait of milliseconds costs no time here; and when
 * all CPUs wait for each other, they do so for ever.
 */
#include <string.h>

#include "sim/time/stages.h"

static const char WAIT_FOR_EVER[] = "every CPU waits for another for ever";

/* Whether it went round once without any effect, and memory is still as it was. */
static bool spins(const struct core *core)
{
    return core->spin.valid && core->spin.writes == core->machine->writes;
}

/* When another CPU, a store under way or an interrupt can change what this one sees. */
static bool next_change(const struct core *core, ticks *at)
{
    const struct machine *machine = core->machine;
    bool any = core->interrupt_count > 0;
    *at = any ? core->interrupts[0].at : INT64_MAX;
    for (size_t i = 0; i < machine->core_count; i++) {
        const struct core *other = machine->cores[i];
        ticks time = INT64_MAX;
        if (other->pending_count > 0)
            time = other->pending[other->pending_first].visible;
        if (other->interrupt_count > 0 && other->interrupts[0].at < time)
            time = other->interrupts[0].at;
        if (other != core && !other->ended && !spins(other) && core_read_time(other) < time)
            time = core_read_time(other);
        if (time < *at)
            *at = time;
        any = any || time != INT64_MAX;
    }
    return any;
}

static bool same_as_last_round(const struct core *core)
{
    const struct spin *spin = &core->spin;
    bool stores_seen = spin->stores == core->store_count || core->pending_count == 0;
    return spin->seen && stores_seen && spin->writes == core->machine->writes &&
           memcmp(&spin->registers, &core->registers, sizeof spin->registers) == 0;
}

static void jump(struct core *core, ticks period, ticks until)
{
    /* The end of the wait is run: the window must be as full as it would be. */
    const ticks kept = 2000 * CYCLE;
    if (period <= 0 || until - core->slot <= kept + period)
        return;
    core->barrier = core->slot + (until - core->slot - kept) / period * period;
    core->barrier_cause = STALL_TRANSFER;
    core->barrier_op = core->event.op;
}

/* When the memory that the waiting CPUs look at changes next, or one of them is interrupted. */
static ticks first_change(const struct machine *machine)
{
    ticks first = INT64_MAX;
    for (size_t i = 0; i < machine->core_count; i++) {
        const struct core *core = machine->cores[i];
        if (core->pending_count > 0 && core->pending[core->pending_first].visible < first)
            first = core->pending[core->pending_first].visible;
        if (core->waiting && core->interrupt_count > 0 && core->interrupts[0].at < first)
            first = core->interrupts[0].at;
    }
    return first;
}

bool spin_release(struct machine *machine, const struct core *next)
{
    if (machine->waiting_count == 0)
        return false;
    ticks change = first_change(machine), at = next != NULL ? core_read_time(next) : INT64_MAX;
    if (next != NULL && next->event.op->kind == OP_LOCK && !spins(next) && at < change)
        change = at; /* its store is visible at once */
    if (change == INT64_MAX && next == NULL)
        machine->reason = WAIT_FOR_EVER;
    if (change > at || change == INT64_MAX)
        return false;
    for (size_t i = 0; i < machine->core_count; i++) {
        struct core *core = machine->cores[i];
        if (!core->waiting)
            continue;
        core->waiting = false;
        machine->waiting_count--;
        core->spin.until = change;
        jump(core, core->spin.period, change);
        core->spin.slot = later(core->slot, core->barrier);
        if (!core_start(core) && machine->reason != NULL)
            return false;
    }
    return true;
}

/* The wait goes on until something happens elsewhere. */
static void set_aside(struct core *core, ticks period)
{
    if (period <= 0 || core->slot < core->spin.until)
        return; /* it is about to happen */
    core->spin.period = period;
    core->waiting = true;
    core->machine->waiting_count++;
}

bool spin_round(struct core *core)
{
    struct spin *spin = &core->spin;
    ticks start = later(core->slot, core->barrier), period = start - spin->slot;
    spin->valid = same_as_last_round(core);
    ticks until;
    if (spin->valid) {
        if (!next_change(core, &until)) {
            core->machine->reason =
                core->machine->core_count > 1
                    ? WAIT_FOR_EVER
                    : region_printf(core->machine->region, "%s goes round for ever",
                                    core->machine->program->cpus[0].name);
            return false;
        }
        if (core->machine->core_count > 1)
            set_aside(core, period);
        else
            jump(core, period, until);
    }
    spin->seen = true;
    spin->slot = later(core->slot, core->barrier);
    spin->stores = core->store_count;
    spin->writes = core->machine->writes;
    spin->registers = core->registers;
    return true;
}
