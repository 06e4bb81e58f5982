/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The x86 machine with memory types, non-temporal stores, flushes and instructions that fences
 * of memory do not hold back. Where vendors and parts differ, a parameter of the profile
 * decides; with all of them off and write-back memory only it is x86-TSO (models/tso.c).
 *
 * One list of entries a CPU, oldest first, and one relation: which entry may leave before an
 * older one (Intel SDM vol. 3A, "Memory Ordering in P6 and More Recent Processor Families";
 * AMD APM vol. 2, "Memory Access Ordering", the table of access pairs). A non-temporal store
 * that younger stores pass is what the manuals call one that sits in a write-combining
 * buffer. Entries:
 *   stores   plain, uncacheable (STORE_UC), weak (STORE_NT: NT hint or WC memory)
 *   flushes  CLFLUSH (ordered like a store), CLFLUSHOPT and CLWB (weak)
 *   SFENCE   nothing passes it; it leaves when it is the oldest
 *   MFENCE   the same, and loads, stores and LFENCE wait for it; only kept when the program
 *            has instructions that may run ahead of it, otherwise MFENCE waits in front
 *   early    a load from WC memory made before its turn; not a store, never drains
 */
#include <string.h>

#include "models/fifo.h"
#include "sim/program/program.h" /* LINE_BYTES */

#define ENTRY_SFENCE (UINT32_C(1) << 28)
#define ENTRY_MFENCE (UINT32_C(2) << 28)
#define ENTRY_EARLY  (UINT32_C(3) << 28)
#define ENTRY_KIND   (UINT32_C(7) << 28)
#define ENTRY_STORE  (~(FIFO_JOINED | ENTRY_KIND))

static const struct store *store_at(const struct model_context *context, uint32_t word)
{
    return intern_bytes(context->stores, word & ENTRY_STORE);
}

static bool is_kind(uint32_t word, uint32_t kind) { return (word & ENTRY_KIND) == kind; }

static bool is_early(uint32_t word) { return is_kind(word, ENTRY_EARLY); }

static bool is_fence(uint32_t word)
{
    return is_kind(word, ENTRY_SFENCE) || is_kind(word, ENTRY_MFENCE);
}

static bool has_kind(const struct buffers *buffers, uint32_t kind)
{
    for (uint32_t i = 0; i < buffers->count; i++)
        if (is_kind(buffers->words[i], kind))
            return true;
    return false;
}

/* Whether nothing is left to drain. */
static bool is_drained(const struct buffers *buffers)
{
    for (uint32_t i = 0; i < buffers->count; i++)
        if (!is_early(buffers->words[i]))
            return false;
    return true;
}

static uint32_t store_entries(const struct buffers *buffers)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < buffers->count; i++)
        count += !is_early(buffers->words[i]);
    return count;
}

static bool has_room(const struct model_context *context, const struct buffers *buffers,
                     unsigned more)
{
    double entries = context->profile->order.store_buffer_entries;
    uint32_t used = store_entries(buffers);
    if (buffers->count + more + 1 > BUFFER_WORDS_MAX)
        return false;
    return entries <= 0 || used + more <= entries || used == 0;
}

