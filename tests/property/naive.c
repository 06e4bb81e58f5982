/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine of the x86-TSO paper, written down without any cleverness: whole states, tried
 * one after the other. Beyond the paper it has sizes, stores and loads that are seen in
 * pieces, and a limit to the store buffer.
 */
#include <string.h>

#include "tests/property/property.h"

void state_start(const struct sample *sample, struct state *state)
{
    memset(state, 0, sizeof *state);
    for (unsigned thread = 0; thread < sample->threads; thread++)
        memcpy(state->threads[thread].registers, sample->registers[thread],
               sizeof sample->registers[thread]);
}

void state_row(const struct sample *sample, const struct state *state, uint64_t *row)
{
    memset(row, 0, VALUES_MAX * sizeof *row);
    for (unsigned thread = 0; thread < sample->threads; thread++)
        for (unsigned reg = 0; reg < REGISTERS; reg++)
            *row++ = state->threads[thread].registers[reg];
    for (unsigned i = 0; i < WINDOW_WORDS; i++)
        memcpy(row++, state->memory + 8 * i, 8);
}

unsigned naive_cut(const struct machine *machine, unsigned offset, unsigned size, unsigned sizes[2])
{
    unsigned room = machine->atomic_bytes - (WINDOW_BASE + offset) % machine->atomic_bytes;
    sizes[0] = size <= room ? size : room;
    sizes[1] = size - sizes[0];
    return sizes[1] ? 2 : 1;
}

void naive_read(const struct state *state, unsigned thread, unsigned offset, unsigned size,
                uint8_t *bytes)
{
    const struct thread_state *own = &state->threads[thread];
    memcpy(bytes, state->memory + offset, size);
    for (unsigned n = 0; n < own->count; n++) /* oldest first: the youngest wins */
        for (unsigned i = 0; i < own->buffer[n].size; i++) {
            unsigned at = own->buffer[n].offset + i;
            if (at >= offset && at < offset + size)
                bytes[at - offset] = own->buffer[n].bytes[i];
        }
}

static bool overlap(const struct entry *a, const struct entry *b)
{
    return a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

bool naive_drain(struct state *state, unsigned thread, unsigned index)
{
    struct thread_state *own = &state->threads[thread];
    if (index >= own->count)
        return false;
    struct entry *entry = &own->buffer[index];
    for (unsigned older = 0; older < index; older++)
        if (!own->buffer[older + 1].joined || overlap(&own->buffer[older], entry))
            return false;
    memcpy(state->memory + entry->offset, entry->bytes, entry->size);
    memmove(entry, entry + 1, (own->count - index - 1u) * sizeof *entry);
    own->count--;
    memset(&own->buffer[own->count], 0, sizeof *entry);
    if (index == 0)
        own->buffer[0].joined = 0;
    return true;
}

static bool push(const struct machine *machine, struct thread_state *own, unsigned offset,
                 unsigned size, uint64_t value)
{
    unsigned sizes[2], count = naive_cut(machine, offset, size, sizes), done = 0;
    if (own->count && (machine->sc || own->count + count > machine->capacity))
        return false;
    for (unsigned n = 0; n < count; n++) {
        struct entry *entry = &own->buffer[own->count++];
        entry->offset = (uint8_t)(offset + done);
        entry->size = (uint8_t)sizes[n];
        entry->joined = n > 0;
        memcpy(entry->bytes, (const uint8_t *)&value + done, sizes[n]);
        done += sizes[n];
    }
    return true;
}

static uint64_t value_of(const uint8_t *bytes, unsigned size)
{
    uint64_t value = 0;
    memcpy(&value, bytes, size);
    return value;
}

/* A 4-byte result clears the upper half of the register, smaller ones leave the rest. */
static void set_register(uint64_t *reg, unsigned size, uint64_t value)
{
    if (size == 4)
        *reg = 0;
    memcpy(reg, &value, size);
}

static void next_op(struct thread_state *own, unsigned skip)
{
    own->pc = (uint8_t)(own->pc + 1 + skip);
    own->latched = 0;
    memset(own->bytes, 0, sizeof own->bytes);
}

static const struct op *current(const struct sample *sample, const struct state *state,
                                unsigned thread)
{
    unsigned pc = state->threads[thread].pc;
    return pc < sample->count[thread] ? &sample->ops[thread][pc] : NULL;
}

bool naive_load_piece(const struct sample *sample, const struct machine *machine,
                      struct state *state, unsigned thread, unsigned piece)
{
    const struct op *op = current(sample, state, thread);
    struct thread_state *own = &state->threads[thread];
    unsigned sizes[2];
    if (!op || (op->kind != OP_LOAD && op->kind != OP_ADD) || own->latched >> piece & 1)
        return false;
    if (piece >= naive_cut(machine, op->offset, op->size, sizes) || (machine->sc && own->count))
        return false;
    unsigned before = piece ? sizes[0] : 0;
    naive_read(state, thread, op->offset + before, sizes[piece], own->bytes + before);
    own->latched = (uint8_t)(own->latched | 1u << piece);
    if (op->kind == OP_LOAD && own->latched == (sizes[1] ? 3 : 1)) {
        set_register(&own->registers[op->reg], op->size, value_of(own->bytes, op->size));
        next_op(own, 0);
    }
    return true;
}

static uint64_t sized(uint64_t value, unsigned size)
{
    return value_of((const uint8_t *)&value, size);
}

static void locked(struct state *state, struct thread_state *own, const struct op *op)
{
    uint64_t old = value_of(state->memory + op->offset, op->size), stored = old;
    uint64_t *reg = &own->registers[op->reg];
    switch (op->kind) {
    case OP_LOCK_ADD:
        stored = old + op->number;
        break;
    case OP_LOCK_XADD:
        stored = old + *reg;
        set_register(reg, op->size, old);
        break;
    case OP_XCHG:
        stored = *reg;
        set_register(reg, op->size, old);
        break;
    default: /* compare and exchange: rax is written only when they differ */
        if (old == sized(own->registers[0], op->size))
            stored = *reg;
        else
            set_register(&own->registers[0], op->size, old);
        break;
    }
    memcpy(state->memory + op->offset, &stored, op->size);
}

static bool store(const struct machine *machine, struct thread_state *own, const struct op *op)
{
    unsigned sizes[2];
    uint64_t value = op->kind == OP_STORE ? own->registers[op->reg] : op->number;
    if (op->kind == OP_ADD) {
        if (own->latched != (naive_cut(machine, op->offset, op->size, sizes) == 2 ? 3 : 1))
            return false;
        value += value_of(own->bytes, op->size);
    }
    return push(machine, own, op->offset, op->size, value);
}

bool naive_instruction(const struct sample *sample, const struct machine *machine,
                       struct state *state, unsigned thread)
{
    const struct op *op = current(sample, state, thread);
    struct thread_state *own = &state->threads[thread];
    unsigned skip = 0;
    if (!op)
        return false;
    switch (op->kind) {
    case OP_LOAD:
        return false; /* piece by piece */
    case OP_STORE:
    case OP_STORE_NUMBER:
    case OP_ADD:
        if (!store(machine, own, op))
            return false;
        break;
    case OP_BRANCH:
        skip = own->registers[op->reg] == 0 ? op->skip : 0;
        break;
    case OP_MFENCE:
        if (own->count)
            return false;
        break;
    default:
        if (own->count)
            return false;
        locked(state, own, op);
        break;
    }
    next_op(own, skip);
    return true;
}
