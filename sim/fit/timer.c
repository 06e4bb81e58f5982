/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times many loops at once, by threads that keep their engines from trial to trial. What a loop
 * takes does not depend on which thread times it.
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "sim/exec/exec.h"
#include "sim/explore/explore.h"
#include "sim/fit/fit.h"
#include "sim/time/time.h"

enum { THREADS_MAX = 256 };

struct fit_timer {
    pthread_mutex_t lock;
    pthread_cond_t wake, idle;
    pthread_t threads[THREADS_MAX];
    unsigned started;
    bool quit;
    /* the batch in hand */
    const struct fit *fit;
    struct profile profile;
    const uint32_t *which;
    size_t count, next, done;
    double *out;
    bool no_memory;
};

/* ---- one loop ---- */

static const struct timed *time_loop(struct region *region, const struct fit *fit,
                                     const struct fit_loop *loop, const struct profile *profile)
{
    struct time_options options = {.stop = fit->options->stop};
    if (fit->until > 0) {
        double left = fit->until - seconds_now();
        options.max_seconds = left > 1e-3 ? left : 1e-3;
    }
    struct exec *exec = exec_open(region, loop->program);
    const struct timed *timed = time_run(region, exec, loop->program, 0, profile, &options);
    exec_close(exec);
    return timed;
}

static double cycles_of_loop(const struct timed *timed)
{
    bool known = timed->complete && timed->cpu_count > 0 && timed->unmodelled_count == 0;
    return known && timed->cpus[0].has_iterations ? timed->cpus[0].per_iteration : -1;
}

/* In a region of its own: threads share none. False when memory ran out. */
static bool time_guarded(struct region *region, struct fit_timer *timer, uint32_t index,
                         double *cycles)
{
    if (region_guard(region))
        return false;
    const struct fit_loop *loop = &timer->fit->loops.items[index];
    *cycles = cycles_of_loop(time_loop(region, timer->fit, loop, &timer->profile));
    return true;
}

const char *fit_problem(struct fit *fit, const struct fit_loop *loop)
{
    const struct timed *timed = time_loop(fit->region, fit, loop, fit->base);
    if (timed->unmodelled_count > 0)
        return region_printf(fit->region, "the cycle model does not know \"%s\"",
                             timed->unmodelled[0]);
    return timed->reason ? timed->reason : "it has no steady state";
}

/* ---- threads ---- */

/* Works on the batch until nothing is left of it; the lock is held before and after. */
static void work(struct fit_timer *timer)
{
    while (timer->next < timer->count) {
        size_t mine = timer->next++;
        struct region region;
        double cycles = -1;
        pthread_mutex_unlock(&timer->lock);
        region_init(&region, (size_t)timer->fit->options->max_memory);
        bool timed = time_guarded(&region, timer, timer->which[mine], &cycles);
        region_release(&region);
        pthread_mutex_lock(&timer->lock);
        timer->out[mine] = cycles;
        timer->no_memory = timer->no_memory || !timed;
        if (++timer->done == timer->count)
            pthread_cond_signal(&timer->idle);
    }
}

static void *thread_main(void *argument)
{
    struct fit_timer *timer = argument;
    pthread_mutex_lock(&timer->lock);
    while (!timer->quit) {
        work(timer);
        pthread_cond_wait(&timer->wake, &timer->lock);
    }
    pthread_mutex_unlock(&timer->lock);
    decoder_close();
    exec_thread_close();
    return NULL;
}

static void stop_timer(void *argument)
{
    struct fit_timer *timer = argument;
    pthread_mutex_lock(&timer->lock);
    timer->quit = true;
    pthread_cond_broadcast(&timer->wake);
    pthread_mutex_unlock(&timer->lock);
    while (timer->started > 0)
        pthread_join(timer->threads[--timer->started], NULL);
    pthread_cond_destroy(&timer->wake);
    pthread_cond_destroy(&timer->idle);
    pthread_mutex_destroy(&timer->lock);
    exec_thread_close(); /* of the caller, who worked too */
}

void fit_start_timer(struct fit *fit)
{
    struct fit_timer *timer = region_alloc(fit->region, sizeof *timer);
    unsigned threads = fit->options->jobs;
    if (threads == 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        threads = cores > 0 ? (unsigned)cores : 1;
    }
    threads = threads < THREADS_MAX ? threads : THREADS_MAX;
    timer->fit = fit;
    timer->profile = *fit->base;
    pthread_mutex_init(&timer->lock, NULL);
    pthread_cond_init(&timer->wake, NULL);
    pthread_cond_init(&timer->idle, NULL);
    region_on_release(fit->region, stop_timer, timer);
    while (timer->started + 1 < threads &&
           pthread_create(&timer->threads[timer->started], NULL, thread_main, timer) == 0)
        timer->started++; /* the caller works too */
    fit->timer = timer;
}

/* ---- batches ---- */

static bool has_to_end(struct fit *fit)
{
    if (fit->options->stop && *fit->options->stop)
        fit->end = FIT_INTERRUPTED;
    else if (fit->until > 0 && seconds_now() > fit->until)
        fit->end = FIT_OUT_OF_TIME;
    return fit->end != FIT_CONVERGED;
}

bool fit_time(struct fit *fit, const struct cycle_parameters *cycles, const uint32_t *which,
              size_t count, double *out)
{
    struct fit_timer *timer = fit->timer;
    if (has_to_end(fit))
        return false;
    pthread_mutex_lock(&timer->lock);
    timer->profile.cycles = *cycles;
    timer->which = which;
    timer->out = out;
    timer->next = timer->done = 0;
    timer->count = count;
    pthread_cond_broadcast(&timer->wake);
    work(timer);
    while (timer->done < timer->count)
        pthread_cond_wait(&timer->idle, &timer->lock);
    pthread_mutex_unlock(&timer->lock);
    if (timer->no_memory)
        region_fail(fit->region);
    return !has_to_end(fit);
}
