/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines that several CPUs use. A line has one writer; a read of another CPU's line and a
 * write to a line that others have cost a transfer. A writer keeps its line for a while
 * against others that want to write (else contended atomics would move it at every
 * operation), not against readers.
 */
#include <string.h>

#include "sim/time/core.h"

struct line_state {
    uint32_t version; /* counts the writers; a copy with an older one is gone */
    uint16_t writer;  /* CPU + 1, 0 none so far */
    uint16_t before;  /* the writer before, which has it until `handover` */
    uint16_t reader;  /* CPU + 1 of the newest reader since the last write, 0 none */
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

static ticks distance(const struct core *core, uint16_t other)
{
    const struct program *program = core->machine->program;
    if (other == 0)
        return core->timing->transfer_near;
    const char *mine = program->cpus[core->cpu].cluster;
    const char *theirs = program->cpus[other - 1].cluster;
    bool near = mine == theirs || (mine != NULL && theirs != NULL && strcmp(mine, theirs) == 0);
    return near ? core->timing->transfer_near : core->timing->transfer_far;
}

/* How long its owner keeps a line: in proportion to the way that it goes. */
static ticks hold_time(const struct core *core, uint16_t owner)
{
    const struct timing *t = core->timing;
    const double most = 100; /* whatever the profile says */
    double further = (double)distance(core, owner) / (double)later(t->transfer_near, 1);
    return (ticks)((double)t->transfer_hold * (further < most ? further : most));
}

static bool read_line(struct core *core, uint64_t line, struct line_state *state, ticks at,
                      ticks *arrival)
{
    uint16_t me = (uint16_t)(core->cpu + 1);
    bool old_owner = state->before == me && at < state->handover;
    if (state->writer == 0 || state->writer == me || old_owner || has_copy(core, line, state, at))
        return false;
    *arrival = later(at, state->arrival) + distance(core, state->writer);
    state->reader = me;
    take_copy(core, line, state);
    return true;
}

static bool write_line(struct core *core, uint64_t line, struct line_state *state, ticks at,
                       ticks *arrival)
{
    uint16_t me = (uint16_t)(core->cpu + 1), other = state->reader;
    if ((state->writer == me && (other == 0 || other == me)) ||
        (state->before == me && at < state->handover))
        return false;
    bool private = state->writer == 0 && line * LINE_BYTES >= STACK_BASE;
    if (state->writer != me)
        other = state->writer;
    ticks handover = at;
    if (state->writer != me && state->writer != 0)
        handover = later(at, state->arrival + hold_time(core, other));
    *arrival = private ? at : handover + distance(core, other);
    state->before = state->writer;
    state->handover = handover;
    state->writer = me;
    state->reader = 0;
    state->version++;
    state->arrival = *arrival;
    take_copy(core, line, state);
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
