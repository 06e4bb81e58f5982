/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which parameters move, in which steps, and how far. */
#include <fnmatch.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sim/fit/fit.h"

/* Twentieths are whole numbers of ticks (sim/time/timing.h), so that loops find a steady state. */
#define TWENTIETH 0.05

static const size_t offsets[] = {
#define PARAMETER(field, unit, meaning) offsetof(struct cycle_parameters, field),
#include "models/cycle_parameters.def"
#undef PARAMETER
};

enum { ROWS = sizeof offsets / sizeof *offsets };

double fit_value(const struct fit_parameter *parameter, int64_t units)
{
    double value = parameter->row->value + (double)units * parameter->unit;
    return round(value * 1e6) / 1e6;
}

void fit_set(struct cycle_parameters *cycles, const struct fit_parameter *parameter, int64_t units)
{
    double value = fit_value(parameter, units);
    memcpy((char *)cycles + parameter->offset, &value, sizeof value);
}

void fit_current(const struct fit *fit, struct cycle_parameters *cycles)
{
    *cycles = fit->base->cycles;
    for (size_t i = 0; i < fit->parameter_count; i++)
        fit_set(cycles, &fit->parameters[i], fit->parameters[i].units);
}

int64_t fit_moved(const struct fit_parameter *parameter, int direction, double share)
{
    double part = fit_value(parameter, parameter->units) * share / parameter->unit;
    int64_t units = parameter->units + direction * (part > 1 ? llround(part) : 1);
    units = units < parameter->least ? parameter->least : units;
    return units > parameter->most ? parameter->most : units;
}

/* ---- limits and steps ---- */

static bool is_real(const struct parameter_row *row)
{
    return strncmp(row->unit, "cycles", 6) == 0 || strcmp(row->unit, "slots") == 0;
}

static void set_limits(struct fit_parameter *parameter, double low, double high)
{
    double start = parameter->row->value;
    parameter->low = low;
    parameter->high = high;
    parameter->least = (int64_t)ceil((low - start) / parameter->unit - 1e-9);
    parameter->most = (int64_t)floor((high - start) / parameter->unit + 1e-9);
}

/*
 * Widths and sizes of 0 mean something else than a small number, so that a fit does not go
 * there; times may.
 */
static void make_parameter(const struct fit *fit, struct fit_parameter *parameter,
                           const struct parameter_row *row, size_t offset)
{
    double start = row->value, low = is_real(row) || start < 1 ? 0 : 1;
    *parameter = (struct fit_parameter){.row = row, .offset = offset};
    parameter->is_flag = strcmp(row->unit, "flag") == 0;
    parameter->unit = is_real(row) ? TWENTIETH : 1;
    set_limits(parameter, low, parameter->is_flag ? 1 : 4 * start + 16);
    parameter->affects = region_array(fit->region, fit->loops.count + 1, sizeof(bool));
}

/* Up to a quarter of the value, a power of two of units. */
static int64_t first_step(const struct fit_parameter *parameter)
{
    double quarter = parameter->row->value / 4 / parameter->unit;
    int64_t step = 1;
    while ((double)step * 2 <= quarter && step < parameter->most - parameter->least)
        step *= 2;
    return step;
}

/* ---- names ---- */

/* "NAME", "NAME=LOW:HIGH"; the name may be a pattern. */
struct wish {
    const char *pattern;
    bool limited;
    double low, high;
};

static bool read_bound(const char *text, char ends_with, double *bound, const char **rest)
{
    char *end;
    *bound = strtod(text, &end);
    *rest = end + (*end != '\0');
    return end != text && *end == ends_with && *bound >= 0 && *bound <= 1e9;
}

static bool read_wish(struct fit *fit, const char *text, struct wish *wish)
{
    size_t length = strcspn(text, "=");
    const char *rest = text + length;
    *wish = (struct wish){.pattern = region_strndup(fit->region, text, length)};
    if (*rest == '\0')
        return true;
    wish->limited = true;
    if (read_bound(rest + 1, ':', &wish->low, &rest) &&
        read_bound(rest, '\0', &wish->high, &rest) && wish->low <= wish->high)
        return true;
    diagnostics_add(fit->diagnostics, "", (struct place){0},
                    "--free '%s': expected NAME or NAME=LOW:HIGH, with numbers from 0 to 1e9",
                    text);
    return false;
}

static void add_parameter(struct fit *fit, const struct parameter_row *row, size_t offset,
                          const struct wish *wish)
{
    size_t at = 0;
    while (at < fit->parameter_count && fit->parameters[at].row != row)
        at++;
    if (at == fit->parameter_count)
        make_parameter(fit, &fit->parameters[fit->parameter_count++], row, offset);
    struct fit_parameter *parameter = &fit->parameters[at];
    if (wish->limited)
        set_limits(parameter, wish->low, wish->high);
    if (parameter->least > 0 || parameter->most < 0)
        diagnostics_add(fit->diagnostics, "", (struct place){0},
                        "--free %s: the range %g:%g is without %g, at which %s has it", row->name,
                        wish->low, wish->high, row->value, fit->base->name);
    parameter->first_step = first_step(parameter);
}

static void unknown_parameter(struct fit *fit, const struct wish *wish,
                              const struct parameter_row *rows)
{
    const char *names[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        names[i] = rows[i].name;
    const char *near = nearest_name(wish->pattern, names, ROWS);
    diagnostics_add(
        fit->diagnostics, "", (struct place){0},
        "--free: no cycle parameter '%s' that is a number%s; 'simulate profiles %s' lists them",
        wish->pattern, near ? region_printf(fit->region, " (did you mean '%s'?)", near) : "",
        fit->base->name);
}

static const struct parameter_row *cycle_rows(const struct profile *profile)
{
    const struct parameter_row *rows = profile->rows;
    while (strcmp(rows->section, "cycles") != 0)
        rows++;
    return rows;
}

/* Pipes are names, of which none is less or more. */
static bool is_number(const struct parameter_row *row) { return strcmp(row->unit, "pipes") != 0; }

static void choose(struct fit *fit, const char *text, const struct parameter_row *rows)
{
    struct wish wish;
    bool found = false;
    if (!read_wish(fit, text, &wish))
        return;
    for (size_t i = 0; i < ROWS; i++) {
        if (fnmatch(wish.pattern, rows[i].name, 0) != 0 || !is_number(&rows[i]))
            continue;
        add_parameter(fit, &rows[i], offsets[i], &wish);
        found = true;
    }
    if (!found)
        unknown_parameter(fit, &wish, rows);
}

void fit_choose_parameters(struct fit *fit)
{
    const struct parameter_row *rows = cycle_rows(fit->base);
    fit->parameters = region_array(fit->region, ROWS, sizeof *fit->parameters);
    for (size_t i = 0; i < fit->options->free_count; i++)
        choose(fit, fit->options->free_names[i], rows);
    if (fit->options->free_count == 0)
        choose(fit, "*", rows);
}
