/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clocks, memory and commands: what the benchmark measures with. */
#ifndef FENCESIM_TOOLS_BENCH_MEASURE_H_
#define FENCESIM_TOOLS_BENCH_MEASURE_H_

#include <stdbool.h>
#include <stddef.h>

/* Seconds of processor time of this process: others that use the machine hardly show in it. */
double processor_seconds(void);
double wall_seconds(void);

/* Resident bytes of this process. */
size_t resident_bytes(void);

/*
 * What the machine can do right now, in seconds for a fixed piece of work: arithmetic with
 * look-ups in a small table.
 */
double calibrate_cached(void);

struct command_time {
    double first_byte, last_byte; /* wall, from the start to the output */
    double processor;             /* user and system */
};

/* Runs a command with its output in a pipe; false when it could not be started or failed. */
bool time_command(char *const *argv, struct command_time *time);

#endif
