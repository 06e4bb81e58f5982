/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of sim/relations. */
#ifndef FENCESIM_SIM_RELATIONS_INTERNAL_H_
#define FENCESIM_SIM_RELATIONS_INTERNAL_H_

#include "sim/relations/relations.h"

enum { EVENT_BYTES_MAX = 16, SOURCE_INITIAL = -1 };

/* An event while the graph is built: which event each byte of a read came from. */
struct draft {
    struct event event;
    int source[EVENT_BYTES_MAX]; /* index of a draft, SOURCE_INITIAL */
    bool writes_last;            /* within its instruction: after the reads */
};

struct drafts {
    struct region *region;
    const struct program *program;
    struct draft *items;
    size_t count, capacity;
};

/* Collects the events of a witness (events.c); false when there are too many. */
bool collect_events(struct drafts *drafts, const struct profile *profile,
                    const struct witness *witness);

/* Whether every load has the bytes of the stores that it is said to read from (events.c). */
bool sources_agree(const struct drafts *drafts);

/* Sorts the drafts into events, adds initial ones and all edges but the cycle's (edges.c). */
void relate_events(struct relations *relations, struct drafts *drafts);

/* The relation by which `from` comes before `to`, po first (edges.c). */
enum relation related(const struct drafts *drafts, size_t from, size_t to);

/* Finds a shortest cycle and marks its edges (cycle.c). */
void find_cycle(struct relations *relations, const struct drafts *drafts);

void add_edge(struct relations *relations, struct region *region, const struct edge *edge);

#endif
