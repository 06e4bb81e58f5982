/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many like pieces of work on several threads. */
#ifndef FENCESIM_SIM_BASE_PARALLEL_H_
#define FENCESIM_SIM_BASE_PARALLEL_H_

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
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

/* Threads that stay from batch to batch, and keep what they have learnt. Not to be moved. */
struct crew {
    struct parallel parallel;
    pthread_mutex_t lock; /* of what follows, but `next` */
    pthread_cond_t wake, idle;
    struct crew_member {
        struct crew *crew;
        unsigned number;
        pthread_t thread;
    } members[THREADS_MAX]; /* from 1: the caller is worker 0 */
    unsigned count;         /* the caller included */
    unsigned working;       /* members that have not done with the batch */
    size_t batch, pieces;
    atomic_size_t next;
    bool quit;
};

void crew_start(struct crew *crew, const struct parallel *parallel, unsigned threads);

/* A batch: as parallel_run, by the thread that started the crew. */
void crew_run(struct crew *crew, size_t count);

/* Ends the threads. */
void crew_stop(struct crew *crew);

#endif
