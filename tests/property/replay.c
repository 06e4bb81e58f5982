/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Witnesses taken at their word: every step is done on the naive machine and must fit. */
#include <string.h>

#include "tests/property/property.h"

struct replay {
    const struct sample *sample;
    const struct machine *machine;
    struct state state;
};

static const struct op *current(const struct replay *replay, unsigned thread)
{
    unsigned pc = replay->state.threads[thread].pc;
    return pc < replay->sample->count[thread] ? &replay->sample->ops[thread][pc] : NULL;
}

/* Branches are no steps that others could see. */
static void take_branches(struct replay *replay, unsigned thread)
{
    for (const struct op *op = current(replay, thread); op && op->kind == OP_BRANCH;
         op = current(replay, thread))
        naive_instruction(replay->sample, replay->machine, &replay->state, thread);
}

static const char *take_load(struct replay *replay, unsigned thread, unsigned offset,
                             const struct witness_step *step)
{
    const struct op *op = current(replay, thread);
    unsigned sizes[2];
    if (!op || (op->kind != OP_LOAD && op->kind != OP_ADD))
        return "a load where the program has none";
    naive_cut(replay->machine, op->offset, op->size, sizes);
    unsigned piece = offset != op->offset;
    uint8_t bytes[8];
    if (offset != op->offset + (piece ? sizes[0] : 0) || step->size != sizes[piece])
        return "a load of another address or size";
    naive_read(&replay->state, thread, offset, step->size, bytes);
    if (memcmp(bytes, step->data, step->size) != 0)
        return "a load of a value that is not there";
    return naive_load_piece(replay->sample, replay->machine, &replay->state, thread, piece)
               ? NULL
               : "a load that cannot be made";
}

static const char *take_store(struct replay *replay, unsigned thread, unsigned offset,
                              const struct witness_step *step)
{
    const struct op *op = current(replay, thread);
    struct thread_state *own = &replay->state.threads[thread];
    unsigned before = own->count, done = 0;
    if (!op || op->kind >= OP_LOCK_ADD || op->kind == OP_LOAD || offset != op->offset ||
        step->size != op->size)
        return "a store that the program does not make";
    if (!naive_instruction(replay->sample, replay->machine, &replay->state, thread))
        return "a store that cannot be made";
    for (unsigned n = before; n < own->count; done += own->buffer[n++].size)
        if (memcmp(own->buffer[n].bytes, step->data + done, own->buffer[n].size) != 0)
            return "a store of another value";
    return NULL;
}

static const char *take_locked(struct replay *replay, unsigned thread, unsigned offset,
                               const struct witness_step *step)
{
    const struct op *op = current(replay, thread);
    if (!op || op->kind < OP_LOCK_ADD || op->kind > OP_LOCK_CMPXCHG || offset != op->offset ||
        step->size != op->size)
        return "a locked instruction that the program does not have";
    if (memcmp(replay->state.memory + offset, step->data, step->size) != 0)
        return "a locked instruction that reads what is not there";
    return naive_instruction(replay->sample, replay->machine, &replay->state, thread)
               ? NULL
               : "a locked instruction that cannot be done";
}

static const char *take_drain(struct replay *replay, unsigned thread, unsigned offset,
                              const struct witness_step *step)
{
    const struct thread_state *own = &replay->state.threads[thread];
    for (unsigned i = 0; i < own->count; i++)
        if (own->buffer[i].offset == offset && own->buffer[i].size == step->size &&
            memcmp(own->buffer[i].bytes, step->data, step->size) == 0 &&
            naive_drain(&replay->state, thread, i))
            return NULL;
    return "a store leaves the buffer that is not its oldest";
}

static const char *take_fence(struct replay *replay, unsigned thread)
{
    const struct op *op = current(replay, thread);
    if (!op || op->kind != OP_MFENCE)
        return "a fence that the program does not have";
    return naive_instruction(replay->sample, replay->machine, &replay->state, thread)
               ? NULL
               : "a fence that cannot be passed";
}

static const char *take(struct replay *replay, const struct witness_step *step, uint64_t window)
{
    unsigned offset = (unsigned)(step->address - window);
    take_branches(replay, step->cpu);
    if (strcmp(step->event, "compute") == 0)
        return NULL;
    if (strcmp(step->event, "fence") == 0)
        return take_fence(replay, step->cpu);
    if (step->size == 0 || step->size > 8 || offset >= WINDOW_BYTES)
        return "an access outside of the window";
    if (!step->has_insn)
        return take_drain(replay, step->cpu, offset, step);
    if (strcmp(step->event, "load") == 0)
        return take_load(replay, step->cpu, offset, step);
    if (strcmp(step->event, "store") == 0)
        return take_store(replay, step->cpu, offset, step);
    if (strcmp(step->event, "locked") == 0)
        return take_locked(replay, step->cpu, offset, step);
    return "an unknown event";
}

const char *naive_replay(const struct sample *sample, const struct machine *machine,
                         const struct witness *witness, uint64_t window, const uint64_t *row)
{
    struct replay replay = {.sample = sample, .machine = machine};
    uint64_t got[VALUES_MAX];
    state_start(sample, &replay.state);
    for (size_t i = 0; i < witness->count; i++) {
        const char *wrong = take(&replay, &witness->steps[i], window);
        if (wrong)
            return wrong;
    }
    for (unsigned thread = 0; thread < sample->threads; thread++) {
        take_branches(&replay, thread);
        if (current(&replay, thread) || replay.state.threads[thread].count)
            return "it stops before the program ends";
    }
    state_row(sample, &replay.state, got);
    return memcmp(got, row, sizeof got) == 0 ? NULL : "it ends in another outcome";
}
