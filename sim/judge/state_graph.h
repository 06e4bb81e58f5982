/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The graph of all states of a run, with what its ends come to. */
#ifndef FENCESIM_SIM_JUDGE_STATE_GRAPH_H_
#define FENCESIM_SIM_JUDGE_STATE_GRAPH_H_

#include "sim/explore/graph.h"

/* Conditions of the trace, whatever runs they are asked of, and states that answer them alike. */
struct condition_list {
    const struct expectation **items;
    size_t count;
};

struct ending {
    int outcome; /* index into the result's outcomes; NO_INDEX: not modelled to the end, or
                    the clock was read in vain, which the report's outcomes leave out */
    const uint64_t *values; /* one per observed term */
    const bool *holds;      /* per condition */
};

struct state_graph {
    struct graph *graph;          /* a state's `ending` and `crash` are indices below */
    struct condition_list finals; /* those about final states */
    struct ending *endings;
    size_t ending_count;
    struct condition_list crashes; /* those about what a power cut leaves */
    const bool **images;           /* per kind of state: which of them hold if power fails there */
    size_t image_count;
};

struct judgement;

/* Sets the result's state_graph, or says in no_graph why there is none. */
void judge_graph(struct judgement *judgement);

#endif
