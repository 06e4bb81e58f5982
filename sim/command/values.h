/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of options. Each function is false when the text is something else. */
#ifndef FENCESIM_SIM_COMMAND_VALUES_H_
#define FENCESIM_SIM_COMMAND_VALUES_H_

#include <stdbool.h>
#include <stdint.h>

/* A decimal number and nothing else. */
bool parse_number(const char *text, uint64_t *number);

bool parse_seconds(const char *text, double *seconds);

/* "5%" or "5": 0.05. */
bool parse_percent(const char *text, double *share);

/* "512MiB", "2G", "4096": bytes. */
bool parse_size(const char *text, uint64_t *bytes);

#endif
