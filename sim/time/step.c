/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One instruction through the core. In two halves, so that with several CPUs the load
 * that happens first in time also reads memory first.
 */
#include <stddef.h>
#include <string.h>

#include "sim/time/stages.h"

/* A CPU alone is seldom looked at for waiting: nothing can come. */
enum { ALONE_CHECKS = 1024 };

/* ---- which instruction ---- */

static struct op *op_at_rip(struct core *core)
{
    const struct snippet *snippet = core->code->snippet;
    uint64_t offset = core->registers.rip - snippet->address;
    if (offset >= snippet->size) {
        return NULL;
    }
    struct op **slot = &core->ops[offset];
    if (*slot == NULL) {
        const struct insn *insn = code_at(core->code, core->registers.rip);
        if (insn == NULL) {
            return NULL;
        }
        *slot = region_alloc(core->machine->region, sizeof **slot);
        op_init(*slot, insn, core->timing);
        const struct insn *next = code_at(core->code, insn->address + insn->length);
        if (next != NULL && next->is_conditional) {
            op_fuse(*slot, core->timing);
        }
        want_pipes(core, *slot);
        if (!(*slot)->known) {
            note_unmodelled(core->machine, insn->text);
        }
    }
    return *slot;
}

/* NULL when the CPU has ended, or jumped to where no code is (machine->reason). */
struct op *core_next_op(struct core *core)
{
    const struct snippet *snippet = core->code->snippet;
    struct machine *machine = core->machine;
    uint64_t rip = core->registers.rip;
    if (rip == snippet->address + snippet->size) {
        if (interrupts_return(core)) { /* a handler without iretq */
            return core_next_op(core);
        }
        if (core->loops && !core->looped) {
            return &core->loop_end;
        }
        core->ended = true;
        return NULL;
    }
    if (rip == RETURN_SENTINEL) {
        core->ended = true;
        return NULL;
    }
    struct op *op = op_at_rip(core);
    if (op == NULL) {
        machine->reason =
            region_printf(machine->region, "%s: there is no code at 0x%llx",
                          machine->program->cpus[core->cpu].name, (unsigned long long)rip);
    }
    return op;
}

static bool adjacent(const struct op *first, const struct op *second)
{
    return first->insn->address + first->insn->length == second->insn->address;
}

bool core_start(struct core *core)
{
    if (core->interrupt_count > 0) {
        interrupts_take(core);
        if (core->machine->reason != NULL) {
            return false;
        }
    }
    struct op *op = core_next_op(core);
    if (op == NULL) {
        return false;
    }
    struct event *event = &core->event;
    memset(event, 0, offsetof(struct event, timeline));
    event->timeline.count = 0;
    event->op = op;
    event->fused = op->is_conditional && core->previous != NULL && core->previous->fuses &&
                   op != &core->loop_end && adjacent(core->previous, op);
    if (op != &core->loop_end) {
        plan_accesses(core, event);
    }
    if (op->repeats && repeat_merges(core, event)) {
        event->merged = true;
        event->dispatch = core->slot;
        return true;
    }
    dispatch(core, event);
    if (op->repeats) {
        repeat_start(core, event);
    }
    if (op->kind == OP_LOCK) {
        time_lock(core, event);
    } else if (op->kind == OP_PREFETCH) {
        time_prefetch(core, event);
    } else if (op->load_count > 0) {
        time_loads(core, event);
    }
    return true;
}

ticks core_read_time(const struct core *core)
{
    const struct event *event = &core->event;
    /* A lock is one step with the drain of the stores before it. */
    ticks at = event->op->kind == OP_LOCK  ? later(event->lock_start, core->last_visible)
               : event->op->load_count > 0 ? event->read
                                           : event->dispatch;
    /* Loads of one CPU read in order. */
    return later(at, core->last_read);
}

void core_due(struct core *core)
{
    bool none = core->ended || core->waiting;
    core->machine->due[core->cpu] = none ? INT64_MAX : core_read_time(core);
}

/* ---- execution ---- */

static void time_plain(struct core *core, struct event *event)
{
    const struct op *op = event->op;
    uint8_t cause = STALL_DEPENDENCY;
    ticks ready = registers_ready(core, op->data_reads, event->earliest, &cause);
    ticks from = later(ready, event->load_value);
    event->done = later(event->earliest, event->load_done);
    event->value = from;
    if (op->unit != UNIT_NONE && !event->fused) {
        mark(event, (enum stall)cause, ready);
        event->issue = issue_operation(core, op, from, &event->value);
        mark(event, STALL_PORT, event->issue);
        event->done = later(event->done, op->early_done ? event->issue + CYCLE : event->value);
        if (op->insn->mnemonic[0] == 'l' && op->latency > CYCLE) {
            event->done = later(event->load_done, event->issue + CYCLE); /* lea cannot fault */
        }
        event->value_cause = STALL_DEPENDENCY;
        mark(event, STALL_DEPENDENCY, event->done);
        if (op->multiplies) {
            ring_push(&core->multiply_issue, event->issue);
        }
    } else if (op->load_count == 0 && !op->stores) {
        event->done = later(event->done, event->fused ? core->ready[16] : 0);
    }
    if (op->stores) {
        time_store_issue(core, event, event->value);
        event->done =
            later(event->done, later(event->store_issue + core->timing->store_address_latency,
                                     event->store_data));
        event->done = later(event->done, event->store_redo);
    }
}

