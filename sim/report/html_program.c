/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All runs of one trace: the verdict, a table of variants and profiles, what they cost. */
#include <string.h>

#include "sim/report/html.h"

/* The run that says most: a violation, else something unknown, else the first. */
static const struct result *telling_run(struct result *const *results, size_t count)
{
    static const enum verdict order[] = {VERDICT_VIOLATION, VERDICT_UNKNOWN};
    for (size_t n = 0; n < 2; n++)
        for (size_t i = 0; i < count; i++)
            if (results[i]->verdict == order[n])
                return results[i];
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; n < results[i]->outcome_count; n++)
            if (results[i]->outcomes[n].relaxed)
                return results[i];
    return results[0];
}

static void add_about(struct html *html, const struct program *program)
{
    if (program->about && program->about[0]) {
        html_put(html, "<p class=\"about\">");
        html_say(html, program->about);
        html_put(html, "</p>\n");
    }
    if (program->source && program->source[0]) {
        html_put(html, "<p class=\"about quiet\">Source: ");
        html_say(html, program->source);
        html_put(html, "</p>\n");
    }
}

static void add_head(struct html *html, struct result *const *results, size_t count, size_t number)
{
    const struct program *program = results[0]->program;
    const struct result *telling = telling_run(results, count);
    html_printf(html, "<header class=\"banner %s\">\n<h%u id=\"trace-%zu\">",
                verdict_name(telling->verdict), html->depth, number);
    html_verdict(html, telling->verdict);
    html_put(html, " <span class=\"name\">");
    html_say(html, program->name);
    html_printf(html, "</span></h%u>\n<p class=\"sentence\">", html->depth);
    html_sentence(html, results, count);
    html_put(html, "</p>\n<p class=\"quiet\">");
    html_say(html, program->file);
    if (count > 1) {
        size_t tally[3] = {0};
        for (size_t i = 0; i < count; i++)
            tally[results[i]->verdict]++;
        html_printf(html, " &middot; %zu runs: %zu pass, %zu violation, %zu unknown", count,
                    tally[VERDICT_PASS], tally[VERDICT_VIOLATION], tally[VERDICT_UNKNOWN]);
    }
    html_put(html, "</p>\n</header>\n");
    add_about(html, program);
}

static const struct result *find_run(struct result *const *results, size_t count,
                                     const struct profile *profile, uint32_t variant)
{
    for (size_t i = 0; i < count; i++)
        if (results[i]->profile == profile && results[i]->variant == variant)
            return results[i];
    return NULL;
}

static void add_cell(struct html *html, struct result *const *results, size_t count,
                     const struct result *result)
{
    if (!result) {
        html_put(html, "<td>not run</td>");
        return;
    }
    const struct timed_cpu *cpu = main_timed_cpu(result);
    struct comparison comparison = compare_costs(results, count, result->profile);
    size_t relaxed = 0;
    for (size_t i = 0; i < result->outcome_count; i++)
        relaxed += result->outcomes[i].relaxed;
    html_printf(html, "<td><a href=\"#run-%zu\">", html_run_number(html, result));
    html_verdict(html, result->verdict);
    html_put(html, "</a>");
    if (result->ordered)
        html_printf(html, "<span class=\"fact\">%zu outcome%s", result->outcome_count,
                    result->outcome_count == 1 ? "" : "s");
    if (result->ordered && relaxed)
        html_printf(html, ", <span class=\"relaxed\">%zu relaxed</span>", relaxed);
    if (result->ordered)
        html_put(html, "</span>");
    if (cpu)
        html_printf(html, "<span class=\"fact\">%.2f cycles%s</span>", shown_cycles(cpu),
                    comparison.cheapest != result ? ""
                    : comparison.judged           ? ", cheapest that holds"
                                                  : ", cheapest");
    html_put(html, "</td>");
}

/* A row per variant, a column per profile. */
static void add_runs(struct html *html, struct result *const *results, size_t count)
{
    if (count < 2)
        return;
    html_card(html, 1, "", "Runs");
    html_put(html,
             "<div class=\"scroll\" role=\"region\" aria-label=\"Table of runs\" tabindex=\"0\">"
             "<table class=\"runs\"><thead><tr><th scope=\"col\">variant</th>");
    for (size_t i = 0; i < count; i++)
        if (i == 0 || results[i]->profile != results[i - 1]->profile) {
            html_put(html, "<th scope=\"col\">");
            html_say(html, results[i]->profile->name);
            html_put(html, "</th>");
        }
    html_put(html, "</tr></thead><tbody>\n");
    for (size_t row = 0; row < count && results[row]->profile == results[0]->profile; row++) {
        html_put(html, "<tr><th scope=\"row\">");
        html_say(html, variant_name(results[row]));
        html_put(html, "</th>");
        for (size_t i = 0; i < count; i++)
            if (i == 0 || results[i]->profile != results[i - 1]->profile)
                add_cell(html, results, count,
                         find_run(results, count, results[i]->profile, results[row]->variant));
        html_put(html, "</tr>\n");
    }
    html_put(html, "</tbody></table></div></section>\n");
}

void html_program(struct html *html, struct result *const *results, size_t count, size_t number)
{
    const struct result *telling = telling_run(results, count);
    html_printf(html, "<section class=\"trace\" aria-labelledby=\"trace-%zu\">\n", number);
    add_head(html, results, count, number);
    html_put(html, "<div class=\"overview\">\n");
    add_runs(html, results, count);
    html_costs(html, results, count);
    html_put(html, "</div>\n");
    for (size_t i = 0; i < count; i++)
        html_run(html, results, count, results[i], results[i] == telling);
    html_put(html, "</section>\n");
}
