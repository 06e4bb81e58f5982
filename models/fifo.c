/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "models/fifo.h"

#include <string.h>

static const struct store *store_at(const struct model_context *context, uint32_t word)
{
    return intern_bytes(context->stores, fifo_store_of(word));
}

uint32_t fifo_store_of(uint32_t word) { return word & ~FIFO_JOINED; }

bool fifo_has_room(const struct model_context *context, const struct buffers *buffers,
                   unsigned count)
{
    double entries = context->profile->order.store_buffer_entries;
    if (buffers->count + count > BUFFER_WORDS_MAX)
        return false;
    /* An instruction with more stores than entries still goes when the buffer is empty. */
    return entries <= 0 || buffers->count + count <= entries || buffers->count == 0;
}

void fifo_push(struct buffers *buffers, const struct action *action)
{
    for (unsigned i = 0; i < action->store_count; i++) {
        bool joined = buffers->count > 0 && (i > 0 || action->joins_previous);
        buffers->words[buffers->count++] = action->stores[i] | (joined ? FIFO_JOINED : 0);
    }
}

uint32_t fifo_forward(const struct model_context *context, const struct buffers *buffers,
                      uint64_t address, unsigned size, uint8_t *data)
{
    uint32_t found = 0, all = (UINT32_C(1) << size) - 1;
    for (uint32_t i = buffers->count; i-- > 0 && found != all;) {
        const struct store *store = store_at(context, buffers->words[i]);
        if (store->address >= address + size || address >= store->address + store->size)
            continue;
        found = store_supply(store, address, size, data, found);
    }
    return found;
}

static void remove_word(const struct buffers *buffers, uint32_t at, struct buffers *after)
{
    after->count = buffers->count - 1;
    memcpy(after->words, buffers->words, at * sizeof after->words[0]);
    memcpy(after->words + at, buffers->words + at + 1,
           (buffers->count - at - 1) * sizeof after->words[0]);
    /* Whoever is first now is joined with nothing before it. */
    if (at == 0 && after->count > 0)
        after->words[0] &= ~FIFO_JOINED;
}

void fifo_drains(const struct model_context *context, const struct buffers *buffers,
                 model_emit *emit, void *receiver)
{
    for (uint32_t i = 0; i < buffers->count; i++) {
        if (i > 0 && !(buffers->words[i] & FIFO_JOINED))
            break;
        bool blocked = false;
        for (uint32_t older = 0; older < i && !blocked; older++)
            blocked = stores_overlap(store_at(context, buffers->words[older]),
                                     store_at(context, buffers->words[i]));
        if (blocked)
            continue;
        struct drain drain;
        drain.writes = true;
        drain.persists = false;
        drain.store = fifo_store_of(buffers->words[i]);
        drain.event = "drain";
        remove_word(buffers, i, &drain.after);
        emit(receiver, &drain);
    }
}
