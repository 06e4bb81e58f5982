/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an snapshot's code refers to and the snapshot does not have. */
#ifndef FENCESIM_SIM_CAPTURE_ASSUMED_H_
#define FENCESIM_SIM_CAPTURE_ASSUMED_H_

#include "sim/capture/snapshot.h"

/*
 * Adds sections of zeros for data that the code refers to, named as the snapshot names it, with
 * the distances between them kept; and names for code that is elsewhere. `snapshot->names` is
 * sorted.
 */
void assume_rest(struct snapshot *snapshot, struct binary *binary);

#endif
