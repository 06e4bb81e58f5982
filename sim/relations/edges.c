/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Relations between the events of one execution. */
#define _GNU_SOURCE /* qsort_r */
#include <stdlib.h>
#include <string.h>

#include "sim/relations/internal.h"

bool events_overlap(const struct event *a, const struct event *b)
{
    return a->size && b->size && a->address < b->address + b->size &&
           b->address < a->address + a->size;
}

bool events_ordered(const struct event *a, const struct event *b)
{
    if (a->cpu != b->cpu || a->cpu == NO_CPU || a->position == NO_STEP || b->position == NO_STEP)
        return false;
    return a->position < b->position || (a->position == b->position && a->kind == EVENT_READ &&
                                         b->kind == EVENT_WRITE && a->has_insn);
}

/* When the store that a byte was read from became visible. */
static int64_t source_time(const struct drafts *drafts, int source)
{
    return source == SOURCE_INITIAL ? -1 : (int64_t)drafts->items[source].event.performed;
}

/* Whether `reader` read some byte that the store `writer` changed only later. */
static bool read_before(const struct drafts *drafts, size_t reader, size_t writer)
{
    const struct draft *r = &drafts->items[reader];
    const struct event *w = &drafts->items[writer].event;
    if (!r->event.reads || !w->writes || reader == writer)
        return false;
    for (unsigned byte = 0; byte < r->event.size; byte++)
        if (r->event.address + byte - w->address < w->size &&
            source_time(drafts, r->source[byte]) < (int64_t)w->performed)
            return true;
    return false;
}

static bool reads_from(const struct drafts *drafts, size_t writer, size_t reader)
{
    const struct draft *r = &drafts->items[reader];
    for (unsigned byte = 0; r->event.reads && byte < r->event.size; byte++)
        if (r->source[byte] == (int)writer)
            return true;
    return false;
}

/* An interrupt that was sent is taken; one that is sent again must wait until it was. */
static bool interrupts(const struct event *a, const struct event *b)
{
    bool sends = a->kind == EVENT_SEND && b->kind == EVENT_TAKE;
    bool again = a->kind == EVENT_TAKE && b->kind == EVENT_SEND;
    return (sends || again) && a->target == b->target && a->vector == b->vector &&
           a->performed < b->performed;
}

enum relation related(const struct drafts *drafts, size_t from, size_t to)
{
    const struct event *a = &drafts->items[from].event, *b = &drafts->items[to].event;
    if (a->kind == EVENT_FENCE || b->kind == EVENT_FENCE || from == to)
        return RELATION_NONE;
    if (events_ordered(a, b))
        return RELATION_PO;
    if (reads_from(drafts, from, to))
        return RELATION_RF;
    if (a->writes && b->writes && events_overlap(a, b) && a->performed < b->performed)
        return RELATION_CO;
    if (read_before(drafts, from, to))
        return RELATION_FR;
    return interrupts(a, b) ? RELATION_IPI : RELATION_NONE;
}

void add_edge(struct relations *relations, struct region *region, const struct edge *edge)
{
    for (size_t i = 0; i < relations->edge_count; i++) {
        struct edge *old = &relations->edges[i];
        if (old->relation != edge->relation || old->from != edge->from || old->to != edge->to)
            continue;
        old->in_cycle = old->in_cycle || edge->in_cycle;
        old->relaxed = old->relaxed || edge->relaxed;
        return;
    }
    relations->edges = region_push(region, relations->edges, relations->edge_count,
                                   &relations->edge_capacity, sizeof *relations->edges);
    relations->edges[relations->edge_count++] = *edge;
}

/* ---- program order and fences ---- */

/* Whether an event other than a fence lies between two in program order. */
static bool is_next(const struct drafts *drafts, size_t from, size_t to)
{
    const struct event *a = &drafts->items[from].event, *b = &drafts->items[to].event;
    if (!events_ordered(a, b))
        return false;
    for (size_t i = 0; i < drafts->count; i++) {
        const struct event *between = &drafts->items[i].event;
        if (between->kind != EVENT_FENCE && events_ordered(a, between) &&
            events_ordered(between, b))
            return false;
    }
    return true;
}

