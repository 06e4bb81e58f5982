/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a fit found, as text. */
#include "sim/report/fit.h"

#include <math.h>
#include <string.h>

enum { EFFECTS_SHOWN = 30, GROUPS_SHOWN = 3 };

const char *fit_end_note(const struct fit *fit)
{
    switch (fit->end) {
    case FIT_INTERRUPTED:
        return "interrupted";
    case FIT_OUT_OF_TIME:
        return "the limit of time was reached";
    case FIT_OUT_OF_TRIALS:
        return "the limit of trials was reached";
    default:
        return NULL;
    }
}

static int widest(int width, const char *string)
{
    int length = (int)strlen(string);
    return length > width ? length : width;
}

/* "+0.12", in points of per cent; "-" when it is not known. */
static void add_points(struct text *out, double share, int width)
{
    double points = round(share * 1e4) / 1e2;
    if (isnan(share))
        text_printf(out, "  %*s", width, "-");
    else
        text_printf(out, "  %+*.2f", width, points == 0 ? 0.0 : points);
}

static void add_head(struct text *out, const struct fit *fit)
{
    size_t left_out = fit->loops.count - fit->timed_count;
    text_printf(out, "%s: %zu loop%s on %s", fit->file, fit->timed_count,
                fit->timed_count == 1 ? "" : "s", fit->base->name);
    if (left_out > 0)
        text_printf(out, ", %zu left out", left_out);
    text_add(out, "\n");
    for (size_t i = 0; i < fit->loops.count; i++) {
        const struct fit_loop *loop = &fit->loops.items[i];
        if (loop->left_out)
            text_printf(out, "  left out: line %u, %s: %s\n", loop->place.line, loop->name,
                        loop->left_out);
    }
}

/* ---- parameters ---- */

static void add_parameters(struct text *out, const struct fit *fit)
{
    int width = widest(0, "free");
    for (size_t i = 0; i < fit->parameter_count; i++)
        width = widest(width, fit->parameters[i].row->name);
    text_printf(out, "\n%-*s  %9s  %9s  %5s  %8s  %8s\n", width, "free", "start", "fitted", "loops",
                "-10%", "+10%");
    for (size_t i = 0; i < fit->parameter_count; i++) {
        const struct fit_parameter *parameter = &fit->parameters[i];
        double value = fit_value(parameter, parameter->units);
        text_printf(out, "%-*s  %9.10g  %9.10g  %5zu", width, parameter->row->name,
                    parameter->row->value, value, parameter->loop_count);
        add_points(out, parameter->lower_worse, 8);
        add_points(out, parameter->higher_worse, 8);
        text_add(out, parameter->loop_count == 0 ? "  no loop depends on it"
                      : parameter->units == parameter->most ||
                              (parameter->units == parameter->least && value > 0)
                          ? "  at the end of its range"
                          : "");
        text_add(out, "\n");
    }
    bool squares = fit->options->loss == FS_LOSS_SQUARES;
    text_printf(out,
                "%s: %.3f %% before, %.3f %% after; -10%%, +10%%: points more of it when the\n"
                "fitted value is moved by a tenth (or one unit)\n",
                squares ? "root of the mean square error" : "mean error, by weight",
                100 * fit->objective_before, 100 * fit->objective);
}

/* ---- effects ---- */

static void add_groups_of(struct text *out, const struct fit *fit, const struct fit_effect *effect)
{
    size_t shown[GROUPS_SHOWN];
    for (size_t count = 0; count < GROUPS_SHOWN; count++) {
        size_t best = fit->group_count;
        for (size_t g = 0; g < fit->group_count; g++) {
            bool seen = false;
            for (size_t i = 0; i < count; i++)
                seen = seen || shown[i] == g;
            if (!seen && effect->group_change[g] >= 5e-4 &&
                (best == fit->group_count || effect->group_change[g] > effect->group_change[best]))
                best = g;
        }
        if (best == fit->group_count)
            return;
        text_printf(out, "%s%s %.1f", count ? ", " : "  ", fit->groups[best].name,
                    100 * effect->group_change[best]);
        shown[count] = best;
    }
}

