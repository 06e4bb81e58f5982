/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One execution told step by step: how a state came about. */
#ifndef FENCESIM_SIM_EXPLORE_WITNESS_H_
#define FENCESIM_SIM_EXPLORE_WITNESS_H_

#include "sim/explore/cells.h"

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
    bool write;       /* `data` is stored */
    bool updates;     /* it loads `data` and stores `stored` in one atomic step */
    uint8_t stored[16];
    bool same_insn; /* one more access of the instruction that the CPU's step before belongs to */
    enum insn_class class;  /* with has_insn */
    uint32_t store_flags;   /* of what left a buffer: STORE_... */
    int post_to;            /* the CPU that is sent `vector`, or NOBODY */
    uint8_t vector;         /* also of an interrupt that is taken */
    const char **registers; /* those that the step changed, as "rax=1" */
    size_t register_count;
    uint64_t *memory; /* after the step, one value per cell; NULL when cells are not followed */
};

struct witness {
    struct witness_step *steps;
    size_t count, capacity;
    struct cells cells;
    uint64_t *start; /* the cells' values before the first step */
};

/* What a transition of a CPU from one tuple to another tells; NULL: a line is written back. */
struct witness *witness_of_transition(struct region *region, struct exploration *exploration,
                                      const uint32_t *from, const uint32_t *to, uint32_t cpu,
                                      const struct transition *transition);

/* The stores in a CPU's buffers, oldest first: "x=1". */
const char **buffered_stores(struct region *region, struct exploration *exploration, uint32_t cpu,
                             const struct node *node, size_t *count);

/*
 * A shortest execution (in steps that other CPUs can notice) to `state`; in `region`. Of those
 * alike, `tuple` (NULL: any will do) says who is where in the end.
 */
struct witness *witness_new(struct region *region, struct exploration *exploration, uint32_t state,
                            const uint32_t *tuple);

/* Up to 16 bytes as a number: decimal while it is small. */
const char *bytes_text(struct region *region, const uint8_t *data, unsigned size);

/* An entry of a CPU's buffer as it is listed: "x=1", "flush x". */
const char *store_text(struct region *region, const struct exploration *exploration, uint32_t cpu,
                       uint32_t number);

#endif
