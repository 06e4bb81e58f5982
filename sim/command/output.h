/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the command prints beside reports, and its exit statuses. Each function returns one. */
#ifndef FENCESIM_SIM_COMMAND_OUTPUT_H_
#define FENCESIM_SIM_COMMAND_OUTPUT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "include/fencesim/fencesim.h"

enum { EXIT_USAGE = 2, EXIT_UNKNOWN = 3, EXIT_INTERNAL = 70 };

/* `format` has one %s, for the argument. */
int usage_error(const char *format, const char *argument);

/* Memory ran out, or something is wrong with the library. */
int report_failure(fs_status status);

/*
 * Writes everything (NULL: to standard output) or says why not; a reader that went away (EPIPE)
 * is no error of ours.
 */
int write_out(const char *path, const char *text, size_t length);

/* Runs `write` into memory, then writes that out. EXIT_USAGE when it returns false. */
int write_from(bool (*write)(FILE *out, void *argument), void *argument);

#endif