static bool may(const struct model_context *context, const struct buffers *buffers,
                const struct action *action)
{
    const struct order_parameters *order = &context->profile->order;
    bool held = has_kind(buffers, ENTRY_MFENCE);
    switch (action->kind) {
    case ACTION_LOAD: /* an uncacheable one passes nothing (AMD's rule f; Intel: strong order) */
        return !held && (!action->uncacheable || is_drained(buffers));
    case ACTION_STORE:
        return !held && has_room(context, buffers, action->store_count);
    case ACTION_SFENCE:
        if (order->sfence_drains != 0)
            return is_drained(buffers);
        return !held && has_room(context, buffers, 1);
    case ACTION_FLUSH:
        return !held && has_room(context, buffers, 1);
    case ACTION_LFENCE:
        if (order->lfence_follows_sfence != 0 && has_kind(buffers, ENTRY_SFENCE))
            return false;
        if (order->lfence_orders_stores != 0 && !has_room(context, buffers, 1))
            return false;
        return !held || order->lfence_serializes == 0;
    case ACTION_MFENCE: /* lazily, when something may run ahead of it */
        if (context->msr_writes && order->mfence_serializes == 0)
            return !held && has_room(context, buffers, 1);
        return is_drained(buffers);
    case ACTION_MSR:
        if (order->apic_wrmsr_waits != 0)
            return is_drained(buffers);
        if (order->fences_order_apic_wrmsr == 0)
            return true;
        for (uint32_t i = 0; i < buffers->count; i++)
            if (is_fence(buffers->words[i]))
                return false;
        return true;
    case ACTION_LOCKED:
    case ACTION_SERIALIZE:
    case ACTION_INTERRUPT:
        return is_drained(buffers);
    }
    return false;
}

static void drop_early(struct buffers *buffers)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < buffers->count; i++)
        if (!is_early(buffers->words[i]))
            buffers->words[kept++] = buffers->words[i];
    buffers->count = kept;
}

/* Drops early loads of memory; an early reading of the clock is none. */
static void drop_early_loads(const struct model_context *context, struct buffers *buffers)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < buffers->count; i++) {
        uint32_t word = buffers->words[i];
        if (!is_early(word) || store_at(context, word)->address == TSC_ADDRESS)
            buffers->words[kept++] = word;
    }
    buffers->count = kept;
}

/* Entries are kept in front of early loads, so that equal buffers are equal words. */
static void push_entry(struct buffers *buffers, uint32_t word)
{
    uint32_t at = buffers->count;
    while (at > 0 && is_early(buffers->words[at - 1]))
        at--;
    memmove(buffers->words + at + 1, buffers->words + at,
            (buffers->count - at) * sizeof buffers->words[0]);
    if (at == 0)
        word &= ~FIFO_JOINED;
    buffers->words[at] = word;
    buffers->count++;
}

/* An own store to the place of an early load: the load must see the store. */
static void drop_overlapped(const struct model_context *context, struct buffers *buffers,
                            const struct store *store)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < buffers->count; i++) {
        uint32_t word = buffers->words[i];
        const struct store *other = is_early(word) ? store_at(context, word) : NULL;
        if (other && other->address < store->address + store->size &&
            store->address < other->address + other->size)
            continue;
        buffers->words[kept++] = word;
    }
    buffers->count = kept;
}

static void take_stores(const struct model_context *context, struct buffers *buffers,
                        const struct action *action)
{
    for (unsigned i = 0; i < action->store_count; i++) {
        bool joined = i > 0 || action->joins_previous;
        drop_overlapped(context, buffers, store_at(context, action->stores[i]));
        push_entry(buffers, action->stores[i] | (joined ? FIFO_JOINED : 0));
    }
}

static void take(const struct model_context *context, struct buffers *buffers,
                 const struct action *action)
{
    const struct order_parameters *order = &context->profile->order;
    switch (action->kind) {
    case ACTION_STORE:
    case ACTION_FLUSH:
        take_stores(context, buffers, action);
        break;
    case ACTION_SFENCE:
        if (!is_drained(buffers) && (context->weak_stores || context->msr_writes))
            push_entry(buffers, ENTRY_SFENCE);
        break;
    case ACTION_MFENCE:
        if (!is_drained(buffers))
            push_entry(buffers, ENTRY_MFENCE);
        if (order->mfence_serializes != 0)
            drop_early(buffers);
        else if (order->mfence_orders_wc_loads != 0)
            drop_early_loads(context, buffers);
        break;
    case ACTION_LOCKED:
        if (order->lock_orders_wc_loads != 0)
            drop_early_loads(context, buffers);
        break;
    case ACTION_LFENCE:
        drop_early(buffers);
        if (order->lfence_orders_stores != 0 && !is_drained(buffers))
            push_entry(buffers, ENTRY_SFENCE);
        break;
    case ACTION_SERIALIZE:
    case ACTION_INTERRUPT:
        drop_early(buffers);
        break;
    case ACTION_LOAD:
    case ACTION_MSR:
        break;
    }
}

