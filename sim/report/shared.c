/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several writers of reports say alike. */
#include <inttypes.h>
#include <string.h>

#include "sim/report/report.h"

const char *variant_name(const struct result *result)
{
    return result->program->variants[result->variant].name;
}

const char *verdict_color(enum verdict verdict)
{
    static const char *const colors[] = {"\033[32m", "\033[31;1m", "\033[33m"};
    return colors[verdict];
}

void add_values(struct text *out, const struct result *result, const uint64_t *values)
{
    for (size_t i = 0; i < result->observed_count; i++) {
        const char *format = values[i] < 4096 ? "%s%s=%" PRIu64 : "%s%s=0x%" PRIx64;
        text_printf(out, format, i ? " " : "", result->observed[i]->text, values[i]);
    }
}

const char *offset_text(struct region *region, const struct result *result, uint32_t cpu,
                        uint32_t offset)
{
    return program_offset_text(result->program, region, result->variant, cpu, offset);
}

const char *insn_name(struct region *region, const struct result *result, uint32_t cpu,
                      uint32_t offset)
{
    return program_insn_name(result->program, region, result->variant, cpu, offset);
}

const char *unmodelled_where(struct region *region, const struct result *result,
                             const struct unmodelled *row)
{
    int cpu = row->cpu[0] ? program_cpu(result->program, row->cpu) : NO_INDEX;
    if (cpu == NO_INDEX)
        return row->cpu[0] ? region_printf(region, "%s+%u ", row->cpu, row->offset) : "";
    return region_printf(region, "%s ", insn_name(region, result, (uint32_t)cpu, row->offset));
}

void add_source(struct text *out, const struct result *result, uint32_t cpu, uint32_t offset)
{
    const char *source = program_source(result->program, result->variant, cpu, offset);
    if (source)
        text_printf(out, "  (%s)", source);
}

/* Register work, and a CPU's traffic with its own stack, only tire the reader. */
bool is_telling(const struct witness_step *step)
{
    bool own_stack = step->size && step->address >= STACK_BASE &&
                     (!step->has_insn || strcmp(step->event, "load") == 0);
    return strcmp(step->event, "compute") != 0 && !own_stack;
}
