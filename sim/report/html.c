/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page: its head, an index when there are several traces, a part for each of them. */
#include "sim/report/html.h"

#include <string.h>

static size_t same_program(const struct result_list *results, size_t first)
{
    size_t end = first;
    while (end < results->count && results->items[end]->program == results->items[first]->program)
        end++;
    return end - first;
}

static enum verdict worst_of(struct result *const *results, size_t count)
{
    bool violation = false, unknown = false;
    for (size_t i = 0; i < count; i++) {
        violation = violation || results[i]->verdict == VERDICT_VIOLATION;
        unknown = unknown || results[i]->verdict == VERDICT_UNKNOWN;
    }
    return violation ? VERDICT_VIOLATION : unknown ? VERDICT_UNKNOWN : VERDICT_PASS;
}

size_t html_run_number(const struct html *html, const struct result *result)
{
    for (size_t i = 0; i < html->results->count; i++)
        if (html->results->items[i] == result)
            return i + 1;
    return 0;
}

static void add_head(struct html *html, size_t programs)
{
    const struct result_list *results = html->results;
    html_put(html, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                   "style-src 'sha256-");
    html_put(html, html_style_hash);
    html_put(html, "'; script-src 'sha256-");
    html_put(html, html_script_hash);
    html_put(html, "'; base-uri 'none'; form-action 'none'\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n"
                   "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
    if (programs == 1) {
        html_say(html, results->items[0]->program->name);
        html_printf(html, ": %s", verdict_name(worst_of(results->items, results->count)));
    } else {
        html_printf(html, "%zu traces: %s", programs,
                    programs ? verdict_name(worst_of(results->items, results->count))
                             : "nothing was run");
    }
    html_put(html, "</title>\n<style>");
    html_put(html, html_style);
    html_put(html, "</style>\n</head>\n<body>\n"
                   "<a class=\"skip\" href=\"#main\">To the verdict</a>\n<main id=\"main\">\n");
}

/* Several traces: what each came to, before any of them. */
static void add_index(struct html *html, size_t programs)
{
    const struct result_list *results = html->results;
    size_t tally[3] = {0}, number = 0;
    for (size_t i = 0; i < results->count; i++)
        tally[results->items[i]->verdict]++;
    html_printf(html,
                "<header class=\"top\"><h1>%zu traces</h1>\n<p>%zu runs: %zu pass, %zu violation, "
                "%zu unknown.</p></header>\n<nav aria-label=\"Traces\"><div class=\"scroll\" "
                "role=\"region\" aria-label=\"Index of traces\" tabindex=\"0\"><table "
                "class=\"index\"><thead><tr><th scope=\"col\">trace</th><th "
                "scope=\"col\">verdict</th><th scope=\"col\">runs</th><th scope=\"col\">file</th>"
                "</tr></thead><tbody>\n",
                programs, results->count, tally[VERDICT_PASS], tally[VERDICT_VIOLATION],
                tally[VERDICT_UNKNOWN]);
    for (size_t first = 0; first < results->count; first += same_program(results, first)) {
        size_t count = same_program(results, first);
        html_printf(html, "<tr><th scope=\"row\"><a href=\"#trace-%zu\">", ++number);
        html_say(html, results->items[first]->program->name);
        html_put(html, "</a></th><td>");
        html_verdict(html, worst_of(results->items + first, count));
        html_printf(html, "</td><td>%zu</td><td>", count);
        html_say(html, results->items[first]->program->file);
        html_put(html, "</td></tr>\n");
    }
    html_put(html, "</tbody></table></div></nav>\n");
}

static void add_baseline(struct html *html, const struct baseline_comparison *baseline)
{
    struct text text;
    if (!baseline)
        return;
    text_init(&text, html->out->region);
    write_baseline(&text, baseline, false);
    html_put(html,
             "<section aria-labelledby=\"baseline\"><h2 id=\"baseline\" class=\"level-1\">Beside "
             "the baseline</h2><pre class=\"note\">");
    html_say(html, text.data);
    html_put(html, "</pre></section>\n");
}

static void add_foot(struct html *html)
{
    if (html->left_out)
        html_printf(html,
                    "<p class=\"note\">Of %zu runs only the verdict is shown: with all details "
                    "this page would be too large. Fewer traces, profiles (-p) or variants (-V) "
                    "at a time show everything.</p>\n",
                    html->left_out);
    html_put(html, "</main>\n<footer><p>Made by fencesim " FS_VERSION ". Every verdict speaks of "
                   "all executions of the ordering model; cycles are modelled.</p></footer>\n");
    html_markers(html);
    text_add_bytes(html->out, html->graphs_out.data, html->graphs_out.length);
    html_put(html, "<script>");
    html_put(html, html_script);
    html_put(html, "</script>\n</body>\n</html>\n");
}

void write_html(struct text *out, const struct report_view *view)
{
    const struct result_list *results = view->results;
    struct html html = {.out = out, .results = results};
    size_t programs = 0, number = 0;
    intern_init(&html.graphs, out->region);
    text_init(&html.graphs_out, out->region);
    for (size_t first = 0; first < results->count; first += same_program(results, first))
        programs++;
    html.depth = programs == 1 ? 1 : 2;
    add_head(&html, programs);
    if (programs != 1)
        add_index(&html, programs);
    for (size_t first = 0; first < results->count; first += same_program(results, first))
        html_program(&html, results->items + first, same_program(results, first), ++number);
    add_baseline(&html, view->compared);
    add_foot(&html);
}
