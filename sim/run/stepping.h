/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One execution that is followed step by step; see fs_stepper in the public header. */
#ifndef FENCESIM_SIM_RUN_STEPPING_H_
#define FENCESIM_SIM_RUN_STEPPING_H_

#include "sim/judge/judge.h"

struct stepping;

/*
 * Explores the run, then stands at its start. Lives in `region`, to whose guard it unwinds.
 * `learn_states`: how many states are explored without reduction beforehand.
 */
struct stepping *stepping_new(struct region *region, const struct program *program,
                              uint32_t variant, const struct profile *profile,
                              const struct run_options *options, uint64_t learn_states);

/* Why there is nothing to follow; NULL: all is well. */
const char *stepping_problem(const struct stepping *stepping);

/* What exploring the run found. */
const struct result *stepping_result(const struct stepping *stepping);

const char *stepping_title(const struct stepping *stepping);
const char *stepping_state(const struct stepping *stepping);
const char *stepping_choice(const struct stepping *stepping, size_t index); /* NULL: none */
const char *stepping_step(const struct stepping *stepping, size_t index);   /* NULL: none */

/* `choice` must be one. */
void stepping_take(struct stepping *stepping, size_t choice);
void stepping_undo(struct stepping *stepping, size_t count);

/* ---- shared by stepping.c and stepping_text.c ---- */

struct stepping_choice {
    uint32_t *tuple;  /* where it leads */
    const char *text; /* NULL: a step that shows nothing, taken at once */
};

struct stepping {
    struct region *region;
    struct region *view; /* of choices and state */
    struct prepared *prepared;
    const struct profile *profile;
    const struct result *result;
    struct exploration *exploration;
    struct explore_options options;
    const char *title;
    uint32_t **path; /* tuples: the start, then after each step */
    const char **steps;
    size_t count, path_capacity, step_capacity; /* of steps; the path has one more */
    struct stepping_choice *choices;
    size_t choice_count, choice_capacity;
    const char *state;
};

/* The state as text, in `view`. */
const char *stepping_describe(struct stepping *stepping);

#endif
