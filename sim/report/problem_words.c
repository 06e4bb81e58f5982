/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/report/problem_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/judge/judge.h"
#include "sim/report/problems.h"

const char *run_name(struct region *region, const struct result *result)
{
    if (result->program->variant_count == 1)
        return result->profile->name;
    return region_printf(region, "%s %s", result->profile->name, variant_name(result));
}

/* Why an expectation failed, where its note does not say it. */
static const char *failure_reason(enum expectation_kind kind)
{
    switch (kind) {
    case EXPECT_NEVER:
        return "an execution reaches it";
    case EXPECT_SOMETIMES:
        return "no execution reaches it";
    case EXPECT_ALWAYS:
        return "an execution ends otherwise";
    case EXPECT_FINDING:
        return "the run does not report it";
    default:
        return "it does not hold";
    }
}

static const char *unknown_reason(const struct result *result)
{
    if (result->unmodelled_count)
        return result->unmodelled[0].reason;
    return result->incomplete ? result->incomplete : "not every execution could be followed";
}

const char *expectation_message(struct region *region, const struct result *result,
                                const struct expect_row *row)
{
    bool failed = row->held == HELD_NO;
    const char *reason = row->note ? row->note
                         : failed  ? failure_reason(row->expectation->kind)
                                   : unknown_reason(result);
    return region_printf(region, "%s: %s (%s)",
                         failed ? "expectation failed" : "expectation not decided",
                         row->expectation->text, reason);
}

const char *relaxed_message(struct region *region, const struct result *result, size_t outcome)
{
    struct text text;
    size_t count = 0;
    for (size_t i = 0; i < result->outcome_count; i++)
        count += result->outcomes[i].relaxed;
    text_init(&text, region);
    text_add(&text, "an outcome that no interleaving explains: ");
    add_values(&text, result, result->outcomes[outcome].values);
    if (count > 1)
        text_printf(&text, ", and %zu more", count - 1);
    return text.data;
}

const char *unmodelled_message(struct region *region, const struct result *result,
                               const struct unmodelled *row)
{
    return region_printf(region, "unmodelled: %s%s%s%s", unmodelled_where(region, result, row),
                         row->text, row->text[0] ? ": " : "", row->reason);
}

const char *incomplete_message(struct region *region, const struct result *result)
{
    if (!result->incomplete)
        return region_printf(region, "cycles: %s",
                             result->timed && result->timed->reason ? result->timed->reason
                                                                    : "not all was timed");
    return region_printf(region,
                         "not all executions were explored: %s after %" PRIu64 " states%s%s",
                         result->incomplete, result->states, result->advice ? "; " : "",
                         result->advice ? result->advice : "");
}

/* ---- witnesses ---- */

const char *step_sentence(struct region *region, const struct result *result,
                          const struct witness_step *step)
{
    struct text text;
    text_init(&text, region);
    text_printf(&text, "%s: ", result->program->cpus[step->cpu].name);
    if (step->has_insn)
        text_printf(&text, "%s %s", offset_text(region, result, step->cpu, step->offset),
                    step->text);
    else
        text_printf(&text, "(%s)", step->event);
    if (step->detail[0])
        text_printf(&text, ": %s", step->detail);
    for (size_t i = 0; i < step->buffer_count; i++)
        text_printf(&text, "%s%s", i ? " " : " {", step->buffer[i]);
    text_add(&text, step->buffer_count ? "}" : "");
    return text.data;
}

struct location problem_location(const struct problem *problem)
{
    return problem->compiled.file ? problem->compiled
                                  : (struct location){problem->file, problem->place};
}

struct location insn_location(struct region *region, const struct result *result, uint32_t cpu,
                              uint32_t offset)
{
    const char *source = program_source(result->program, result->variant, cpu, offset);
    const char *colon = source ? strrchr(source, ':') : NULL; /* "demo.c:12" */
    unsigned long line = colon ? strtoul(colon + 1, NULL, 10) : 0;
    if (!line || line > UINT32_MAX)
        return (struct location){0};
    return (struct location){region_strndup(region, source, (size_t)(colon - source)),
                             {.line = (uint32_t)line}};
}

struct location step_location(struct region *region, const struct result *result,
                              const struct witness *witness, size_t step)
{
    const struct program *program = result->program;
    uint32_t cpu = witness->steps[step].cpu;
    for (size_t i = step + 1; i-- > 0;) {
        uint32_t offset = witness->steps[i].offset;
        if (witness->steps[i].cpu != cpu || !witness->steps[i].has_insn)
            continue;
        struct location compiled = insn_location(region, result, cpu, offset);
        if (compiled.file)
            return compiled;
        return (struct location){program->file, insn_place(program, result->variant, cpu, offset)};
    }
    return (struct location){program->file, program->cpus[cpu].place};
}

const char *ending_sentence(struct region *region, const struct result *result,
                            const struct result_witness *witness)
{
    struct text text;
    text_init(&text, region);
    if (witness->outcome >= 0) {
        text_add(&text, "ends in ");
        add_values(&text, result, result->outcomes[witness->outcome].values);
    }
    return text.data;
}
