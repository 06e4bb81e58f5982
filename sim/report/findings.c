/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings below a table of runs. */
#include <string.h>

#include "sim/report/report.h"

enum { RUNS_NAMED = 4 };

static bool same_finding(const struct finding *a, const struct finding *b)
{
    return strcmp(a->rule, b->rule) == 0 && a->cpu == b->cpu && a->offset == b->offset &&
           a->place.line == b->place.line && strcmp(a->text, b->text) == 0;
}

static bool has_finding(const struct result *result, const struct finding *finding)
{
    for (size_t i = 0; i < result->finding_count; i++)
        if (same_finding(&result->findings[i], finding))
            return true;
    return false;
}

/* "zen4 mfence, zen4 lock and 3 more" */
static void add_runs(struct text *out, struct result *const *results, size_t count,
                     const struct finding *finding)
{
    size_t named = 0, more = 0;
    for (size_t i = 0; i < count; i++) {
        if (!has_finding(results[i], finding))
            continue;
        if (named == RUNS_NAMED) {
            more++;
            continue;
        }
        text_printf(out, "%s%s", named ? ", " : "", results[i]->profile->name);
        if (results[i]->program->variant_count > 1)
            text_printf(out, " %s", variant_name(results[i]));
        named++;
    }
    if (more)
        text_printf(out, " and %zu more", more);
}

void write_findings(struct text *out, struct result *const *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; n < results[i]->finding_count; n++) {
            const struct finding *finding = &results[i]->findings[n];
            bool seen = strcmp(finding->rule, "unmodelled") == 0; /* listed as such */
            for (size_t before = 0; before < i && !seen; before++)
                seen = has_finding(results[before], finding);
            if (seen)
                continue;
            text_printf(out, "  finding %s: %s %s", finding->rule,
                        insn_name(out->region, results[i], finding->cpu, finding->offset),
                        finding->text);
            add_source(out, results[i], finding->cpu, finding->offset);
            if (finding->place.line)
                text_printf(out, "  [line %u]", finding->place.line);
            text_printf(out, "\n    %s\n    on ", finding->message);
            add_runs(out, results, count, finding);
            text_add(out, "\n");
        }
}
