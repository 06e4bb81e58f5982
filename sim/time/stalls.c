/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the cycles went: each instruction's own history, clipped to the time it delayed retirement.
 */
#include "sim/time/core.h"

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

void attribute(ticks previous, const struct event *event)
{
    struct op *op = event->op;
    ticks from = previous, end = event->retire;
    op->cycles += end - previous;
    if (end == previous) {
        return;
    }
    for (unsigned i = 0; i < event->timeline.count && from < end; i++) {
        ticks until = event->timeline.until[i];
        until = until < end ? until : end;
        if (until > from) {
            op->stall[event->timeline.cause[i]] += until - from;
            from = until;
        }
    }
    op->stall[STALL_FRONT_END] += end - from; /* retirement width */
}
