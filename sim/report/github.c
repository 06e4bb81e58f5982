/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Problems as workflow commands of GitHub Actions, which shows them at the lines of a change:
 * "::error file=F,line=N,col=N,title=RULE::message". What would end a message or a property is
 * percent-encoded as its toolkit does it.
 */
#include "sim/report/problems.h"

static void add_encoded(struct text *out, const char *string, bool is_property)
{
    for (const char *c = string; *c; c++) {
        bool ends = *c == '%' || *c == '\r' || *c == '\n';
        if (ends || (is_property && (*c == ':' || *c == ',')))
            text_printf(out, "%%%02X", (unsigned)*c);
        else if ((unsigned char)*c < ' ' || *c == 0x7f) /* would drive a terminal */
            text_add(out, "?");
        else
            text_add_bytes(out, c, 1);
    }
}

static void add_place(struct text *out, const struct problem *problem)
{
    const char *file = problem_location(problem).file;
    struct place place = problem_location(problem).place;
    if (!file[0])
        return;
    text_add(out, "file=");
    add_encoded(out, file, true);
    text_add(out, ",");
    if (place.line)
        text_printf(out, "line=%u,", place.line);
    if (place.line && place.column)
        text_printf(out, "col=%u,", place.column);
}

void write_github(struct text *out, const struct report_view *view)
{
    static const char *const commands[] = {"notice", "warning", "error"};
    struct problem_list list = problems_of(out->region, view);
    for (size_t i = 0; i < list.count; i++) {
        const struct problem *problem = &list.items[i];
        struct text message;
        text_init(&message, out->region);
        text_add(&message, problem->message);
        if (problem->runs[0])
            text_printf(&message, " (%s)", problem->runs);
        if (problem->witness) {
            text_add(&message, "\n");
            write_witness(&message, problem->result, problem->witness);
            message.data[--message.length] = '\0'; /* its last line break */
        }
        text_printf(out, "::%s ", commands[problem->level]);
        add_place(out, problem);
        text_printf(out, "title=%s::", problem->rule->id);
        add_encoded(out, message.data, false);
        text_add(out, "\n");
    }
}
