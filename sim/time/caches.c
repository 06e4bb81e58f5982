/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where lines are, by content: L1 and L2 as sets of ways with least recently used
 * replacement, the shared cache as "brought in not too many lines ago". A line that no one
 * touched so far is where the trace says that its object is (`resident:`).
 */
#include "sim/time/stages.h"

static uint32_t power_of_two(int64_t value)
{
    uint32_t power = 1;
    while (power < UINT32_C(1) << 20 && (int64_t)power * 2 <= value) {
        power *= 2;
    }
    return power;
}

static void cache_init(struct region *region, struct cache *cache, int64_t bytes, int64_t ways)
{
    cache->ways = (uint32_t)(ways > 0 && ways <= 64 ? ways : 8);
    cache->sets = power_of_two(bytes / LINE_BYTES / cache->ways);
    cache->tags = region_array(region, (size_t)cache->sets * cache->ways, sizeof *cache->tags);
}

void caches_init(struct core *core)
{
    struct region *region = core->machine->region;
    cache_init(region, &core->l1, core->timing->l1_bytes, core->timing->l1_ways);
    cache_init(region, &core->l2, core->timing->l2_bytes, core->timing->l2_ways);
}

/* Whether the line is there; it becomes the most recent of its set in any case. */
static bool cache_touch(struct cache *cache, uint64_t line)
{
    uint32_t *set = &cache->tags[(line & (cache->sets - 1)) * cache->ways];
    uint32_t tag = (uint32_t)line + 1, moved = tag;
    for (uint32_t way = 0; way < cache->ways; way++) {
        uint32_t here = set[way];
        set[way] = moved;
        if (here == tag) {
            return true;
        }
        moved = here;
    }
    return false;
}

static void cache_drop(struct cache *cache, uint64_t line)
{
    uint32_t *set = &cache->tags[(line & (cache->sets - 1)) * cache->ways];
    for (uint32_t way = 0; way < cache->ways; way++) {
        if (set[way] == (uint32_t)line + 1) {
            set[way] = 0;
        }
    }
}

void caches_drop(struct core *core, uint64_t line)
{
    cache_drop(&core->l1, line);
    cache_drop(&core->l2, line);
    struct page *page = image_page(&core->machine->image, line * LINE_BYTES);
    if (page != NULL) {
        page->home[line % PAGE_LINES] = RESIDENT_DRAM;
        page->fetched[line % PAGE_LINES] = 0;
    }
}

static enum level find_level(struct core *core, uint64_t line)
{
    bool in_l1 = cache_touch(&core->l1, line);
    if (in_l1) {
        return LEVEL_L1;
    }
    bool in_l2 = cache_touch(&core->l2, line);
    if (in_l2) {
        return LEVEL_L2;
    }
    struct machine *machine = core->machine;
    struct page *page = image_page(&machine->image, line * LINE_BYTES);
    if (page == NULL) {
        return LEVEL_L1;
    }
    uint32_t *fetched = &page->fetched[line % PAGE_LINES];
    enum level level = LEVEL_L3;
    if (*fetched == 0) {
        level = (enum level)page->home[line % PAGE_LINES];
    } else if ((int64_t)(machine->fills - *fetched) >= core->timing->l3_bytes / LINE_BYTES) {
        level = LEVEL_DRAM;
    }
    if (*fetched == 0 || level == LEVEL_DRAM) {
        *fetched = ++machine->fills;
    }
    return level;
}

/*
 * A prefetcher that follows ascending lines: from the third line of a stream on, a miss
 * costs bandwidth instead of latency. Returns whether `line` continues such a stream.
 */
static bool follow_stream(struct core *core, uint64_t line, ticks at, ticks *arrival)
{
    for (unsigned i = 0; i < STREAMS; i++) {
        if (core->streams[i].next != line || core->streams[i].length == 0) {
            continue;
        }
        core->streams[i].next = line + 1;
        if (++core->streams[i].length <= 2 || core->timing->prefetch_interval == 0) {
            core->streams[i].at = at;
            return false;
        }
        ticks next = core->streams[i].at + core->timing->prefetch_interval;
        *arrival = later(at + core->timing->l2_latency, next);
        core->streams[i].at = later(at, next);
        return true;
    }
    core->streams[core->next_stream].next = line + 1;
    core->streams[core->next_stream].length = 1;
    core->streams[core->next_stream].at = at;
    core->next_stream = (core->next_stream + 1) % STREAMS;
    return false;
}

/* Memory serves a limited number of misses at a time, in order of request. */
static ticks from_dram(struct core *core, uint64_t line, ticks at)
{
    ticks arrival = 0;
    if (follow_stream(core, line, at, &arrival)) {
        return arrival;
    }
    ticks start = later(at, ring_back(&core->dram_done, core->timing->dram_misses));
    core->request = start;
    arrival = start + core->timing->dram_latency;
    ring_push(&core->dram_done, arrival);
    return arrival;
}

/* A line's slice, by a hash of its address as in hardware: from -spread to +spread. */
static ticks slice_distance(uint64_t line, ticks spread)
{
    const int64_t slices = 8;
    int64_t slice = (int64_t)((line * UINT64_C(0x9e3779b97f4a7c15)) >> 61);
    return spread * (2 * slice - (slices - 1)) / (slices - 1);
}

ticks caches_fetch(struct core *core, uint64_t line, ticks at, enum fetch fetch, enum level *level)
{
    const struct timing *t = core->timing;
    ticks arrival = at;
    core->request = at;
    *level = find_level(core, line);
    if (fetch != FETCH_LOCAL && core->machine->core_count > 1 &&
        coherence_fetch(core, line, at, fetch == FETCH_WRITE, &arrival)) {
        *level = LEVEL_TRANSFER;
        core->installed = arrival;
        return arrival;
    }
    arrival = at;
    unsigned slot = (unsigned)(line % ARRIVALS);
    switch (*level) {
    case LEVEL_L1: /* or on its way there */
        arrival = at + t->l1_latency;
        if (core->arrivals[slot].line == line) {
            arrival = later(arrival, core->arrivals[slot].at);
        }
        core->installed = arrival;
        return arrival;
    case LEVEL_L2:
        arrival = at + t->l2_latency;
        break;
    case LEVEL_L3:
        arrival = at + t->l3_latency + slice_distance(line, t->l3_spread);
        break;
    default:
        arrival = from_dram(core, line, at);
        break;
    }
    ticks install = *level == LEVEL_DRAM ? t->dram_install : *level == LEVEL_L3 ? t->l3_install : 0;
    core->installed = arrival + install;
    core->arrivals[slot].line = line;
    core->arrivals[slot].at = arrival;
    return arrival;
}
