/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of a session share: input, jobs and their results in the order of the input. */
#ifndef FENCESIM_SIM_API_SESSION_H_
#define FENCESIM_SIM_API_SESSION_H_

#include "include/fencesim/fencesim.h"
#include "sim/run/baseline.h"
#include "sim/run/run.h"

struct job {
    struct region region;
    const struct program *program;
    const struct profile **profiles;
    size_t profile_count;
    uint32_t *variants;
    size_t variant_count;
    const struct run_options *options;
    struct result_list results;
    bool failed;
};

struct fs_report {
    struct region region; /* input, programs, profiles, diagnostics */
    struct region output; /* the text written last */
    struct diagnostics diagnostics;
    struct run_options options;
    struct job *jobs;
    size_t job_count;
    unsigned threads; /* that were asked for, 0: one per core */
    struct result_list results;
    const char **lines; /* diagnostics as text */
    size_t line_count;
    bool internal;
    const struct baseline *baseline; /* to compare with, NULL: none */
    const struct baseline_comparison *compared;
    const char **regressions; /* as text */
    size_t regression_count;
    struct loaded_profile {
        const char *name;
        const struct profile *profile; /* NULL: it is broken, and was reported */
    } * profiles;
    size_t profile_count, profile_capacity;
};

/* ---- choose.c ---- */

/* Which profiles and variants a program is to run with; what it names must exist. */
void choose_runs(fs_report *report, struct job *job, const fs_options *options);

/* Every variant that the options name must be one of some trace. */
void check_variant_names(fs_report *report, const fs_options *options);

#endif
