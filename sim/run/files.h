/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the paths that a user gives to the contents of files. */
#ifndef FENCESIM_SIM_RUN_FILES_H_
#define FENCESIM_SIM_RUN_FILES_H_

#include "sim/base/diagnostics.h"

struct input_file {
    const char *name; /* as the user would name it; "-" is standard input */
    const char *text;
    size_t length;
};

struct input_files {
    struct input_file *items;
    size_t count, capacity;
};

enum { INPUT_BYTES_MAX = 16 << 20, FOLDER_DEPTH_MAX = 32 };

/* Whether it is a litmus test, by its name's ending; by its text when it has no telling name. */
bool input_is_litmus(const struct input_file *file);

/* Adds the file, every trace below the folder (by name), or standard input. */
void read_path(struct region *region, const char *path, struct input_files *files,
               struct diagnostics *diagnostics);

#endif
