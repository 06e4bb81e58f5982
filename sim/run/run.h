/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judging and timing one program on profiles and variants. */
#ifndef FENCESIM_SIM_RUN_RUN_H_
#define FENCESIM_SIM_RUN_RUN_H_

#include "include/fencesim/fencesim.h"
#include "sim/run/result.h"

enum witness_choice { WITNESS_FIRST, WITNESS_NONE, WITNESS_ALL };

/* Findings: none, those that cost no exploration of their own, all. */
enum findings_choice { FINDINGS_ALL, FINDINGS_STATIC, FINDINGS_NONE };

struct run_options {
    bool order, time; /* which halves */
    bool reduce;
    bool explain; /* relate the events of witnesses, and tell them in prose */
    bool relaxed; /* find out which outcomes no interleaving explains */
    enum witness_choice witness;
    enum findings_choice findings;
    uint64_t max_states; /* 0: none */
    double max_seconds;  /* 0: none; for each run */
    size_t max_memory;   /* bytes, 0: none; for each run */
    const volatile int *stop;
    fs_progress *progress;
    uint64_t graph_states; /* keep the graph of all states when it has no more; 0: none */
    size_t timeline;       /* instructions of each CPU to record; 0: none */
};

struct result_list {
    struct result **items;
    size_t count, capacity;
};

/*
 * Runs every variant in `variants` (indices) on every profile and appends the results,
 * profile by profile. Everything lives in `region`.
 */
void run_program(struct region *region, const struct program *program,
                 const struct profile *const *profiles, size_t profile_count,
                 const uint32_t *variants, size_t variant_count, const struct run_options *options,
                 struct result_list *results);

/* The state that a condition speaks of. */
struct condition_state {
    const uint64_t *values; /* per term */
    const bool *stuck;      /* per CPU; NULL: nobody */
    const bool *durable;    /* per term, in a crash image: whether it has a value; NULL otherwise */
};

bool condition_holds(const struct condition *condition, const struct condition_state *state);

void result_note(struct region *region, struct result *result, const char *note);

#endif
