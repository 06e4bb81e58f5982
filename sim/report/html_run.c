/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run in full: what was expected, what came out, what could not be done. */
#include <inttypes.h>
#include <string.h>

#include "sim/program/litmus.h"
#include "sim/report/html.h"

static void add_expectations(struct html *html, const struct result *result)
{
    static const char *const words[] = {"failed", "held", "unknown"};
    static const char *const signs[] = {"&#10007;", "&#10003;", "?"};
    static const enum verdict colors[] = {VERDICT_VIOLATION, VERDICT_PASS, VERDICT_UNKNOWN};
    if (result->expect_count == 0)
        return;
    html_card(html, 2, "", "Expectations");
    html_put(html, "<ul class=\"expect\">\n");
    for (size_t i = 0; i < result->expect_count; i++) {
        const struct expect_row *row = &result->expects[i];
        html_printf(html,
                    "<li><span class=\"verdict %s\"><span aria-hidden=\"true\">%s</span> "
                    "%s</span> <code>",
                    verdict_name(colors[row->held]), signs[row->held], words[row->held]);
        html_say(html, row->expectation->text);
        html_printf(html, "</code> <span class=\"quiet\">line %u", row->expectation->place.line);
        if (row->note) {
            html_put(html, ": ");
            html_say(html, row->note);
        }
        html_put(html, "</span></li>\n");
    }
    html_put(html, "</ul></section>\n");
}

/* A litmus test's condition, as herd judges it. */
static void add_litmus(struct html *html, const struct result *result)
{
    const struct litmus *litmus = result->program->litmus;
    if (!litmus || !result->ordered)
        return;
    struct litmus_answer answer = litmus_answer(result);
    html_card(html, 2, "", "Condition");
    html_put(html, "<p><code>");
    html_say(html, quantifier_name(litmus->quantifier));
    html_put(html, " ");
    html_say(html, litmus->text);
    html_printf(html,
                "</code></p>\n<p><b>%s</b>%s: %s, in %zu of %zu final states.</p></section>\n",
                answer.ok ? "Ok" : "No", result->complete ? "" : " so far", answer.observation,
                answer.positive, answer.positive + answer.negative);
}

static void add_images(struct html *html, const struct result *result)
{
    if (!result->has_images)
        return;
    html_open_heading(html);
    html_printf(html, "After a power cut: %zu image%s", result->image_count,
                result->image_count == 1 ? "" : "s");
    html_close_heading(html);
    html_put(html, "<ul class=\"images\">\n");
    for (size_t i = 0; i < result->image_count && i < HTML_OUTCOMES; i++) {
        html_put(html, "<li><code>");
        for (size_t n = 0; n < result->durable_count; n++) {
            html_put(html, n ? " " : "");
            html_say(html, result->durable[n]->text);
            html_printf(html, "=%s", html_value(html, result->images[i][n]));
        }
        html_put(html, "</code></li>\n");
    }
    html_put(html, "</ul>\n");
    if (result->image_count > HTML_OUTCOMES)
        html_printf(html, "<p class=\"note\">%zu more are not shown.</p>\n",
                    result->image_count - HTML_OUTCOMES);
}

static void add_stuck(struct html *html, const struct result *result)
{
    if (!result->stuck)
        return;
    html_put(html, "<p class=\"note\">Some executions never end: ");
    for (size_t i = 0; i < result->stuck_cpu_count; i++) {
        html_put(html, i ? ", " : "");
        html_say(html, result->stuck_cpus[i]);
    }
    html_put(html, result->stuck_cpu_count
                       ? " can get stuck.</p>\n"
                       : "nobody is stuck, yet no final state is reached.</p>\n");
}

static void add_outcome_row(struct html *html, const struct result *result,
                            const struct outcome_row *row)
{
    html_printf(html, "<tr%s>", row->relaxed ? " class=\"is-relaxed\"" : "");
    for (size_t n = 0; n < result->observed_count; n++)
        html_printf(html, "<td><code>%s</code></td>", html_value(html, row->values[n]));
    html_put(html, !result->relaxed_known ? "<td>not known</td>"
                   : row->relaxed ? "<td><span class=\"relaxed\">relaxed</span>: no interleaving "
                                    "gives it</td>"
                                  : "<td>some interleaving gives it</td>");
    html_put(html, "</tr>\n");
}

