/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the two files that write litmus tests. */
#ifndef FENCESIM_SIM_REPORT_WRITE_LITMUS_H_
#define FENCESIM_SIM_REPORT_WRITE_LITMUS_H_

#include <stdarg.h>
#include <stdio.h>

#include "sim/report/convert.h"

struct litmus_writer {
    struct text *out;
    const struct program *program;
    uint32_t variant;
    struct diagnostics *diagnostics;
};

/* Adds an error: something that the format has no words for. */
void cannot_say(struct litmus_writer *writer, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The table of threads and their instructions. */
void put_litmus_code(struct litmus_writer *writer);

#endif