/* What between two events of a CPU, or at one of them, is a fence; NULL: nothing. */
static const char *fence_between(const struct drafts *drafts, const struct event *a,
                                 const struct event *b)
{
    const char *name = NULL;
    for (size_t i = 0; i < drafts->count && !name; i++) {
        const struct event *fence = &drafts->items[i].event;
        if (fence->kind == EVENT_FENCE && events_ordered(a, fence) && events_ordered(fence, b))
            name = fence->name;
    }
    if (!name && (a->class == INSN_LOCKED || b->class == INSN_LOCKED))
        name = "lock";
    return name;
}

static void add_program_order(struct relations *relations, const struct drafts *drafts)
{
    for (size_t a = 0; a < drafts->count; a++)
        for (size_t b = 0; b < drafts->count; b++) {
            const struct event *from = &drafts->items[a].event, *to = &drafts->items[b].event;
            if (from->kind == EVENT_FENCE || to->kind == EVENT_FENCE || !is_next(drafts, a, b))
                continue;
            struct edge edge = {.relation = RELATION_PO, .from = (uint32_t)a, .to = (uint32_t)b};
            add_edge(relations, drafts->region, &edge);
            edge.relation = RELATION_FENCE;
            edge.name = fence_between(drafts, from, to);
            if (edge.name)
                add_edge(relations, drafts->region, &edge);
        }
}

/* ---- memory ---- */

/* The next store to a byte that becomes visible after `time`; NO_STEP: none. */
static uint32_t next_store(const struct drafts *drafts, uint64_t address, int64_t time,
                           size_t except)
{
    uint32_t found = NO_STEP;
    for (uint32_t i = 0; i < drafts->count; i++) {
        const struct event *event = &drafts->items[i].event;
        if (i != except && event->writes && address - event->address < event->size &&
            (int64_t)event->performed > time &&
            (found == NO_STEP || event->performed < drafts->items[found].event.performed))
            found = i;
    }
    return found;
}

static void add_memory_edges(struct relations *relations, const struct drafts *drafts, size_t index)
{
    const struct draft *draft = &drafts->items[index];
    const struct event *event = &draft->event;
    struct edge edge = {.from = (uint32_t)index};
    for (unsigned byte = 0; byte < event->size; byte++) {
        uint64_t address = event->address + byte;
        if (event->writes) {
            edge.relation = RELATION_CO;
            edge.to = next_store(drafts, address, event->performed, index);
            if (edge.to != NO_STEP)
                add_edge(relations, drafts->region, &edge);
        }
        if (!event->reads)
            continue;
        if (draft->source[byte] != SOURCE_INITIAL)
            add_edge(relations, drafts->region,
                     &(struct edge){.relation = RELATION_RF,
                                    .from = (uint32_t)draft->source[byte],
                                    .to = (uint32_t)index});
        edge.relation = RELATION_FR;
        edge.to = next_store(drafts, address, source_time(drafts, draft->source[byte]), index);
        if (edge.to != NO_STEP && !event->writes) /* an update's own store is in its place */
            add_edge(relations, drafts->region, &edge);
    }
}

static void add_interrupt_edges(struct relations *relations, const struct drafts *drafts)
{
    for (size_t a = 0; a < drafts->count; a++)
        for (size_t b = 0; b < drafts->count; b++) {
            const struct event *from = &drafts->items[a].event, *to = &drafts->items[b].event;
            bool later = from->kind == EVENT_SEND && interrupts(from, to);
            for (size_t i = 0; i < drafts->count && later; i++) /* it was taken before already */
                later = !(drafts->items[i].event.kind == EVENT_TAKE &&
                          interrupts(from, &drafts->items[i].event) &&
                          drafts->items[i].event.performed < to->performed);
            if (later)
                add_edge(relations, drafts->region,
                         &(struct edge){
                             .relation = RELATION_IPI, .from = (uint32_t)a, .to = (uint32_t)b});
        }
}

/* ---- what memory held at the start ---- */

