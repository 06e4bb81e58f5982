/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A CPU that waits for another in a loop repeats itself until memory changes. Its clock may
 * jump to when something can happen, so that a wait of milliseconds costs no time here; and
 * when all CPUs wait for each other, they do so for ever.
 */
#include <string.h>

#include "sim/time/core.h"

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
    return spin->seen && spin->stores == core->store_count &&
           spin->writes == core->machine->writes &&
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
                    ? "every CPU waits for another for ever"
                    : region_printf(core->machine->region, "%s goes round for ever",
                                    core->machine->program->cpus[0].name);
            return false;
        }
        jump(core, period, until);
    }
    spin->seen = true;
    spin->slot = later(core->slot, core->barrier);
    spin->stores = core->store_count;
    spin->writes = core->machine->writes;
    spin->registers = core->registers;
    return true;
}
