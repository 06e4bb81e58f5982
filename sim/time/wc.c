/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Non-temporal stores collect in write-combining buffers. A full line leaves by itself, a
 * partly filled one when another needs its buffer or when sfence, mfence or a locked
 * operation sends it. A byte mask, not a count: eight stores to one word fill nothing.
 */
#include "sim/time/stages.h"

static struct wc_buffer *find_buffer(struct core *core, uint64_t line)
{
    for (unsigned i = 0; i < WC_MAX; i++) {
        if (core->wc[i].open && core->wc[i].line == line) {
            return &core->wc[i];
        }
    }
    return NULL;
}

static void close_buffer(struct core *core, struct wc_buffer *buffer, ticks done)
{
    core->wc_sent[core->wc_sent_next].line = buffer->line;
    /* Only a line that left whole may not be written again before it is in memory. */
    core->wc_sent[core->wc_sent_next].done = buffer->mask == UINT64_MAX ? done : core->wc_bus;
    core->wc_sent_next = (core->wc_sent_next + 1) % WC_MAX;
    core->wc_done = later(core->wc_done, done);
    buffer->open = false;
    core->wc_open_count--;
}

/* Sends a line; returns when it has left the buffer. */
static ticks send(struct core *core, struct wc_buffer *buffer, ticks at, ticks bus, ticks done)
{
    core->wc_bus = later(core->wc_bus, at) + bus;
    close_buffer(core, buffer, core->wc_bus + done);
    return core->wc_bus;
}

static ticks make_room(struct core *core, ticks at)
{
    const struct timing *t = core->timing;
    int64_t limit = t->wc_buffers > 0 && t->wc_buffers < WC_MAX ? t->wc_buffers : WC_MAX;
    if (core->wc_open_count < limit) {
        return at;
    }
    struct wc_buffer *oldest = NULL;
    for (unsigned i = 0; i < WC_MAX; i++) {
        if (core->wc[i].open && (oldest == NULL || core->wc[i].age < oldest->age)) {
            oldest = &core->wc[i];
        }
    }
    return oldest == NULL ? at : send(core, oldest, at, t->wc_evict, t->wc_partial_done);
}

static ticks reopen_time(const struct core *core, uint64_t line, ticks at)
{
    for (unsigned i = 0; i < WC_MAX; i++) {
        if (core->wc_sent[i].line == line) {
            at = later(at, core->wc_sent[i].done);
        }
    }
    return at;
}

/* The memory still has the line at hand. */
static bool sent_lately(const struct core *core, uint64_t line)
{
    for (unsigned i = 0; i < WC_MAX; i++) {
        if (core->wc_sent[i].line == line)
            return true;
    }
    return false;
}

static struct wc_buffer *open_buffer(struct core *core, uint64_t line)
{
    for (unsigned i = 0; i < WC_MAX; i++) {
        if (!core->wc[i].open) {
            core->wc[i] = (struct wc_buffer){.line = line, .open = true, .age = ++core->wc_age};
            core->wc_open_count++;
            return &core->wc[i];
        }
    }
    return &core->wc[0]; /* not reached: make_room keeps one free */
}

static uint64_t byte_mask(const struct access *access)
{
    unsigned offset = (unsigned)(access->address % LINE_BYTES);
    uint64_t bytes = access->size >= 64 ? UINT64_MAX : (UINT64_C(1) << access->size) - 1;
    return bytes << offset;
}

ticks wc_store(struct core *core, const struct access *access, ticks at)
{
    const struct timing *t = core->timing;
    uint64_t line = access->address / LINE_BYTES;
    if (line != core->wc_last_line || core->wc_lines == 0) {
        core->wc_lines++;
        core->wc_last_line = line;
    }
    struct wc_buffer *buffer = find_buffer(core, line);
    if (buffer == NULL) {
        at = make_room(core, reopen_time(core, line, at));
        buffer = open_buffer(core, line);
    }
    buffer->mask |= byte_mask(access);
    if (buffer->mask == UINT64_MAX) {
        bool again = sent_lately(core, line);
        send(core, buffer, at, t->wc_line, again ? t->wc_done : t->wc_first);
        /* The buffers absorb only so much: the store waits while they are all in transit. */
        ticks backlog = core->wc_bus - t->wc_buffers * t->wc_line;
        at = later(at, backlog);
    }
    return at;
}

ticks wc_flush(struct core *core, ticks at)
{
    const struct timing *t = core->timing;
    for (unsigned i = 0; i < WC_MAX && core->wc_open_count > 0; i++) {
        if (core->wc[i].open) {
            send(core, &core->wc[i], at, t->wc_partial_line, t->wc_partial_done);
        }
    }
    return later(at, core->wc_done);
}

ticks wc_lfence(struct core *core)
{
    int64_t lines =
        core->wc_lines < core->timing->wc_buffers ? core->wc_lines : core->timing->wc_buffers;
    core->wc_lines = 0;
    return lines == 0 ? 0 : core->wc_store_done + lines * core->timing->wc_open;
}