static bool is_flush(const struct store *store)
{
    return store->flags & (STORE_CLFLUSH | STORE_FLUSH_WEAK);
}

static uint32_t forward(const struct model_context *context, const struct buffers *buffers,
                        uint64_t address, unsigned size, uint8_t *data)
{
    uint32_t found = 0, all = (UINT32_C(1) << size) - 1;
    for (uint32_t i = buffers->count; i-- > 0 && found != all;) {
        if (is_fence(buffers->words[i]) || is_early(buffers->words[i]))
            continue;
        const struct store *store = store_at(context, buffers->words[i]);
        if (is_flush(store))
            continue;
        found = store_supply(store, address, size, data, found);
    }
    return found;
}

static bool same_line(const struct store *a, const struct store *b)
{
    return a->address / LINE_BYTES <= (b->address + b->size - 1) / LINE_BYTES &&
           b->address / LINE_BYTES <= (a->address + a->size - 1) / LINE_BYTES;
}

/* Whether a flush is involved, and if so whether `young` may leave before `old`. */
static bool flush_may_pass(const struct store *young, const struct store *old)
{
    if ((young->flags | old->flags) & STORE_FLUSH_WEAK)
        return !same_line(young, old); /* CLFLUSHOPT, CLWB: ordered with their own line only */
    return false;                      /* no write is reordered with CLFLUSH */
}

static bool store_may_pass(const struct order_parameters *order, const struct store *young,
                           const struct store *old)
{
    if (stores_overlap(young, old))
        return false;
    if (young->flags & STORE_UC)
        return false; /* AMD's rules g and m; Intel: an access of UC memory empties the WC buffers
                       */
    if (young->flags & STORE_NT)
        return old->flags & STORE_NT || order->nt_passes_older_stores != 0; /* rule h */
    if (old->flags & STORE_NT)
        return true; /* rule j */
    if (old->flags & STORE_STRING && order->string_stores_passed != 0)
        return true;
    return order->stores_out_of_order != 0 && !(old->flags & STORE_UC);
}

/* Whether entry `young` may leave the buffers before entry `old`, which is older. */
static bool may_pass(const struct model_context *context, const struct buffers *buffers,
                     uint32_t young, uint32_t old)
{
    if (is_fence(buffers->words[old]) || is_fence(buffers->words[young]))
        return false;
    const struct store *y = store_at(context, buffers->words[young]);
    const struct store *o = store_at(context, buffers->words[old]);
    if (is_flush(y) || is_flush(o))
        return flush_may_pass(y, o);
    bool one_group = true;
    for (uint32_t i = old + 1; i <= young && one_group; i++)
        one_group = buffers->words[i] & FIFO_JOINED;
    if (one_group)
        return !stores_overlap(y, o);
    return store_may_pass(&context->profile->order, y, o);
}

/* Distinct lines of weak stores older than `at`: the write-combining buffers in use. */
static uint32_t weak_lines_before(const struct model_context *context,
                                  const struct buffers *buffers, uint32_t at)
{
    uint32_t lines = 0;
    for (uint32_t i = 0; i < at; i++) {
        const struct store *store = store_at(context, buffers->words[i]);
        if (is_fence(buffers->words[i]) || !(store->flags & STORE_NT))
            continue;
        bool seen = false;
        for (uint32_t n = 0; n < i && !seen; n++) {
            const struct store *other = store_at(context, buffers->words[n]);
            seen =
                !is_fence(buffers->words[n]) && other->flags & STORE_NT && same_line(store, other);
        }
        lines += !seen;
    }
    return lines;
}

