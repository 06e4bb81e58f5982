/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of any origin within formats that give some characters a meaning. */
#ifndef FENCESIM_SIM_REPORT_ESCAPE_H_
#define FENCESIM_SIM_REPORT_ESCAPE_H_

#include "sim/base/text.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD: what is no UTF-8 becomes it */

/* What stands for a character; NULL: the character itself. */
typedef const char *escape(uint32_t character);

void text_add_escaped(struct text *out, const char *string, escape *escaped);

/* The entity of '&', '<', '>', '"' in HTML and XML; NULL for all others. */
const char *markup_entity(uint32_t character);

/* Whether XML can have it at all (XML 1.0, section Characters). */
bool is_xml_character(uint32_t character);

#endif
