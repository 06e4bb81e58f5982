/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which CPUs a state must be explored for. When nothing that some CPUs can do now conflicts
 * with what the others may ever do from here, it is enough to explore those some: whatever
 * the others do commutes with it (persistent sets: Godefroid, "Partial-Order Methods for the
 * Verification of Concurrent Systems", LNCS 1032, 1996). Final states are kept, and since a
 * step back to an explored state forces a full expansion, so is who can get stuck.
 */
#ifndef FENCESIM_SIM_EXPLORE_AMPLE_H_
#define FENCESIM_SIM_EXPLORE_AMPLE_H_

#include "sim/explore/explore.h"

/* Whether the program is one for which the reduction is made at all. */
bool ample_applies(const struct exploration *exploration);

/* A set of CPUs (bit n: CPU n) that is enough for this state; all of them when in doubt. */
uint64_t ample_cpus(struct exploration *exploration, const uint32_t *tuple);

#endif
