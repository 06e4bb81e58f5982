/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that are captured from, and where a name is defined in them. */
#ifndef FENCESIM_SIM_CAPTURE_INPUTS_H_
#define FENCESIM_SIM_CAPTURE_INPUTS_H_

#include "sim/capture/archive.h"
#include "sim/capture/binary.h"

/* A file that the user named: one binary, or an archive of many, which are read as needed. */
struct input_object {
    const char *path;
    int fd;
    Elf *elf;
    bool is_archive;
    struct archive_index index; /* of an archive */
    struct binary *binary;      /* NULL for an archive */
};

/* Several files that refer to each other as if they were linked, in the order given. */
struct inputs {
    struct region *region;
    struct diagnostics *diagnostics;
    struct input_object **files;
    size_t file_count, file_capacity;
    struct binary **binaries; /* those that were read */
    size_t binary_count, binary_capacity;
    const char **twice; /* names of which that was said */
    size_t twice_count, twice_capacity;
};

/*
 * Opens a file once, however often it is named. `fd` is one that is open already and is taken
 * over, or -1. NULL when it cannot be; that is in `diagnostics`.
 */
struct input_object *inputs_open(struct inputs *inputs, const char *path, int fd);

/* Adds a binary that was read already, as a file called `path`. */
struct input_object *inputs_add(struct inputs *inputs, const char *path, struct binary *binary);

/* The binary of `file` that defines a name, and the symbol; NULL when none does. */
struct binary *inputs_find_in(struct inputs *inputs, struct input_object *file, const char *name,
                              const struct binary_symbol **symbol);

/*
 * The same in any file, as a linker chooses among several: binaries that are read already come
 * before members of archives that are not, strong definitions before weak ones. That two are
 * strong is an error.
 */
struct binary *inputs_find(struct inputs *inputs, const char *name,
                           const struct binary_symbol **symbol);

/* " (did you mean 'x', 'y'?)" of the functions in a file, "" when no name is near. */
const char *inputs_suggest(struct inputs *inputs, struct input_object *file, const char *name);

#endif