static bool may_leave(const struct model_context *context, const struct buffers *buffers,
                      uint32_t at)
{
    double limit = context->profile->order.write_combining_buffers;
    for (uint32_t older = 0; older < at; older++)
        if (!may_pass(context, buffers, at, older))
            return false;
    return at == 0 || limit <= 0 || store_at(context, buffers->words[at])->flags & STORE_NT ||
           weak_lines_before(context, buffers, at) <= limit;
}

static void remove_entry(const struct buffers *buffers, uint32_t at, struct buffers *after)
{
    after->count = buffers->count - 1;
    memcpy(after->words, buffers->words, at * sizeof after->words[0]);
    memcpy(after->words + at, buffers->words + at + 1,
           (buffers->count - at - 1) * sizeof after->words[0]);
    /* What was joined to the entry that left starts the group now. */
    if (at < after->count && !(buffers->words[at] & FIFO_JOINED))
        after->words[at] &= ~FIFO_JOINED;
    uint32_t fences = 0;
    while (fences < after->count && is_fence(after->words[fences]))
        fences++; /* nothing is older: they have done their work */
    if (fences) {
        after->count -= fences;
        memmove(after->words, after->words + fences, after->count * sizeof after->words[0]);
    }
}

static void drains(const struct model_context *context, const struct buffers *buffers,
                   model_emit *emit, void *receiver)
{
    for (uint32_t i = 0; i < buffers->count; i++) {
        uint32_t word = buffers->words[i];
        if (is_fence(word) || is_early(word) || !may_leave(context, buffers, i))
            continue;
        const struct store *store = store_at(context, word);
        struct drain drain;
        drain.store = word & ENTRY_STORE;
        drain.writes = !is_flush(store);
        /* Non-temporal data leaves its buffer for memory, not for a cache. */
        drain.persists = is_flush(store) || store->flags & (STORE_NT | STORE_UC);
        drain.event = is_flush(store) ? "flush" : "drain";
        remove_entry(buffers, i, &drain.after);
        emit(receiver, &drain);
    }
}

bool buffers_early_load(const struct model_context *context, const struct buffers *buffers,
                        uint64_t address, unsigned size, uint8_t *data)
{
    for (uint32_t i = 0; i < buffers->count; i++) {
        if (!is_early(buffers->words[i]))
            continue;
        const struct store *load = store_at(context, buffers->words[i]);
        if (load->address != address || load->size != size)
            continue;
        memcpy(data, load->data, size);
        return true;
    }
    return false;
}

void buffers_add_early_load(struct buffers *buffers, uint32_t store)
{
    uint32_t word = store | ENTRY_EARLY, at = buffers->count;
    while (at > 0 && is_early(buffers->words[at - 1]) && buffers->words[at - 1] > word)
        at--;
    memmove(buffers->words + at + 1, buffers->words + at,
            (buffers->count - at) * sizeof buffers->words[0]);
    buffers->words[at] = word;
    buffers->count++;
}

void buffers_drop_early_load(const struct model_context *context, struct buffers *buffers,
                             uint64_t address)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < buffers->count; i++)
        if (!is_early(buffers->words[i]) ||
            store_at(context, buffers->words[i])->address != address)
            buffers->words[kept++] = buffers->words[i];
    buffers->count = kept;
}

static uint32_t store_of(uint32_t word)
{
    return is_fence(word) || is_early(word) ? MODEL_NO_STORE : word & ENTRY_STORE;
}

static const char *name_of(uint32_t word, uint32_t *early)
{
    *early = is_early(word) ? word & ENTRY_STORE : MODEL_NO_STORE;
    return is_early(word) ? "early load" : is_kind(word, ENTRY_MFENCE) ? "mfence" : "sfence";
}

const struct model model_x86 = {
    .name = "x86",
    .about = "x86 with memory types, non-temporal stores, flushes and weakly ordered MSR writes",
    .may = may,
    .take = take,
    .forward = forward,
    .drains = drains,
    .store_of = store_of,
    .name_of = name_of,
};
