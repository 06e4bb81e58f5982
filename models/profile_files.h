/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profiles that are built in: generated from models/profiles/ by models/embed.sh. */
#ifndef FENCESIM_MODELS_PROFILE_FILES_H_
#define FENCESIM_MODELS_PROFILE_FILES_H_

#include <stddef.h>

struct profile_file {
    const char *text;
    size_t length;
};

/* In the order of `profile_file_names`, which is sorted. */
extern const struct profile_file profile_files[];
extern const char *const profile_file_names[];
extern const size_t profile_file_count;

#endif
