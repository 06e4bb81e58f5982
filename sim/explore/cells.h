/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a reader of an execution is shown of memory: every small object as a whole, and of
 * larger ones the words that somebody accesses; of persistent ones also what is durable.
 * Stacks are left out.
 */
#ifndef FENCESIM_SIM_EXPLORE_CELLS_H_
#define FENCESIM_SIM_EXPLORE_CELLS_H_

#include "sim/explore/explore.h"

enum { CELLS_MAX = 48 };

struct cell {
    const char *name; /* "x", "buf+16" */
    uint64_t address;
    unsigned size; /* 1 to 8 bytes */
    bool durable;  /* what a power cut would leave of it */
};

struct cells {
    struct cell *items;
    size_t count, left_out;
};

/* The cells of an explored program; `region` owns them. By address, durable ones last. */
struct cells cells_find(struct region *region, struct exploration *exploration);

/* Where the parts of memory stand: `privates` holds the private memory of every CPU. */
struct cell_view {
    uint32_t memory, durable;
    const uint32_t *privates;
};

uint64_t cell_value(struct exploration *exploration, const struct cell *cell,
                    const struct cell_view *view);

/*
 * The general and vector registers that differ between two local states, as "rax=1", with the
 * values of the second one.
 */
const char **changed_registers(struct region *region, struct exploration *exploration,
                               const struct registers *from, uint32_t local, size_t *count);

#endif
