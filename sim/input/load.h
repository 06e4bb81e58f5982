/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the paths that a user gives to programs: read, parsed, assembled and checked. */
#ifndef FENCESIM_SIM_INPUT_LOAD_H_
#define FENCESIM_SIM_INPUT_LOAD_H_

#include "sim/program/read.h"

struct loaded {
    struct program **items; /* those without an error, in the order of the paths */
    size_t count;
};

/*
 * Everything lives in `region`; errors go to `diagnostics`. `kinds` is a file with the kinds that
 * litmus tests are to have, or NULL. Up to `threads` threads (0: one per core) read, parse and
 * check; what comes out does not depend on how many. False when the assembler could not be run.
 */
bool load(struct region *region, const char *const *paths, size_t path_count, const char *kinds,
          unsigned threads, struct loaded *loaded, struct diagnostics *diagnostics);

/*
 * One file (a path or "-") as a program; `sources` gets its code as text. NULL when there is an
 * error or more than one file, with diagnostics; `purpose` ("convert") says what it was for.
 */
struct program *load_one(struct region *region, const char *path, const char *purpose,
                         struct source_list *sources, struct diagnostics *diagnostics);

#endif
