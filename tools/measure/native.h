/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A loop of a file of measured loops, run by this machine's own processor. */
#ifndef FENCESIM_TOOLS_MEASURE_NATIVE_H_
#define FENCESIM_TOOLS_MEASURE_NATIVE_H_

#include "sim/program/program.h"

enum { SAMPLES_MAX = 101 };

struct figures {
    double median, least; /* core cycles of an iteration */
    double gigahertz;     /* of the core, by chains of additions */
    int samples;          /* that were not disturbed */
    char problem[160];    /* why there are no figures; empty: there are */
};

/*
 * Runs the program's only CPU's loop: its setup code, then the body with `dec r15; jnz` behind it,
 * `samples` (up to SAMPLES_MAX) times. Memory and registers are as the program has them, at its
 * addresses. The code is run as it is, by whoever calls this: call it in a process that may die.
 */
void native_measure(const struct program *program, int samples, struct figures *figures);

#endif
