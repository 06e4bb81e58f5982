/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which loops depend on which parameters. Each is moved down and up. Most loops depend on few
 * of them: so a range of the table is moved at once first, and only the loops that change then
 * are timed with each half of it. Two changes that cancel each other to the
 * last tick would be overlooked; the search times every loop again before it ends.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/fit/fit.h"

static const double TENTH = 0.1, HALF = 0.5;

struct probe {
    struct fit *fit;
    int direction;
    double share;          /* of its value, by which a parameter is moved */
    const uint32_t *order; /* indices of parameters */
    const double *cycles;  /* of all loops, as they are now; by index */
    double *moved;         /* scratch, by index */
};

static bool moves(const struct probe *probe, const struct fit_parameter *parameter)
{
    return fit_moved(parameter, probe->direction, probe->share) != parameter->units;
}

/* Times the loops with these parameters moved. */
static bool time_moved(struct probe *probe, size_t first, size_t count, const uint32_t *loops,
                       size_t loop_count, double *out)
{
    struct cycle_parameters cycles;
    fit_current(probe->fit, &cycles);
    for (size_t i = first; i < first + count; i++) {
        const struct fit_parameter *parameter = &probe->fit->parameters[probe->order[i]];
        fit_set(&cycles, parameter, fit_moved(parameter, probe->direction, probe->share));
    }
    return fit_time(probe->fit, &cycles, loops, loop_count, out);
}

/* What one parameter's move does to these loops; all others stay as they are. */
static void note_effect(struct probe *probe, struct fit_parameter *parameter, const uint32_t *loops,
                        size_t count, const double *moved)
{
    struct fit *fit = probe->fit;
    for (size_t i = 0; i < count; i++) {
        parameter->loop_count += !parameter->affects[loops[i]];
        parameter->affects[loops[i]] = true;
    }
    if (!fit->effects)
        return;
    struct fit_effect *effect = &fit->effects[parameter - fit->parameters];
    memcpy(probe->moved, probe->cycles, fit->loops.count * sizeof *probe->moved);
    for (size_t i = 0; i < count; i++) {
        const struct fit_loop *loop = &fit->loops.items[loops[i]];
        double change = moved[i] < 0 ? 1 : fabs(moved[i] - loop->after) / loop->after;
        probe->moved[loops[i]] = moved[i];
        effect->change += change / 2 / (double)fit->timed_count;
        effect->group_change[loop->group_index] +=
            change / 2 / (double)fit->groups[loop->group_index].count;
    }
    double *error = probe->direction < 0 ? &effect->lower_error : &effect->higher_error;
    *error = fit_mean_error(fit, probe->moved) - fit_mean_error(fit, probe->cycles);
}

static bool probe_range(struct probe *probe, size_t first, size_t count, const uint32_t *loops,
                        size_t loop_count)
{
    struct fit *fit = probe->fit;
    if (count == 0 || loop_count == 0)
        return true;
    struct fit_parameter *parameter = &fit->parameters[probe->order[first]];
    if (count == 1 && !moves(probe, parameter))
        return true;
    double *moved = region_resize(fit->region, NULL, loop_count * sizeof *moved);
    uint32_t *changed = region_resize(fit->region, NULL, loop_count * sizeof *changed);
    size_t changed_count = 0;
    bool going = time_moved(probe, first, count, loops, loop_count, moved);
    for (size_t i = 0; i < loop_count && going; i++) {
        if (moved[i] == probe->cycles[loops[i]])
            continue;
        moved[changed_count] = moved[i];
        changed[changed_count++] = loops[i];
    }
    if (going && count == 1)
        note_effect(probe, parameter, changed, changed_count, moved);
    else if (going)
        going = probe_range(probe, first, count / 2, changed, changed_count) &&
                probe_range(probe, first + count / 2, count - count / 2, changed, changed_count);
    region_free(fit->region, changed);
    region_free(fit->region, moved);
    return going;
}

/* Flags switch off what other parameters do: each is moved alone, all others in ranges. */
static bool probe_all(struct probe *probe, size_t flags)
{
    struct fit *fit = probe->fit;
    for (size_t i = 0; i < flags; i++)
        if (!probe_range(probe, i, 1, fit->timed, fit->timed_count))
            return false;
    return probe_range(probe, flags, fit->parameter_count - flags, fit->timed, fit->timed_count);
}

