/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modelled core: a recurrence over events, one pass in program order. Each instruction
 * is dispatched, issues, produces its value, is done, retires; a store then commits and
 * becomes visible. An instruction's times depend only on older instructions, so nothing is
 * ever revisited and memory stays constant however long the run is.
 */
#ifndef FENCESIM_SIM_TIME_CORE_H_
#define FENCESIM_SIM_TIME_CORE_H_

#include "sim/time/image.h"
#include "sim/time/parts.h"

/* Watching a loop for its steady state. */
struct steady {
    struct registers registers; /* at the end of the last window */
    ticks time, window;         /* when it ended, how long it took */
    unsigned equal;             /* windows in a row that were as long */
    unsigned coming;            /* interrupts on their way then, ... */
    ticks first, last;          /* ... and how long it takes them */
    uint64_t measured_from;
    uint64_t left_out; /* iterations that were not run */
};

struct machine;
struct recorder;

enum { SPIN_LINES = 16, WRITE_COUNTERS = 1024 };

/*
 * The lines that a round of a loop reads, and how often each had been written by then. When they
 * are too many, and with one CPU, any write counts.
 */
struct watch {
    bool everything;
    uint64_t writes; /* to anything, when the round began */
    unsigned count;
    uint64_t lines[SPIN_LINES];
    uint32_t line_writes[SPIN_LINES];
};

/* A waiting loop, at its last jump back. */
struct spin {
    bool seen, valid; /* valid: that round had no effect */
    ticks slot, period;
    ticks until; /* something is known to happen then: it is run up to there */
    uint64_t stores;
    struct registers registers;
    struct watch last, now; /* the last whole round, the one since */
    ticks change; /* of a CPU set aside: when what it reads may change, or an interrupt comes */
};

enum { INTERRUPTS_MAX = 256 + 1, CONTEXTS_MAX = 8 }; /* one of each vector and the timer */

struct written_msr {
    uint32_t number;
    uint64_t value;
};

/* What an interrupt saved; the handler's code replaces it meanwhile. */
struct context {
    uint64_t rip, rsp, rflags;
    struct code *code;
    struct op **ops;
};

struct core {
    struct machine *machine;
    const struct timing *timing;
    uint32_t cpu;

    /* function */
    struct registers registers;
    struct code *code;
    struct op **ops; /* by byte offset */
    struct op loop_end;
    bool loops, ended, halted;
    bool looped;          /* its loop is over: only interrupts bring it back */
    bool uncached;        /* CR0.CD is set */
    bool waiting;         /* set aside in a waiting loop */
    uint64_t control[16]; /* registers, by number */
    struct written_msr *msrs;
    size_t msr_count, msr_capacity;
    uint64_t iteration, half_iteration;
    struct steady steady;
    ticks half_time, last_time;

    /* front end and window */
    ticks slot;    /* the dispatch clock */
    ticks barrier; /* nothing dispatches before it */
    uint8_t barrier_cause;
    struct op *barrier_op; /* who set it: is charged for the wait */
    uint8_t queue_cause;   /* why the newest commit was late */
    bool decoding;         /* front end on the decoders */
    const struct op *previous;
    uint64_t rep_load, rep_store; /* lines of the last step of a repeated instruction */
    ticks last_taken;             /* cycle of the last taken branch */
    ticks multiply_cycle;
    int64_t multiplies_in_cycle;
    int64_t nops_in_entry; /* the newest reorder buffer entry holds one nop and takes another */
    struct ring entry_retire, load_retire, integer_retire, multiply_issue, store_commit, lock_end,
        store_retire;

    /* execution */
    ticks ready[TIMED_REGISTERS];
    uint8_t ready_cause[TIMED_REGISTERS];
    struct cycle_use calendar[CALENDAR];
    int64_t buckets[BUCKETS]; /* of the floating-point divider, which is not pipelined */
    ticks divisions_time;     /* of the instructions seen so far that it executes */
    unsigned divisions;
    ticks divider_free;
    uint32_t wanted[BANK_COUNT][PIPES_MAX + 1]; /* by the instructions seen so far, per pipe */

    /* order */
    ticks retire;       /* of the newest instruction */
    ticks all_done;     /* maximum of `done` */
    ticks all_visible;  /* maximum of `visible`, and of when missing lines are installed */
    ticks drained;      /* maximum of `visible` alone */
    ticks late_visible; /* when an lfence sees the last lock done */
    ticks commit;       /* of the newest store */
    struct {
        uint64_t line;          /* UINT64_MAX: none */
        uint64_t address;       /* of the newest store to it */
    } committed[COMMITTED_MAX]; /* lines that stores were written to since a barrier */
    unsigned committed_next;

