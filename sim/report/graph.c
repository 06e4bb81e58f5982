/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names, colours and escaping that the writers of graphs share. */
#include "sim/report/graph.h"

#include <inttypes.h>

#include "sim/report/escape.h"

const char *relation_color(enum relation relation)
{
    static const char *const colors[] = {"black",   "black",     "red",   "blue",
                                         "#ffa040", "darkgreen", "purple"};
    return colors[relation];
}

const char *edge_label(const struct edge *edge)
{
    return edge->relation == RELATION_FENCE ? edge->name : relation_name(edge->relation);
}

void graph_title(struct text *out, const struct result *result)
{
    text_printf(out, "%s, %s", result->program->name, result->profile->name);
    if (result->program->variant_count > 1)
        text_printf(out, ", %s", variant_name(result));
}

void graph_ends(struct text *out, const struct result *result, const struct result_witness *witness)
{
    text_add(out, witness->reason);
    if (witness->outcome == NO_INDEX)
        return;
    text_add(out, ", ends in");
    const uint64_t *values = result->outcomes[witness->outcome].values;
    for (size_t i = 0; i < result->observed_count; i++)
        text_printf(out, values[i] < 4096 ? " %s=%" PRIu64 : " %s=0x%" PRIx64,
                    result->observed[i]->text, values[i]);
}

static const char *dot_escape(uint32_t character)
{
    switch (character) {
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    case '\n':
        return " ";
    default:
        return character < ' ' ? REPLACEMENT : NULL;
    }
}

void add_dot_text(struct text *out, const char *string)
{
    text_add_escaped(out, string, dot_escape);
}

static const char *xml_escape(uint32_t character)
{
    if (character == '\n')
        return " ";
    return is_xml_character(character) ? markup_entity(character) : REPLACEMENT;
}

void add_xml_text(struct text *out, const char *string)
{
    text_add_escaped(out, string, xml_escape);
}