bool fit_find_dependence(struct fit *fit)
{
    struct region *region = fit->region;
    uint32_t *order = region_array(region, fit->parameter_count + 1, sizeof *order);
    double *cycles = region_array(region, fit->loops.count + 1, sizeof *cycles);
    size_t flags = 0, at = 0;
    for (uint32_t i = 0; i < fit->parameter_count; i++)
        if (fit->parameters[i].is_flag)
            order[flags++] = i;
    for (uint32_t i = 0; i < fit->parameter_count; i++)
        if (!fit->parameters[i].is_flag)
            order[flags + at++] = i;
    for (size_t i = 0; i < fit->loops.count; i++)
        cycles[i] = fit->loops.items[i].after;
    struct probe probe = {.fit = fit, .order = order, .cycles = cycles};
    probe.share = fit->effects ? TENTH : HALF;
    probe.moved = region_array(region, fit->loops.count + 1, sizeof *probe.moved);
    for (probe.direction = -1; probe.direction <= 1; probe.direction += 2)
        if (!probe_all(&probe, flags))
            return false;
    return true;
}

/* ---- at the fitted values ---- */

/* The objective with one parameter moved from there. */
static bool moved_objective(struct fit *fit, const struct fit_parameter *parameter, int64_t units,
                            double *objective)
{
    struct region *scratch = region_child(fit->region);
    uint32_t *which = region_array(scratch, fit->timed_count + 1, sizeof *which);
    double *out = region_array(scratch, fit->timed_count + 1, sizeof *out);
    double *cycles = region_array(scratch, fit->loops.count + 1, sizeof *cycles);
    struct cycle_parameters moved;
    size_t count = 0;
    for (size_t i = 0; i < fit->loops.count; i++)
        cycles[i] = fit->loops.items[i].after;
    for (size_t i = 0; i < fit->timed_count; i++)
        if (parameter->affects[fit->timed[i]])
            which[count++] = fit->timed[i];
    fit_current(fit, &moved);
    fit_set(&moved, parameter, units);
    bool going = fit_time(fit, &moved, which, count, out);
    for (size_t i = 0; i < count && going; i++)
        cycles[which[i]] = out[i];
    if (going)
        *objective = fit_objective(fit, cycles);
    region_release(scratch);
    return going;
}

bool fit_find_worth(struct fit *fit)
{
    bool going = true;
    for (size_t i = 0; i < fit->parameter_count; i++) {
        struct fit_parameter *parameter = &fit->parameters[i];
        for (int direction = -1; direction <= 1; direction += 2) {
            double *worse = direction < 0 ? &parameter->lower_worse : &parameter->higher_worse;
            double objective = NAN;
            going = going && moved_objective(fit, parameter, fit_moved(parameter, direction, TENTH),
                                             &objective);
            *worse = objective - fit->objective;
        }
    }
    return going;
}

/* ---- the table of effects ---- */

static int by_change(const void *a, const void *b)
{
    const struct fit_effect *x = a, *y = b;
    if (x->change != y->change)
        return x->change < y->change ? 1 : -1;
    return x->parameter < y->parameter ? -1 : 1;
}

bool fit_find_effects(struct fit *fit)
{
    struct region *region = fit->region;
    fit->effects = region_array(region, fit->parameter_count + 1, sizeof *fit->effects);
    for (size_t i = 0; i < fit->parameter_count; i++) {
        const struct fit_parameter *parameter = &fit->parameters[i];
        struct fit_effect *effect = &fit->effects[i];
        effect->parameter = parameter;
        effect->lower = fit_value(parameter, fit_moved(parameter, -1, TENTH));
        effect->higher = fit_value(parameter, fit_moved(parameter, 1, TENTH));
        effect->group_change = region_array(region, fit->group_count + 1, sizeof(double));
    }
    bool complete = fit_find_dependence(fit);
    fit->effect_count = fit->parameter_count;
    qsort(fit->effects, fit->effect_count, sizeof *fit->effects, by_change);
    return complete;
}
