/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is wrong with the input, each with its place. All errors of a file are collected in
 * one run; whoever prints them sorts them by place.
 */
#ifndef FENCESIM_SIM_BASE_DIAGNOSTICS_H_
#define FENCESIM_SIM_BASE_DIAGNOSTICS_H_

#include <stdarg.h>

#include "sim/base/region.h"

/* Where something stands in a file. Lines and columns count from 1; 0 means unknown. */
struct place {
    uint32_t line, column;
};

struct diagnostic {
    const char *file;
    struct place place;
    const char *message; /* one line: what was found, what was expected */
    size_t order;        /* for sorting: its number before that */
};

enum { DIAGNOSTICS_PER_FILE = 100 }; /* further errors are counted, not kept */

struct diagnostics {
    struct region *region;
    struct diagnostic *items;
    size_t count, capacity;
    size_t dropped;
};

void diagnostics_init(struct diagnostics *diagnostics, struct region *region);

/* Adds an error. An equal one (same place and text) is not added twice. `file` must outlive
 * the list. */
void diagnostics_add(struct diagnostics *diagnostics, const char *file, struct place place,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
void diagnostics_add_list(struct diagnostics *diagnostics, const char *file, struct place place,
                          const char *format, va_list arguments)
    __attribute__((format(printf, 4, 0)));

/* Adds those of a list with other files than `to` has, which share its items' memory. */
void diagnostics_append(struct diagnostics *to, const struct diagnostics *from);

/* Sorts by file, line, column, keeping the order of equals. */
void diagnostics_sort(struct diagnostics *diagnostics);

/* "file:line:column: error: message", as far as the place is known; the message alone without
 * a file. */
const char *diagnostic_line(struct region *region, const struct diagnostic *item);

/* All of them, sorted, a line each; the last says how many more there were, if so. */
const char **diagnostics_lines(struct diagnostics *diagnostics, size_t *count);

/*
 * The candidate nearest to `word` by edit distance, or NULL when none is close enough to be
 * a likely misspelling (at most a third of the word's letters changed).
 */
const char *nearest_name(const char *word, const char *const *candidates, size_t count);

#endif
