/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A first-in first-out store buffer as words: oldest first, one word a store. Stores joined
 * into one group (the pieces of a torn store, the iterations of a fast string instruction)
 * may leave in any order while the group is the oldest.
 */
#ifndef FENCESIM_MODELS_FIFO_H_
#define FENCESIM_MODELS_FIFO_H_

#include "models/model.h"

#define FIFO_JOINED (UINT32_C(1) << 31) /* in one group with the word before */

/* Whether `count` more stores fit, given the profile's number of entries. */
bool fifo_has_room(const struct model_context *context, const struct buffers *buffers,
                   unsigned count);

/* Appends the stores of one instruction. */
void fifo_push(struct buffers *buffers, const struct action *action);

/* Bytes that the youngest stores to them supply; see `forward` in models/model.h. */
uint32_t fifo_forward(const struct model_context *context, const struct buffers *buffers,
                      uint64_t address, unsigned size, uint8_t *data);

/* Emits the drain of every store of the oldest group that no older one of it overlaps. */
void fifo_drains(const struct model_context *context, const struct buffers *buffers,
                 model_emit *emit, void *receiver);

uint32_t fifo_store_of(uint32_t word);

#endif
