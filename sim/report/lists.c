/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is no report: the text of `simulate profiles` and of `simulate explain`. */
#include <string.h>

#include "sim/report/report.h"

enum { WIDTH = 88 };

/* ---- profiles ---- */

void write_profiles(struct text *out, const struct profile *const *profiles, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_printf(out, "%-14s %-6s %-9s %s\n", profiles[i]->name, profiles[i]->vendor,
                    profiles[i]->has_cycles ? "cycles" : "-", profiles[i]->about);
}

void write_profile(struct text *out, const struct profile *profile)
{
    text_printf(out, "%s: %s\nvendor %s, ordering model %s\n", profile->name, profile->about,
                profile->vendor, profile->model);
    for (size_t i = 0; i < profile->row_count; i++) {
        const struct parameter_row *row = &profile->rows[i];
        if (!row->given)
            continue;
        text_printf(out, "\n%s.%s = %g %s\n    %s\n    %s%s%s  (given by %s)\n", row->section,
                    row->name, row->value, row->unit, row->meaning,
                    row->estimate ? "estimate: " : "source: ", row->source ? row->source : "", "",
                    row->profile);
    }
}

/* ---- rules ---- */

/* A paragraph, indented and broken at spaces. */
static void add_paragraph(struct text *out, const char *words)
{
    size_t column = 0;
    while (*words) {
        size_t length = strcspn(words, " ");
        if (column + length + 5 > WIDTH) {
            text_add(out, "\n");
            column = 0;
        }
        text_add(out, column ? " " : "    ");
        text_add_bytes(out, words, length);
        column += length + 1;
        words += length + (words[length] == ' ');
    }
    text_add(out, "\n");
}

void write_rules(struct text *out, const struct rule *rules, size_t count, const char *kind,
                 bool whole)
{
    for (size_t i = 0; i < count; i++) {
        const struct rule *rule = &rules[i];
        const char *level = kind ? kind : rule_level_name(rule->level);
        if (!whole) {
            text_printf(out, "%-30s %-8s %s\n", rule->id, level, rule->summary);
            continue;
        }
        text_printf(out, "%s (%s): %s\n\n", rule->id, level, rule->summary);
        add_paragraph(out, rule->help);
        text_add(out, "\n");
        add_paragraph(out, region_printf(out->region, kind ? "What helps: %s." : "What to do: %s.",
                                         rule->advice));
    }
}
