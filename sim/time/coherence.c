/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines that several CPUs use. A line has one writer; a read of another CPU's line and a
 * write to a line that others have cost a transfer. A writer keeps its line for a while
 * against others that want to write it (else contended atomics would move it at every
 * operation), and against readers when it writes the line again and again. On some parts a line
 * that was written once moves to its reader, who need not ask for it again to write it.
 */
#include <string.h>

#include "sim/time/stages.h"

struct line_state {
    uint32_t version;        /* counts the writers; a copy with an older one is gone */
    uint16_t writer;         /* CPU + 1, 0 none so far */
    uint16_t before;         /* the writer before, which has it until `handover` */
    uint16_t reader;         /* CPU + 1 of the newest reader since the last write, 0 none */
    bool written;            /* by `writer`, which may have it from a read only */
    bool busy;               /* the newest write came soon after the same CPU's one before */
    ticks shared;            /* when `reader` takes part in it */
    ticks used, used_before; /* the newest writes of `writer` and of `before` */
    ticks handover;
    ticks arrival; /* at the writer */
};

static struct line_state *state_of(struct core *core, uint64_t line)
{
    struct machine *machine = core->machine;
    struct page *page = image_page(&machine->image, line * LINE_BYTES);
    if (page == NULL)
        return NULL;
    if (page->lines == NULL)
        page->lines = region_array(machine->region, PAGE_LINES, sizeof *page->lines);
    return &page->lines[line % PAGE_LINES];
}

/*
 * A copy is good until the next writer has the line. A line that this core never asked for
 * counts as version 0: objects start in all caches, shared.
 */
static bool has_copy(const struct core *core, uint64_t line, const struct line_state *state,
                     ticks at)
{
    const struct line_copy *copy = &core->copies[line % TABLE];
    uint32_t version = copy->line == line ? copy->version : 0;
    return version == state->version || (version + 1 == state->version && at < state->arrival);
}

static void take_copy(struct core *core, uint64_t line, const struct line_state *state)
{
    core->copies[line % TABLE] = (struct line_copy){line, state->version};
}

static bool is_near(const struct core *core, uint16_t other)
{
    const struct program *program = core->machine->program;
    if (other == 0)
        return true;
    const char *mine = program->cpus[core->cpu].cluster;
    const char *theirs = program->cpus[other - 1].cluster;
    return mine == theirs || (mine != NULL && theirs != NULL && strcmp(mine, theirs) == 0);
}

static ticks transfer_time(const struct core *core, uint16_t other)
{
    const struct timing *t = core->timing;
    return is_near(core, other) ? t->transfer_near : t->transfer_far;
}

static ticks claim_time(const struct core *core, uint16_t other)
{
    return is_near(core, other) ? core->timing->claim_near : core->timing->claim_far;
}

/* How long its owner keeps a line: in proportion to the way that it goes. */
static ticks hold_time(const struct core *core, uint16_t owner)
{
    const struct timing *t = core->timing;
    const double most = 100; /* whatever the profile says */
    double further = (double)claim_time(core, owner) / (double)later(t->claim_near, 1);
    return (ticks)((double)t->claim_hold * (further < most ? further : most));
}

/* `writer` becomes the owner of the line at `arrival`; the old one has it until `handover`. */
static void take_over(struct core *core, uint64_t line, struct line_state *state, ticks handover,
                      ticks arrival)
{
    uint16_t me = (uint16_t)(core->cpu + 1);
    ticks used = state->before == me ? state->used_before : 0;
    state->before = state->writer;
    state->used_before = state->used;
    state->used = used;
    state->handover = handover;
    state->writer = me;
    state->reader = 0;
    state->version++;
    state->arrival = arrival;
    take_copy(core, line, state);
    /* Who waits at the line has to ask for it from then on. */
    spin_note_write(core->machine, line * LINE_BYTES, LINE_BYTES, handover);
}

