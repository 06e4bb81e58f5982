/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All executions of a program under an ordering model: a breadth-first search over global
 * states, so that the first way to an outcome is a shortest one. What is found is a proof
 * when `complete`, otherwise a lower bound of what can happen.
 */
#ifndef FENCESIM_SIM_EXPLORE_EXPLORE_H_
#define FENCESIM_SIM_EXPLORE_EXPLORE_H_

#include "sim/base/clock.h"
#include "sim/base/progress.h"
#include "sim/explore/component.h"
#include "sim/explore/states.h"

/* Values of `incomplete`. */
#define LIMIT_STATES    "the limit of states was reached"
#define LIMIT_TIME      "the limit of time was reached"
#define LIMIT_MEMORY    "the limit of memory was reached"
#define LIMIT_REGISTERS "the limit of distinct register states was reached"
#define LIMIT_STOP      "it was interrupted"

struct explore_options {
    bool reduce;                   /* false: interleave every step (for comparison) */
    bool whole_instructions;       /* without reduction: what follows an instruction's last load
                                      is no step of its own, nor what a CPU does with its stack */
    uint64_t max_states;           /* 0: none */
    double max_seconds;            /* 0: none */
    size_t max_memory;             /* bytes, 0: none */
    const struct removed *removed; /* code that is taken out */
    size_t removed_count;
    const volatile int *stop; /* non-zero: end early; may be NULL */
    fs_progress *progress;    /* may be NULL */
};

/* A final state as far as the terms see it, or one in which some CPUs are stuck. */
struct final_state {
    uint32_t state; /* the first one found with these values */
    bool is_stuck;
    const uint32_t *tuple; /* that state with those alike in an order with these values */
    uint64_t *values;      /* one per term */
    bool *stuck;           /* per CPU, NULL unless is_stuck */
};

/* The persistent objects as a power cut can leave them. */
struct crash_image {
    uint32_t state;   /* the first one in which it can happen */
    uint64_t *values; /* one per term; only those of persistent objects count */
};

enum issue_kind { ISSUE_FAULT, ISSUE_UNMODELLED, ISSUE_LIMIT };

/* Why some executions could not be followed to their end. */
struct issue {
    enum issue_kind kind;
    uint32_t cpu, state;
    const struct insn *insn; /* NULL when nothing could be fetched */
    const char *reason;      /* one sentence */
    const char *bad_input;   /* what is wrong with the trace, or NULL */
    struct fault fault;
    const uint32_t *tuple; /* as in a final state */
};

struct exploration {
    struct region region; /* owns all below */
    bool complete;
    const char *incomplete; /* which limit was hit; NULL when only issues make it incomplete */
    uint64_t state_count, transition_count;
    uint64_t followed; /* states whose successors have been found */
    struct progress_share shown;
    const struct explore_options *options;
    double started;
    bool is_void;          /* the pass rests on an assumption that was contradicted */
    const char *abandoned; /* the limit for which what follows the search was given up */
    struct final_state *finals;
    size_t final_count, final_capacity;
    struct issue *issues;
    size_t issue_count, issue_capacity;
    struct crash_image *images; /* only with persistent objects */
    size_t image_count, image_capacity;
    bool can_stick; /* some execution has no final state */

    /* for witnesses */
    struct components components;
    struct states states;
    const struct term *terms;
    size_t term_count;
    const struct program *program;

    /* while searching */
    struct intern seen; /* values and stuck CPUs of finals */
    struct intern seen_images;
    struct memory durable; /* what a power cut leaves */
    unsigned tuple_length; /* a component per CPU, memory, and what is durable */
    uint64_t *lines;       /* of persistent objects */
    size_t line_count;
    bool dead_end; /* a state without successors in which some CPU has not ended */
    uint32_t *tuple;
    bool keeps_order;       /* successors as they are, those alike not put in order */
    bool ample, goes_round; /* which reduction is made, and whether it must mind cycles */
    uint64_t discovery;     /* states explored when the footprint was contradicted */
};

/*
 * Explores. `footprint` carries what was learnt to later explorations of the same code. The
 * exploration is given back by exploration_close; NULL never. Running out of its own
 * memory limit makes it incomplete; running out of the caller's region unwinds.
 */
struct exploration *explore(struct region *region, struct oracle *oracle, const struct start *start,
                            const struct profile *profile, const struct model *model,
                            struct footprint *footprint, const struct term *terms,
                            size_t term_count, const struct explore_options *options);

void exploration_close(struct exploration *exploration);

/* In the exploration's region. */
const uint32_t *copy_tuple(struct exploration *exploration, const uint32_t *tuple);

/* Finds the states without a way to a final state: sets can_stick and adds stuck finals. */
void find_stuck(struct exploration *exploration);

/*
 * Calls `visit` for every transition of a state: the CPU, the transition and the tuple that
 * it leads to. Returns how many there are. A write-back by the memory itself has the CPU
 * number cpu_count and no transition.
 */
typedef void visit_successor(void *receiver, uint32_t cpu, struct transition *transition,
                             const uint32_t *tuple);
unsigned for_each_successor(struct exploration *exploration, const uint32_t *tuple,
                            visit_successor *visit, void *receiver);

/* The same for the transitions of some CPUs (bit n: CPU n) only. */
unsigned for_each_successor_of(struct exploration *exploration, const uint32_t *tuple,
                               uint64_t which, visit_successor *visit, void *receiver);

/*
 * For loops over all states after the search: looks at the clock and at `stop` once in a
 * while, and gives up (unwinds) when it is time to.
 */
void explore_check(struct exploration *exploration, uint64_t done);

/* Whether control flow can come back to where it was: only then can a program go on for ever. */
bool can_go_round(const struct exploration *exploration);

/* The value of a term in a state. */
uint64_t term_value(struct exploration *exploration, const uint32_t *tuple,
                    const struct term *term);

/* The value of a persistent object's term in what is durable in a state. */
uint64_t durable_value(struct exploration *exploration, const uint32_t *tuple,
                       const struct term *term);

/* Whether a term has a value after a power cut. */
bool term_is_durable(const struct program *program, const struct term *term);

#endif
