/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by all that produce one result: the files of this folder, sim/findings and sim/run. */
#ifndef FENCESIM_SIM_JUDGE_JUDGE_H_
#define FENCESIM_SIM_JUDGE_JUDGE_H_

#include "sim/judge/condition_value.h"
#include "sim/judge/options.h"
#include "sim/judge/result.h"

/* What all runs of one variant share: decoded code, memoised execution, the start. */
struct prepared {
    const struct program *program;
    uint32_t variant;
    struct oracle *oracle;
    const struct start *start;
    struct footprint footprint;
    /* all terms of the program, and those chosen when nothing names any */
    const struct term *terms;
    size_t term_count;
    const uint32_t *observed; /* indices into terms */
    size_t observed_count;
};

/* Decodes a variant and chooses what is observed. `region` is for what results keep. */
struct prepared *prepare_run(struct region *region, struct region *scratch, struct exec *exec,
                             const struct program *program, uint32_t variant, bool reduce);

struct judgement {
    struct region *region;  /* of the results */
    struct region *scratch; /* of what is needed while judging only */
    struct prepared *prepared;
    const struct profile *profile;
    const struct model *model;
    const struct run_options *options;
    double started; /* seconds of the monotonic clock: --max-seconds is for the run as a whole */
    struct result *result;
    struct exploration *exploration; /* NULL when order is not judged */
    const struct profile
        *guarantee; /* what the part's vendor guarantees; NULL: nothing to compare */
};

/* Explores, and fills the result's outcomes, issues and witnesses of relaxed outcomes. */
void judge_order(struct judgement *judgement);

/* Decides every expectation that applies; `all` are the results so far, for `cheaper`. */
void judge_expectations(struct judgement *judgement);

/* Decides `cheaper` once all variants of a profile have been timed. */
void judge_cheaper(struct region *region, struct result_list *results);

/* The verdict that follows from expectations, outcomes and what could not be followed. */
void judge_verdict(struct result *result);

/*
 * Whether the run cannot pass for what its cycles lack: a limit was hit, or cycles were all that
 * was asked for and the code faults, sleeps or waits for ever.
 */
bool result_lacks_cycles(const struct result *result);

/* Whether the trace expects this finding in this run, so that it is no news. */
bool finding_is_expected(const struct result *result, size_t finding);

/*
 * Adds a witness of `state` (`tuple` as for witness_new) and returns its index; NO_INDEX when
 * witnesses are not wanted.
 */
int add_witness(struct judgement *judgement, uint32_t state, const uint32_t *tuple, int outcome,
                enum witness_end end, const char *reason);

/* An exploration of the same code with some instructions taken out. */
struct exploration *explore_without(struct judgement *judgement, const struct removed *removed,
                                    size_t count);

/* The same with a limit of states of its own, and fences that may act as others. */
struct exploration *explore_varied(struct judgement *judgement, const struct removed *removed,
                                   size_t count, uint64_t max_states);

/* An exploration in which every step stands for itself, as readers expect to choose them. */
struct exploration *explore_unreduced(struct judgement *judgement, uint64_t max_states);

/*
 * Whether a condition asks for what a CPU in a loop without end has to itself, of which a reduced
 * exploration shows only some values (transient.c).
 */
bool shows_transient_values(const struct judgement *judgement,
                            const struct exploration *exploration);

/* Whether both can end in exactly the same observed outcomes. Only for complete explorations. */
bool same_outcomes(const struct judgement *judgement, const struct exploration *a,
                   const struct exploration *b);

/* The index of the outcome with the values of a final state, NO_INDEX if none. */
int outcome_of(const struct judgement *judgement, const struct final_state *final);

/* Tells every witness in a few sentences (prose.c). */
void tell_witnesses(struct judgement *judgement);

#endif
