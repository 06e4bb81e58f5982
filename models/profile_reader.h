/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by profile.c (files, and what inherits from what) and profile_rows.c (parameters). */
#ifndef FENCESIM_MODELS_PROFILE_READER_H_
#define FENCESIM_MODELS_PROFILE_READER_H_

#include "models/profile.h"
#include "sim/program/fields.h"

enum { ANCESTORS_MAX = 16 };

struct loader {
    struct region *region;
    struct diagnostics *diagnostics;
    struct profile *profile;
    struct place cycles_place; /* of the section that was read last */
    const char *cycles_file;
    const char *chain[ANCESTORS_MAX]; /* from the profile asked for to the one being read */
    size_t depth;
    size_t source_capacity;
};

/* A profile that says nothing yet. */
struct profile *new_profile(struct region *region, const char *name);

/* The parameters that a section ("order", "cycles") of the profile `profile_name` gives; they take
 * the place of what was read before, as do sources of the same keys. */
void read_section(struct loader *loader, struct input *input, const char *section,
                  const struct node *node, const char *profile_name);
void read_cycles(struct loader *loader, struct input *input, const struct field *field,
                 const char *profile_name);
void read_sources(struct loader *loader, struct input *input, const struct node *node);

/* The cycles of another profile that stand in until this one is measured: estimates, for this
 * reason. */
void take_cycles_of(struct loader *loader, const struct profile *other, const char *reasoning);

/* After the last section: says what is missing; numbers go from the rows to their fields. */
void finish_rows(struct loader *loader, const char *file);

#endif
