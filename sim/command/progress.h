/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line on the terminal for those who wait longer than a second. */
#ifndef FENCESIM_SIM_COMMAND_PROGRESS_H_
#define FENCESIM_SIM_COMMAND_PROGRESS_H_

#include "include/fencesim/fencesim.h"

/* Shows the counters on standard error when that is a terminal, until progress_stop. */
void progress_start(const fs_progress *counters);

/* Erases the line. */
void progress_stop(void);

#endif
