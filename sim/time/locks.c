/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locked read-modify-writes form a chain: each starts its atomic part an interval after the
 * one before, whatever their addresses. Younger loads and arithmetic run on meanwhile. One
 * lock may be uncommitted at a time: the next waits until the stores before it are visible.
 */
#include "sim/time/stages.h"

static ticks interval_of(const struct timing *t, enum lock_kind kind)
{
    switch (kind) {
    case LOCK_XCHG:
        return t->lock_interval_xchg;
    case LOCK_XADD:
        return t->lock_interval_xadd;
    case LOCK_BIT:
        return t->lock_interval_bit;
    case LOCK_CMPXCHG:
        return t->lock_interval_cmpxchg; /* a failing one is corrected after execution */
    case LOCK_CMPXCHG8B:
        return t->lock_interval_cmpxchg8b;
    case LOCK_CMPXCHG16B:
        return t->lock_interval_cmpxchg16b;
    default:
        return t->lock_interval;
    }
}

/* Without the prefix; 0: as with it. */
static ticks plain_interval(const struct timing *t, enum lock_kind kind)
{
    return kind == LOCK_CMPXCHG8B    ? t->cmpxchg8b_plain
           : kind == LOCK_CMPXCHG16B ? t->cmpxchg16b_plain
                                     : t->plain_interval;
}

static bool has_prefix(const struct op *op) { return op->insn->class == INSN_LOCKED; }

static ticks lock_interval(const struct core *core, const struct event *event)
{
    const struct timing *t = core->timing;
    const struct access *word = &event->load[0];
    ticks plain = has_prefix(event->op) ? 0 : plain_interval(t, event->op->lock);
    if (has_prefix(event->op) &&
        (word->address + word->size - 1) / LINE_BYTES != word->address / LINE_BYTES) {
        return t->lock_interval_split;
    }
    return plain > 0 ? plain : interval_of(t, event->op->lock);
}

/* A time within a locked operation, shorter where it is shorter without the prefix. */
static ticks in_proportion(const struct timing *t, const struct op *op, ticks time)
{
    ticks plain = has_prefix(op) ? 0 : plain_interval(t, op->lock);
    return plain > 0 ? time * plain / later(interval_of(t, op->lock), 1) : time;
}

static ticks lock_done(const struct timing *t, enum lock_kind kind)
{
    switch (kind) {
    case LOCK_XCHG:
        return t->lock_done_xchg;
    case LOCK_XADD:
        return t->lock_done_xadd;
    case LOCK_BIT:
        return t->lock_done_bit;
    case LOCK_CMPXCHG:
        return t->lock_done_cmpxchg;
    case LOCK_CMPXCHG8B:
        return t->lock_done_cmpxchg8b;
    case LOCK_CMPXCHG16B:
        return t->lock_done_cmpxchg16b;
    default:
        return t->lock_done_arithmetic;
    }
}

/* What an uncommitted plain store to the word demands. */
static ticks wait_for_store(struct core *core, const struct access *word, ticks at, ticks start)
{
    const struct timing *t = core->timing;
    uint64_t window = store_window(core), count = core->store_count;
    for (uint64_t n = count; n > 0 && count - n < window; n--) {
        const struct store_entry *store = store_at(core, n - 1);
        if (store->address >= word->address + word->size ||
            word->address >= store->address + store->size) {
            continue;
        }
        if (store->commit <= at) {
            return start;
        }
        bool covers = store->address <= word->address &&
                      word->address + word->size <= store->address + store->size;
        if (!covers) {
            ticks from = store->lock ? store->commit : store->retry;
            return later(start, from + t->forward_fail);
        }
        return core->any_lock && !store->lock
                   ? later(start, core->chain_start + t->lock_after_store)
                   : start;
    }
    return start;
}

