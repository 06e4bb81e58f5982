/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names, colours and escaping that the writers of graphs share. */
#include "sim/report/graph.h"

#include <inttypes.h>
#include <string.h>

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

/* Adds the character at *text, or its replacement, and moves on behind it. */
static void add_character(struct text *out, const char **text, const char *replacement)
{
    uint32_t character = 0;
    size_t length = utf8_decode(*text, strlen(*text), 0, &character);
    bool control = character < ' ' || (character & 0xfffe) == 0xfffe; /* XML has neither */
    if (replacement)
        text_add(out, replacement);
    else if (length == 0 || control)
        text_add(out, "?");
    else
        text_add_bytes(out, *text, length);
    *text += length ? length : 1;
}

void add_dot_text(struct text *out, const char *string)
{
    while (*string)
        add_character(out, &string,
                      *string == '"'    ? "\\\""
                      : *string == '\\' ? "\\\\"
                      : *string == '\n' ? " "
                                        : NULL);
}

void add_xml_text(struct text *out, const char *string)
{
    while (*string)
        add_character(out, &string,
                      *string == '<'    ? "&lt;"
                      : *string == '>'  ? "&gt;"
                      : *string == '&'  ? "&amp;"
                      : *string == '"'  ? "&quot;"
                      : *string == '\n' ? " "
                                        : NULL);
}
