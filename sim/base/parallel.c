/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/base/parallel.h"

#include <unistd.h>

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

/* Takes pieces until none is left. */
static void work(struct crew *crew, unsigned number)
{
    for (;;) {
        size_t mine = atomic_fetch_add_explicit(&crew->next, 1, memory_order_relaxed);
        if (mine >= crew->pieces)
            return;
        crew->parallel.run(crew->parallel.context, number, mine);
    }
}

static void *begin(void *argument)
{
    struct crew_member *member = argument;
    struct crew *crew = member->crew;
    size_t done = 0; /* batches */
    pthread_mutex_lock(&crew->lock);
    for (;;) {
        while (crew->batch == done && !crew->quit)
            pthread_cond_wait(&crew->wake, &crew->lock);
        if (crew->batch == done)
            break;
        done = crew->batch;
        pthread_mutex_unlock(&crew->lock);
        work(crew, member->number);
        pthread_mutex_lock(&crew->lock);
        if (--crew->working == 0)
            pthread_cond_signal(&crew->idle);
    }
    pthread_mutex_unlock(&crew->lock);
    if (crew->parallel.leave)
        crew->parallel.leave();
    return NULL;
}

void crew_start(struct crew *crew, const struct parallel *parallel, unsigned threads)
{
    crew->parallel = *parallel;
    crew->working = 0;
    crew->batch = crew->pieces = 0;
    crew->quit = false;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->wake, NULL);
    pthread_cond_init(&crew->idle, NULL);
    for (crew->count = 1; crew->count < threads && crew->count < THREADS_MAX; crew->count++) {
        struct crew_member *member = &crew->members[crew->count];
        *member = (struct crew_member){.crew = crew, .number = crew->count};
        if (pthread_create(&member->thread, NULL, begin, member) != 0)
            break;
    }
}

void crew_run(struct crew *crew, size_t count)
{
    pthread_mutex_lock(&crew->lock);
    crew->pieces = count;
    atomic_store_explicit(&crew->next, 0, memory_order_relaxed);
    crew->working = crew->count - 1;
    crew->batch++;
    pthread_cond_broadcast(&crew->wake);
    pthread_mutex_unlock(&crew->lock);
    work(crew, 0);
    pthread_mutex_lock(&crew->lock);
    while (crew->working > 0)
        pthread_cond_wait(&crew->idle, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}

void crew_stop(struct crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    crew->quit = true;
    pthread_cond_broadcast(&crew->wake);
    pthread_mutex_unlock(&crew->lock);
    while (--crew->count > 0)
        pthread_join(crew->members[crew->count].thread, NULL);
    pthread_cond_destroy(&crew->wake);
    pthread_cond_destroy(&crew->idle);
    pthread_mutex_destroy(&crew->lock);
}

void parallel_run(const struct parallel *parallel, unsigned threads, size_t count)
{
    struct crew crew;
    crew_start(&crew, parallel, threads);
    crew_run(&crew, count);
    crew_stop(&crew);
}
