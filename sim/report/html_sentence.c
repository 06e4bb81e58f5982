/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the runs of a trace came to, in one sentence. */
#include <string.h>

#include "sim/program/litmus.h"
#include "sim/report/html.h"

static void say_where(struct html *html, const struct result *result)
{
    html_put(html, "On <b>");
    html_say(html, result->profile->name);
    html_put(html, "</b>");
    if (result->program->variant_count > 1) {
        html_put(html, " with variant <b>");
        html_say(html, variant_name(result));
        html_put(html, "</b>");
    }
    html_put(html, " ");
}

static void say_code(struct html *html, const char *text)
{
    html_put(html, "<code>");
    html_say(html, text);
    html_put(html, "</code>");
}

/* The outcome that an expectation failed for, "" when it is not one of the outcomes. */
static const char *shown_outcome(struct html *html, const struct result *result, int witness)
{
    if (witness == NO_INDEX || result->witnesses[witness].outcome == NO_INDEX)
        return "";
    return html_outcome(html, result, result->outcomes[result->witnesses[witness].outcome].values);
}

static bool is_relaxed(const struct result *result, int witness)
{
    return witness != NO_INDEX && result->witnesses[witness].outcome != NO_INDEX &&
           result->outcomes[result->witnesses[witness].outcome].relaxed;
}

static void say_stuck(struct html *html, const struct result *result)
{
    for (size_t i = 0; i < result->stuck_cpu_count; i++) {
        html_put(html, i ? ", " : "");
        html_say(html, result->stuck_cpus[i]);
    }
    html_put(html, " can get stuck");
}

static void say_failed(struct html *html, const struct result *result, const struct expect_row *row)
{
    const struct expectation *expectation = row->expectation;
    const char *outcome = shown_outcome(html, result, row->witness);
    say_where(html, result);
    if (expectation->kind == EXPECT_SOMETIMES) {
        html_put(html, "no execution gives what the trace says can happen: ");
        say_code(html, expectation->text);
    } else if (*outcome) {
        say_code(html, outcome);
        html_put(html, is_relaxed(result, row->witness)
                           ? " can happen, though no interleaving of the instructions gives it; "
                             "the trace asks for "
                           : " can happen; the trace asks for ");
        say_code(html, expectation->text);
    } else {
        say_code(html, expectation->text);
        html_put(html, " does not hold");
        if (row->note) {
            html_put(html, ": ");
            html_say(html, row->note);
        }
        if (expectation->about_stuck && result->stuck_cpu_count) {
            html_put(html, ": ");
            say_stuck(html, result);
        }
    }
    html_printf(html, " (line %u).", expectation->place.line);
}

static bool say_violation(struct html *html, const struct result *result)
{
    for (size_t i = 0; i < result->expect_count; i++)
        if (result->expects[i].held == HELD_NO) {
            say_failed(html, result, &result->expects[i]);
            return true;
        }
    for (size_t i = 0; result->expect_count == 0 && i < result->outcome_count; i++)
        if (result->outcomes[i].relaxed) {
            say_where(html, result);
            say_code(html, html_outcome(html, result, result->outcomes[i].values));
            html_put(html, " can happen, though no interleaving of the instructions gives it.");
            return true;
        }
    for (size_t i = 0; i < result->finding_count; i++)
        if (result->findings[i].is_error) {
            say_where(html, result);
            say_code(html, result->findings[i].text);
            html_put(html, ": ");
            html_say(html, result->findings[i].message);
            return true;
        }
    return false;
}

static bool say_unknown(struct html *html, const struct result *result)
{
    say_where(html, result);
    html_put(html, "it is not known: ");
    if (result->unmodelled_count) {
        const struct unmodelled *row = &result->unmodelled[0];
        if (row->text[0]) {
            say_code(html, row->text);
            html_put(html, ": ");
        }
        html_say(html, row->reason);
    } else if (result->incomplete) {
        html_say(html, result->incomplete);
    } else {
        html_say(html, result->timed && result->timed->reason
                           ? result->timed->reason
                           : "an expectation could not be decided");
    }
    html_put(html, ".");
    return true;
}

static void say_litmus(struct html *html, const struct result *result)
{
    struct litmus_answer answer = litmus_answer(result);
    say_where(html, result);
    say_code(html, result->program->litmus->text);
    html_printf(html, " is answered <b>%s</b>: it holds in %zu of %zu final states.",
                answer.ok ? "Ok" : "No", answer.positive, answer.positive + answer.negative);
}

static void say_pass(struct html *html, struct result *const *results, size_t count)
{
    size_t expectations = 0;
    bool relaxed = false, ordered = true;
    for (size_t i = 0; i < count; i++) {
        expectations += results[i]->expect_count;
        ordered = ordered && results[i]->ordered;
        for (size_t n = 0; n < results[i]->outcome_count; n++)
            relaxed = relaxed || results[i]->outcomes[n].relaxed;
    }
    if (expectations == 0)
        html_put(html, ordered ? "Every outcome is one that some interleaving of the instructions "
                                 "gives."
                               : "Only cycles were asked for; order was not judged.");
    else
        html_printf(html, "%s held%s%s.",
                    expectations == 1 ? "The expectation" : "All expectations",
                    count > 1 ? " in every run" : "",
                    ordered ? ", over all executions of the model" : "; order was not judged");
    if (relaxed && expectations)
        html_put(html, " Outcomes that no interleaving gives were found where the trace allows "
                       "them.");
}

void html_sentence(struct html *html, struct result *const *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (results[i]->verdict == VERDICT_VIOLATION && say_violation(html, results[i]))
            return;
    for (size_t i = 0; i < count; i++)
        if (results[i]->verdict == VERDICT_UNKNOWN && say_unknown(html, results[i]))
            return;
    if (results[0]->program->litmus && results[0]->ordered)
        say_litmus(html, results[0]);
    else
        say_pass(html, results, count);
}
