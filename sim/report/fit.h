/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writers of what a fit found. */
#ifndef FENCESIM_SIM_REPORT_FIT_H_
#define FENCESIM_SIM_REPORT_FIT_H_

#include "sim/base/text.h"
#include "sim/fit/fit.h"

/* Verbosity below 0 leaves out the single loops; below 1 and without a fit, small effects. */
void write_fit(struct text *out, const struct fit *fit, int verbosity);

/* False when memory ran out in the JSON library. */
bool write_fit_json(struct text *out, const struct fit *fit, int verbosity);

/* What a fit that did not come to its end says of that; NULL: it did. */
const char *fit_end_note(const struct fit *fit);

#endif
