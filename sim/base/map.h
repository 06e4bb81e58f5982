/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A map from 64-bit keys to 32-bit numbers, for memo tables on the exploration's hot path. */
#ifndef FENCESIM_SIM_BASE_MAP_H_
#define FENCESIM_SIM_BASE_MAP_H_

#include "sim/base/region.h"

#define MAP_NONE UINT32_MAX

struct map_slot {
    uint64_t key;
    uint32_t value; /* MAP_NONE: free */
};

struct map {
    struct region *region;
    struct map_slot *slots;
    size_t count, slot_count;
};

void map_init(struct map *map, struct region *region);

/* Adds a key that is not in the map; `value` is not MAP_NONE. */
void map_add(struct map *map, uint64_t key, uint32_t value);

static inline uint64_t map_hash(uint64_t key)
{
    key ^= key >> 32;
    key *= UINT64_C(0x9e3779b97f4a7c15);
    return key ^ (key >> 29);
}

/* The value of a key, MAP_NONE when it has none. */
static inline uint32_t map_get(const struct map *map, uint64_t key)
{
    if (!map->slot_count)
        return MAP_NONE;
    size_t mask = map->slot_count - 1;
    for (size_t at = map_hash(key) & mask; map->slots[at].value != MAP_NONE; at = (at + 1) & mask)
        if (map->slots[at].key == key)
            return map->slots[at].value;
    return MAP_NONE;
}

#endif
