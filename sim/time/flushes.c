/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clflush, clflushopt and clwb. Flushes of different lines overlap; a flush waits for the
 * newest store to its line, and an access to the line waits for the flush. What the flush
 * removed must come back from memory.
 */
#include "sim/time/stages.h"

static struct flushed_line *find_line(struct core *core, uint64_t line)
{
    for (unsigned i = 0; i < core->flushed_count; i++) {
        if (core->flushed[i].line == line) {
            return &core->flushed[i];
        }
    }
    return NULL;
}

/* Whether a store of this run wrote the line and no flush took it since. */
static bool stored_to(struct core *core, uint64_t line, ticks *visible)
{
    uint64_t n = core->line_table[line % TABLE];
    if (n == 0 || core->store_count - n >= STORE_RING) {
        return n != 0;
    }
    const struct store_entry *store = store_at(core, n - 1);
    *visible = store->visible;
    return store->address / LINE_BYTES == line;
}

static struct flushed_line *add_line(struct core *core, uint64_t line)
{
    unsigned slot = core->flushed_next;
    core->flushed_next = (core->flushed_next + 1) % FLUSHED;
    if (core->flushed_count < FLUSHED) {
        core->flushed_count++;
    }
    struct flushed_line *entry = &core->flushed[slot];
    *entry = (struct flushed_line){.line = line};
    entry->dirty = stored_to(core, line, &entry->visible);
    return entry;
}

ticks flush_line(struct core *core, enum insn_kind kind, uint64_t line, ticks *commit)
{
    const struct timing *t = core->timing;
    struct flushed_line *entry = find_line(core, line);
    if (entry == NULL) {
        entry = add_line(core, line);
    }
    ticks start = later(*commit, later(entry->visible, entry->ready));
    *commit = start; /* it stays in the store queue until it can start */
    ticks clean = kind == KIND_CLWB      ? t->flush_clean_keep
                  : kind == KIND_CLFLUSH ? t->flush_clean
                                         : t->flush_clean_opt;
    entry->ready = start + (entry->dirty ? t->flush_dirty : clean);
    entry->dirty = false;
    image_clean(&core->machine->image, line);
    if (kind != KIND_CLWB) {
        caches_drop(core, line);
    }
    return entry->ready;
}

ticks flush_wait(struct core *core, uint64_t line, ticks at, bool store)
{
    if (core->flushed_count == 0) {
        return at;
    }
    struct flushed_line *entry = find_line(core, line);
    if (entry == NULL) {
        return at;
    }
    entry->dirty = entry->dirty || store;
    return later(at, entry->ready);
}

void flush_note_store(struct core *core, uint64_t line, ticks visible)
{
    struct flushed_line *entry = find_line(core, line);
    if (entry != NULL) {
        entry->visible = visible;
    }
}
