/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What shells complete the command by, from the tables of options.h and the library's lists. */
#ifndef FENCESIM_SIM_COMMAND_COMPLETION_H_
#define FENCESIM_SIM_COMMAND_COMPLETION_H_

#include <stdbool.h>
#include <stdio.h>

/* Names as the library lists them, separated by spaces. */
struct completion_names {
    const char *profiles, *rules;
};

/* Writes the script for "bash", "zsh" or "fish"; false for another shell. */
bool write_completion(FILE *out, const char *shell, const struct completion_names *names);

#endif
