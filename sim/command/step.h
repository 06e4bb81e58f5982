/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `simulate step`: the reader chooses every step of one execution. */
#ifndef FENCESIM_SIM_COMMAND_STEP_H_
#define FENCESIM_SIM_COMMAND_STEP_H_

#include "include/fencesim/fencesim.h"

/*
 * On a terminal with ncurses, otherwise with plain prompts that read choices from standard
 * input. Returns the exit status.
 */
int step(const fs_options *options, const char *path);

/* The same on a terminal (step_terminal.c); -1: it cannot be drawn on. */
int step_on_terminal(fs_stepper *stepper, const volatile int *stop);

#endif
