/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a comparison with a baseline found, for people. */
#include <math.h>

#include "sim/report/report.h"

static const char *name_of(struct region *region, const struct cost_change *change)
{
    return region_printf(region, "%s %s %s %s", change->file, change->profile, change->variant,
                         change->cpu);
}

const char *regression_line(struct region *region, const struct cost_change *change)
{
    const char *line =
        region_printf(region, "%s: %.2f cycles, %.2f in the baseline (+%.1f %%)",
                      name_of(region, change), change->now, change->before,
                      change->before > 0 ? (change->now / change->before - 1) * 100 : INFINITY);
    if (!change->insn)
        return line;
    line = region_printf(region, "%s; most by %s %s, from %.2f to %.2f", line, change->place,
                         change->insn->text, change->insn_before, change->insn->cycles);
    return change->cause_growth > 0 ? region_printf(region, "%s (%s +%.2f)", line,
                                                    stall_name(change->cause), change->cause_growth)
                                    : line;
}

const char *change_note(struct region *region, const struct cost_change *change)
{
    const char *name = name_of(region, change);
    switch (change->change) {
    case CHANGE_NEW:
        return region_printf(region, "%s is not in the baseline: %.2f cycles", name, change->now);
    case CHANGE_MISSING:
        return region_printf(region, "%s is in the baseline, but has no cycles in this run", name);
    default:
        return region_printf(region, "%s became cheaper: %.2f cycles, %.2f in the baseline", name,
                             change->now, change->before);
    }
}

void write_baseline(struct text *out, const struct baseline_comparison *found, bool color)
{
    size_t count = found->regressions;
    text_printf(out, "%sbaseline %s, tolerance %g %%: %zu regression%s%s\n",
                !color  ? ""
                : count ? verdict_color(VERDICT_VIOLATION)
                        : verdict_color(VERDICT_PASS),
                found->path, found->tolerance * 100, count, count == 1 ? "" : "s",
                color ? "\033[0m" : "");
    for (size_t i = 0; i < found->count; i++)
        if (found->changes[i].change == CHANGE_REGRESSION)
            text_printf(out, "  REGRESSION %s\n", regression_line(out->region, &found->changes[i]));
    for (size_t i = 0; i < found->count; i++)
        if (found->changes[i].change != CHANGE_REGRESSION)
            text_printf(out, "  note: %s\n", change_note(out->region, &found->changes[i]));
    if (found->not_run)
        text_printf(out, "  note: %zu more entries are of files that were not run\n",
                    found->not_run);
}
