/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/explore/future.h"

enum { PLACES_MAX = 64 };

void futures_init(struct futures *futures, struct region *region)
{
    *futures = (struct futures){.region = region};
    map_init(&futures->site_of, region);
    map_init(&futures->place_of, region);
}

/* The closure of accesses under the flow of control, worked out backwards until it stands. */
void futures_begin(struct futures *futures)
{
    futures->broken = false;
    for (size_t i = 0; i < futures->site_count; i++) {
        struct site *site = &futures->sites[i];
        site->future_reads = site->reads;
        site->future_writes = site->writes;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = futures->site_count; i-- > 0;) {
            struct site *site = &futures->sites[i];
            uint64_t reads = site->future_reads, writes = site->future_writes;
            for (size_t n = 0; n < site->next_count; n++) {
                reads |= futures->sites[site->next[n]].future_reads;
                writes |= futures->sites[site->next[n]].future_writes;
            }
            changed = changed || reads != site->future_reads || writes != site->future_writes;
            site->future_reads = reads;
            site->future_writes = writes;
        }
    }
}

static uint64_t place_of(struct futures *futures, uint64_t word)
{
    uint32_t bit = map_get(&futures->place_of, word);
    if (bit == MAP_NONE) {
        bit = futures->place_count < PLACES_MAX - 1 ? futures->place_count++ : PLACES_MAX - 1;
        map_add(&futures->place_of, word, bit);
    }
    return UINT64_C(1) << bit;
}

uint64_t futures_places(struct futures *futures, uint64_t address, unsigned size)
{
    uint64_t places = 0;
    for (uint64_t word = address >> 3; word <= (address + size - 1) >> 3; word++)
        places |= place_of(futures, word);
    return places;
}

static uint32_t site_of(struct futures *futures, uint64_t rip)
{
    uint32_t index = map_get(&futures->site_of, rip);
    if (index != MAP_NONE)
        return index;
    futures->sites = region_push(futures->region, futures->sites, futures->site_count,
                                 &futures->site_capacity, sizeof *futures->sites);
    futures->sites[futures->site_count] =
        (struct site){.future_reads = UINT64_MAX, .future_writes = UINT64_MAX};
    map_add(&futures->site_of, rip, (uint32_t)futures->site_count);
    futures->broken = true;
    return (uint32_t)futures->site_count++;
}

void futures_note_access(struct futures *futures, uint64_t rip, uint64_t places, bool write)
{
    uint32_t index = site_of(futures, rip); /* may move the sites */
    struct site *site = &futures->sites[index];
    uint64_t *known = write ? &site->writes : &site->reads;
    futures->broken = futures->broken || (places & ~*known);
    *known |= places;
}

void futures_note_step(struct futures *futures, uint64_t from, uint64_t to)
{
    uint32_t source = site_of(futures, from), target = site_of(futures, to);
    struct site *site = &futures->sites[source];
    for (size_t i = 0; i < site->next_count; i++)
        if (site->next[i] == target)
            return;
    site->next = region_push(futures->region, site->next, site->next_count, &site->next_capacity,
                             sizeof *site->next);
    site->next[site->next_count++] = target;
    futures->broken = true;
}

void futures_from(const struct futures *futures, uint64_t rip, uint64_t *reads, uint64_t *writes)
{
    uint32_t index = map_get(&futures->site_of, rip);
    *reads = index == MAP_NONE ? UINT64_MAX : futures->sites[index].future_reads;
    *writes = index == MAP_NONE ? UINT64_MAX : futures->sites[index].future_writes;
}
