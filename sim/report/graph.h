/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the writers of graphs: dot.c and svg.c. */
#ifndef FENCESIM_SIM_REPORT_GRAPH_H_
#define FENCESIM_SIM_REPORT_GRAPH_H_

#include "sim/report/report.h"

/* "po" black, "rf" red, "co" blue, "fr" orange, fences dark green: as herd7 draws them. */
const char *relation_color(enum relation relation);

/* What stands at an edge: the relation, of a fence its name. */
const char *edge_label(const struct edge *edge);

/* What an execution is of: name, profile, variant; why it is shown and what it ends in. */
void graph_title(struct text *out, const struct result *result);
void graph_ends(struct text *out, const struct result *result,
                const struct result_witness *witness);

/* One execution as an <svg> without a style of its own; `relations` has no problem. */
void svg_drawing(struct text *out, const struct result *result, const struct relations *relations);

/* What its arrows end in: for a <defs>, once in a document. */
void svg_markers(struct text *out);

/* Inside of a quoted string of dot; what is no UTF-8 becomes U+FFFD. */
void add_dot_text(struct text *out, const char *string);

/* Inside of an XML element or attribute, likewise. */
void add_xml_text(struct text *out, const char *string);

#endif
