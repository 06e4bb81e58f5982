/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times many loops at once, by threads that keep their engines from trial to trial. What a loop
 * takes does not depend on which thread times it.
 */
#include <string.h>

#include "sim/base/clock.h"
#include "sim/base/parallel.h"
#include "sim/exec/exec.h"
#include "sim/fit/fit.h"
#include "sim/time/time.h"

struct fit_timer {
    struct crew crew;
    /* the batch in hand */
    const struct fit *fit;
    struct profile profile;
    const uint32_t *which;
    double *out;
    atomic_bool no_memory;
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

static void time_one(void *context, unsigned worker, size_t index)
{
    struct fit_timer *timer = context;
    struct region region;
    (void)worker;
    timer->out[index] = -1;
    region_init(&region, (size_t)timer->fit->options->max_memory);
    if (!time_guarded(&region, timer, timer->which[index], &timer->out[index]))
        timer->no_memory = true;
    region_release(&region);
}

static void stop_timer(void *timer)
{
    crew_stop(&((struct fit_timer *)timer)->crew);
    exec_thread_close(); /* of the caller, who worked too */
}

void fit_start_timer(struct fit *fit)
{
    struct fit_timer *timer = region_alloc(fit->region, sizeof *timer);
    struct parallel parallel = {.run = time_one, .leave = exec_thread_close, .context = timer};
    timer->fit = fit;
    timer->profile = *fit->base;
    region_on_release(fit->region, stop_timer, timer); /* first: it may unwind */
    crew_start(&timer->crew, &parallel, parallel_threads(fit->options->jobs, fit->loops.count));
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
    timer->profile.cycles = *cycles;
    timer->which = which;
    timer->out = out;
    crew_run(&timer->crew, count);
    if (timer->no_memory)
        region_fail(fit->region);
    return !has_to_end(fit);
}
