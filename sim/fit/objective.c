/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far modelled cycles are from measured ones. */
#include <math.h>

#include "sim/fit/fit.h"

/* The error of a loop that cannot be timed any more: worse than any that can. */
static const double UNTIMED = 1e3;

double fit_objective(const struct fit *fit, const double *cycles)
{
    bool squares = fit->options->loss == FS_LOSS_SQUARES;
    double sum = 0, weights = 0;
    for (size_t i = 0; i < fit->timed_count; i++) {
        const struct fit_loop *loop = &fit->loops.items[fit->timed[i]];
        double modelled = cycles[fit->timed[i]];
        double error = modelled < 0 ? UNTIMED : fit_error(loop, modelled);
        sum += loop->weight * (squares ? error * error : error);
        weights += loop->weight;
    }
    return weights > 0 ? squares ? sqrt(sum / weights) : sum / weights : 0;
}

double fit_error(const struct fit_loop *loop, double modelled)
{
    return modelled < 0 ? 1 : fabs(modelled - loop->measured) / loop->measured;
}

double fit_mean_error(const struct fit *fit, const double *cycles)
{
    double sum = 0;
    for (size_t i = 0; i < fit->timed_count; i++) {
        const struct fit_loop *loop = &fit->loops.items[fit->timed[i]];
        sum += fit_error(loop, cycles[fit->timed[i]]);
    }
    return fit->timed_count > 0 ? sum / (double)fit->timed_count : 0;
}

void fit_mean_errors(const struct fit *fit, double *before, double *after)
{
    *before = *after = 0;
    for (size_t i = 0; i < fit->timed_count; i++) {
        const struct fit_loop *loop = &fit->loops.items[fit->timed[i]];
        *before += fit_error(loop, loop->before) / (double)fit->timed_count;
        *after += fit_error(loop, loop->after) / (double)fit->timed_count;
    }
}
