/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lfence, mfence and the instructions that hold up dispatch. Each is described by what it
 * waits for, what it holds back and what it costs itself, never by a price per neighbour.
 */
#include "sim/isa/system_registers.h"
#include "sim/time/stages.h"

static void hold_dispatch(struct core *core, ticks until, enum stall cause)
{
    if (until > core->barrier) {
        core->barrier_op = core->event.op;
        core->barrier = until;
        core->barrier_cause = (uint8_t)cause;
    }
}

/* All older work is done; older stores need not have left the queue. */
static void time_lfence(struct core *core, struct event *event)
{
    const struct timing *t = core->timing;
    ticks all = later(core->all_done, later(core->late_visible, wc_lfence(core)));
    event->done = later(event->earliest, all);
    mark(event, STALL_LFENCE, event->done);
    ticks restart =
        later(event->dispatch + t->lfence_bare, all + t->lfence_restart - t->dispatch_to_issue);
    if (core->barrier_op != NULL && core->barrier_op->kind == OP_MFENCE) {
        restart -= later(t->lfence_hidden - later(event->dispatch - core->barrier, 0), 0);
    }
    hold_dispatch(core, restart, STALL_RESTART);
}

static void time_mfence(struct core *core, struct event *event)
{
    const struct timing *t = core->timing;
    ticks done = event->earliest + t->mfence_own;
    mark(event, STALL_SERIALIZATION, done);
    done = later(done, core->all_done);
    mark(event, STALL_DEPENDENCY, done);
    if (t->mfence_store_drain) {
        done = later(done, core->all_visible + t->mfence_drain);
        mark(event, STALL_STORE_DRAIN, done);
    }
    done = later(done, wc_flush(core, later(event->earliest, core->all_visible)));
    mark(event, STALL_WC_FLUSH, done);
    event->done = done;
    hold_dispatch(core, done + t->mfence_restart - t->dispatch_to_issue, STALL_RESTART);
    core->decoding = t->mfence_decodes;
}

void time_barrier(struct core *core, struct event *event)
{
    if (event->op->kind == OP_LFENCE) {
        time_lfence(core, event);
    } else {
        time_mfence(core, event);
    }
    event->value = event->done;
    event->value_cause = STALL_SERIALIZATION;
}

/* Serializing instructions also wait for the older stores to be visible. */
static bool serializes(const struct insn *insn)
{
    return insn->class == INSN_SERIALIZING || insn->class == INSN_IRET;
}

/* How long the modified lines take on their way to memory, which then has them. */
static ticks write_back_all(struct core *core)
{
    const struct timing *t = core->timing;
    uint64_t lines = image_clean_all(&core->machine->image);
    uint64_t most = (uint64_t)t->l3_bytes / LINE_BYTES; /* the others were evicted long ago */
    return (ticks)(lines < most ? lines : most) * t->wc_line;
}

void time_hold(struct core *core, struct event *event)
{
    const struct timing *t = core->timing;
    const struct insn *insn = event->op->insn;
    bool icr = insn->class == INSN_WRMSR && (uint32_t)core->registers.gpr[1] == MSR_ICR;
    ticks hold = icr ? t->icr_hold : event->op->hold, from = event->dispatch;
    bool waits = serializes(insn) || insn->class == INSN_WRMSR || insn->kind == KIND_RDTSCP;
    if (waits) {
        from = later(from, core->all_done - t->dispatch_to_issue);
        mark(event, STALL_DEPENDENCY, from);
    }
    if (serializes(insn)) {
        from = later(from, core->all_visible - t->dispatch_to_issue);
        mark(event, STALL_STORE_DRAIN, from);
    }
    if (insn->kind == KIND_WBINVD || insn->kind == KIND_WBNOINVD) {
        hold += write_back_all(core);
        mark(event, STALL_SYSTEM, from + hold);
    }
    hold_dispatch(core, from + hold, STALL_SYSTEM);
    event->done = insn->kind == KIND_RDTSC ? event->earliest + t->rdtsc_done : from + hold;
    event->done = later(event->done, event->earliest);
    event->value = event->done;
    event->value_cause = STALL_SYSTEM;
    mark(event, STALL_SYSTEM, event->done);
}

void barrier_after_retire(struct core *core, struct event *event)
{
    const struct timing *t = core->timing;
    if (t->lock_interval_sfence == 0 || !core->any_lock) {
        return;
    }
    /* An sfence behind a locked operation takes a place in the locks' chain. */
    ticks start = core->chain_is_sfence ? core->chain_start + t->sfence_interval
                                        : core->chain_start + core->chain_interval;
    core->chain_start = later(start, event->retire);
    core->chain_interval = t->lock_interval_sfence;
    core->chain_is_sfence = true;
}