static void time_execution(struct core *core, struct event *event)
{
    uint8_t cause = STALL_DEPENDENCY;
    switch (event->op->kind) {
    case OP_PLAIN:
        time_plain(core, event);
        break;
    case OP_NOP:
        event->value = event->done = event->earliest;
        break;
    case OP_MOVE:
        event->value = registers_ready(core, event->op->data_reads, event->earliest, &cause);
        event->value_cause = cause;
        event->done = event->earliest;
        break;
    case OP_LOCK:
    case OP_PREFETCH:
        break; /* timed when it started */
    case OP_SFENCE:
    case OP_FLUSH:
        time_store_issue(core, event, event->earliest);
        event->done = event->value = event->store_issue + core->timing->store_address_latency;
        break;
    case OP_HOLD:
        time_hold(core, event);
        break;
    default:
        time_barrier(core, event);
        break;
    }
}

/* ---- retirement ---- */

static void retire(struct core *core, struct event *event)
{
    const struct timing *t = core->timing;
    const struct op *op = event->op;
    ticks previous = core->retire;
    ticks time = later(previous, event->done);
    bool shares = event->fused || (op->kind == OP_NOP && core->nops_in_entry > 0 &&
                                   core->nops_in_entry < t->nops_per_entry);
    if (!shares) {
        time = later(time, ring_back(&core->entry_retire, t->retire_width) +
                               (core->entry_retire.count >= (uint64_t)t->retire_width ? CYCLE : 0));
    }
    if (op->stores && core->store_retire.count >= (uint64_t)t->stores_retired) {
        time = later(time, ring_back(&core->store_retire, t->stores_retired) + CYCLE);
    }
    event->retire = core->retire = time;
    if (op->kind != OP_LFENCE) { /* what an lfence waits for is work, not other fences */
        core->all_done = later(core->all_done, event->done);
    }
    if (shares) {
        core->nops_in_entry = event->fused ? 0 : core->nops_in_entry + 1;
        core->entry_retire.at[(core->entry_retire.count - 1) % RING] = time;
    } else {
        ring_push(&core->entry_retire, time);
        core->nops_in_entry = op->kind == OP_NOP;
    }
    if (op->load_count > 0) {
        ring_push(&core->load_retire, time);
    }
    if (op->writes_integer) {
        ring_push(&core->integer_retire, time);
    }
    if (core->recording) {
        attribute(core, previous, event);
    }
}

static void write_back(struct core *core, const struct event *event)
{
    /* Microcode counts through a repeated instruction, whatever its loads return. */
    ticks value = event->op->repeats ? event->earliest + CYCLE : event->value;
    for (uint64_t left = event->op->writes; left != 0; left &= left - 1) {
        int index = __builtin_ctzll(left);
        core->ready[index] = value - (index == 0 ? event->op->low_early : 0);
        core->ready_cause[index] = event->value_cause;
    }
}

/* The loop's end was retired: go round, and note the time of the half and of the end. */
static void next_iteration(struct core *core, const struct event *event)
{
    core->iteration++;
    core->last_time = core->retire;
    if (core->iteration == core->half_iteration) {
        measure_from_here(core);
    }
    bool steady = core->machine->core_count == 1 && event->taken && steady_end(core);
    if (event->taken && !steady) {
        core->registers.rip = core->code->snippet->address;
    } else {
        core->ended = core->looped = true;
        core->recording = false; /* handlers that run later are no part of an iteration */
    }
}

bool core_finish(struct core *core)
{
    struct event *event = &core->event;
    struct machine *machine = core->machine;
    const struct op *op = event->op;
    bool several = machine->core_count > 1;
    if (several) {
        core->last_read = core_read_time(core);
        publish_until(machine, core->last_read);
        if (op->kind == OP_LOCK) {
            publish_own(core);
        }
    }
    if (!execute(core, event)) {
        return false;
    }
    if (event->merged) {
        publish(core, core->commit, false);
        machine->instructions++;
        return true;
    }
    if (event->taken) {
        front_end_taken(core, event);
    }
    time_execution(core, event);
    time_branch(core, event);
    if (op->insn->class == INSN_WRMSR && !interrupts_wrmsr(core, event)) {
        return false;
    }
    retire(core, event);
    write_back(core, event);
    if (op->stores) {
        time_store_commit(core, event);
        publish(core, later(core->commit, event->store_line), op->kind == OP_LOCK);
    }
    if (op->kind == OP_LOCK) {
        lock_after_retire(core, event);
    } else if (op->kind == OP_SFENCE) {
        barrier_after_retire(core, event);
    }
    if (core->recorder != NULL) {
        record_event(core, event);
    }
    core->previous = op;
    machine->instructions++;
    if (op == &core->loop_end) {
        next_iteration(core, event);
    } else if (event->taken && core->registers.rip <= op->insn->address &&
               (several || ++core->rounds % ALONE_CHECKS == 0)) {
        return spin_round(core);
    }
    return true;
}
