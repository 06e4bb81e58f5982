/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/base/map.h"

enum { FIRST_SLOTS = 16 };

void map_init(struct map *map, struct region *region) { *map = (struct map){.region = region}; }

static void place(struct map *map, uint64_t key, uint32_t value)
{
    size_t mask = map->slot_count - 1, at = map_hash(key) & mask;
    while (map->slots[at].value != MAP_NONE)
        at = (at + 1) & mask;
    map->slots[at] = (struct map_slot){key, value};
}

static void grow(struct map *map)
{
    struct map_slot *old = map->slots;
    size_t old_count = map->slot_count;
    size_t new_count = old_count ? old_count * 2 : FIRST_SLOTS;
    struct map_slot *fresh = region_resize(map->region, NULL, new_count * sizeof *fresh);
    for (size_t i = 0; i < new_count; i++)
        fresh[i].value = MAP_NONE;
    map->slots = fresh;
    map->slot_count = new_count;
    for (size_t i = 0; i < old_count; i++)
        if (old[i].value != MAP_NONE)
            place(map, old[i].key, old[i].value);
    region_free(map->region, old);
}

void map_add(struct map *map, uint64_t key, uint32_t value)
{
    if ((map->count + 1) * 5 > map->slot_count * 3)
        grow(map);
    place(map, key, value);
    map->count++;
}
