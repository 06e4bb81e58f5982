/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the property tests: small random programs in a representation of their own, an
 * enumerator of their outcomes that is as simple as can be (naive.c), and the program under
 * test given the same program as a trace (engine.c).
 */
#ifndef FENCESIM_TESTS_PROPERTY_PROPERTY_H_
#define FENCESIM_TESTS_PROPERTY_PROPERTY_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/explore/witness.h"

enum { THREADS_MAX = 3, OPS_MAX = 6 };
/* Accesses lie in these bytes of an object: three words, of which the last starts a line. */
enum { WINDOW_BASE = 48, WINDOW_BYTES = 24, WINDOW_WORDS = WINDOW_BYTES / 8 };
/* rax r8 r9 r10 r11 */
enum { REGISTERS = 5, VALUES_MAX = THREADS_MAX * REGISTERS + WINDOW_WORDS };

enum op_kind {
    OP_STORE,
    OP_STORE_NUMBER,
    OP_LOAD,
    OP_ADD, /* to memory, not locked */
    OP_LOCK_ADD,
    OP_LOCK_XADD,
    OP_XCHG,
    OP_LOCK_CMPXCHG,
    OP_MFENCE,
    OP_BRANCH, /* over the next `skip` operations when the register is zero */
    OP_KINDS
};

struct op {
    enum op_kind kind;
    unsigned offset, size; /* in the window */
    unsigned reg;          /* never rax */
    unsigned number, skip;
};

struct sample {
    unsigned threads, count[THREADS_MAX];
    struct op ops[THREADS_MAX][OPS_MAX];
    uint64_t registers[THREADS_MAX][REGISTERS];
};

/* What the machine does with it. */
struct machine {
    bool sc;
    unsigned capacity, atomic_bytes;
};

/* ---- samples: sample.c ---- */

struct sample sample_random(uint64_t seed);

/* The sample with one more fence, at a place that `seed` chooses; false when it is full. */
bool sample_with_fence(const struct sample *sample, uint64_t seed, struct sample *fenced);

/* Threads in another order: thread n of the result is thread order[n]. */
struct sample sample_permuted(const struct sample *sample, const unsigned *order);

/* Threads 1 to `count` - 1 run what thread 0 runs, from the same registers. */
void sample_make_alike(struct sample *sample, unsigned count);

/* As a trace; with `renamed`, other names and addresses. malloc'ed. */
char *sample_trace(const struct sample *sample, bool renamed);

/* ---- sets of outcomes: outcomes.c ---- */

/* Sorted rows without repeats: the registers of each thread, then the words of the window. */
struct outcomes {
    uint64_t (*rows)[VALUES_MAX];
    size_t count, capacity;
};

void outcomes_add(struct outcomes *outcomes, const uint64_t *row);
void outcomes_sort(struct outcomes *outcomes);
bool outcomes_equal(const struct outcomes *a, const struct outcomes *b);
bool outcomes_within(const struct outcomes *part, const struct outcomes *whole);
void outcomes_print(const struct outcomes *outcomes, unsigned threads);
void outcomes_free(struct outcomes *outcomes);

/* ---- the naive machine: naive.c ---- */

struct entry {
    uint8_t offset, size, joined; /* joined: with the one before, a store seen in pieces */
    uint8_t bytes[8];
};

struct thread_state {
    uint64_t registers[REGISTERS];
    uint8_t pc, latched, count;
    uint8_t bytes[8]; /* loaded so far */
    struct entry buffer[OPS_MAX * 2];
};

struct state {
    struct thread_state threads[THREADS_MAX];
    uint8_t memory[WINDOW_BYTES];
};

void state_start(const struct sample *sample, struct state *state);
void state_row(const struct sample *sample, const struct state *state, uint64_t *row);

/* Pieces of an access that are each seen at once: sizes; the first begins at `offset`. */
unsigned naive_cut(const struct machine *machine, unsigned offset, unsigned size,
                   unsigned sizes[2]);

/* What a thread reads: its own youngest store to each byte, else memory. */
void naive_read(const struct state *state, unsigned thread, unsigned offset, unsigned size,
                uint8_t *bytes);

/* The parts of a step; each returns false when it cannot be done now. */
bool naive_drain(struct state *state, unsigned thread, unsigned index);
bool naive_load_piece(const struct sample *sample, const struct machine *machine,
                      struct state *state, unsigned thread, unsigned piece);
bool naive_instruction(const struct sample *sample, const struct machine *machine,
                       struct state *state, unsigned thread);

/* All outcomes; false when there are more than `limit` states. */
bool naive_outcomes(const struct sample *sample, const struct machine *machine, size_t limit,
                    struct outcomes *outcomes);

/* Takes the steps of a witness one by one; NULL when they are possible and end in `row`,
 * otherwise what is wrong with them. */
const char *naive_replay(const struct sample *sample, const struct machine *machine,
                         const struct witness *witness, uint64_t window_address,
                         const uint64_t *row);

/* ---- the program under test: engine.c ---- */

struct batch;

struct batch *batch_new(void);
size_t batch_add(struct batch *batch, const char *trace); /* the program's number */
bool batch_assemble(struct batch *batch);                 /* false: errors, which are printed */
void batch_free(struct batch *batch);

/* The program of that number, once it is assembled. */
const struct program *batch_program(const struct batch *batch, size_t number);

/* Told every final state with its witness, when given. */
typedef void witness_check(void *context, const struct witness *witness, uint64_t window_address,
                           const uint64_t *row);

/* How the search is made: every step by itself, reduced, or as the graph that readers explore,
 * of which the outcomes are then those that its steps lead to. */
enum search_kind { SEARCH_ALL, SEARCH_REDUCED, SEARCH_GRAPH };

/* All outcomes under the ordering model of that name; false when the search was incomplete. */
bool engine_outcomes(struct batch *batch, size_t number, const char *model,
                     const struct machine *machine, enum search_kind search,
                     struct outcomes *outcomes, witness_check *check, void *context);

#endif
