/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where executions that never end settle. */
#ifndef FENCESIM_SIM_EXPLORE_RECURRENT_H_
#define FENCESIM_SIM_EXPLORE_RECURRENT_H_

#include "sim/explore/explore.h"

/* States that all reach each other and nothing else: what is passed only once is not in them. */
typedef void visit_trap(void *receiver, const uint32_t *states, size_t count);

/* Calls `visit` for every trap among the states that `lost` marks; those lead to each other only.
 */
void for_each_trap(struct exploration *exploration, const uint8_t *lost, visit_trap *visit,
                   void *receiver);

#endif
