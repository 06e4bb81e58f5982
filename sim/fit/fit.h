/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fitting a profile's cycle parameters to measured loops. Loops are read and assembled once;
 * a trial times those of them that depend on what it changed.
 */
#ifndef FENCESIM_SIM_FIT_FIT_H_
#define FENCESIM_SIM_FIT_FIT_H_

#include "include/fencesim/fencesim.h"
#include "models/profile.h"
#include "sim/program/program.h"

struct fit_loop {
    const char *name, *group;
    size_t group_index;
    struct place place;      /* of its line in the file */
    double measured;         /* cycles of an iteration, > 0 */
    double weight;           /* > 0 */
    struct program *program; /* NULL: it is left out */
    const char *left_out;    /* why it is not compared; NULL: it is */
    double before;           /* modelled with the base profile */
    double after;            /* with the best values so far */
};

struct fit_loops {
    struct fit_loop *items;
    size_t count, capacity;
};

/* A cycle parameter that may move: value = start + units * unit. */
struct fit_parameter {
    const struct parameter_row *row;
    size_t offset; /* in struct cycle_parameters */
    double unit;   /* the least change */
    bool is_flag;
    double low, high;
    int64_t least, most; /* of `units` */
    int64_t units;
    int64_t first_step, step; /* of the search, in units */
    bool *affects;            /* per loop: its cycles are known to depend on this */
    size_t loop_count;
    /* How much worse the objective is a tenth below and above the fitted value; NaN: unknown. */
    double lower_worse, higher_worse;
};

struct fit_group {
    const char *name;
    size_t count;
    double before, after; /* mean of |modelled - measured| / measured */
};

/* What moving one parameter by a tenth does. */
struct fit_effect {
    const struct fit_parameter *parameter;
    size_t loop_count;                /* whose cycles change */
    double lower, higher;             /* the values it was moved to */
    double change;                    /* mean relative change of cycles, of both moves, all loops */
    double lower_error, higher_error; /* change of the mean error */
    double *group_change;             /* per group, as `change` */
};

enum fit_end { FIT_CONVERGED, FIT_INTERRUPTED, FIT_OUT_OF_TIME, FIT_OUT_OF_TRIALS };

struct fit_timer;

struct fit {
    struct region *region;
    struct diagnostics *diagnostics;
    const fs_fit_options *options;
    const char *file;
    const struct profile *base;
    struct fit_loops loops;
    uint32_t *timed; /* indices of the loops that are compared */
    size_t timed_count;
    struct fit_parameter *parameters;
    size_t parameter_count;
    struct fit_timer *timer;
    double until;  /* of the monotonic clock; 0: none */
    bool is_timed; /* every loop has been timed with the base */
    enum fit_end end;
    uint64_t trials;
    double objective_before, objective;
    struct fit_group *groups;
    size_t group_count;
    struct fit_effect *effects; /* without free parameters; the greatest first */
    size_t effect_count;
};

/* ---- loops.c ---- */

/* Reads the file of loops (JSON lines) and assembles them. Errors are in fit->diagnostics. */
void fit_read_loops(struct fit *fit, const char *path);

/* ---- traces.c ---- */

/* What a line of the file says of its loop, beside the figures. Text is in the region. */
struct loop_text {
    const char *name;
    bool att;
    const char *memory, *regs; /* flow mappings, NULL: none */
    const char *setup, *code;  /* lines of assembly */
};

enum { TRACE_MEMORY_LINE = 4 };

/* The loop as a trace. Line n of `code` is at line *code_line + n, and so for `setup`. */
const char *loop_trace(struct region *region, const struct loop_text *text, uint64_t iterations,
                       uint32_t *setup_line, uint32_t *code_line);

/*
 * The memory that a measured loop of the data format finds, into `text`. False when it uses a
 * slot of its context that has no object.
 */
bool loop_context(struct region *region, struct loop_text *text);

/* ---- parameters.c ---- */

/* The parameters that options name; without names all, each of them as if it were free. */
void fit_choose_parameters(struct fit *fit);

double fit_value(const struct fit_parameter *parameter, int64_t units);
void fit_set(struct cycle_parameters *cycles, const struct fit_parameter *parameter, int64_t units);
/* The base's parameters with every free one at its present value. */
void fit_current(const struct fit *fit, struct cycle_parameters *cycles);
/* By this share of the value, at least one unit, in `direction` (1, -1) and within the limits. */
int64_t fit_moved(const struct fit_parameter *parameter, int direction, double share);

/* ---- timer.c ---- */

/* Starts the threads; they end with the region. */
void fit_start_timer(struct fit *fit);

/*
 * Cycles of an iteration of the loops `which` with these parameters; -1 for one that cannot be
 * timed. False when the fit has to end before (fit->end).
 */
bool fit_time(struct fit *fit, const struct cycle_parameters *cycles, const uint32_t *which,
              size_t count, double *out);

/* Why a loop cannot be timed. */
const char *fit_problem(struct fit *fit, const struct fit_loop *loop);

/* ---- depend.c ---- */

/*
 * Marks which loops change when a parameter is moved by half down or up. False when the fit has
 * to end (here and below).
 */
bool fit_find_dependence(struct fit *fit);

/* The same with a tenth, and what each move does to cycles and errors: fit->effects, the
 * greatest first. */
bool fit_find_effects(struct fit *fit);

/* What each free parameter is worth at its fitted value: lower_worse, higher_worse. */
bool fit_find_worth(struct fit *fit);

/* ---- search.c ---- */

/* Finds out which loops depend on what is free, and moves it to the best values found. */
void fit_search(struct fit *fit);

/* ---- objective.c ---- */

/* The objective when loop fit->timed[i] takes cycles[fit->timed[i]]. */
double fit_objective(const struct fit *fit, const double *cycles);
double fit_mean_error(const struct fit *fit, const double *cycles);
void fit_mean_errors(const struct fit *fit, double *before, double *after);

/* |modelled - measured| / measured; 1 for a loop that cannot be timed. */
double fit_error(const struct fit_loop *loop, double modelled);

/* ---- profile.c ---- */

struct text;

/* The derived profile as YAML. False when no loop depends on what was free. */
bool fit_write_profile(struct text *out, const struct fit *fit);

#endif
