/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report for people: verdict first. One run is shown in full; several runs of a file are
 * a table, followed by what went wrong.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/program/litmus.h"
#include "sim/report/report.h"

enum { COSTLIEST_SHOWN = 8, OUTCOMES_SHOWN = 64, STEP_COLUMN = 44, PROSE_WIDTH = 90 };

struct writer {
    struct text *out;
    bool color;
    int verbosity;
};

static void add_colored(struct writer *writer, const char *color, const char *string)
{
    text_printf(writer->out, "%s%s%s", writer->color ? color : "", string,
                writer->color ? "\033[0m" : "");
}

static void add_padded(struct writer *writer, const char *string, size_t width)
{
    size_t length = strlen(string);
    text_add(writer->out, string);
    if (length < width)
        text_pad(writer->out, ' ', width - length);
}

static void add_images(struct writer *writer, const struct result *result)
{
    if (!result->has_images)
        return;
    text_printf(writer->out, "  after a power cut: %zu image%s\n", result->image_count,
                result->image_count == 1 ? "" : "s");
    for (size_t i = 0; i < result->image_count; i++) {
        text_add(writer->out, "    ");
        for (size_t n = 0; n < result->durable_count; n++)
            text_printf(writer->out, "%s%s=%" PRIu64, n ? " " : "", result->durable[n]->text,
                        result->images[i][n]);
        text_add(writer->out, "\n");
    }
}

static void add_outcomes(struct writer *writer, const struct result *result)
{
    struct text *out = writer->out;
    text_printf(out, "  %zu outcome%s, %" PRIu64 " states%s\n", result->outcome_count,
                result->outcome_count == 1 ? "" : "s", result->states,
                result->complete ? "" : " (not all)");
    for (size_t i = 0; i < result->outcome_count; i++) {
        if (i == OUTCOMES_SHOWN && writer->verbosity < 1) {
            text_printf(out, "    ... and %zu more (-v shows all)\n", result->outcome_count - i);
            break;
        }
        text_add(out, "    ");
        add_values(out, result, result->outcomes[i].values);
        if (result->outcomes[i].relaxed)
            add_colored(writer, "\033[35m", "   relaxed: no interleaving gives it");
        text_add(out, "\n");
    }
    add_images(writer, result);
    if (result->stuck) {
        text_add(out, "    some executions never end:");
        for (size_t i = 0; i < result->stuck_cpu_count; i++)
            text_printf(out, "%s %s", i ? "," : "", result->stuck_cpus[i]);
        text_add(out, result->stuck_cpu_count
                          ? " can get stuck\n"
                          : " nobody is stuck, yet no final state is reached\n");
    }
}

static void add_buffer(struct text *cell, const struct witness_step *step)
{
    text_add(cell, " {");
    for (size_t i = 0; i < step->buffer_count; i++)
        text_printf(cell, "%s%s", i ? " " : "", step->buffer[i]);
    text_add(cell, "}");
}

/* One column per CPU; a step stands in the column of the CPU that makes it. */
static void add_step(struct writer *writer, const struct result *result,
                     const struct witness_step *step, size_t number)
{
    struct text cell;
    text_init(&cell, writer->out->region);
    if (step->has_insn)
        text_printf(&cell, "%s %s", offset_text(cell.region, result, step->cpu, step->offset),
                    step->text);
    else
        text_printf(&cell, "(%s)", step->event);
    text_printf(writer->out, "    %3zu ", number);
    text_pad(writer->out, ' ', step->cpu * (size_t)4);
    text_printf(writer->out, "%s: ", result->program->cpus[step->cpu].name);
    size_t used = step->cpu * (size_t)4 + strlen(result->program->cpus[step->cpu].name) + 2;
    add_padded(writer, cell.data, used < STEP_COLUMN ? STEP_COLUMN - used : 0);
    cell.length = 0;
    cell.data[0] = '\0';
    text_add(&cell, step->detail);
    if (step->buffer_count || strcmp(step->event, "drain") == 0)
        add_buffer(&cell, step);
    if (step->has_insn)
        add_source(&cell, result, step->cpu, step->offset);
    text_printf(writer->out, "  %s\n", cell.data);
}

/* A paragraph, indented as the steps are. */
static void add_wrapped(struct text *out, const char *prose)
{
    size_t column = 0;
    for (const char *word = prose; *word;) {
        size_t length = strcspn(word, " ");
        bool fits = column && column + 1 + length <= PROSE_WIDTH;
        text_add(out, fits ? " " : column ? "\n      " : "      ");
        text_add_bytes(out, word, length);
        column = fits ? column + 1 + length : length;
        word += length;
        word += strspn(word, " ");
    }
    text_add(out, "\n");
}

