/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the profile's numbers to ticks. The unit in the parameter table decides how. */
#include "sim/time/timing.h"

#include <math.h>
#include <string.h>

/* 160 million cycles: the sum over 2^28 instructions still fits. */
static const double LARGEST = 2e10;

static int64_t whole(double value)
{
    if (!(value > 0)) {
        return 0; /* also NaN */
    }
    return llround(value > LARGEST ? LARGEST : value);
}

/* Decimal digits, the most significant one first; 0 is the tenth pipe. */
static int64_t pipes(int64_t digits)
{
    uint64_t set = 0, order = 0;
    for (; digits > 0; digits /= 10) {
        uint64_t pipe = digits % 10 == 0 ? PIPES_MAX : (uint64_t)digits % 10;
        if (set & 1u << pipe)
            continue;
        set |= 1u << pipe;
        order = order << 4 | pipe;
    }
    return (int64_t)(order << 16 | set);
}

static int64_t convert(double value, const char *unit, double width)
{
    if (strncmp(unit, "cycles", 6) == 0) {
        return whole(value * CYCLE);
    }
    if (strcmp(unit, "slots") == 0) {
        return whole(value * CYCLE / width);
    }
    return strcmp(unit, "pipes") == 0 ? pipes(whole(value)) : whole(value);
}

void timing_init(struct timing *timing, const struct cycle_parameters *parameters)
{
    double width = parameters->dispatch_width >= 1 ? parameters->dispatch_width : 1;
    double decoders = parameters->decoder_width >= 1 ? parameters->decoder_width : width;
#define PARAMETER(field, unit, meaning) timing->field = convert(parameters->field, unit, width);
#include "models/cycle_parameters.def"
#undef PARAMETER
    timing->slot = whole(CYCLE / width);
    timing->decode = whole(CYCLE / decoders);
}
