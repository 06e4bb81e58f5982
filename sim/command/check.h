/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `simulate check`: where it finds the baseline that nobody named. */
#ifndef FENCESIM_SIM_COMMAND_CHECK_H_
#define FENCESIM_SIM_COMMAND_CHECK_H_

#include <stdbool.h>
#include <stddef.h>

#define CHECK_BASELINE "fencesim-baseline.json"

/*
 * Writes into `found` the path of the one baseline that lies in a folder of `paths`, "" when
 * there is none. False when there are several, or a path is too long for `size` bytes: then
 * `found` is the one that is too many, as far as it fits.
 */
bool check_find_baseline(const char *const *paths, size_t count, char *found, size_t size);

#endif
