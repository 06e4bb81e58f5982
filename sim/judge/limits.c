/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/judge/limits.h"

#include <inttypes.h>
#include <string.h>

static const char smaller[] = "fewer CPUs, stores between fences or rounds of a loop";

const char *size_text(struct region *region, size_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    unsigned unit = 0;
    while (value >= 1024 && unit < 4) {
        value /= 1024;
        unit++;
    }
    return region_printf(region, "%.4g %s", value, units[unit]);
}

const char *limit_advice(struct region *region, const struct exploration *exploration,
                         const struct run_options *options)
{
    const char *why = exploration->incomplete;
    const char *unreduced = options->reduce ? "" : "no --reduction=none, ";
    if (!why)
        return NULL;
    if (strcmp(why, LIMIT_STATES) == 0)
        return region_printf(region, "a --max-states above %" PRIu64 "; %s%s", options->max_states,
                             unreduced, smaller);
    if (strcmp(why, LIMIT_TIME) == 0)
        return region_printf(region, "a --max-seconds above %g; %s%s", options->max_seconds,
                             unreduced, smaller);
    if (strcmp(why, LIMIT_MEMORY) == 0)
        return region_printf(region, "a --max-memory above %s; %s%s",
                             size_text(region, options->max_memory), unreduced, smaller);
    if (strcmp(why, LIMIT_REGISTERS) == 0)
        return "loops that end sooner: registers take a new value in every round";
    return NULL;
}