/* The bytes around an access that accesses in common tie together. */
static void widen(const struct drafts *drafts, struct event *initial)
{
    for (bool grown = true; grown;) {
        grown = false;
        for (size_t i = 0; i < drafts->count; i++) {
            const struct event *event = &drafts->items[i].event;
            uint64_t start = initial->address, end = start + initial->size;
            if (!events_overlap(event, initial))
                continue;
            if (event->address < start)
                start = event->address;
            if (event->address + event->size > end)
                end = event->address + event->size;
            grown = grown || start != initial->address || end - start != initial->size;
            initial->address = start;
            initial->size = (unsigned)(end - start);
        }
    }
}

/* An event for what memory held at the start, and who read it. */
static void add_initial(struct relations *relations, const struct drafts *drafts, size_t reader)
{
    const struct event *event = &drafts->items[reader].event;
    uint32_t initial = NO_STEP;
    for (size_t i = drafts->count; i < relations->event_count; i++)
        if (events_overlap(&relations->events[i], event))
            initial = (uint32_t)i;
    if (initial == NO_STEP) {
        initial = (uint32_t)relations->event_count++;
        struct event *made = &relations->events[initial];
        *made = (struct event){.kind = EVENT_INITIAL,
                               .cpu = NO_CPU,
                               .writes = true,
                               .address = event->address,
                               .size = event->size,
                               .text = "",
                               .target = NO_CPU};
        widen(drafts, made);
        made->place = event->address == TSC_ADDRESS
                          ? event->place
                          : describe_address(drafts->region, drafts->program, made->address);
    }
    struct event *made = &relations->events[initial];
    for (unsigned byte = 0; byte < event->size; byte++) {
        uint64_t at = event->address + byte - made->address;
        if (drafts->items[reader].source[byte] == SOURCE_INITIAL && at < sizeof made->written)
            made->written[at] = event->read[byte];
    }
    add_edge(relations, drafts->region,
             &(struct edge){.relation = RELATION_RF, .from = initial, .to = (uint32_t)reader});
}

static bool reads_initial(const struct draft *draft)
{
    for (unsigned byte = 0; draft->event.reads && byte < draft->event.size; byte++)
        if (draft->source[byte] == SOURCE_INITIAL)
            return true;
    return false;
}

/* ---- all of it ---- */

static int compare_drafts(const void *left, const void *right, void *context)
{
    const struct draft *items = context;
    const uint32_t *a = left, *b = right;
    const struct draft *x = &items[*a], *y = &items[*b];
    if (x->event.cpu != y->event.cpu)
        return x->event.cpu < y->event.cpu ? -1 : 1;
    if (x->event.position != y->event.position)
        return x->event.position < y->event.position ? -1 : 1;
    if (x->writes_last != y->writes_last)
        return x->writes_last - y->writes_last;
    return (*a > *b) - (*a < *b);
}

static void sort_drafts(struct drafts *drafts)
{
    struct region *region = drafts->region;
    size_t count = drafts->count;
    uint32_t *order = region_array(region, count + 1, sizeof *order);
    int *now_at = region_array(region, count + 1, sizeof *now_at);
    struct draft *sorted = region_array(region, count + 1, sizeof *sorted);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof *order, compare_drafts, drafts->items);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = drafts->items[order[i]];
        now_at[order[i]] = (int)i;
    }
    for (size_t i = 0; i < count; i++)
        for (unsigned byte = 0; byte < EVENT_BYTES_MAX; byte++)
            if (sorted[i].event.reads && byte < sorted[i].event.size &&
                sorted[i].source[byte] != SOURCE_INITIAL)
                sorted[i].source[byte] = now_at[sorted[i].source[byte]];
    drafts->items = sorted;
}

void relate_events(struct relations *relations, struct drafts *drafts)
{
    sort_drafts(drafts);
    /* At most one initial event per event. */
    relations->events =
        region_array(drafts->region, 2 * drafts->count + 1, sizeof *relations->events);
    for (size_t i = 0; i < drafts->count; i++)
        relations->events[i] = drafts->items[i].event;
    relations->event_count = drafts->count;
    add_program_order(relations, drafts);
    for (size_t i = 0; i < drafts->count; i++)
        add_memory_edges(relations, drafts, i);
    add_interrupt_edges(relations, drafts);
    for (size_t i = 0; i < drafts->count; i++)
        if (reads_initial(&drafts->items[i]))
            add_initial(relations, drafts, i);
}
