/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tarjan's strongly connected components without recursion (R. Tarjan, "Depth-first search
 * and linear graph algorithms", SIAM J. Comput. 1(2), 1972). Edges are worked out again when a
 * state is entered and dropped when it is left.
 */
#include "sim/explore/recurrent.h"

enum { ON_STACK = 1, LEAVES = 2 /* an edge goes to another component */ };

struct frame {
    uint32_t state;
    size_t first_edge, edge, end_edge;
};

struct tarjan {
    struct exploration *exploration;
    struct region *region;
    uint32_t *order, *low; /* order 0: not entered so far */
    uint8_t *flags;
    uint32_t clock;
    uint32_t *stack, *edges, *tuple;
    size_t stack_count, stack_capacity, edge_count, edge_capacity;
    struct frame *frames;
    size_t frame_count, frame_capacity;
};

static void add_edge(void *receiver, uint32_t cpu, struct transition *transition,
                     const uint32_t *tuple)
{
    (void)cpu, (void)transition;
    struct tarjan *tarjan = receiver;
    uint32_t next = states_find(&tarjan->exploration->states, tuple);
    if (next == NO_STATE)
        return;
    tarjan->edges = region_push(tarjan->region, tarjan->edges, tarjan->edge_count,
                                &tarjan->edge_capacity, sizeof *tarjan->edges);
    tarjan->edges[tarjan->edge_count++] = next;
}

static void enter(struct tarjan *tarjan, uint32_t state)
{
    explore_check(tarjan->exploration, tarjan->clock);
    tarjan->order[state] = tarjan->low[state] = ++tarjan->clock;
    tarjan->flags[state] = ON_STACK;
    tarjan->stack = region_push(tarjan->region, tarjan->stack, tarjan->stack_count,
                                &tarjan->stack_capacity, sizeof *tarjan->stack);
    tarjan->stack[tarjan->stack_count++] = state;
    size_t first = tarjan->edge_count;
    states_get(&tarjan->exploration->states, state, tarjan->tuple);
    for_each_successor(tarjan->exploration, tarjan->tuple, add_edge, tarjan);
    tarjan->frames = region_push(tarjan->region, tarjan->frames, tarjan->frame_count,
                                 &tarjan->frame_capacity, sizeof *tarjan->frames);
    tarjan->frames[tarjan->frame_count++] = (struct frame){state, first, first, tarjan->edge_count};
}

static void lower(struct tarjan *tarjan, uint32_t state, uint32_t to)
{
    if (to < tarjan->low[state])
        tarjan->low[state] = to;
}

/* Takes the component that `root` was the first of off the stack. */
static void finish(struct tarjan *tarjan, uint32_t root, visit_trap *visit, void *receiver)
{
    size_t first = tarjan->stack_count;
    bool leaves = false;
    do {
        uint32_t state = tarjan->stack[--first];
        leaves = leaves || (tarjan->flags[state] & LEAVES);
        tarjan->flags[state] &= (uint8_t)~ON_STACK;
    } while (tarjan->stack[first] != root);
    if (!leaves)
        visit(receiver, tarjan->stack + first, tarjan->stack_count - first);
    tarjan->stack_count = first;
}

static void leave(struct tarjan *tarjan, visit_trap *visit, void *receiver)
{
    struct frame frame = tarjan->frames[--tarjan->frame_count];
    bool is_root = tarjan->low[frame.state] == tarjan->order[frame.state];
    tarjan->edge_count = frame.first_edge;
    if (is_root)
        finish(tarjan, frame.state, visit, receiver);
    if (tarjan->frame_count == 0)
        return;
    uint32_t parent = tarjan->frames[tarjan->frame_count - 1].state;
    if (is_root)
        tarjan->flags[parent] |= LEAVES;
    else
        lower(tarjan, parent, tarjan->low[frame.state]);
}

static void search_from(struct tarjan *tarjan, uint32_t start, visit_trap *visit, void *receiver)
{
    enter(tarjan, start);
    while (tarjan->frame_count) {
        struct frame *frame = &tarjan->frames[tarjan->frame_count - 1];
        if (frame->edge == frame->end_edge) {
            leave(tarjan, visit, receiver);
            continue;
        }
        uint32_t state = frame->state, next = tarjan->edges[frame->edge++];
        if (!tarjan->order[next])
            enter(tarjan, next);
        else if (tarjan->flags[next] & ON_STACK)
            lower(tarjan, state, tarjan->order[next]);
        else
            tarjan->flags[state] |= LEAVES;
    }
}

void for_each_trap(struct exploration *exploration, const uint8_t *lost, visit_trap *visit,
                   void *receiver)
{
    struct region *region = &exploration->region;
    size_t count = exploration->states.count;
    struct tarjan tarjan = {.exploration = exploration, .region = region};
    tarjan.order = region_array(region, count + 1, sizeof *tarjan.order);
    tarjan.low = region_array(region, count + 1, sizeof *tarjan.low);
    tarjan.flags = region_array(region, count + 1, sizeof *tarjan.flags);
    tarjan.tuple = region_array(region, exploration->tuple_length, sizeof *tarjan.tuple);
    for (uint32_t state = 0; state < count; state++)
        if (lost[state] && !tarjan.order[state])
            search_from(&tarjan, state, visit, receiver);
    region_free(region, tarjan.stack);
    region_free(region, tarjan.edges);
    region_free(region, tarjan.frames);
}
