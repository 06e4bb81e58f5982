/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the paths that a user gives to the contents of files. */
#ifndef FENCESIM_SIM_INPUT_FILES_H_
#define FENCESIM_SIM_INPUT_FILES_H_

#include "sim/base/diagnostics.h"

struct input_file {
    const char *name; /* as the user would name it; "-" is standard input */
    const char *text; /* NULL: not read yet, or it cannot be */
    size_t length;
    bool unreadable; /* was tried, and reported */
};

struct input_files {
    struct input_file *items;
    size_t count, capacity;
};

enum { INPUT_BYTES_MAX = 16 << 20, FOLDER_DEPTH_MAX = 32 };

/* Whether it is a litmus test, by its name's ending; by its text when it has no telling name. */
bool input_is_litmus(const struct input_file *file);

/*
 * Adds the file, every trace below the folder (by name), or standard input. Regular files are not
 * yet read; the rest is, since that can give its bytes only once.
 */
void list_path(struct region *region, const char *path, struct input_files *files,
               struct diagnostics *diagnostics);

/* Reads a file of the list, unless it was; false when it cannot be, which is reported. */
bool input_read(struct region *region, struct input_file *file, struct diagnostics *diagnostics);

/* Both: adds what there is to read, with its text. */
void read_path(struct region *region, const char *path, struct input_files *files,
               struct diagnostics *diagnostics);

#endif
