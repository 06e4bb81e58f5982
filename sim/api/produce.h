/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Public functions that do one thing and return its text. */
#ifndef FENCESIM_SIM_API_PRODUCE_H_
#define FENCESIM_SIM_API_PRODUCE_H_

#include "include/fencesim/fencesim.h"
#include "sim/base/text.h"

/* Writes the text, or with FS_BAD_INPUT what is wrong; what it needs lives in out->region, to
 * whose guard it unwinds. */
typedef fs_status produce(const void *request, struct text *out);

/* Calls it with a region of its own. *text is malloc'ed; NULL: memory ran out. */
fs_status produce_text(produce *write, const void *request, char **text);

#endif
