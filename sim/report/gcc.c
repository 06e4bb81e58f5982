/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Problems as compilers print them, for editors and problem matchers: a line "file:line:column:
 * error: message [rule]" each, and a note for each step of its witness.
 */
#include "sim/report/problems.h"

/* A line must stay one line, and not drive a terminal, whatever a file is called. */
static void add_clean(struct text *out, const char *string)
{
    size_t start = out->length;
    text_add(out, string);
    for (size_t i = start; i < out->length; i++)
        if ((unsigned char)out->data[i] < ' ' || out->data[i] == 0x7f)
            out->data[i] = '?';
}

static void add_head(struct text *out, struct location location, const char *level)
{
    struct place place = location.place;
    add_clean(out, location.file[0] ? location.file : "simulate");
    if (place.line)
        text_printf(out, ":%u", place.line);
    if (place.line && place.column)
        text_printf(out, ":%u", place.column);
    text_printf(out, ": %s: ", level);
}

static void add_note(struct text *out, struct location location, const char *words)
{
    add_head(out, location, "note");
    add_clean(out, words);
    text_add(out, "\n");
}

static void add_witness(struct text *out, const struct problem *problem)
{
    const struct witness *witness = problem->witness->witness;
    add_note(out, problem_location(problem), problem->witness->reason);
    for (size_t i = 0; i < witness->count; i++)
        if (is_telling(&witness->steps[i]))
            add_note(out, step_location(out->region, problem->result, witness, i),
                     step_sentence(out->region, problem->result, &witness->steps[i]));
    const char *ending = ending_sentence(out->region, problem->result, problem->witness);
    if (ending[0])
        add_note(out, problem_location(problem), ending);
}

void write_gcc(struct text *out, const struct report_view *view)
{
    struct problem_list list = problems_of(out->region, view);
    for (size_t i = 0; i < list.count; i++) {
        const struct problem *problem = &list.items[i];
        /* compilers know no level between a note, which belongs to another line, and a warning */
        add_head(out, problem_location(problem),
                 problem->level == RULE_ERROR ? "error" : "warning");
        add_clean(out, problem->message);
        text_printf(out, " [%s]", problem->rule->id);
        if (problem->runs[0])
            text_printf(out, " on %s", problem->runs);
        text_add(out, "\n");
        if (problem->witness)
            add_witness(out, problem);
    }
}
