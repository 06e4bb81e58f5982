/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The timed run: one execution of the program on a modelled core, with an event per
 * instruction (dispatch, issue, done, retire, commit) and every lost cycle attributed.
 */
#ifndef FENCESIM_SIM_TIME_TIME_H_
#define FENCESIM_SIM_TIME_TIME_H_

#include "models/profile.h"
#include "sim/exec/exec.h"
#include "sim/program/program.h"

/* Why an instruction retired later than the one before it: STALL(enumerator, "name in reports"). */
#define STALLS(STALL)                                                                              \
    STALL(STALL_FRONT_END, "front-end")         /* dispatch width */                               \
    STALL(STALL_DEPENDENCY, "dependency")       /* waiting for an operand's latency */             \
    STALL(STALL_PORT, "port")                   /* no free execution port */                       \
    STALL(STALL_WINDOW, "window")               /* reorder buffer, queues, registers full */       \
    STALL(STALL_STORE_DRAIN, "store-drain")     /* a barrier or lock waits for stores */           \
    STALL(STALL_LFENCE, "lfence-wait")          /* lfence waits for older work */                  \
    STALL(STALL_SERIALIZATION, "serialization") /* the serializing instruction itself */           \
    STALL(STALL_RESTART, "restart")             /* refill after a serializing instruction */       \
    STALL(STALL_LOCK, "lock")                   /* the interval of a locked operation */           \
    STALL(STALL_FORWARDING, "forwarding")       /* store forwarding that is slow or fails */       \
    STALL(STALL_MISS, "miss")                   /* L2, L3 or memory */                             \
    STALL(STALL_TRANSFER, "line-transfer")      /* a line owned by another CPU */                  \
    STALL(STALL_WC_FLUSH, "wc-flush")           /* write-combining buffers */                      \
    STALL(STALL_SYSTEM, "system")               /* microcoded or system instruction itself */      \
    STALL(STALL_SLEEP, "sleep")                 /* HLT, or no code left, until an interrupt */

enum stall {
#define STALL(name, text) name,
    STALLS(STALL)
#undef STALL
        STALL_COUNT
};

const char *stall_name(enum stall stall);

struct timed_insn {
    uint32_t offset; /* from where the CPU's code starts, also for those of its handlers */
    const char *text;
    double cycles; /* retirement time that it accounts for: per iteration with `loop`, else total */
    double stall[STALL_COUNT]; /* cycles of those by cause */
};

/* An instruction on its way; cycles since the start of the run. */
struct timeline_row {
    const char *text;
    uint32_t offset;
    uint64_t iteration; /* of a loop, from 0 */
    double dispatch;
    double issue; /* it begins to execute; < 0: renaming does its work */
    double done, retire;
    double commit; /* its store is in the cache; < 0: no store */
};

struct timed_cpu {
    uint32_t cpu;
    double cycles; /* from the first instruction to the last retired and drained */
    bool has_iterations;
    double per_iteration; /* steady state: slope over the second half of the iterations */
    struct timed_insn *insns;
    size_t insn_count;
    struct timeline_row *timeline; /* when options ask for it */
    size_t timeline_count;
};

struct timed {
    struct timed_cpu *cpus;
    size_t cpu_count;
    bool complete;      /* false: `reason` says why there are no (full) figures */
    bool limited;       /* `reason` is a limit or an interruption */
    const char *reason; /* e.g. "P0 never ends", "the limit of 10000000 instructions", a fault */
    const char **unmodelled; /* instructions that the cycle model does not know, by text */
    size_t unmodelled_count;
    uint64_t instructions; /* timed in all */
    /* What the program's terms are in the end: the run is one execution of the ordering model.
     * NULL when it did not end, and with `loop`, whose end is not the program's. */
    uint64_t *values;
};

struct time_options {
    uint64_t max_instructions; /* 0: the default, 2^26 */
    double max_seconds;        /* 0: none */
    size_t max_memory;         /* bytes of the region that the run may take; 0: none */
    const volatile int *stop;  /* set to non-zero from outside to end early; may be NULL */
    size_t timeline;           /* so many instructions of each CPU are recorded; 0: none */
};

/*
 * Times one variant of a program on a profile with cycles. Results live in `region`.
 * Deterministic. With `loop`, each loop CPU's snippet is the body of
 * `mov r15, iterations; .p2align 6; 1: SNIPPET; dec r15; jnz 1b`.
 */
struct timed *time_run(struct region *region, struct exec *exec, const struct program *program,
                       uint32_t variant, const struct profile *profile,
                       const struct time_options *options);

#endif
