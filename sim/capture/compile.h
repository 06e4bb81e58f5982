/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compiling a source file so that it can be captured from. */
#ifndef FENCESIM_SIM_CAPTURE_COMPILE_H_
#define FENCESIM_SIM_CAPTURE_COMPILE_H_

#include "sim/base/diagnostics.h"

/*
 * Runs a compiler, its options and "-g -c -o OBJECT SOURCE" without a shell, in the caller's
 * folder. Returns a descriptor of the object file, which has no name any more, or -1 with the
 * compiler's words in `diagnostics`. Nothing is left behind.
 */
int compile_source(struct region *region, const char *const *compiler, size_t count,
                   const char *source, struct diagnostics *diagnostics);

#endif
