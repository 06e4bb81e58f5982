/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A shortest cycle of po, rf, co and fr: why no interleaving gives the execution. */
#include <string.h>

#include "sim/relations/internal.h"

struct cycle_search {
    const struct drafts *drafts;
    size_t count;
    uint8_t *matrix; /* enum relation from row to column */
    uint32_t *queue, *before, *distance;
    uint32_t best; /* edges of the shortest cycle so far */
    uint32_t *best_events;
};

/* Breadth first from `start` and back to it; keeps the way when it is shorter than the best. */
static void search_from(struct cycle_search *s, uint32_t start)
{
    size_t head = 0, tail = 0;
    memset(s->distance, 0xff, s->count * sizeof *s->distance);
    s->distance[start] = 0;
    s->queue[tail++] = start;
    while (head < tail) {
        uint32_t at = s->queue[head++];
        if (s->distance[at] + 1 >= s->best)
            return;
        if (s->matrix[at * s->count + start]) {
            s->best = s->distance[at] + 1;
            for (uint32_t i = s->best, event = at; i-- > 0; event = s->before[event])
                s->best_events[i] = event;
            return;
        }
        for (uint32_t next = 0; next < s->count; next++)
            if (s->distance[next] == NO_STEP && s->matrix[at * s->count + next]) {
                s->distance[next] = s->distance[at] + 1;
                s->before[next] = at;
                s->queue[tail++] = next;
            }
    }
}

/* Whether the execution performed the later of two events in program order first. */
static bool is_relaxed(const struct event *from, const struct event *to)
{
    return to->performed < from->performed;
}

void find_cycle(struct relations *relations, const struct drafts *drafts)
{
    struct region *region = drafts->region;
    size_t n = drafts->count;
    struct cycle_search s = {.drafts = drafts, .count = n, .best = NO_STEP};
    if (n == 0)
        return;
    s.matrix = region_array(region, n, n);
    s.queue = region_array(region, n, sizeof *s.queue);
    s.before = region_array(region, n, sizeof *s.before);
    s.distance = region_array(region, n, sizeof *s.distance);
    s.best_events = region_array(region, n, sizeof *s.best_events);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            s.matrix[a * n + b] = (uint8_t)related(drafts, a, b);
    for (uint32_t start = 0; start < n; start++)
        search_from(&s, start);
    if (s.best == NO_STEP)
        return;
    relations->cycle = region_array(region, s.best, sizeof *relations->cycle);
    relations->cycle_count = s.best;
    for (uint32_t i = 0; i < s.best; i++) {
        uint32_t from = s.best_events[i], to = s.best_events[(i + 1) % s.best];
        enum relation relation = s.matrix[from * n + to];
        struct edge edge = {.relation = relation, .from = from, .to = to, .in_cycle = true};
        edge.relaxed = relation == RELATION_PO &&
                       is_relaxed(&drafts->items[from].event, &drafts->items[to].event);
        relations->cycle[i] = edge;
        add_edge(relations, region, &edge);
    }
}
