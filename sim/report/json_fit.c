/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a fit found, as JSON. */
#include <math.h>

#include "sim/report/fit.h"
#include "sim/report/json_cost.h"

#define FLAGS (JSON_INDENT(1) | JSON_REAL_PRECISION(12))

/* Rounded, so that it does not show how the sum was made. */
static json_t *share(double value)
{
    return isnan(value) ? json_null() : json_real(round(value * 1e6) / 1e6);
}

static json_t *parameters_json(const struct fit *fit)
{
    json_t *array = json_array();
    for (size_t i = 0; i < fit->parameter_count; i++) {
        const struct fit_parameter *parameter = &fit->parameters[i];
        json_t *object = json_object();
        json_put(&object, "name", json_text(parameter->row->name));
        json_put(&object, "start", json_real(parameter->row->value));
        json_put(&object, "fitted", json_real(fit_value(parameter, parameter->units)));
        json_put(&object, "low", json_real(parameter->low));
        json_put(&object, "high", json_real(parameter->high));
        json_put(&object, "loops", json_integer((json_int_t)parameter->loop_count));
        json_put(&object, "lower_worse", share(parameter->lower_worse));
        json_put(&object, "higher_worse", share(parameter->higher_worse));
        json_add(&array, object);
    }
    return array;
}

static json_t *effects_json(const struct fit *fit)
{
    json_t *array = json_array();
    for (size_t i = 0; i < fit->effect_count; i++) {
        const struct fit_effect *effect = &fit->effects[i];
        json_t *object = json_object(), *groups = json_object();
        json_put(&object, "name", json_text(effect->parameter->row->name));
        json_put(&object, "value", json_real(effect->parameter->row->value));
        json_put(&object, "lower", json_real(effect->lower));
        json_put(&object, "higher", json_real(effect->higher));
        json_put(&object, "loops", json_integer((json_int_t)effect->parameter->loop_count));
        json_put(&object, "change", share(effect->change));
        json_put(&object, "error_lower", share(effect->lower_error));
        json_put(&object, "error_higher", share(effect->higher_error));
        for (size_t g = 0; g < fit->group_count; g++)
            if (effect->group_change[g] > 0)
                json_put(&groups, fit->groups[g].name, share(effect->group_change[g]));
        json_put(&object, "groups", groups);
        json_add(&array, object);
    }
    return array;
}

static json_t *groups_json(const struct fit *fit)
{
    json_t *array = json_array();
    for (size_t i = 0; i < fit->group_count; i++) {
        json_t *object = json_object();
        json_put(&object, "name", json_text(fit->groups[i].name));
        json_put(&object, "loops", json_integer((json_int_t)fit->groups[i].count));
        json_put(&object, "error_before", share(fit->groups[i].before));
        json_put(&object, "error_after", share(fit->groups[i].after));
        json_add(&array, object);
    }
    return array;
}

static json_t *loops_json(const struct fit *fit)
{
    json_t *array = json_array();
    for (size_t i = 0; i < fit->loops.count; i++) {
        const struct fit_loop *loop = &fit->loops.items[i];
        json_t *object = json_object();
        json_put(&object, "line", json_integer(loop->place.line));
        json_put(&object, "name", json_text(loop->name));
        json_put(&object, "group", json_text(loop->group));
        json_put(&object, "measured", share(loop->measured));
        if (loop->left_out) {
            json_put(&object, "left_out", json_text(loop->left_out));
        } else {
            json_put(&object, "before", json_cycles(loop->before));
            json_put(&object, "after", json_cycles(loop->after));
        }
        json_add(&array, object);
    }
    return array;
}

static json_t *fit_json(const struct fit *fit, int verbosity)
{
    bool fitted = fit->options->free_count > 0;
    const char *note = fit_end_note(fit);
    double before, after;
    json_t *root = json_object();
    fit_mean_errors(fit, &before, &after);
    json_put(&root, "fit", json_integer(1));
    json_put(&root, "file", json_text(fit->file));
    json_put(&root, "base", json_text(fit->base->name));
    json_put(&root, "complete", json_boolean(note == NULL));
    json_put(&root, "reason", note ? json_text(note) : json_null());
    json_put(&root, "loops_compared", json_integer((json_int_t)fit->timed_count));
    json_put(&root, "error_before", share(before));
    json_put(&root, "error_after", share(after));
    if (fitted) {
        bool squares = fit->options->loss == FS_LOSS_SQUARES;
        json_put(&root, "loss", json_string(squares ? "squares" : "absolute"));
        json_put(&root, "trials", json_integer((json_int_t)fit->trials));
        json_put(&root, "objective_before", share(fit->objective_before));
        json_put(&root, "objective_after", share(fit->objective));
    }
    json_put(&root, fitted ? "parameters" : "effects",
             fitted ? parameters_json(fit) : effects_json(fit));
    json_put(&root, "groups", groups_json(fit));
    if (verbosity >= 0)
        json_put(&root, "loops", loops_json(fit));
    return root;
}

static void drop(void *argument)
{
    json_t **root = argument;
    json_decref(*root);
    *root = NULL;
}

bool write_fit_json(struct text *out, const struct fit *fit, int verbosity)
{
    json_t **root = region_alloc(out->region, sizeof(json_t *));
    region_on_release(out->region, drop, root);
    *root = fit_json(fit, verbosity);
    size_t size = json_dumpb(*root, NULL, 0, FLAGS);
    if (!*root || size == 0)
        return false;
    char *buffer = region_alloc(out->region, size + 1);
    bool written = json_dumpb(*root, buffer, size, FLAGS) == size;
    drop(root);
    text_add(out, buffer);
    text_add(out, "\n");
    return written;
}
