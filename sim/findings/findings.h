/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files of sim/findings. A finding is a rule, a place and one sentence that says
 * what to do; only rules of level error change a verdict.
 */
#ifndef FENCESIM_SIM_FINDINGS_FINDINGS_H_
#define FENCESIM_SIM_FINDINGS_FINDINGS_H_

#include "sim/judge/judge.h"
#include "sim/judge/rules.h"

/* ---- for sim/run ---- */

/* Looks for fences that forbid the relaxed outcomes that witnesses show (forbid.c). */
void find_forbidding_fences(struct judgement *judgement);

/* Fills the result's findings. */
void find_all(struct judgement *judgement);

/* ---- how findings are reported ---- */

/* Adds a finding at an instruction; `message` NULL: what the rule advises. */
void report_finding(struct judgement *judgement, const char *rule, uint32_t cpu,
                    const struct insn *insn, const char *message);

/* The same with what the instruction costs. */
void report_costly(struct judgement *judgement, const char *rule, uint32_t cpu,
                   const struct insn *insn, const char *message);

/* ---- read off the code and one exploration ---- */

void find_observed(struct judgement *judgement);
void find_unmodelled(struct judgement *judgement);
void find_red_zone_stores(struct judgement *judgement);
void find_unfenced(struct judgement *judgement);

/* What an instruction was seen to access in any execution: bits of `facts`. */
enum access_fact {
    FACT_SEEN = 1,        /* it was executed, or stood in front of */
    FACT_STORES = 2,      /* to an object, not to a stack */
    FACT_WEAK = 4,        /* non-temporal, or to write-combining memory */
    FACT_UNCACHEABLE = 8, /* loads or stores uc memory */
    FACT_PERSISTENT = 16  /* stores to, or flushes, persistent memory */
};

/* Per instruction of the CPU's main code, by its index in code->insns. */
uint8_t *access_facts(struct judgement *judgement, uint32_t cpu);

/* A locked operation on the stack that changes nothing: a full fence by another name. */
bool is_barrier_idiom(const struct insn *insn);

/* Whether a locked operation leaves the value as it is (add 0, or 0, and -1, ...). */
bool keeps_the_value(const struct insn *insn);

/* ---- found by exploring variations ---- */

/* An instruction that is there to order: the same in every CPU of a family (`count:`). */
struct fence_site {
    uint32_t cpu; /* the first of the family */
    uint32_t members;
    const struct insn *insn;
    uint32_t offset;
    bool redundant;
};

/* What is left to be explored, and the run to compare with. */
struct trial {
    struct judgement *judgement;
    struct fence_site *sites;
    size_t site_count, site_capacity;
    uint64_t states_left;
    bool skipped; /* something was too large to be tried */
};

void list_fences(struct trial *trial);

/*
 * Explores with the fence taken out (`as` INSN_ORDINARY) or acting as another. NULL when the
 * states that may be spent on it do not suffice; to be closed otherwise.
 */
struct exploration *trial_without(struct trial *trial, const struct fence_site *site,
                                  enum insn_class as);

/* Closes one explored elsewhere unless it is complete, and takes its states off. */
struct exploration *trial_keep(struct trial *trial, struct exploration *exploration);

/* How many states the next exploration may have. */
uint64_t trial_limit(const struct trial *trial);

/* Whether everything that `part` can end in, `whole` can end in; terms, stuck CPUs and images. */
bool ends_within(struct region *region, const struct exploration *part,
                 const struct exploration *whole);

void find_redundant_and_weaker(struct trial *trial);
void find_misplaced(struct trial *trial);
void find_implementation_only(struct trial *trial);

#endif
