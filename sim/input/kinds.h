/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds files: what is expected of litmus tests, by their names. */
#ifndef FENCESIM_SIM_INPUT_KINDS_H_
#define FENCESIM_SIM_INPUT_KINDS_H_

#include "sim/base/diagnostics.h"
#include "sim/program/program.h"

/*
 * Reads lines "NAME KIND" (Allow, Forbid, Require, each also with -ed or -den, or Unknown; #
 * and % begin comments) and makes the condition of every litmus test that is named the
 * expectation of that kind. `programs` may hold NULLs. A name that no test has is no error.
 */
void apply_kinds(struct region *region, const char *path, struct program *const *programs,
                 size_t count, struct diagnostics *diagnostics);

#endif