void time_lock(struct core *core, struct event *event)
{
    const struct timing *t = core->timing;
    const struct op *op = event->op;
    ticks from = registers_ready(core, op->address_reads, event->earliest, NULL);
    mark(event, STALL_DEPENDENCY, from);
    enum level level;
    event->load_issue = issue(core, PORT_LOAD, from);
    uint64_t line = event->load[0].address / LINE_BYTES;
    ticks at = flush_wait(core, line, event->load_issue, true);
    ticks start = caches_fetch(core, line, at, FETCH_LOCAL, &level);
    if (op->indexed) {
        start += t->indexed_extra;
    }
    if (from > event->earliest) {
        start += t->lock_late_address;
    }
    mark(event,
         level == LEVEL_L1         ? STALL_DEPENDENCY
         : level == LEVEL_TRANSFER ? STALL_TRANSFER
                                   : STALL_MISS,
         start);
    start = later(start, core->retire); /* it must be the oldest */
    mark(event, STALL_LOCK, start);
    if (core->any_lock) {
        start = later(start, core->chain_start + core->chain_interval);
    }
    if (op->lock >= LOCK_XADD) {
        start = later(start, registers_ready(core, event->op->data_reads, 0, NULL));
    }
    mark(event, STALL_LOCK, start);
    start = later(start, core->missing_before_lock);
    bool drained = t->lock_drains && has_prefix(op);
    if (drained) {
        start = later(start, core->all_visible);
    }
    mark(event, STALL_STORE_DRAIN, start);
    start = later(start, wc_flush(core, start));
    mark(event, STALL_WC_FLUSH, start);
    if (level != LEVEL_L1 && event->load_issue < core->lock_finish) {
        start = later(start, core->lock_finish + t->lock_redo);
    }
    mark(event, STALL_LOCK, start);
    if (!drained) {
        start = wait_for_store(core, &event->load[0], event->load_issue, start);
    }
    mark(event, STALL_FORWARDING, start);
    event->lock_start = start;
    event->lock_interval = lock_interval(core, event);
    event->load_done = event->done = start + in_proportion(t, op, lock_done(t, op->lock));
    event->value =
        op->lock == LOCK_XADD ? start + in_proportion(t, op, t->lock_value_xadd) : event->done;
    event->value_cause = STALL_LOCK;
    mark(event, STALL_LOCK, event->done);
    event->store_issue = event->store_line = event->load_issue;
    event->store_data = event->store_value = start;
    event->store_level = LEVEL_L1;
}

bool lock_transfer(struct core *core)
{
    struct event *event = &core->event;
    if (event->op->kind != OP_LOCK || event->lock_owned)
        return false;
    event->lock_owned = true;
    ticks arrival = event->lock_start;
    uint64_t line = event->load[0].address / LINE_BYTES;
    if (!coherence_write(core, line, event->lock_start, &arrival))
        return false;
    /* It was there when the lock looked at first: the lock starts again with its load. */
    const struct timing *t = core->timing;
    ticks delay = arrival + t->l1_latency + t->lock_redo - event->lock_start;
    event->lock_start += delay;
    event->value += delay;
    event->done += delay;
    event->store_data += delay;
    mark(event, STALL_TRANSFER, event->done);
    return true;
}

void lock_after_retire(struct core *core, struct event *event)
{
    const struct timing *t = core->timing;
    if (event->op->lock == LOCK_CMPXCHG && !(core->registers.rflags & 0x40) &&
        event->lock_interval == t->lock_interval_cmpxchg) {
        event->lock_interval = t->lock_interval_cmpxchg_fail;
    }
    core->any_lock = true;
    ring_push(&core->lock_end, event->done);
    core->chain_is_sfence = false;
    core->chain_start = event->lock_start;
    core->chain_interval = event->lock_interval;
    core->lock_finish = event->lock_start + event->lock_interval;
    core->missing_before_lock = core->missing_visible;
    core->late_visible = event->done;
    if (core->store_count > 0 && core->last_plain_commit > event->done - t->lock_late_window) {
        core->late_visible = later(event->done, core->last_plain_commit + t->lock_late_visible);
    }
}
