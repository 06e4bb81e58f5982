/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a core is made of: the instruction in hand, rings of times, entries of its buffers.
 */
#ifndef FENCESIM_SIM_TIME_PARTS_H_
#define FENCESIM_SIM_TIME_PARTS_H_

#include "sim/time/op.h"

/* ---- the instruction in hand ---- */

struct access {
    uint64_t address;
    unsigned size;
};

enum { MARKS_MAX = 12 };

/* Why an instruction is not done earlier: stretches of time with a cause, ascending. */
struct timeline {
    unsigned count;
    ticks until[MARKS_MAX];
    uint8_t cause[MARKS_MAX];
};

struct event {
    struct op *op;
    bool merged; /* a further step within the lines of the one before */
    bool fused;  /* the conditional jump of a fused pair */
    bool taken;
    ticks dispatch, earliest; /* earliest: first possible issue */
    struct access load[LOADS_MAX], store;
    ticks load_issue, load_value, load_done;
    bool load_missed;
    ticks read; /* when it reads memory */
    ticks store_issue, store_data, store_value;
    ticks store_request; /* its line's miss buffer */
    ticks store_line;    /* its line is here */
    ticks store_redo;    /* it missed under a lock: may not retire before */
    uint8_t store_level;
    ticks issue, value, done, retire;
    uint8_t value_cause; /* what a consumer of the value waits for */
    ticks lock_start, lock_interval;
    bool lock_owned; /* its line has been asked for */
    struct timeline timeline;
};

/* ---- rings and buffers ---- */

enum {
    RING = 1024,
    STORE_RING = 128,
    CALENDAR = 4096,
    BUCKETS = 512,
    TABLE = 1024,
    STREAMS = 8,
    WC_MAX = 32,
    COMMITTED_MAX = 32,
    FLUSHED = 64,
    ARRIVALS = 4096
};

struct ring { /* the last RING times of something, by its running number */
    uint64_t count;
    ticks at[RING];
};

static inline void ring_push(struct ring *ring, ticks time)
{
    ring->at[ring->count++ % RING] = time;
}

/* The time of the entry `back` before the next one to come; 0 when there were not so many. */
static inline ticks ring_back(const struct ring *ring, int64_t back)
{
    if (back <= 0 || back > RING || (uint64_t)back > ring->count) {
        return 0;
    }
    return ring->at[(ring->count - (uint64_t)back) % RING];
}

struct store_entry {
    uint64_t address;
    unsigned size;
    bool vector, lock, integer;
    bool crosses; /* a page */
    ticks value;  /* of the register that it stores */
    ticks data;   /* its data half issued */
    ticks commit, visible;
    ticks retry; /* from here on a load that it cannot serve is tried again */
};

struct cycle_use {
    int64_t cycle;
    uint16_t busy[BANK_COUNT]; /* pipes, a bit each */
    uint8_t used[PORT_COUNT];
};

struct wc_buffer {
    uint64_t line;
    uint64_t mask; /* bytes written */
    bool open;
    uint64_t age;
};

struct flushed_line {
    uint64_t line;
    ticks ready;   /* the newest flush has ended */
    ticks visible; /* the newest store is in the line */
    bool dirty;
};

struct pending_store { /* of several CPUs: not yet in the shared memory */
    uint64_t address;
    unsigned size;
    ticks visible;
    uint8_t data[EXEC_ACCESS_BYTES];
};

struct line_copy { /* a line that this core has, as of a version */
    uint64_t line;
    uint32_t version;
};

struct cache {
    uint32_t *tags; /* sets x ways, most recent first; line number + 1 */
    uint32_t sets, ways;
};

enum level { LEVEL_L1, LEVEL_L2, LEVEL_L3, LEVEL_DRAM, LEVEL_TRANSFER };

#endif
