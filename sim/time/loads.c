/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads: from the caches, or from an older store that is still in the store queue. A load
 * takes a store's value by renaming, by forwarding, or must wait for its commit.
 */
#include <string.h>

#include <string.h>

#include "sim/time/stages.h"

static bool overlaps(const struct store_entry *store, const struct access *load)
{
    return store->address < load->address + load->size &&
           load->address < store->address + store->size;
}

/* The youngest store that wrote some byte of `load`, as store number + 1; 0 for none. */
static uint64_t youngest_store(struct core *core, const struct access *load)
{
    uint64_t first = core->line_table[load->address / LINE_BYTES % TABLE];
    uint64_t last_line = (load->address + load->size - 1) / LINE_BYTES;
    uint64_t second = core->line_table[last_line % TABLE];
    uint64_t n = first > second ? first : second;
    uint64_t window = store_window(core);
    uint64_t oldest = core->store_count > window ? core->store_count - window : 0;
    for (; n > oldest; n--) {
        if (overlaps(store_at(core, n - 1), load)) {
            return n;
        }
    }
    return 0;
}

/* A store to the same offset in another page looks like the same address at first. */
static ticks alias_wait(struct core *core, const struct access *load, ticks at)
{
    uint64_t n = core->alias_table[(load->address >> 3) % (TABLE / 2)];
    if (core->timing->alias_extra == 0 || n == 0 || core->store_count - n >= STORE_RING) {
        return 0;
    }
    const struct store_entry *store = store_at(core, n - 1);
    bool other_line = store->address / LINE_BYTES != load->address / LINE_BYTES;
    return other_line && store->commit > at ? core->timing->alias_extra : 0;
}

static bool can_rename(const struct core *core, const struct op *op,
                       const struct store_entry *store, const struct access *load, bool stable)
{
    return core->timing->rename_memory && stable && !op->vector_load && !store->vector &&
           !store->lock && store->address == load->address && store->size <= 8 && !store->crosses &&
           (load->size >= 4 ||
            (core->timing->rename_small > 0 && strcmp(op->insn->mnemonic, "mov") == 0)) &&
           load->size <= store->size;
}

/* The load's time when `store` supplies some or all of its bytes. */
static void from_store(struct core *core, struct event *event, const struct store_entry *store,
                       const struct access *load, bool stable, ticks *value, ticks *done)
{
    const struct timing *t = core->timing;
    const struct op *op = event->op;
    ticks at = event->load_issue;
    bool contained = store->address <= load->address &&
                     load->address + load->size <= store->address + store->size;
    if (can_rename(core, op, store, load, stable)) {
        *value = later(event->earliest, store->value) + (load->size < 4 ? t->rename_small : 0);
        *done = later(at + t->l1_latency, *value);
        if (store->commit > at) { /* its store is compared all the same */
            *done = later(*done, store->data + t->rename_check);
        }
        event->value_cause = STALL_DEPENDENCY;
    } else if (store->commit <= at) {
        return; /* it is in the cache */
    } else if (store->crosses) {
        *value = later(*value, store->commit + t->l1_latency);
        *done = later(*done, *value);
        event->value_cause = STALL_FORWARDING;
    } else if (contained) {
        ticks forwarded = store->data + t->forward_latency +
                          (store->vector ? t->forward_vector_store : 0) +
                          (op->vector_load ? t->forward_vector_load : 0) +
                          (load->size >= 32 ? t->forward_wide : 0);
        *value = later(*value, forwarded);
        *done = later(*done, forwarded);
        event->value_cause = STALL_FORWARDING;
    } else {
        ticks retried =
            store->retry + t->forward_fail + (op->vector_load ? t->forward_fail_vector : 0);
        *value = later(*value, retried);
        *done = later(*done, retried);
        event->value_cause = STALL_FORWARDING;
    }
}

static void one_load(struct core *core, struct event *event, const struct access *load,
                     ticks *value, ticks *done)
{
    const struct timing *t = core->timing;
    struct op *op = event->op;
    ticks at = event->load_issue, extra = (op->indexed ? t->indexed_extra : 0) +
                                          (op->vector_load ? t->vector_load_extra : 0);
    enum level level;
    uint64_t line = load->address / LINE_BYTES;
    at = flush_wait(core, line, at, false);
    *value = caches_fetch(core, line, at, FETCH_READ, &level);
    uint64_t last = (load->address + load->size - 1) / LINE_BYTES;
    if (last != line) {
        enum level second;
        *value = later(*value, caches_fetch(core, last, at + CYCLE, FETCH_READ, &second));
        level = second > level ? second : level;
    }
    event->load_missed = level != LEVEL_L1;
    if (event->load_missed) {
        core->all_visible = later(core->all_visible, core->installed); /* mfence waits for it */
    }
    *value += extra;
    *done = *value;
    event->value_cause = level == LEVEL_L1         ? STALL_DEPENDENCY
                         : level == LEVEL_TRANSFER ? STALL_TRANSFER
                                                   : STALL_MISS;
    /* What another CPU wrote is there when the line comes, not when it was asked for. */
    event->read = later(event->read, level == LEVEL_TRANSFER ? *value : at);
    uint64_t n = youngest_store(core, load);
    if (n != 0) {
        uint64_t distance = core->store_count - n;
        from_store(core, event, store_at(core, n - 1), load, op->store_distance == distance, value,
                   done);
        op->store_distance = distance;
    } else {
        op->store_distance = UINT64_MAX;
    }
    ticks alias = alias_wait(core, load, event->load_issue);
    *value += alias;
    *done = later(*done, *value);
    if (event->load_missed && event->load_issue < core->lock_finish) {
        *done = later(*done, core->lock_finish + t->lock_redo);
    }
}

void time_loads(struct core *core, struct event *event)
{
    const struct op *op = event->op;
    uint8_t cause = STALL_DEPENDENCY;
    ticks from = registers_ready(core, op->address_reads, event->earliest, &cause);
    mark(event, (enum stall)cause, from);
    if (core->timing->lock_passes > 0) {
        from = later(from, ring_back(&core->lock_end, core->timing->lock_passes));
        mark(event, STALL_LOCK, from);
    }
    event->load_value = event->load_done = 0;
    for (unsigned i = 0; i < op->load_count; i++) {
        event->load_issue =
            issue(core, event->op->vector_load ? PORT_VECTOR_LOAD : PORT_LOAD, from);
        mark(event, STALL_PORT, event->load_issue);
        ticks value, done;
        one_load(core, event, &event->load[i], &value, &done);
        event->load_value = later(event->load_value, value);
        event->load_done = later(event->load_done, done);
    }
    mark(event, (enum stall)event->value_cause, event->load_done);
}

void time_prefetch(struct core *core, struct event *event)
{
    const struct op *op = event->op;
    uint8_t cause = STALL_DEPENDENCY;
    ticks from = registers_ready(core, op->address_reads, event->earliest, &cause);
    mark(event, (enum stall)cause, from);
    event->load_issue = issue(core, PORT_LOAD, from);
    mark(event, STALL_PORT, event->load_issue);
    uint64_t address = interpret_address(op->insn, &core->registers);
    bool write = strcmp(op->insn->mnemonic, "prefetchw") == 0;
    enum level level;
    if (image_covers(&core->machine->image, address, 1)) { /* elsewhere it does nothing */
        caches_fetch(core, address / LINE_BYTES, event->load_issue,
                     write ? FETCH_WRITE : FETCH_READ, &level);
    }
    event->value = event->done = event->load_issue + CYCLE;
}