static void add_witness_text(struct writer *writer, const struct result *result,
                             const struct result_witness *witness)
{
    struct text *out = writer->out;
    size_t number = 0;
    text_add(out, "  how: ");
    text_add(out, witness->reason);
    text_add(out, "\n");
    for (size_t i = 0; i < witness->witness->count; i++)
        if (writer->verbosity > 0 || is_telling(&witness->witness->steps[i]))
            add_step(writer, result, &witness->witness->steps[i], ++number);
    if (witness->outcome >= 0) {
        text_add(out, "        ends in ");
        add_values(out, result, result->outcomes[witness->outcome].values);
        text_add(out, "\n");
    }
    if (witness->prose)
        add_wrapped(out, witness->prose);
}

void write_witness(struct text *out, const struct result *result,
                   const struct result_witness *witness)
{
    add_witness_text(&(struct writer){.out = out}, result, witness);
}

static void add_expectations(struct writer *writer, const struct result *result)
{
    static const char *const words[] = {"FAILED", "held", "unknown"};
    for (size_t i = 0; i < result->expect_count; i++) {
        const struct expect_row *row = &result->expects[i];
        enum verdict color = row->held == HELD_NO    ? VERDICT_VIOLATION
                             : row->held == HELD_YES ? VERDICT_PASS
                                                     : VERDICT_UNKNOWN;
        text_add(writer->out, "  ");
        add_colored(writer, verdict_color(color), words[row->held]);
        text_printf(writer->out, ": %s", row->expectation->text);
        if (row->note)
            text_printf(writer->out, " (%s)", row->note);
        text_printf(writer->out, "  [line %u]\n", row->expectation->place.line);
    }
}

/* A litmus test's condition, as herd judges it. */
static void add_litmus(struct writer *writer, const struct result *result)
{
    const struct litmus *litmus = result->program->litmus;
    if (!litmus || !result->ordered)
        return;
    struct litmus_answer answer = litmus_answer(result);
    text_printf(writer->out, "  %s%s: %s (%s)  %s, in %zu of %zu final states\n",
                answer.ok ? "Ok" : "No", result->complete ? "" : " so far",
                quantifier_name(litmus->quantifier), litmus->text, answer.observation,
                answer.positive, answer.positive + answer.negative);
}

static void add_stalls(struct text *out, const struct timed_insn *insn)
{
    bool first = true;
    for (int stall = 0; stall < STALL_COUNT; stall++) {
        if (insn->stall[stall] < 0.05)
            continue;
        text_printf(out, "%s%s %.1f", first ? "   " : ", ", stall_name((enum stall)stall),
                    insn->stall[stall]);
        first = false;
    }
}

/* The costliest instructions, in the order of the program. */
static void add_timed_cpu(struct writer *writer, const struct result *result,
                          const struct timed_cpu *cpu)
{
    struct text *out = writer->out;
    text_printf(out, "  cycles: %s %.2f%s\n", result->program->cpus[cpu->cpu].name,
                shown_cycles(cpu), cpu->has_iterations ? " per iteration" : "");
    for (size_t i = 0; i < cpu->insn_count; i++) {
        size_t costlier = 0;
        for (size_t n = 0; n < cpu->insn_count; n++)
            costlier += cpu->insns[n].cycles > cpu->insns[i].cycles;
        if (writer->verbosity < 1 && (costlier >= COSTLIEST_SHOWN || cpu->insns[i].cycles < 0.005))
            continue;
        text_printf(out, "    %8.2f  %s %s", cpu->insns[i].cycles,
                    offset_text(out->region, result, cpu->cpu, cpu->insns[i].offset),
                    cpu->insns[i].text);
        add_stalls(out, &cpu->insns[i]);
        add_source(out, result, cpu->cpu, cpu->insns[i].offset);
        text_add(out, "\n");
    }
}

