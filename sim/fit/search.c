/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search: a pattern search over the grid of the parameters' units. The cycles of a loop
 * are piecewise linear in times and piecewise constant in widths and sizes, so that there are
 * no derivatives to trust. Steps begin with a quarter of the value, are halved down to one
 * unit whenever no move helps, and then begin again until a whole descent has not helped. Two
 * parameters whose sum is what loops show (a fence's own time and its restart) lie in a valley that
 * single moves cannot follow: pairs are moved too.
 */
#include <math.h>
#include <string.h>

#include "sim/base/intern.h"
#include "sim/fit/fit.h"

enum { TRIALS_MAX = 20000, TOGETHER = 32 };

/* What is gained must be more than rounding. */
static const double WORTH = 1e-6;

struct search {
    struct fit *fit;
    double *cycles; /* of all loops at the best values so far */
    double *tried;  /* with the move in hand */
    uint32_t *which;
    double *out;
    bool going;
    struct intern visited; /* values that were tried */
    int64_t *values;       /* the present ones, for it */
};

/* ---- moves ---- */

struct move {
    struct fit_parameter *parameters[2];
    int64_t steps[2];
    size_t count;
};

static bool within(const struct move *move)
{
    for (size_t i = 0; i < move->count; i++) {
        int64_t units = move->parameters[i]->units + move->steps[i];
        if (units < move->parameters[i]->least || units > move->parameters[i]->most)
            return false;
    }
    return true;
}

static void apply(const struct move *move, int sign)
{
    for (size_t i = 0; i < move->count; i++)
        move->parameters[i]->units += sign * move->steps[i];
}

static size_t affected(struct search *search, const struct move *move)
{
    const struct fit *fit = search->fit;
    size_t count = 0;
    for (size_t i = 0; i < fit->timed_count; i++) {
        uint32_t loop = fit->timed[i];
        bool affects = move->parameters[0]->affects[loop] ||
                       (move->count > 1 && move->parameters[1]->affects[loop]);
        if (affects)
            search->which[count++] = loop;
    }
    return count;
}

/* Whether these values were not tried before; what was tried and is not the best is worse. */
static bool is_new(struct search *search)
{
    const struct fit *fit = search->fit;
    bool fresh;
    for (size_t i = 0; i < fit->parameter_count; i++)
        search->values[i] = fit->parameters[i].units;
    intern_add(&search->visited, search->values, fit->parameter_count * sizeof *search->values,
               &fresh);
    return fresh;
}

static bool is_better(const struct search *search, double objective)
{
    return objective < search->fit->objective * (1 - WORTH);
}

/*
 * The objective at the present values, of which `count` loops in search->which have to be
 * timed. Ends as soon as it cannot become better, even if the loops left had no error at all.
 */
static double try_values(struct search *search, size_t count)
{
    struct fit *fit = search->fit;
    struct cycle_parameters cycles;
    double objective = 0;
    fit_current(fit, &cycles);
    memcpy(search->tried, search->cycles, fit->loops.count * sizeof *search->tried);
    for (size_t i = 0; i < count; i++)
        search->tried[search->which[i]] = fit->loops.items[search->which[i]].measured;
    for (size_t done = 0, more; done < count; done += more) {
        more = count - done < TOGETHER ? count - done : TOGETHER;
        search->going = fit_time(fit, &cycles, search->which + done, more, search->out);
        if (!search->going)
            return INFINITY;
        for (size_t i = 0; i < more; i++)
            search->tried[search->which[done + i]] = search->out[i];
        objective = fit_objective(fit, search->tried);
        if (!is_better(search, objective))
            return INFINITY;
    }
    return objective;
}

/* Makes the move when it is better; whether it was. */
static bool try_move(struct search *search, const struct move *move)
{
    struct fit *fit = search->fit;
    if (!search->going || !within(move))
        return false;
    size_t count = affected(search, move);
    if (count == 0)
        return false;
    apply(move, 1);
    bool fresh = is_new(search);
    if (fresh && fit->trials++ == TRIALS_MAX) {
        fit->end = FIT_OUT_OF_TRIALS;
        search->going = false;
    }
    double objective = fresh && search->going ? try_values(search, count) : INFINITY;
    if (!is_better(search, objective)) {
        apply(move, -1);
        return false;
    }
    fit->objective = objective;
    double *best = search->cycles;
    search->cycles = search->tried;
    search->tried = best;
    return true;
}

/* As far as it helps, with twice the step each time. */
static bool follow(struct search *search, struct move move)
{
    bool better = false;
    while (try_move(search, &move)) {
        better = true;
        for (size_t i = 0; i < move.count; i++)
            move.steps[i] *= 2;
    }
    return better;
}

static bool move_one(struct search *search, struct fit_parameter *parameter, int64_t step)
{
    return follow(search, (struct move){{parameter, NULL}, {step, 0}, 1}) ||
           follow(search, (struct move){{parameter, NULL}, {-step, 0}, 1});
}

static bool move_singly(struct search *search)
{
    struct fit *fit = search->fit;
    bool better = false;
    for (size_t i = 0; i < fit->parameter_count; i++) {
        struct fit_parameter *parameter = &fit->parameters[i];
        int64_t step = parameter->step;
        better = move_one(search, parameter, step) || better;
        if (step > 1) /* plateaus are wide: a distance more of the same order */
            better = move_one(search, parameter, step + step / 2) || better;
    }
    return better;
}

/* Whether both act on much the same loops: most of those of the one that has fewer. */
static bool act_together(const struct fit *fit, const struct fit_parameter *a,
                         const struct fit_parameter *b)
{
    size_t shared = 0, fewer = a->loop_count < b->loop_count ? a->loop_count : b->loop_count;
    for (size_t i = 0; i < fit->timed_count; i++)
        shared += a->affects[fit->timed[i]] && b->affects[fit->timed[i]];
    return shared > 0 && 2 * shared >= fewer;
}

static bool move_both(struct search *search, struct fit_parameter *a, struct fit_parameter *b,
                      int64_t x, int64_t y)
{
    static const int signs[4][2] = {{1, -1}, {-1, 1}, {1, 1}, {-1, -1}};
    for (size_t i = 0; i < 4; i++)
        if (follow(search, (struct move){{a, b}, {signs[i][0] * x, signs[i][1] * y}, 2}))
            return true;
    return false;
}

static bool move_pair(struct search *search, struct fit_parameter *a, struct fit_parameter *b)
{
    int64_t step = a->step > b->step ? a->step : b->step;
    if (a->unit != b->unit)
        return move_both(search, a, b, a->step, b->step);
    /* the same of both, so that their sum may stay */
    return move_both(search, a, b, step, step) ||
           (step > 1 && move_both(search, a, b, step + step / 2, step + step / 2));
}

static bool move_in_pairs(struct search *search)
{
    struct fit *fit = search->fit;
    bool better = false;
    for (size_t i = 0; i < fit->parameter_count; i++)
        for (size_t j = i + 1; j < fit->parameter_count && search->going; j++)
            if (act_together(fit, &fit->parameters[i], &fit->parameters[j]))
                better = move_pair(search, &fit->parameters[i], &fit->parameters[j]) || better;
    return better;
}

/* False when all steps are one unit. */
static bool halve_steps(struct fit *fit)
{
    bool halved = false;
    for (size_t i = 0; i < fit->parameter_count; i++) {
        halved = halved || fit->parameters[i].step > 1;
        fit->parameters[i].step = (fit->parameters[i].step + 1) / 2;
    }
    return halved;
}

/* From the widest steps to single units, until nothing is better. Whether anything was. */
static bool descend(struct search *search)
{
    struct fit *fit = search->fit;
    bool better = false;
    for (size_t i = 0; i < fit->parameter_count; i++)
        fit->parameters[i].step = fit->parameters[i].first_step;
    do {
        while (move_singly(search) || move_in_pairs(search))
            better = true;
    } while (halve_steps(fit) && search->going);
    return better;
}

/*
 * Times every loop at the values found. One that was not known to depend on what has moved is
 * taken to depend on all of it from now on. Whether there was one.
 */
static bool find_surprises(struct search *search)
{
    struct fit *fit = search->fit;
    struct cycle_parameters cycles;
    bool surprised = false;
    bool moved = false;
    for (size_t p = 0; p < fit->parameter_count; p++)
        moved = moved || fit->parameters[p].units != 0;
    if (!moved)
        return false;
    fit_current(fit, &cycles);
    search->going = fit_time(fit, &cycles, fit->timed, fit->timed_count, search->out);
    for (size_t i = 0; i < fit->timed_count && search->going; i++) {
        uint32_t loop = fit->timed[i];
        if (search->out[i] == search->cycles[loop])
            continue;
        surprised = true;
        search->cycles[loop] = search->out[i];
        for (size_t p = 0; p < fit->parameter_count; p++) {
            struct fit_parameter *parameter = &fit->parameters[p];
            bool fresh = parameter->units != 0 && !parameter->affects[loop];
            parameter->affects[loop] = parameter->affects[loop] || fresh;
            parameter->loop_count += fresh;
        }
    }
    if (surprised) { /* what was tried was judged wrongly */
        fit->objective = fit_objective(fit, search->cycles);
        intern_init(&search->visited, fit->region);
    }
    return surprised;
}

/* Surprises can make it worse than at the start, and the search end before it is better. */
static void keep_best(struct search *search)
{
    struct fit *fit = search->fit;
    if (fit->objective <= fit->objective_before)
        return;
    for (size_t i = 0; i < fit->parameter_count; i++)
        fit->parameters[i].units = 0;
    for (size_t i = 0; i < fit->loops.count; i++)
        search->cycles[i] = fit->loops.items[i].before;
    fit->objective = fit->objective_before;
}

void fit_search(struct fit *fit)
{
    struct region *region = fit->region;
    size_t count = fit->loops.count + 1;
    struct search search = {.fit = fit, .going = true};
    intern_init(&search.visited, region);
    search.values = region_array(region, fit->parameter_count + 1, sizeof *search.values);
    search.cycles = region_array(region, count, sizeof *search.cycles);
    search.tried = region_array(region, count, sizeof *search.tried);
    search.which = region_array(region, count, sizeof *search.which);
    search.out = region_array(region, count, sizeof *search.out);
    for (size_t i = 0; i < fit->loops.count; i++)
        search.cycles[i] = fit->loops.items[i].after;
    fit->objective_before = fit->objective = fit_objective(fit, search.cycles);
    if (!fit_find_dependence(fit))
        return;
    do {
        while (descend(&search) && search.going)
            ; /* from where it is now a wide step may help again */
    } while (search.going && find_surprises(&search) && search.going);
    keep_best(&search);
    for (size_t i = 0; i < fit->loops.count; i++)
        fit->loops.items[i].after = search.cycles[i];
}
