/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is added to a result piece by piece. */
#include "sim/judge/result.h"

#include <string.h>

void result_note(struct region *region, struct result *result, const char *note)
{
    for (size_t i = 0; i < result->note_count; i++)
        if (strcmp(result->notes[i], note) == 0)
            return;
    result->notes = region_push(region, result->notes, result->note_count, &result->note_capacity,
                                sizeof *result->notes);
    result->notes[result->note_count++] = region_strdup(region, note);
}

struct place insn_place(const struct program *program, uint32_t variant, uint32_t cpu,
                        uint32_t offset)
{
    int handler;
    const struct snippet *snippet = program_snippet(program, variant, cpu, &offset, &handler);
    struct place place =
        handler == NO_INDEX ? program->cpus[cpu].place : program->handlers[handler].place;
    for (size_t i = 0; i < snippet->line_count && snippet->lines[i].offset <= offset; i++)
        place = snippet->lines[i].place;
    return place;
}

void add_finding(struct region *region, struct result *result, const struct finding *finding)
{
    result->findings = region_push(region, result->findings, result->finding_count,
                                   &result->finding_capacity, sizeof *result->findings);
    result->findings[result->finding_count] = *finding;
    result->findings[result->finding_count].text = region_strdup(region, finding->text);
    result->finding_count++;
}

void add_unmodelled(struct region *region, struct result *result,
                    const struct unmodelled *unmodelled)
{
    for (size_t i = 0; i < result->unmodelled_count; i++) {
        const struct unmodelled *old = &result->unmodelled[i];
        if (strcmp(old->cpu, unmodelled->cpu) == 0 && old->offset == unmodelled->offset &&
            strcmp(old->reason, unmodelled->reason) == 0)
            return;
    }
    result->unmodelled = region_push(region, result->unmodelled, result->unmodelled_count,
                                     &result->unmodelled_capacity, sizeof *result->unmodelled);
    struct unmodelled *row = &result->unmodelled[result->unmodelled_count++];
    *row = *unmodelled;
    row->text = region_strdup(region, unmodelled->text);
    row->reason = region_strdup(region, unmodelled->reason);
}
