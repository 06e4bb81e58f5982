/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contents of memory as numbers. Only words (8 aligned bytes) that somebody accesses have
 * a place; a memory is the interned vector of their values, trailing words that still hold
 * their initial value cut off. Byte-granular: a store of any size and alignment changes the
 * bytes that it covers.
 */
#ifndef FENCESIM_SIM_EXPLORE_MEMORY_H_
#define FENCESIM_SIM_EXPLORE_MEMORY_H_

#include "models/model.h"
#include "sim/base/intern.h"
#include "sim/base/map.h"
#include "sim/explore/start.h"

struct memory {
    struct region *region;
    const struct start *start;
    struct map index_of;    /* address / 8 -> index */
    uint64_t *initial;      /* per index: the value at the start */
    uint64_t *word_address; /* per index: address / 8 */
    size_t word_count, word_capacity, address_capacity;
    struct intern vectors;
    struct map after_store; /* memory << 32 | store -> memory */
    const struct intern *stores;
    uint64_t *scratch;
    size_t scratch_capacity;
};

/* Memory number 0 is the start. */
void memory_init(struct memory *memory, struct region *region, const struct start *start,
                 const struct intern *stores);

/* The place of the word that `address` lies in, for memory_word_value. */
uint32_t memory_word(struct memory *memory, uint64_t address);

static inline uint64_t memory_word_value(const struct memory *memory, uint32_t id, uint32_t index)
{
    const struct intern_entry *vector = &memory->vectors.entries[id];
    return index < vector->length / 8 ? ((const uint64_t *)vector->bytes)[index]
                                      : memory->initial[index];
}

/* The bytes [address, address + size) of memory number `id`; size <= 16. */
void memory_read(struct memory *memory, uint32_t id, uint64_t address, unsigned size,
                 uint8_t *data);

/* The memory after store number `store` reached it. */
uint32_t memory_write(struct memory *memory, uint32_t id, uint32_t store);

/* What is durable once the line at `line` of `from` (number `from_id`) has been written back. */
uint32_t memory_copy_line(struct memory *memory, uint32_t id, struct memory *from, uint32_t from_id,
                          uint64_t line);

#endif
