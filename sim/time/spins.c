/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A CPU that waits for another in a loop repeats itself until what it reads changes. It is set
 * aside until then and its clock jumps, so that a wait of milliseconds costs no time here; and
 * when all CPUs wait for each other, they do so for ever.
 */
#include <string.h>

#include "sim/time/stages.h"

static const char WAIT_FOR_EVER[] = "every CPU waits for another for ever";

/* ---- what a round reads ---- */

static uint32_t writes_of(const struct machine *machine, uint64_t line)
{
    return machine->line_writes[line % WRITE_COUNTERS];
}

static void watch(struct core *core, uint64_t line)
{
    struct watch *now = &core->spin.now;
    for (unsigned i = 0; i < now->count; i++) {
        if (now->lines[i] == line)
            return; /* the first count is the one that must not change */
    }
    if (now->count == SPIN_LINES) {
        now->everything = true;
        return;
    }
    now->lines[now->count] = line;
    now->line_writes[now->count++] = writes_of(core->machine, line);
}

void spin_note_read(struct core *core, uint64_t address, unsigned size)
{
    uint64_t first = address / LINE_BYTES, last = (address + size - 1) / LINE_BYTES;
    if (core->spin.now.everything || size == 0)
        return;
    watch(core, first);
    if (last != first)
        watch(core, last);
}

static bool watches(const struct watch *watch, uint64_t address, unsigned size)
{
    if (watch->everything)
        return true;
    for (unsigned i = 0; i < watch->count; i++) {
        if (watch->lines[i] >= address / LINE_BYTES &&
            watch->lines[i] <= (address + size - 1) / LINE_BYTES)
            return true;
    }
    return false;
}

/* Nothing that the round has read was written since. */
static bool unchanged(const struct watch *watch, const struct machine *machine)
{
    if (watch->everything)
        return watch->writes == machine->writes;
    for (unsigned i = 0; i < watch->count; i++) {
        if (watch->line_writes[i] != writes_of(machine, watch->lines[i]))
            return false;
    }
    return true;
}

/* Whether it went round once without any effect, and memory is still as it was. */
static bool spins(const struct core *core)
{
    return core->spin.valid && unchanged(&core->spin.last, core->machine);
}

static bool same_as_last_round(const struct core *core)
{
    const struct spin *spin = &core->spin;
    bool stores_seen = spin->stores == core->store_count || core->pending_count == 0;
    return spin->seen && stores_seen && unchanged(&spin->now, core->machine) &&
           memcmp(&spin->registers, &core->registers, sizeof spin->registers) == 0;
}

/* ---- setting aside, and going on ---- */

static void changes_at(struct core *core, ticks at)
{
    if (at < core->spin.change)
        core->spin.change = at;
    if (at < core->machine->next_change)
        core->machine->next_change = at;
}

void spin_note_write(struct machine *machine, uint64_t address, unsigned size, ticks at)
{
    for (size_t i = 0, left = machine->waiting_count; left > 0 && i < machine->core_count; i++) {
        struct core *core = machine->cores[i];
        if (!core->waiting)
            continue;
        left--;
        if (watches(&core->spin.last, address, size))
            changes_at(core, at);
    }
}

void spin_note_interrupt(struct core *target, ticks at)
{
    if (target->waiting)
        changes_at(target, at);
}

/* The wait goes on until something happens elsewhere. */
static void set_aside(struct core *core, ticks period)
{
    struct machine *machine = core->machine;
    const struct watch *last = &core->spin.last;
    ticks loss = INT64_MAX;
    for (unsigned i = 0; i < last->count; i++) {
        ticks here = coherence_loss(core, last->lines[i]);
        loss = here < loss ? here : loss;
    }
    if (period <= 0 || core->slot < core->spin.until || loss <= core->slot)
        return; /* it is about to happen */
    core->spin.period = period;
    core->spin.change = INT64_MAX;
    changes_at(core, loss);
    core->waiting = true;
    machine->waiting_count++;
    if (core->interrupt_count > 0)
        changes_at(core, core->interrupts[0].at);
    for (size_t i = 0; machine->next_visible != INT64_MAX && i < machine->core_count; i++) {
        const struct core *other = machine->cores[i];
        for (size_t j = 0; j < other->pending_count; j++) {
            const struct pending_store *store = &other->pending[other->pending_first + j];
            if (watches(&core->spin.last, store->address, store->size))
                changes_at(core, store->visible);
        }
    }
}

/* Lets time pass in whole rounds, nearly up to `until`. */
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

/* False when it cannot go on (machine->reason). */
static bool go_on(struct core *core, ticks change)
{
    core->waiting = false;
    core->machine->waiting_count--;
    core->spin.until = change;
    jump(core, core->spin.period, change);
    core->spin.slot = later(core->slot, core->barrier);
    bool started = core_start(core);
    core_due(core);
    return started || core->machine->reason == NULL;
}

bool spin_release(struct machine *machine, const struct core *next)
{
    if (machine->waiting_count == 0)
        return false;
    ticks at = next != NULL ? machine->due[next->cpu] : INT64_MAX;
    if (next != NULL && next->event.op->kind == OP_LOCK && !spins(next)) {
        const struct access *word = &next->event.load[0]; /* is written at once */
        spin_note_write(machine, word->address, word->size, at);
    }
    ticks change = machine->next_change;
    if (change == INT64_MAX && next == NULL)
        machine->reason = WAIT_FOR_EVER;
    if (change > at || change == INT64_MAX)
        return false;
    machine->next_change = INT64_MAX;
    for (size_t i = 0; i < machine->core_count; i++) {
        struct core *core = machine->cores[i];
        if (!core->waiting)
            continue;
        if (core->spin.change > change)
            changes_at(core, core->spin.change);
        else if (!go_on(core, change))
            return false;
    }
    return true;
}

/* ---- the jump back ---- */

static void new_round(struct core *core)
{
    struct spin *spin = &core->spin;
    spin->seen = true;
    spin->slot = later(core->slot, core->barrier);
    spin->stores = core->store_count;
    spin->registers = core->registers;
    spin->last = spin->now;
    spin->now.everything = core->machine->core_count == 1;
    spin->now.writes = core->machine->writes;
    spin->now.count = 0;
}

bool spin_round(struct core *core)
{
    struct machine *machine = core->machine;
    struct spin *spin = &core->spin;
    ticks period = later(core->slot, core->barrier) - spin->slot;
    spin->valid = same_as_last_round(core);
    if (spin->valid && machine->core_count == 1) {
        if (core->interrupt_count == 0) {
            machine->reason = region_printf(machine->region, "%s goes round for ever",
                                            machine->program->cpus[0].name);
            return false;
        }
        jump(core, period, core->interrupts[0].at);
    }
    new_round(core);
    if (spin->valid && machine->core_count > 1)
        set_aside(core, period);
    return true;
}
