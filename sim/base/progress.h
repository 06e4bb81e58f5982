/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters for whoever waits: written by the threads that work, read by one that shows them. */
#ifndef FENCESIM_SIM_BASE_PROGRESS_H_
#define FENCESIM_SIM_BASE_PROGRESS_H_

#include "include/fencesim/fencesim.h"

/* What one exploration has added to the counters. */
struct progress_share {
    uint64_t states, frontier;
};

/* Makes the share what it is now. `progress` may be NULL. */
static inline void progress_update(fs_progress *progress, struct progress_share *share,
                                   uint64_t states, uint64_t frontier)
{
    if (!progress)
        return;
    __atomic_fetch_add(&progress->states, states - share->states, __ATOMIC_RELAXED);
    __atomic_fetch_add(&progress->frontier, frontier - share->frontier, __ATOMIC_RELAXED);
    *share = (struct progress_share){states, frontier};
}

static inline void progress_count(uint64_t *counter, uint64_t more)
{
    __atomic_fetch_add(counter, more, __ATOMIC_RELAXED);
}

#endif
