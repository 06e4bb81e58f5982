/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `simulate capture`. */
#ifndef FENCESIM_SIM_COMMAND_CAPTURE_H_
#define FENCESIM_SIM_COMMAND_CAPTURE_H_

/* Runs it with its own arguments, "capture" the first; returns the exit status. */
int command_capture(int argc, char **argv);

#endif
