/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One execution told step by step: how a state came about. */
#ifndef FENCESIM_SIM_EXPLORE_WITNESS_H_
#define FENCESIM_SIM_EXPLORE_WITNESS_H_

#include "sim/explore/explore.h"

struct witness_step {
    uint32_t cpu;
    bool has_insn;   /* false: a buffer did something by itself */
    uint32_t offset; /* of the instruction within the CPU's code */
    const char *text;
    const char *event;   /* "load", "store", "locked", "fence", "compute", "drain" */
    const char *detail;  /* "x <- 1, buffered" */
    const char **buffer; /* the CPU's store buffer after the step, oldest first: "x=1" */
    size_t buffer_count;
    uint64_t address; /* what it accesses: size 0 when nothing */
    unsigned size;
    uint8_t data[16]; /* the bytes loaded or stored */
};

struct witness {
    struct witness_step *steps;
    size_t count, capacity;
};

/*
 * A shortest execution (in steps that other CPUs can notice) to `state`; in `region`. Of those
 * alike, `tuple` (NULL: any will do) says who is where in the end.
 */
struct witness *witness_new(struct region *region, struct exploration *exploration, uint32_t state,
                            const uint32_t *tuple);

#endif
