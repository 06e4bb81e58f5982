/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs that are alike: the same code, the same registers at the start, nothing by which they
 * could tell themselves apart. Exchanging two of them turns executions into executions, so
 * that of all states which differ only in who is who, one is explored: the one in which alike
 * CPUs have ascending components. All of them share the components of the first one, whose
 * code and stack stand for everybody's.
 *
 * What could tell them apart is the address of their stack and of their code. That they never
 * use it but to get at their own stack is assumed, and when an instruction or an access
 * contradicts that, the pass is void and the CPUs are no longer taken for alike (the argument of
 * footprint.h carries over).
 */
#ifndef FENCESIM_SIM_EXPLORE_SYMMETRY_H_
#define FENCESIM_SIM_EXPLORE_SYMMETRY_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/region.h"

struct exploration;
struct insn;
struct registers;
struct start;

#define NOT_ALIKE UINT32_MAX

struct symmetry {
    bool any;
    uint32_t *alike;           /* per CPU: the first of those alike, itself when there is none */
    uint32_t *previous, *next; /* per CPU, among those alike; NOT_ALIKE at the ends */
};

/* Everybody is alone. */
void symmetry_none(struct symmetry *symmetry, struct region *region, uint32_t cpus);

/*
 * Whether by this instruction a CPU could learn which one it is, or do something that only one
 * CPU can.
 */
bool insn_tells_cpus_apart(const struct insn *insn);

/*
 * Whether rsp is, or leads by this instruction, out of the CPU's own stack (or near its ends): what
 * is there for one CPU is elsewhere for another, and adding so much to it may carry for one only.
 */
bool leaves_own_stack(const struct insn *insn, const struct registers *registers, uint64_t stack);

/* Finds who is alike in this pass. */
void symmetry_find(struct exploration *exploration, const struct start *start);

/* Whether an instruction was met by which one of those alike can tell itself apart. */
bool symmetry_is_broken(const struct exploration *exploration);

/* Moves the component of `cpu`, which changed, to its place among those alike. */
void symmetry_settle(const struct symmetry *symmetry, uint32_t *tuple, uint32_t cpu);

/* Puts all of the tuple in order. */
void symmetry_sort(const struct symmetry *symmetry, uint32_t cpus, uint32_t *tuple);

/* Whether what `cpu` can do in this tuple is done for the one before it, which is in `which`. */
static inline bool symmetry_repeats(const struct symmetry *symmetry, const uint32_t *tuple,
                                    uint32_t cpu, uint64_t which)
{
    uint32_t before = symmetry->previous[cpu];
    return before != NOT_ALIKE && tuple[before] == tuple[cpu] &&
           (before >= 64 || (which >> before & 1));
}

/*
 * Calls `visit` for the tuple and for what it becomes when those alike are exchanged, as far as
 * the exploration's terms and who has ended tell these apart.
 */
typedef void visit_arrangement(void *receiver, const uint32_t *tuple);
void for_each_arrangement(struct exploration *exploration, const uint32_t *tuple,
                          visit_arrangement *visit, void *receiver);

#endif
