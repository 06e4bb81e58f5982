/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every state of an exploration and every step between them, told for readers: what they can
 * choose in an explorable report. Made of an exploration without reduction, one step is one
 * instruction (or one piece of it that is seen by itself) or one entry that leaves a buffer.
 * Nothing in it refers to the exploration.
 */
#ifndef FENCESIM_SIM_EXPLORE_GRAPH_H_
#define FENCESIM_SIM_EXPLORE_GRAPH_H_

#include "sim/explore/witness.h"

enum graph_status {
    GRAPH_RUNS,
    GRAPH_ENDED,  /* no more instructions; its buffers may still drain */
    GRAPH_STOPPED /* it cannot be followed: `reason` */
};

/* One CPU as it is in some states. */
struct graph_component {
    enum graph_status status;
    const char *next; /* the instruction that it stands in front of; NULL: none */
    uint32_t offset;  /* of that one within the CPU's code */
    const char *reason;
    const char **buffer; /* oldest first: "x=1", "flush x", "sfence", "early load of x: 0" */
    size_t buffer_count;
    const char **registers; /* that differ from the start, as "rax=1"; pending interrupts */
    size_t register_count;
};

/* What a step does. */
struct graph_label {
    uint32_t cpu; /* the number of CPUs: memory by itself */
    bool has_insn;
    uint32_t offset;
    const char *text;   /* the instruction, "" without one */
    const char *event;  /* as in struct witness_step */
    const char *detail; /* "x <- 1, buffered" */
};

struct graph_edge {
    uint32_t to, label;
};

struct graph_state {
    const uint32_t *components; /* one per CPU */
    uint32_t memory;
    uint32_t first_edge, edge_count;
    bool is_final;
    int ending, crash; /* for whoever judges them; NO_INDEX at first */
};

struct graph {
    uint32_t cpu_count;
    struct cells cells;
    struct graph_state *states; /* the first one is the start */
    size_t state_count;
    struct graph_edge *edges;
    size_t edge_count;
    struct graph_label *labels;
    size_t label_count;
    struct graph_component **components; /* per CPU */
    size_t *component_counts;
    const uint64_t **memories; /* a value per cell */
    size_t memory_count;
};

/* The graph of a search that followed all its states; `region` owns it. */
struct graph *graph_new(struct region *region, struct exploration *exploration);

#endif