void html_outcomes(struct html *html, const struct result *result)
{
    if (!result->ordered)
        return;
    html_card(html, 2, "",
              region_printf(html->out->region, "%zu outcome%s", result->outcome_count,
                            result->outcome_count == 1 ? "" : "s"));
    html_printf(html, "<p class=\"quiet\">%s%" PRIu64 " states were explored.</p>\n",
                result->complete ? "All that can happen; " : "Not all that can happen; ",
                result->states);
    if (result->outcome_count) {
        html_put(html, "<div class=\"scroll\" role=\"region\" aria-label=\"Table of outcomes\" "
                       "tabindex=\"0\"><table class=\"outcomes\"><thead><tr>");
        for (size_t n = 0; n < result->observed_count; n++) {
            html_put(html, "<th scope=\"col\">");
            html_say(html, result->observed[n]->text);
            html_put(html, "</th>");
        }
        html_put(html, "<th scope=\"col\">how</th></tr></thead><tbody>\n");
        for (size_t i = 0; i < result->outcome_count && i < HTML_OUTCOMES; i++)
            add_outcome_row(html, result, &result->outcomes[i]);
        html_put(html, "</tbody></table></div>\n");
    }
    if (result->outcome_count > HTML_OUTCOMES)
        html_printf(html, "<p class=\"note\">%zu more are not shown.</p>\n",
                    result->outcome_count - HTML_OUTCOMES);
    add_stuck(html, result);
    add_images(html, result);
    html_put(html, "</section>\n");
}

static void begin_item(struct html *html, const char *what)
{
    html_put(html, "<li><b>");
    html_say(html, what);
    html_put(html, "</b> ");
}

static void end_item(struct html *html, struct place place)
{
    if (place.line)
        html_printf(html, " <span class=\"quiet\">line %u</span>", place.line);
    html_put(html, "</li>\n");
}

static void add_limits(struct html *html, const struct result *result)
{
    if (result->incomplete) {
        begin_item(html, "not explored to the end");
        html_say(html, result->incomplete);
        html_printf(html, " after %" PRIu64 " states, %" PRIu64 " of them not followed up",
                    result->states, result->frontier);
        if (result->advice) {
            html_put(html, "; what would help: ");
            html_say(html, result->advice);
        }
        end_item(html, (struct place){0, 0});
    }
    for (size_t i = 0; i < result->unmodelled_count; i++) {
        const struct unmodelled *row = &result->unmodelled[i];
        begin_item(html, "not modelled");
        html_say(html, unmodelled_where(html->out->region, result, row));
        html_put(html, "<code>");
        html_say(html, row->text);
        html_put(html, "</code>: ");
        html_say(html, row->reason);
        end_item(html, row->place);
    }
}

static void add_findings(struct html *html, const struct result *result)
{
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct finding *finding = &result->findings[i];
        if (strcmp(finding->rule, "unmodelled") == 0)
            continue;
        begin_item(html, finding->rule);
        html_say(html, insn_name(html->out->region, result, finding->cpu, finding->offset));
        html_put(html, " <code>");
        html_say(html, finding->text);
        html_put(html, "</code>: ");
        html_say(html, finding->message);
        end_item(html, finding->place);
    }
}

void html_problems(struct html *html, const struct result *result)
{
    bool any = result->incomplete || result->unmodelled_count || result->finding_count ||
               result->note_count;
    if (!any)
        return;
    html_card(html, 2, "", "Findings and notes");
    html_put(html, "<ul class=\"findings\">\n");
    add_limits(html, result);
    add_findings(html, result);
    for (size_t i = 0; i < result->note_count; i++) {
        begin_item(html, "note");
        html_say(html, result->notes[i]);
        end_item(html, (struct place){0, 0});
    }
    html_put(html, "</ul></section>\n");
}

static void add_title(struct html *html, const struct result *result)
{
    html_say(html, result->profile->name);
    if (result->program->variant_count > 1) {
        html_put(html, " &middot; ");
        html_say(html, variant_name(result));
    }
}

static void add_parts(struct html *html, struct result *const *siblings, size_t sibling_count,
                      const struct result *result)
{
    html_code(html, result);
    html_put(html, "<div class=\"pair\">\n");
    add_litmus(html, result);
    add_expectations(html, result);
    html_outcomes(html, result);
    html_put(html, "</div>\n");
    html_witnesses(html, result);
    html_explore(html, siblings, sibling_count, result);
    html_problems(html, result);
    html_time(html, result);
}

void html_run(struct html *html, struct result *const *siblings, size_t sibling_count,
              const struct result *result, bool open)
{
    size_t number = html_run_number(html, result), before = html->out->length;
    html->full = html->full || before > HTML_DETAILS_BYTES;
    if (html->full) {
        html->left_out++;
        html_printf(html, "<p class=\"run-left-out\" id=\"run-%zu\">", number);
        html_verdict(html, result->verdict);
        html_put(html, " ");
        add_title(html, result);
        html_put(html, ": details are left out.</p>\n");
        return;
    }
    html_printf(html,
                "<details class=\"run\" data-run=\"%zu\"%s><summary><h%u class=\"run-title\">",
                number, open ? " open" : "", html->depth + 1);
    html_verdict(html, result->verdict);
    html_put(html, " ");
    add_title(html, result);
    html_printf(html, "</h%u></summary>\n<div class=\"body\" id=\"run-%zu\">\n", html->depth + 1,
                number);
    add_parts(html, siblings, sibling_count, result);
    html_put(html, "</div></details>\n");
}