static void add_effects(struct text *out, const struct fit *fit, bool all)
{
    int width = widest(0, "parameter");
    size_t none = 0, left = 0;
    for (size_t i = 0; i < fit->effect_count; i++)
        width = widest(width, fit->effects[i].parameter->row->name);
    text_printf(out, "\n%-*s  %9s  %9s  %9s  %5s  %8s  %8s  %8s  groups\n", width, "parameter",
                "value", "lower", "higher", "loops", "cycles %", "error -", "error +");
    for (size_t i = 0; i < fit->effect_count; i++) {
        const struct fit_effect *effect = &fit->effects[i];
        const struct fit_parameter *parameter = effect->parameter;
        if (parameter->loop_count == 0) {
            none++;
            continue;
        }
        if (!all && i >= EFFECTS_SHOWN) {
            left++;
            continue;
        }
        text_printf(out, "%-*s  %9.10g  %9.10g  %9.10g  %5zu  %8.2f", width, parameter->row->name,
                    parameter->row->value, effect->lower, effect->higher, parameter->loop_count,
                    100 * effect->change);
        add_points(out, effect->lower_error, 8);
        add_points(out, effect->higher_error, 8);
        add_groups_of(out, fit, effect);
        text_add(out, "\n");
    }
    text_add(out,
             "each parameter moved by a tenth (or one unit) down and up: the loops that change, "
             "the mean\nchange of cycles, what the mean error gains (points), the groups that "
             "change most (%)\n");
    if (left > 0)
        text_printf(out, "%zu more matter less (-v shows them)\n", left);
    text_printf(out, "%zu parameters matter to no loop\n", none);
}

/* ---- loops ---- */

static void add_loops(struct text *out, const struct fit *fit, size_t group, bool fitted, int width)
{
    for (size_t i = 0; i < fit->timed_count; i++) {
        const struct fit_loop *loop = &fit->loops.items[fit->timed[i]];
        if (loop->group_index != group)
            continue;
        text_printf(out, "  %-*s  %10.2f  %10.2f", width, loop->name, loop->measured, loop->before);
        if (fitted)
            text_printf(out, "  %10.2f", loop->after);
        text_printf(out, "  %+7.1f\n", 100 * (loop->after - loop->measured) / loop->measured);
    }
}

static void add_group_table(struct text *out, const struct fit *fit, bool fitted)
{
    int width = widest(0, "group");
    double before, after;
    for (size_t i = 0; i < fit->group_count; i++)
        width = widest(width, fit->groups[i].name);
    text_printf(out, "\n%-*s  loops  %s\n", width, "group",
                fitted ? "mean error before, after" : "mean error");
    for (size_t i = 0; i < fit->group_count; i++) {
        const struct fit_group *group = &fit->groups[i];
        text_printf(out, "%-*s  %5zu  %6.2f %%", width, group->name, group->count,
                    100 * group->before);
        if (fitted)
            text_printf(out, "  %6.2f %%", 100 * group->after);
        text_add(out, "\n");
    }
    fit_mean_errors(fit, &before, &after);
    text_printf(out, "%-*s  %5zu  %6.2f %%", width, "together", fit->timed_count, 100 * before);
    if (fitted)
        text_printf(out, "  %6.2f %%", 100 * after);
    text_add(out, "\n");
}

static void add_residuals(struct text *out, const struct fit *fit, bool fitted)
{
    int width = widest(0, "loop");
    for (size_t i = 0; i < fit->timed_count; i++)
        width = widest(width, fit->loops.items[fit->timed[i]].name);
    text_printf(out, "\n  %-*s  %10s  %10s", width, "loop", "measured",
                fitted ? "before" : "modelled");
    if (fitted)
        text_printf(out, "  %10s", "after");
    text_printf(out, "  %7s\n", "error %");
    for (size_t group = 0; group < fit->group_count; group++) {
        text_printf(out, "%s\n", fit->groups[group].name);
        add_loops(out, fit, group, fitted, width);
    }
}

void write_fit(struct text *out, const struct fit *fit, int verbosity)
{
    bool fitted = fit->options->free_count > 0;
    if (!fit->is_timed) {
        text_printf(out, "%s: ended before every loop had been timed once: %s\n", fit->file,
                    fit_end_note(fit));
        return;
    }
    add_head(out, fit);
    if (fitted)
        add_parameters(out, fit);
    else
        add_effects(out, fit, verbosity > 0);
    add_group_table(out, fit, fitted);
    if (verbosity >= 0)
        add_residuals(out, fit, fitted);
    if (fit_end_note(fit))
        text_printf(out, "ended early: %s; %s\n", fit_end_note(fit),
                    fitted ? "these are the best values until then"
                           : "the table of parameters lacks what was not timed");
}
