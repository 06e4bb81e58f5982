/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores: an address half and a data half issue separately; after retirement the store
 * leaves the queue in order (commit). A store that missed leaves the queue too and is
 * visible when its line has come.
 */
#include "sim/time/stages.h"

void time_store_issue(struct core *core, struct event *event, ticks data_ready)
{
    const struct op *op = event->op;
    uint8_t cause = STALL_DEPENDENCY;
    ticks from = registers_ready(core, op->address_reads, event->earliest, &cause);
    mark(event, (enum stall)cause, from);
    event->store_issue = issue(core, PORT_ADDRESS, from);
    event->store_value = later(event->earliest, data_ready);
    ticks data = event->store_value;
    if (op->vector_store) {
        data = issue_pipe(core, vector_bank(core->timing), core->timing->vector_store_pipes, data);
    }
    event->store_data = issue(core, PORT_STORE_DATA, data);
    mark(event, STALL_PORT, event->store_issue);
    mark(event, STALL_DEPENDENCY,
         later(event->store_issue + core->timing->store_address_latency, event->store_data));
    event->store_line = event->store_issue;
    event->store_level = LEVEL_L1;
    if (op->nt || op->kind == OP_SFENCE || op->kind == OP_FLUSH || event->store.size == 0) {
        return;
    }
    /* The line is asked for as soon as the address is known, not at retirement. */
    enum level level;
    uint64_t line = event->store.address / LINE_BYTES;
    ticks at = flush_wait(core, line, event->store_issue, true);
    ticks arrival = caches_fetch(core, line, at, FETCH_WRITE, &level);
    if (at > event->store_issue) {
        level = LEVEL_DRAM; /* it was flushed */
    }
    event->store_level = (uint8_t)level;
    event->store_request = core->request;
    if (level != LEVEL_L1 && event->store_issue < core->lock_finish) {
        event->store_redo = core->lock_finish + core->timing->lock_redo;
    }
    if (level != LEVEL_L1 || arrival > at + core->timing->l1_latency) {
        event->store_line = core->installed;
    }
}

void commits_forget(struct core *core)
{
    for (unsigned i = 0; i < COMMITTED_MAX; i++) {
        core->committed[i].line = UINT64_MAX;
    }
    core->committed_next = 0;
}

/* The place of the line among the newest ones, COMMITTED_MAX when it is none of them. */
static unsigned committed_place(const struct core *core, uint64_t line)
{
    int64_t lines = core->timing->commit_lines;
    for (unsigned i = 0; i < COMMITTED_MAX && i < lines; i++) {
        if (core->committed[i].line == line) {
            return i;
        }
    }
    return COMMITTED_MAX;
}

static void note_commit(struct core *core, const struct event *event)
{
    uint64_t line = event->store.address / LINE_BYTES;
    bool no_data = event->op->kind == OP_SFENCE || event->op->kind == OP_FLUSH;
    if (no_data || event->op->kind == OP_LOCK) {
        commits_forget(core);
    }
    if (no_data) {
        return;
    }
    unsigned place = committed_place(core, line);
    if (place == COMMITTED_MAX) {
        int64_t lines = core->timing->commit_lines;
        place = core->committed_next++ % (lines < 1               ? 1
                                          : lines > COMMITTED_MAX ? COMMITTED_MAX
                                                                  : (unsigned)lines);
    }
    core->committed[place].line = line;
    core->committed[place].address = event->store.address;
}

static ticks commit_step(const struct core *core, const struct event *event)
{
    const struct timing *t = core->timing;
    const struct access *store = &event->store;
    if (event->op->kind == OP_SFENCE) {
        return t->sfence_interval;
    }
    if (event->op->kind == OP_LOCK) {
        return t->commit_interval; /* it never joins the stores before it */
    }
    uint64_t line = store->address / LINE_BYTES;
    if ((store->address + store->size - 1) / LINE_BYTES != line) {
        return t->commit_split;
    }
    if (event->op->repeats && event->store_level == LEVEL_L1) {
        return later(t->rep_line, t->commit_interval);
    }
    /* Only stores that go upwards in a line are written together. */
    unsigned place = committed_place(core, line);
    bool joins = place != COMMITTED_MAX &&
                 (t->commit_lines > 1 || store->address >= core->committed[place].address);
    switch (event->store_level) {
    case LEVEL_L2:
        return t->commit_l2;
    case LEVEL_L3:
    case LEVEL_TRANSFER:
        return t->commit_l3;
    case LEVEL_DRAM:
        return t->commit_dram;
    default:
        return !joins ? t->commit_interval : event->op->nt ? t->commit_nt : t->commit_same_line;
    }
}

