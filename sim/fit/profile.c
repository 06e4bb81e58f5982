/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The derived profile: the base, and the fitted parameters with where they come from. */
#include <string.h>

#include "sim/base/json.h"
#include "sim/fit/fit.h"

/* "FIT", or "FIT2", ... when the base was fitted itself: its rows go on to name their own. */
static const char *source_key(struct region *region, const struct profile *base)
{
    const char *key = "FIT";
    for (size_t number = 2, i = 0; i < base->source_count; i++) {
        if (strcmp(base->sources[i].key, key) != 0)
            continue;
        key = region_printf(region, "FIT%zu", number++);
        i = (size_t)-1; /* from the first again */
    }
    return key;
}

static void add_parameter(struct text *out, const struct fit *fit,
                          const struct fit_parameter *parameter, const char *key)
{
    struct region *region = out->region;
    double value = fit_value(parameter, parameter->units);
    const char *was = parameter->units == 0 ? region_printf(region, "as in %s", fit->base->name)
                                            : region_printf(region, "%.10g in %s",
                                                            parameter->row->value, fit->base->name);
    text_printf(out, "  %s: {value: %.10g, source: ", parameter->row->name, value);
    json_add_quoted(out, region_printf(region, "%s: fitted to %zu loops that depend on it; %s", key,
                                       parameter->loop_count, was));
    text_add(out, "}\n");
}

bool fit_write_profile(struct text *out, const struct fit *fit)
{
    struct region *region = out->region;
    size_t fitted = 0;
    for (size_t i = 0; i < fit->parameter_count; i++)
        fitted += fit->parameters[i].loop_count > 0;
    if (fit->options->free_count == 0 || !fit->is_timed || fitted == 0)
        return false;
    const char *key = source_key(region, fit->base);
    double before, after;
    fit_mean_errors(fit, &before, &after);
    text_add(out, "profile: 1\nname: ");
    json_add_quoted(out, region_printf(region, "%s-fitted", fit->base->name));
    text_add(out, "\nabout: ");
    json_add_quoted(out, region_printf(region, "%s with %zu cycle parameters fitted to %s.",
                                       fit->base->name, fitted, fit->file));
    text_add(out, "\ninherits: ");
    json_add_quoted(out, fit->options->base);
    text_printf(out, "\n\nsources:\n  %s: ", key);
    json_add_quoted(
        out, region_printf(region,
                           "fitted by simulate " FS_VERSION " to %zu loops of %s, least %s of "
                           "relative residuals; mean error %.2f %% before, %.2f %% after%s",
                           fit->timed_count, fit->file,
                           fit->options->loss == FS_LOSS_SQUARES ? "squares" : "amounts",
                           100 * before, 100 * after,
                           fit->end == FIT_CONVERGED ? "" : "; ended before it had converged"));
    text_add(out, "\n\ncycles:\n");
    for (size_t i = 0; i < fit->parameter_count; i++)
        if (fit->parameters[i].loop_count > 0)
            add_parameter(out, fit, &fit->parameters[i], key);
    return true;
}
