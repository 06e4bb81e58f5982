/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs written down in the other of the two formats. */
#ifndef FENCESIM_SIM_REPORT_CONVERT_H_
#define FENCESIM_SIM_REPORT_CONVERT_H_

#include "sim/base/text.h"
#include "sim/program/read.h"

/* A litmus test as a trace; the code is taken from `sources`, where the reader put it. */
void write_trace(struct text *out, const struct program *program,
                 const struct source_list *sources);

/*
 * One variant of a trace as a litmus test (X86_64). What the format cannot say is an error for
 * each thing, at its place in the trace; `out` is of no use then.
 */
void write_litmus(struct text *out, const struct program *program, uint32_t variant,
                  struct diagnostics *diagnostics);

#endif
