/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why an execution is possible: in a few sentences, and as a graph of its events. */
#include "sim/report/graph.h"
#include "sim/report/html.h"

void html_relations(struct html *html, const struct result *result,
                    const struct result_witness *witness)
{
    const struct relations *relations = witness->relations;
    if (witness->prose) {
        html_put(html, "<p class=\"prose\">");
        html_say(html, witness->prose);
        html_put(html, "</p>\n");
    }
    if (!relations)
        return;
    if (relations->problem) {
        html_put(html, "<p class=\"quiet\">");
        html_say(html, relations->problem);
        html_put(html, "</p>\n");
        return;
    }
    html_put(html,
             "<div class=\"scroll\" role=\"region\" aria-label=\"Events of this execution and "
             "their relations\" tabindex=\"0\">");
    svg_drawing(html->out, result, relations);
    html_put(html, "</div>\n<p class=\"quiet\">po: program order; rf: reads from; co: the order in "
                   "which stores become visible; fr: read before that store.");
    if (relations->cycle_count)
        html_put(html,
                 " The bold arrows are a cycle, which no interleaving can have; dashed is the "
                 "program order that the machine did not keep.");
    html_put(html, "</p>\n");
}

void html_markers(struct html *html)
{
    html_put(html, "<svg class=\"hidden\" width=\"0\" height=\"0\" aria-hidden=\"true\" "
                   "focusable=\"false\"><defs>\n");
    svg_markers(html->out);
    html_put(html, "</defs></svg>\n");
}
