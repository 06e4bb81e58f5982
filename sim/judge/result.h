/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one run (a file x a profile x a variant) found. The report writers read only this. */
#ifndef FENCESIM_SIM_JUDGE_RESULT_H_
#define FENCESIM_SIM_JUDGE_RESULT_H_

#include "models/profile.h"
#include "sim/explore/witness.h"
#include "sim/judge/state_graph.h"
#include "sim/program/program.h"
#include "sim/relations/relations.h"
#include "sim/time/time.h"

enum verdict { VERDICT_PASS, VERDICT_VIOLATION, VERDICT_UNKNOWN };

const char *verdict_name(enum verdict verdict);

struct outcome_row {
    uint64_t *values;      /* one per observed term */
    bool relaxed;          /* no sequentially consistent interleaving gives it */
    uint32_t state;        /* the first final state with these values, in the exploration */
    const uint32_t *tuple; /* that state, those alike in order; valid as long as the exploration */
};

/* What a witness leads to. */
enum witness_end { ENDS_FINAL, ENDS_STUCK, ENDS_CRASH, ENDS_PROBLEM };

/* A fence in front of the instruction at `offset` of a CPU's code. */
struct fence_place {
    uint32_t cpu, offset;
    const char *text;      /* of that instruction */
    const char *fences[2]; /* "mfence", then NULL or another */
};

struct result_witness {
    int outcome;        /* index into outcomes, NO_INDEX for a stuck execution or a fault */
    const char *reason; /* why it is shown: "never ... ", "relaxed", "P0 is stuck" */
    struct witness *witness;
    enum witness_end end;
    uint32_t state;        /* its last, in the exploration */
    const uint32_t *tuple; /* as in a final state, NULL in a crash image */
    /* With run_options.explain, else NULL: */
    const struct relations *relations;
    const char *prose; /* the same in a few sentences */
    /* Without them the outcome is reachable; with all of them it was shown not to be. */
    const struct fence_place *forbidden_by;
    size_t forbidden_by_count; /* 0: not looked for, or none of those tried forbids it */
};

enum held { HELD_NO, HELD_YES, HELD_UNKNOWN };

struct expect_row {
    const struct expectation *expectation;
    enum held held;
    int witness;      /* index into witnesses, NO_INDEX */
    const char *note; /* e.g. "74.05 cycles, at most 60 wanted"; NULL */
};

struct finding {
    const char *rule;
    uint32_t cpu, offset;
    const char *text;    /* the instruction */
    double cycles;       /* what it costs on this profile; < 0: not known */
    const char *message; /* one sentence that says what to do */
    struct place place;  /* in the trace; line 0 when unknown */
    bool is_error;       /* makes the verdict a violation unless the trace expects it */
};

struct unmodelled {
    const char *cpu, *text, *reason;
    uint32_t offset;
    struct place place;
};

struct result {
    const struct program *program;
    const struct profile *profile;
    uint32_t variant;
    enum verdict verdict;

    bool ordered; /* the ordering half was run */
    bool complete;
    const char *incomplete;    /* why not */
    const char *advice;        /* what would help then; NULL: nothing */
    uint64_t states, frontier; /* frontier: found, but not followed up */
    const struct term **observed;
    size_t observed_count;
    struct outcome_row *outcomes;
    size_t outcome_count;
    const struct term **durable; /* terms that a crash image has a value for */
    size_t durable_count;
    uint64_t **images; /* what a power cut can leave, one value per durable term */
    size_t image_count;
    bool has_images;
    bool stuck, relaxed_known;
    const char **stuck_cpus; /* names of those that can get stuck */
    size_t stuck_cpu_count;
    struct result_witness *witnesses;
    size_t witness_count, witness_capacity;

    const struct state_graph *state_graph; /* NULL: not wanted, or `no_graph` says why not */
    const char *no_graph;

    const struct timed *timed; /* NULL: not timed */

    /* Every `never` and `always` for the profile, also those asked of other variants only. */
    enum held keeps_order;

    struct expect_row *expects;
    size_t expect_count;
    struct finding *findings;
    size_t finding_count, finding_capacity;
    bool findings_incomplete; /* some were too costly to look for */
    struct unmodelled *unmodelled;
    size_t unmodelled_count, unmodelled_capacity;
    struct bad_input {
        struct place place;
        const char *message;
    } * bad_inputs; /* errors of the trace that only running it showed */
    size_t bad_input_count, bad_input_capacity;
    const char **notes;
    size_t note_count, note_capacity;
};

struct result_list {
    struct result **items;
    size_t count, capacity;
};

/* ---- building a result ---- */

/* The place in the trace of an instruction of a CPU. */
struct place insn_place(const struct program *program, uint32_t variant, uint32_t cpu,
                        uint32_t offset);

void add_finding(struct region *region, struct result *result, const struct finding *finding);
void add_unmodelled(struct region *region, struct result *result,
                    const struct unmodelled *unmodelled);

/* Adds a note, unless the result has it. */
void result_note(struct region *region, struct result *result, const char *note);

#endif
