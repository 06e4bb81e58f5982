/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What --timeline draws: the events of a bounded number of instructions. Of straight code
 * the first ones; of a loop the newest, so that at the end its last iterations are there.
 */
#include "sim/time/stages.h"

enum { ITERATIONS_SHOWN = 3 };

struct recorder {
    struct timeline_row *rows; /* of a loop: a ring */
    size_t capacity;
    uint64_t count; /* recorded so far, also those that the ring has lost */
};

struct recorder *recorder_new(struct region *region, size_t capacity)
{
    struct recorder *recorder = region_alloc(region, sizeof *recorder);
    recorder->rows = region_array(region, capacity, sizeof *recorder->rows);
    recorder->capacity = capacity;
    return recorder;
}

/* When it began to execute; negative when renaming did all its work. */
static ticks issue_of(const struct event *event)
{
    const struct op *op = event->op;
    switch (op->kind) {
    case OP_NOP:
    case OP_MOVE:
        return -1;
    case OP_LOCK:
        return event->lock_start;
    case OP_PREFETCH:
        return event->load_issue;
    case OP_SFENCE:
    case OP_FLUSH:
        return event->store_issue;
    case OP_PLAIN:
        return op->load_count > 0                       ? event->load_issue
               : op->unit != UNIT_NONE && !event->fused ? event->issue
               : op->stores                             ? event->store_issue
                                                        : -1;
    default:
        return event->earliest;
    }
}

void record_event(struct core *core, const struct event *event)
{
    struct recorder *recorder = core->recorder;
    const struct op *op = event->op;
    if (!core->loops && recorder->count == recorder->capacity)
        return;
    ticks issue = issue_of(event);
    ticks commit = op->stores ? later(core->commit, event->store_line) : -1;
    bool is_end = op == &core->loop_end;
    recorder->rows[recorder->count++ % recorder->capacity] = (struct timeline_row){
        .text = op->insn->text,
        .offset = is_end ? core->code->snippet->size
                         : (uint32_t)(op->insn->address - core->code->snippet->address),
        .iteration = core->iteration,
        .dispatch = cycles_of(event->dispatch),
        .issue = issue < 0 ? -1 : cycles_of(issue),
        .done = cycles_of(event->done),
        .retire = cycles_of(event->retire),
        .commit = commit < 0 ? -1 : cycles_of(commit),
    };
}

void recorder_finish(const struct core *core, struct timed_cpu *out)
{
    const struct recorder *recorder = core->recorder;
    size_t capacity = recorder->capacity;
    uint64_t kept = recorder->count < capacity ? recorder->count : capacity;
    uint64_t first = recorder->count - kept, from = first;
    uint64_t wanted = core->iteration > ITERATIONS_SHOWN ? core->iteration - ITERATIONS_SHOWN : 0;
    if (core->loops)
        while (from < recorder->count && recorder->rows[from % capacity].iteration < wanted)
            from++;
    /* An iteration whose beginning is lost is left out, unless it is all there is. */
    uint64_t whole = from;
    while (first > 0 && from == first && whole < recorder->count &&
           recorder->rows[whole % capacity].iteration == recorder->rows[from % capacity].iteration)
        whole++;
    from = whole < recorder->count ? whole : from;
    out->timeline = region_array(core->machine->region, kept + 1, sizeof *out->timeline);
    for (; from < recorder->count; from++)
        out->timeline[out->timeline_count++] = recorder->rows[from % capacity];
}
