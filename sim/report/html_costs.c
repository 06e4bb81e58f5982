/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the variants cost on each profile, as bars. */
#include "sim/report/html.h"

static double costliest(struct result *const *results, size_t count, const struct profile *profile)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        const struct timed_cpu *cpu = main_timed_cpu(results[i]);
        if (results[i]->profile == profile && cpu && shown_cycles(cpu) > most)
            most = shown_cycles(cpu);
    }
    return most;
}

static void add_bar(struct html *html, const struct result *result, double cycles, double most)
{
    bool holds = result_holds(result);
    html_put(html, "<tr><th scope=\"row\">");
    html_say(html, variant_name(result));
    html_printf(html,
                "</th><td class=\"bar\"><svg width=\"100%%\" height=\"14\" aria-hidden=\"true\" "
                "focusable=\"false\"><rect class=\"%s\" width=\"%.2f%%\" height=\"14\" "
                "rx=\"2\"/></svg></td><td class=\"number\">%.2f</td><td class=\"quiet\">%s</td>"
                "</tr>\n",
                holds || !result->ordered ? "holds" : "fails", most > 0 ? cycles / most * 100 : 0,
                cycles,
                !result->ordered ? "order not judged"
                : holds          ? "holds"
                                 : "does not hold");
}

static void add_profile(struct html *html, struct result *const *results, size_t count,
                        const struct profile *profile)
{
    double most = costliest(results, count, profile);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        const struct timed_cpu *cpu = main_timed_cpu(results[i]);
        if (results[i]->profile != profile || !cpu)
            continue;
        if (!any) {
            html_put(html, "<table class=\"bars\"><caption>");
            html_say(html, profile->name);
            html_printf(html, ": cycles%s of ", cpu->has_iterations ? " per iteration" : "");
            html_say(html, results[i]->program->cpus[cpu->cpu].name);
            html_put(html, "</caption><thead class=\"hidden\"><tr><th scope=\"col\">variant</th>"
                           "<td></td><th scope=\"col\">cycles</th><th scope=\"col\">order</th>"
                           "</tr></thead><tbody>\n");
        }
        any = true;
        add_bar(html, results[i], shown_cycles(cpu), most);
    }
    if (any)
        html_put(html, "</tbody></table>\n");
}

void html_costs(struct html *html, struct result *const *results, size_t count)
{
    size_t timed = 0;
    for (size_t i = 0; i < count; i++)
        timed += main_timed_cpu(results[i]) != NULL;
    if (timed < 2)
        return;
    html_card(html, 1, "", "What it costs");
    for (size_t i = 0; i < count; i++)
        if (i == 0 || results[i]->profile != results[i - 1]->profile)
            add_profile(html, results, count, results[i]->profile);
    html_put(html, "</section>\n");
}
