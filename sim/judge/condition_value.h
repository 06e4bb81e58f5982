/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a state meets a condition of the trace. */
#ifndef FENCESIM_SIM_JUDGE_CONDITION_VALUE_H_
#define FENCESIM_SIM_JUDGE_CONDITION_VALUE_H_

#include "sim/program/program.h"

/* The state that a condition speaks of. */
struct condition_state {
    const uint64_t *values; /* per term */
    const bool *stuck;      /* per CPU; NULL: nobody */
    const bool *durable;    /* per term, in a crash image: whether it has a value; NULL otherwise */
};

bool condition_holds(const struct condition *condition, const struct condition_state *state);

#endif
