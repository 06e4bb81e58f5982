/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the cycles went: each instruction's own history, clipped to the time it delayed retirement.
 */
#include <string.h>

#include "sim/time/stages.h"

const char *stall_name(enum stall stall)
{
    static const char *const names[STALL_COUNT] = {
#define STALL(name, text) [name] = text,
        STALLS(STALL)
#undef STALL
    };
    return (unsigned)stall < STALL_COUNT ? names[stall] : "";
}

void mark(struct event *event, enum stall cause, ticks until)
{
    struct timeline *line = &event->timeline;
    ticks last = line->count > 0 ? line->until[line->count - 1] : INT64_MIN;
    if (until <= last) {
        return;
    }
    if (line->count == MARKS_MAX) { /* never so many causes; keep the last one growing */
        line->until[MARKS_MAX - 1] = until;
        return;
    }
    line->until[line->count] = until;
    line->cause[line->count] = (uint8_t)cause;
    line->count++;
}

/* The instruction to blame: a wait for a barrier's restart is the barrier's, not its victim's, and
 * sleep is that of the HLT. */
static struct op *blamed(struct core *core, const struct event *event, enum stall cause)
{
    if (cause == STALL_SLEEP && core->sleeper != NULL) {
        return core->sleeper;
    }
    bool held = cause == STALL_RESTART || cause == STALL_SYSTEM;
    return held && core->barrier_op != NULL && core->barrier_cause == cause ? core->barrier_op
                                                                            : event->op;
}

static void charge(struct op *op, enum stall cause, ticks time)
{
    op->cycles += time;
    op->stall[cause] += time;
}

void attribute(struct core *core, ticks previous, const struct event *event)
{
    ticks from = previous, end = event->retire;
    for (unsigned i = 0; i < event->timeline.count && from < end; i++) {
        enum stall cause = (enum stall)event->timeline.cause[i];
        ticks until = event->timeline.until[i];
        until = until < end ? until : end;
        if (until > from) {
            charge(blamed(core, event, cause), cause, until - from);
            from = until;
        }
    }
    charge(event->op, STALL_FRONT_END, end - from); /* retirement width */
}

static void forget(struct op *op)
{
    op->cycles = 0;
    memset(op->stall, 0, sizeof op->stall);
}

void measure_from_here(struct core *core)
{
    /* A window that was to be measured for a steady state may have been charged already. */
    for (uint32_t offset = 0; offset < core->code->snippet->size; offset++) {
        if (core->ops[offset] != NULL)
            forget(core->ops[offset]);
    }
    forget(&core->loop_end);
    core->half_time = core->retire;
    core->recording = true;
}
