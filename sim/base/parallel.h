/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many like pieces of work on several threads. */
#ifndef FENCESIM_SIM_BASE_PARALLEL_H_
#define FENCESIM_SIM_BASE_PARALLEL_H_

#include <stddef.h>

enum { THREADS_MAX = 256 };

/* How many threads serve that many pieces: `wanted`, 0 for one per core, and never more than
 * there are pieces; at least one. */
unsigned parallel_threads(unsigned wanted, size_t count);

struct parallel {
    /* Does one piece; `worker` (below the number of threads) is the same on one thread. */
    void (*run)(void *context, unsigned worker, size_t index);
    void (*leave)(void); /* called at the end of each thread but the caller's; NULL: nothing */
    void *context;
};

/*
 * Does the pieces 0 to count - 1, begun in this order, and returns when all are done. The calling
 * thread is worker 0; when threads cannot be started, fewer do the work.
 */
void parallel_run(const struct parallel *parallel, unsigned threads, size_t count);

#endif
