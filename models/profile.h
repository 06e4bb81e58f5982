/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A vendor profile: the ordering model and the numbers of one part, or of what a vendor
 * guarantees. Profiles are YAML files (models/profiles/NAME.yaml), built into the program;
 * adding one is adding a file. Every number carries its source.
 */
#ifndef FENCESIM_MODELS_PROFILE_H_
#define FENCESIM_MODELS_PROFILE_H_

#include "sim/base/diagnostics.h"
#include "sim/base/region.h"

/* One field per row of the parameter tables; flags are 0 or 1. */
#define PARAMETER(field, unit, meaning) double field;
struct order_parameters {
#include "models/order_parameters.def"
};
struct cycle_parameters {
#include "models/cycle_parameters.def"
};
#undef PARAMETER

/* Where a parameter's value comes from, one per row, in the order of the tables. */
struct parameter_row {
    const char *section; /* "order" or "cycles" */
    const char *name, *unit, *meaning;
    bool given; /* false: the profile and its ancestors do not say */
    double value;
    bool estimate; /* not sourced: `source` gives the reasoning */
    const char *source;
    const char
        *profile; /* the profile that gives it: this, an ancestor, or the one of `cycles_from` */
};

/* A work that the rows' sources name by its key: "SDM: Store Buffer". */
struct profile_source {
    const char *key, *text;
};

struct profile {
    const char *name, *about;
    const char *model;  /* name of the ordering model: "sc", "tso", ... */
    const char *vendor; /* "intel", "amd" or "any" */
    bool has_cycles;    /* every row of the cycles table is given */
    struct order_parameters order;
    struct cycle_parameters cycles;
    struct parameter_row *rows;
    size_t row_count;
    struct profile_source *sources; /* its own and its ancestors' */
    size_t source_count;
};

/* Names of the built-in profiles, sorted; `*count` of them. */
const char *const *profile_names(size_t *count);

/*
 * Reads a profile with all that it inherits: a built-in name, or the path of a YAML file when
 * `name` has a '/' or ends in ".yaml". NULL when it does not exist or is broken: errors are
 * in `diagnostics` with the profile's file as place (an unknown name: file "", and the
 * nearest name offered).
 */
const struct profile *profile_load(struct region *region, const char *name,
                                   struct diagnostics *diagnostics);

#endif
