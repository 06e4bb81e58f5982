/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The visited set. A global state is a tuple of small numbers (a component per CPU, a
 * memory), packed into one or more 64-bit words. States get numbers in the order in which
 * they are found, so that the array of states is the queue of a breadth-first search, and
 * each remembers the one that it was found from. 8 bytes a word, 4 for the parent and 8 to
 * 20 of table a state; fields that outgrow their width are widened and everything repacked.
 */
#ifndef FENCESIM_SIM_EXPLORE_STATES_H_
#define FENCESIM_SIM_EXPLORE_STATES_H_

#include "sim/base/region.h"

#define NO_STATE UINT32_MAX

enum { STATES_RING = 64 /* a power of two */ };

struct state_field {
    uint8_t width; /* bits */
    uint8_t shift;
    uint16_t word;
};

struct states {
    struct region *region;
    unsigned field_count, word_count;
    struct state_field *fields;
    uint64_t *keys; /* word_count words a state */
    uint32_t *parents;
    size_t count, capacity;
    uint64_t *table; /* hash tag << 32 | state + 1; 0 is free */
    size_t table_size;
    uint64_t *scratch; /* one key */
    /* Tuples on their way in: their places in the table are fetched meanwhile. */
    struct {
        uint64_t hash;
        uint32_t parent;
    } ring[STATES_RING];
    uint64_t *ring_keys; /* STATES_RING keys */
    size_t ring_first, ring_count;
};

void states_init(struct states *states, struct region *region, unsigned field_count);

/* The number of this tuple; a new one is added with its parent. */
uint32_t states_add(struct states *states, const uint32_t *values, uint32_t parent, bool *fresh);

/* Adds this tuple some time before states_has says that there is no further state. */
void states_queue(struct states *states, const uint32_t *values, uint32_t parent);

/*
 * The same for the tuple that state `parent` becomes when two of its fields change: what a step
 * of one CPU does. Cheaper, since the rest is copied packed.
 */
void states_queue_step(struct states *states, uint32_t parent, unsigned first, uint32_t first_value,
                       unsigned second, uint32_t second_value);

/* Whether state number `state` exists once all that is queued has been added. */
bool states_has(struct states *states, uint32_t state);

/* The number of this tuple, NO_STATE when it was never added. */
uint32_t states_find(struct states *states, const uint32_t *values);

void states_get(const struct states *states, uint32_t state, uint32_t *values);

#endif