ticks coherence_loss(struct core *core, uint64_t line)
{
    const struct line_state *state = state_of(core, line);
    uint16_t me = (uint16_t)(core->cpu + 1);
    if (state == NULL || state->writer == 0 || state->writer == me)
        return INT64_MAX;
    const struct line_copy *copy = &core->copies[line % TABLE];
    uint32_t version = copy->line == line ? copy->version : 0;
    if (version == state->version)
        return INT64_MAX;
    ticks loss = state->before == me ? state->handover : 0;
    return version + 1 == state->version ? later(loss, state->arrival) : loss;
}

static bool read_line(struct core *core, uint64_t line, struct line_state *state, ticks at,
                      ticks *arrival)
{
    uint16_t me = (uint16_t)(core->cpu + 1);
    bool old_owner = state->before == me && at < state->handover;
    if (state->writer == 0 || state->writer == me || old_owner || has_copy(core, line, state, at))
        return false;
    ticks hold = state->busy ? hold_time(core, state->writer) : 0;
    ticks start = later(at, state->arrival + hold), way = transfer_time(core, state->writer);
    /* Until the owner hears of it, it still may write. */
    ticks asked = state->busy ? start : start + way / 2;
    *arrival = start + way;
    if (core->timing->reads_migrate && state->written && !state->busy && state->reader == 0) {
        take_over(core, line, state, asked, *arrival);
        state->written = false;
        return true;
    }
    state->shared = state->reader == 0 || state->reader == me ? asked : state->shared;
    state->reader = me;
    take_copy(core, line, state);
    return true;
}

/* Whether the writer of now or the one before writes the line again soon. */
static bool writes_again(const struct core *core, const struct line_state *state, ticks at)
{
    uint16_t me = (uint16_t)(core->cpu + 1);
    ticks used = state->writer == me ? state->used : state->before == me ? state->used_before : 0;
    return used != 0 && at - used <= core->timing->claim_hold;
}

/*
 * The owner writes the line when another's read is under way to it: on a part where what was
 * written moves to its reader, this line will.
 */
static void written_before_read(struct core *core, uint64_t line, struct line_state *state)
{
    struct core *reader = core->machine->cores[state->reader - 1];
    if (!core->timing->reads_migrate || state->busy)
        return;
    ticks way = transfer_time(reader, state->writer);
    take_over(reader, line, state, state->shared, state->shared + way / 2);
    state->written = false;
}

static bool write_line(struct core *core, uint64_t line, struct line_state *state, ticks at,
                       ticks *arrival)
{
    uint16_t me = (uint16_t)(core->cpu + 1), other = state->reader;
    if ((state->writer == me && (other == 0 || other == me || at < state->shared)) ||
        (state->before == me && at < state->handover)) {
        state->written = state->written || state->writer == me;
        if (state->writer == me && other != 0 && other != me)
            written_before_read(core, line, state);
        return false;
    }
    bool private = state->writer == 0 && line * LINE_BYTES >= STACK_BASE;
    if (state->writer != me)
        other = state->writer;
    ticks handover = at;
    if (state->writer != me && state->writer != 0)
        handover = later(at, state->arrival + hold_time(core, other));
    *arrival = private ? at : handover + claim_time(core, other);
    take_over(core, line, state, handover, *arrival);
    state->written = true;
    return !private;
}

bool coherence_fetch(struct core *core, uint64_t line, ticks at, bool write, ticks *arrival)
{
    struct line_state *state = state_of(core, line);
    if (state == NULL)
        return false;
    if (write)
        return write_line(core, line, state, at, arrival);
    return read_line(core, line, state, at, arrival);
}

bool coherence_write(struct core *core, uint64_t line, ticks at, ticks *arrival)
{
    struct line_state *state = state_of(core, line);
    if (state == NULL)
        return false;
    state->busy = writes_again(core, state, at);
    bool moved = write_line(core, line, state, at, arrival);
    ticks *used = state->writer == core->cpu + 1 ? &state->used : &state->used_before;
    *used = later(moved ? *arrival : at, 1);
    return moved;
}
