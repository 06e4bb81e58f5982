/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile's cycle parameters in the integers that the core computes with. */
#ifndef FENCESIM_SIM_TIME_TIMING_H_
#define FENCESIM_SIM_TIME_TIMING_H_

#include "models/profile.h"

/*
 * Time is counted in ticks of 1/120 cycle: the slots of every dispatch width up to 8, half
 * slots, and parameters in tenths or twentieths of a cycle are whole numbers of ticks, so that the
 * recurrence is exact and two states can be compared for equality.
 */
typedef int64_t ticks;
enum { CYCLE = 120 };

/*
 * Cycles and slots became ticks, pipes a set and an order of preference, everything else is the
 * rounded number.
 */
struct timing {
#define PARAMETER(field, unit, meaning) int64_t field;
#include "models/cycle_parameters.def"
#undef PARAMETER
    ticks slot;   /* of one macro-operation: CYCLE / dispatch_width */
    ticks decode; /* of one instruction through the decoders */
};

void timing_init(struct timing *timing, const struct cycle_parameters *parameters);

/* Of a parameter that is pipes: their set, and their numbers in order, four bits each. */
enum { PIPES_MAX = 10 };
static inline unsigned pipes_set(int64_t pipes) { return (unsigned)pipes & 0xffff; }
static inline uint64_t pipes_order(int64_t pipes) { return (uint64_t)pipes >> 16; }

/* The first cycle boundary at or after `time`. */
static inline ticks next_cycle(ticks time)
{
    ticks rest = time % CYCLE;
    return rest == 0 ? time : time + CYCLE - rest;
}

static inline ticks later(ticks a, ticks b) { return a > b ? a : b; }

static inline double cycles_of(ticks time) { return (double)time / CYCLE; }

#endif
