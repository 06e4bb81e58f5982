/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a CPU may still do to shared memory from an instruction on: the places (words) that
 * it may load or store there or later. Learnt, not analysed: a pass of the exploration
 * notes accesses and the flow of control, the next one assumes their closure, and a pass in
 * which something new turns up is void (see footprint.h, whose argument carries over).
 *
 * Sets are masks of 64 bits; beyond 63 places the last bit stands for all others.
 */
#ifndef FENCESIM_SIM_EXPLORE_FUTURE_H_
#define FENCESIM_SIM_EXPLORE_FUTURE_H_

#include "sim/base/map.h"

struct site {
    uint64_t reads, writes;               /* of this instruction */
    uint64_t future_reads, future_writes; /* from it on, as this pass assumes */
    uint32_t *next;                       /* sites that control went to */
    size_t next_count, next_capacity;
};

struct futures {
    struct region *region;
    struct map site_of;  /* rip -> index */
    struct map place_of; /* address / 8 -> bit */
    struct site *sites;
    size_t site_count, site_capacity;
    unsigned place_count;
    bool broken; /* something new turned up in this pass */
};

void futures_init(struct futures *futures, struct region *region);

/* Starts a pass: assumes what is known now. */
void futures_begin(struct futures *futures);

/* The mask of the places that an access covers. */
uint64_t futures_places(struct futures *futures, uint64_t address, unsigned size);

void futures_note_access(struct futures *futures, uint64_t rip, uint64_t places, bool write);
void futures_note_step(struct futures *futures, uint64_t from, uint64_t to);

/* What may be accessed from `rip` on; everything when it was not seen before. */
void futures_from(const struct futures *futures, uint64_t rip, uint64_t *reads, uint64_t *writes);

#endif