static void add_problems(struct writer *writer, const struct result *result, bool findings)
{
    struct text *out = writer->out;
    if (result->incomplete)
        text_printf(out,
                    "  not all executions were explored: %s after %" PRIu64 " states, %" PRIu64
                    " of them not followed up\n",
                    result->incomplete, result->states, result->frontier);
    if (result->advice)
        text_printf(out, "    what would help: %s\n", result->advice);
    for (size_t i = 0; i < result->unmodelled_count; i++) {
        const struct unmodelled *row = &result->unmodelled[i];
        text_printf(out, "  unmodelled: %s%s%s%s", unmodelled_where(out->region, result, row),
                    row->text, row->text[0] ? ": " : "", row->reason);
        int cpu = program_cpu(result->program, row->cpu);
        if (cpu != NO_INDEX)
            add_source(out, result, (uint32_t)cpu, row->offset);
        if (row->place.line)
            text_printf(out, "  [line %u]", row->place.line);
        text_add(out, "\n");
    }
    for (size_t i = 0; findings && i < result->finding_count; i++) {
        const struct finding *finding = &result->findings[i];
        if (strcmp(finding->rule, "unmodelled") == 0)
            continue;
        text_printf(out, "  finding %s: %s %s: %s", finding->rule,
                    insn_name(out->region, result, finding->cpu, finding->offset), finding->text,
                    finding->message);
        add_source(out, result, finding->cpu, finding->offset);
        if (finding->place.line)
            text_printf(out, "  [line %u]", finding->place.line);
        text_add(out, "\n");
    }
    for (size_t i = 0; i < result->note_count; i++)
        text_printf(out, "  note: %s\n", result->notes[i]);
}

static void add_headline(struct writer *writer, const struct result *result)
{
    add_colored(writer, verdict_color(result->verdict), verdict_name(result->verdict));
    text_printf(writer->out, "  %s  %s", result->program->file, result->profile->name);
    if (result->program->variant_count > 1)
        text_printf(writer->out, "  %s", variant_name(result));
    text_add(writer->out, "\n");
}

static void add_details(struct writer *writer, const struct result *result)
{
    add_headline(writer, result);
    add_litmus(writer, result);
    add_expectations(writer, result);
    if (result->ordered)
        add_outcomes(writer, result);
    add_problems(writer, result, true);
    for (size_t i = 0; i < result->witness_count; i++)
        add_witness_text(writer, result, &result->witnesses[i]);
    for (size_t i = 0; result->timed && i < result->timed->cpu_count; i++)
        add_timed_cpu(writer, result, &result->timed->cpus[i]);
    write_timelines(writer->out, result, writer->verbosity > 0);
}

/* Below a table: only what went wrong, and how; findings of all runs come last. */
static void add_trouble(struct writer *writer, const struct result *result)
{
    add_headline(writer, result);
    add_litmus(writer, result);
    add_expectations(writer, result);
    add_problems(writer, result, false);
    for (size_t i = 0; i < result->witness_count; i++) {
        bool wanted = result->expect_count == 0;
        for (size_t n = 0; n < result->expect_count; n++)
            wanted = wanted ||
                     (result->expects[n].held == HELD_NO && result->expects[n].witness == (int)i);
        if (wanted)
            add_witness_text(writer, result, &result->witnesses[i]);
    }
}

static bool has_timeline(const struct result *result)
{
    for (size_t i = 0; result->timed && i < result->timed->cpu_count; i++)
        if (result->timed->cpus[i].timeline_count)
            return true;
    return false;
}

static void add_file(struct writer *writer, struct result *const *results, size_t count)
{
    if (writer->verbosity < 0) {
        for (size_t i = 0; i < count; i++)
            add_headline(writer, results[i]);
        return;
    }
    if (count == 1) {
        add_details(writer, results[0]);
        return;
    }
    write_table(writer->out, results, count, writer->color);
    for (size_t i = 0; i < count; i++)
        if (writer->verbosity > 0)
            add_details(writer, results[i]);
        else if (results[i]->verdict != VERDICT_PASS)
            add_trouble(writer, results[i]);
    for (size_t i = 0; writer->verbosity == 0 && i < count; i++)
        if (has_timeline(results[i])) {
            add_headline(writer, results[i]);
            write_timelines(writer->out, results[i], false);
        }
    if (writer->verbosity == 0)
        write_findings(writer->out, results, count);
}

static void write_results(struct text *out, const struct result_list *results,
                          const fs_style *style)
{
    struct writer writer = {out, style && style->color, style ? style->verbosity : 0};
    size_t tally[3] = {0};
    for (size_t first = 0; first < results->count;) {
        size_t end = first;
        while (end < results->count &&
               results->items[end]->program == results->items[first]->program)
            tally[results->items[end++]->verdict]++;
        add_file(&writer, results->items + first, end - first);
        first = end;
    }
    if (results->count > 1)
        text_printf(out, "%zu runs: %zu pass, %zu violation, %zu unknown\n", results->count,
                    tally[VERDICT_PASS], tally[VERDICT_VIOLATION], tally[VERDICT_UNKNOWN]);
}

void write_text(struct text *out, const struct report_view *view)
{
    if (view->style && view->style->summary) {
        write_summary(out, view);
        return;
    }
    write_results(out, view->results, view->style);
    if (view->compared)
        write_baseline(out, view->compared, view->style && view->style->color);
}