    /* stores */
    uint64_t store_count;
    struct store_entry stores[STORE_RING];
    uint64_t line_table[TABLE];      /* by line: newest store, number + 1 */
    uint64_t alias_table[TABLE / 2]; /* by address bits 3 to 11 */
    ticks last_plain_commit;
    const struct op *last_store;

    /* locks */
    bool any_lock; /* the chain has an element */
    bool chain_is_sfence;
    ticks chain_start, chain_interval;
    ticks lock_finish;         /* newest lock's end */
    ticks missing_visible;     /* of all missing stores so far */
    ticks missing_before_lock; /* of those older than the newest lock */

    /* caches */
    struct cache l1, l2;
    struct ring dram_done;
    ticks installed; /* when the line of the newest fetch is installed */
    ticks request;   /* when the newest fetch got a miss buffer */
    struct {
        uint64_t line;
        ticks at;
    } arrivals[ARRIVALS];
    struct {
        uint64_t next;
        ticks at;
        unsigned length;
    } streams[STREAMS];
    unsigned next_stream;

    /* write combining, flushes */
    struct wc_buffer wc[WC_MAX];
    uint64_t wc_age;
    ticks wc_bus;  /* when the bus is free for the next line */
    ticks wc_done; /* when all sent lines are in memory */
    struct {
        uint64_t line;
        ticks done;
    } wc_sent[WC_MAX];
    unsigned wc_sent_next, wc_open_count;
    uint64_t wc_last_line;
    int64_t wc_lines;    /* lines gone to since the last lfence */
    ticks wc_store_done; /* newest non-temporal store's end of execution */
    struct flushed_line flushed[FLUSHED];
    unsigned flushed_count, flushed_next;

    /* several CPUs */
    struct pending_store *pending;
    size_t pending_first, pending_count, pending_capacity;
    ticks last_visible, last_read;
    struct line_copy copies[TABLE];

    struct {
        ticks at;
        uint8_t vector;
        bool timer;               /* from TSC_DEADLINE, which has one at a time */
    } interrupts[INTERRUPTS_MAX]; /* on their way, the first one first */
    unsigned interrupt_count;
    struct {
        struct code code;
        struct op **ops; /* NULL: not run so far */
    } * handlers;        /* by their number in the program; NULL: none was run */
    struct context contexts[CONTEXTS_MAX];
    unsigned context_depth;
    struct spin spin;
    uint64_t rounds;    /* jumps back */
    bool woken;         /* the next instruction is the first one after sleep */
    struct op *sleeper; /* the HLT behind which it slept; NULL: it had no code left */

    struct event event;                           /* the instruction in hand */
    struct exec_access writes[EXEC_ACCESSES_MAX]; /* what it stores */
    unsigned write_count;
    bool recording;            /* attribute cycles */
    struct recorder *recorder; /* NULL: no timeline is wanted */
};

/* What the cores share. */
struct machine {
    struct region *region;
    struct exec *exec;
    const struct program *program;
    uint32_t variant;
    struct timing timing;
    struct image image;
    struct core **cores;
    size_t core_count;
    ticks *due;           /* of each core: when the instruction in hand reads; INT64_MAX none */
    size_t waiting_count; /* of the cores */
    ticks next_change;    /* the first `change` of those that wait; INT64_MAX none */
    ticks next_visible;   /* no store becomes visible before; INT64_MAX none is under way */
    bool interrupted;     /* an interrupt was sent: a CPU that has ended may have to wake */
    uint32_t fills;       /* lines that came into the shared cache */
    uint64_t instructions;
    uint64_t writes;                      /* to the shared memory */
    uint32_t line_writes[WRITE_COUNTERS]; /* by line; some lines have a counter together */
    const char *reason;                   /* why the run ended early */
    bool limited;                         /* by a limit, or from outside */
    const char **unmodelled;
    size_t unmodelled_count, unmodelled_capacity;
};

/*
 * When all of `registers` (a bit each) are ready, at the earliest `from`; `*cause` (may be NULL)
 * becomes what the last of them waited for, when that is after `from`.
 */
static inline ticks registers_ready(const struct core *core, uint64_t registers, ticks from,
                                    uint8_t *cause)
{
    for (uint64_t left = registers; left != 0; left &= left - 1) {
        int index = __builtin_ctzll(left);
        if (core->ready[index] <= from) {
            continue;
        }
        from = core->ready[index];
        if (cause) {
            *cause = core->ready_cause[index];
        }
    }
    return from;
}

#endif
