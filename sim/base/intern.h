/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interning: equal byte strings get the same small number, numbers count up from 0. Local
 * states, buffers, memories and stores are compared and hashed once, then carried as 32 bits.
 * Equality is exact; the hash only finds candidates.
 */
#ifndef FENCESIM_SIM_BASE_INTERN_H_
#define FENCESIM_SIM_BASE_INTERN_H_

#include "sim/base/region.h"

struct intern_entry {
    const void *bytes; /* 16-byte aligned, never moves */
    uint32_t length;   /* bytes */
    uint32_t hash;
};

struct intern {
    struct region *region;
    struct intern_entry *entries;
    size_t count, capacity;
    uint32_t *slots; /* id + 1, 0 is free; open addressing */
    size_t slot_count;
    char *chunk; /* where the next bytes go */
    size_t chunk_left, chunk_size;
};

void intern_init(struct intern *intern, struct region *region);

/* The number of `bytes`; `*fresh`, when given, tells whether it is new. */
uint32_t intern_add(struct intern *intern, const void *bytes, size_t length, bool *fresh);

static inline const void *intern_bytes(const struct intern *intern, uint32_t id)
{
    return intern->entries[id].bytes;
}

static inline uint32_t intern_length(const struct intern *intern, uint32_t id)
{
    return intern->entries[id].length;
}

#endif
