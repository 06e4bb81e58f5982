/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

struct queue {
    const struct parallel *parallel;
    size_t count;
    atomic_size_t next;
};

struct worker {
    struct queue *queue;
    unsigned number;
    pthread_t thread;
};

unsigned parallel_threads(unsigned wanted, size_t count)
{
    long cores = wanted ? (long)wanted : sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = cores > 0 ? (size_t)cores : 1;
    if (threads > THREADS_MAX)
        threads = THREADS_MAX;
    if (threads > count)
        threads = count;
    return threads ? (unsigned)threads : 1;
}

static void work(struct queue *queue, unsigned number)
{
    for (;;) {
        size_t mine = atomic_fetch_add_explicit(&queue->next, 1, memory_order_relaxed);
        if (mine >= queue->count)
            return;
        queue->parallel->run(queue->parallel->context, number, mine);
    }
}

static void *begin(void *argument)
{
    struct worker *worker = argument;
    work(worker->queue, worker->number);
    if (worker->queue->parallel->leave)
        worker->queue->parallel->leave();
    return NULL;
}

void parallel_run(const struct parallel *parallel, unsigned threads, size_t count)
{
    struct queue queue = {.parallel = parallel, .count = count};
    struct worker workers[THREADS_MAX];
    unsigned started = 1;
    for (; started < threads && started < THREADS_MAX; started++) {
        workers[started] = (struct worker){.queue = &queue, .number = started};
        if (pthread_create(&workers[started].thread, NULL, begin, &workers[started]) != 0)
            break;
    }
    work(&queue, 0);
    while (--started > 0)
        pthread_join(workers[started].thread, NULL);
}
