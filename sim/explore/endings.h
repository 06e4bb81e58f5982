/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of a state: its values when it is final, what ends it otherwise, what is durable. */
#ifndef FENCESIM_SIM_EXPLORE_ENDINGS_H_
#define FENCESIM_SIM_EXPLORE_ENDINGS_H_

#include "sim/explore/explore.h"

/* What would be left if the power failed in this state. */
void add_image(struct exploration *exploration, uint32_t state, const uint32_t *tuple);

/* A state without successors: final, stuck, or the end of what can be followed. */
void judge_end(struct exploration *exploration, uint32_t state, const uint32_t *tuple);

/* A CPU that cannot be followed any further. What happens to one happens to each of those alike in
 * some execution. */
void note_issue(struct exploration *exploration, uint32_t state, uint32_t cpu,
                const struct component *component, const uint32_t *tuple);

#endif
