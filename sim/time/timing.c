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

static int64_t convert(double value, const char *unit, double width)
{
    if (strncmp(unit, "cycles", 6) == 0) {
        return whole(value * CYCLE);
    }
    if (strcmp(unit, "slots") == 0) {
        return whole(value * CYCLE / width);
    }
    return whole(value);
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