static void store_remember(struct core *core, const struct store_entry *entry)
{
    uint64_t n = core->store_count++;
    *store_at(core, n) = *entry;
    if (entry->size == 0) {
        return;
    }
    core->line_table[entry->address / LINE_BYTES % TABLE] = n + 1;
    uint64_t last = (entry->address + entry->size - 1) / LINE_BYTES;
    core->line_table[last % TABLE] = n + 1;
    core->alias_table[(entry->address >> 3) % (TABLE / 2)] = n + 1;
}

static bool crosses_page(const struct access *store)
{
    return store->size > 0 &&
           (store->address + store->size - 1) / PAGE_BYTES != store->address / PAGE_BYTES;
}

/* When the store could leave the queue were it not for write combining and flushes. */
static ticks ready_to_commit(struct core *core, struct event *event, ticks step)
{
    ticks commit = later(event->retire + core->timing->retire_to_commit, core->commit + step);
    commit = later(commit, event->store_request);
    if (crosses_page(&event->store)) {
        commit += core->timing->commit_page;
    }
    if (core->machine->core_count == 1 || event->op->kind != OP_PLAIN || event->op->nt) {
        return commit;
    }
    /* The line was asked for early; another CPU may have taken it since. */
    ticks arrival = commit, at = later(commit, event->store_line);
    if (coherence_write(core, event->store.address / LINE_BYTES, at, &arrival)) {
        commit = event->store_line = arrival;
        event->store_level = LEVEL_TRANSFER; /* the second lock from here waits for it */
    }
    return commit;
}

static void note_cause(struct core *core, const struct event *event, ticks ready, ticks step,
                       ticks commit)
{
    if (commit > ready) {
        core->queue_cause = STALL_WC_FLUSH;
    } else if (ready > core->commit + step) { /* else it is late as the one before was */
        core->queue_cause = event->store_level == LEVEL_L1 ? STALL_WINDOW : STALL_MISS;
    }
}

static void remember(struct core *core, const struct event *event, ticks commit, ticks visible)
{
    const struct op *op = event->op;
    bool no_data = op->kind == OP_SFENCE || op->kind == OP_FLUSH;
    core->commit = commit;
    note_commit(core, event);
    core->all_visible = later(core->all_visible, visible);
    core->drained = later(core->drained, visible);
    if (event->store_level != LEVEL_L1 || op->kind == OP_FLUSH) {
        core->missing_visible = later(core->missing_visible, visible);
    }
    core->last_store = op;
    if (op->kind == OP_PLAIN) {
        core->last_plain_commit = visible;
    }
    ring_push(&core->store_commit, commit);
    ring_push(&core->store_retire, event->retire);
    struct store_entry entry = {
        .address = event->store.address,
        .size = no_data ? 0 : event->store.size,
        .vector = op->vector_store,
        .lock = op->kind == OP_LOCK,
        .crosses = !no_data && crosses_page(&event->store),
        .value = event->store_value,
        .data = event->store_data,
        .commit = commit,
        .visible = visible,
        /* Not the commit, which waits for older stores: a failed load watches its own store. */
        .retry = op->kind == OP_LOCK ? event->lock_start + event->lock_interval - CYCLE
                                     : event->retire + core->timing->retire_to_commit,
    };
    store_remember(core, &entry);
}

void time_store_commit(struct core *core, struct event *event)
{
    const struct op *op = event->op;
    uint64_t line = event->store.address / LINE_BYTES;
    ticks step = commit_step(core, event);
    ticks ready = ready_to_commit(core, event, step), commit = ready;
    if (op->nt) {
        core->wc_store_done = event->done;
        commit = wc_store(core, &event->store, commit);
    } else if (op->kind == OP_SFENCE) {
        commit = later(commit, wc_flush(core, commit));
    }
    note_cause(core, event, ready, step, commit);
    ticks visible = later(commit, event->store_line);
    if (op->kind == OP_FLUSH) {
        visible = flush_line(core, op->insn->kind, line, &commit);
    } else if (core->flushed_count > 0) {
        flush_note_store(core, line, visible);
    }
    remember(core, event, commit, visible);
}
