/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cycles of one run: where they went (every instruction's by cause), and when each
 * instruction was dispatched, executed, retired and committed.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/report/html.h"

enum { MAIN_CAUSE_NONE = STALL_COUNT };

/* ---- where the cycles went ---- */

static void add_stall_bar(struct html *html, const struct timed_insn *insn, double most)
{
    double x = 0;
    html_put(html, "<svg width=\"100%\" height=\"14\" aria-hidden=\"true\" focusable=\"false\">");
    for (int stall = 0; stall < STALL_COUNT; stall++) {
        double width = most > 0 ? insn->stall[stall] / most * 100 : 0;
        if (width < 0.05)
            continue;
        html_printf(html, "<rect class=\"s-%s\" x=\"%.2f%%\" width=\"%.2f%%\" height=\"14\"/>",
                    stall_name((enum stall)stall), x, width);
        x += width;
    }
    html_put(html, "</svg>");
}

static void add_causes(struct html *html, const struct timed_insn *insn)
{
    bool any = false;
    for (int stall = 0; stall < STALL_COUNT; stall++) {
        if (insn->stall[stall] < 0.005)
            continue;
        html_printf(html, "%s<span class=\"key s-%s\"></span>%s %.2f", any ? ", " : "",
                    stall_name((enum stall)stall), stall_name((enum stall)stall),
                    insn->stall[stall]);
        any = true;
    }
}

static double costliest(const struct timed_cpu *cpu)
{
    double most = 0;
    for (size_t i = 0; i < cpu->insn_count; i++)
        most = cpu->insns[i].cycles > most ? cpu->insns[i].cycles : most;
    return most;
}

static void add_stalls(struct html *html, const struct result *result, const struct timed_cpu *cpu)
{
    double most = costliest(cpu);
    html_put(html, "<div class=\"scroll\" role=\"region\" aria-label=\"Cycles by instruction\" "
                   "tabindex=\"0\"><table class=\"stalls\"><caption><b>");
    html_say(html, result->program->cpus[cpu->cpu].name);
    html_printf(html, "</b> %.2f cycles%s, by what each instruction waited for</caption>",
                shown_cycles(cpu), cpu->has_iterations ? " per iteration" : "");
    html_put(html, "<thead><tr><th scope=\"col\">instruction</th><th scope=\"col\">cycles</th>"
                   "<td></td><th scope=\"col\">causes</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < cpu->insn_count && i < HTML_CODE_INSNS; i++) {
        const struct timed_insn *insn = &cpu->insns[i];
        html_put(html, "<tr><th scope=\"row\"><code>");
        html_say(html, insn->text);
        html_printf(html, "</code></th><td class=\"number\">%.2f</td><td class=\"bar\">",
                    insn->cycles);
        add_stall_bar(html, insn, most);
        html_put(html, "</td><td>");
        add_causes(html, insn);
        html_put(html, "</td></tr>\n");
    }
    html_put(html, "</tbody></table></div>\n");
}

/* ---- when it happened ---- */

enum { LABEL_WIDTH = 230, ROW_HEIGHT = 20, CYCLE_WIDTH = 10, GAP_CYCLES = 30, TOP = 24 };

/* Cycles in which nothing happens, when there are many in a row, take little room. */
struct scale {
    double *cycles, *x;
    size_t count;
};

static void add_event(struct scale *scale, double cycle)
{
    if (cycle < 0)
        return;
    cycle = floor(cycle + 1e-6);
    size_t at = scale->count;
    while (at > 0 && scale->cycles[at - 1] > cycle)
        at--;
    if (at > 0 && scale->cycles[at - 1] >= cycle)
        return;
    memmove(scale->cycles + at + 1, scale->cycles + at,
            (scale->count - at) * sizeof *scale->cycles);
    scale->cycles[at] = cycle;
    scale->count++;
}

static bool has_gap(const struct scale *scale, size_t at)
{
    return at + 1 < scale->count && scale->cycles[at + 1] - scale->cycles[at] > GAP_CYCLES;
}

static struct scale make_scale(struct region *region, const struct timeline_row *rows, size_t count)
{
    struct scale scale = {.cycles = region_array(region, 5 * count + 1, sizeof *scale.cycles),
                          .x = region_array(region, 5 * count + 1, sizeof *scale.x)};
    for (size_t i = 0; i < count; i++) {
        add_event(&scale, rows[i].dispatch);
        add_event(&scale, rows[i].issue);
        add_event(&scale, rows[i].done);
        add_event(&scale, rows[i].retire);
        add_event(&scale, rows[i].commit);
    }
    for (size_t i = 1; i < scale.count; i++)
        scale.x[i] = scale.x[i - 1] + (has_gap(&scale, i - 1)
                                           ? 4 * CYCLE_WIDTH
                                           : (scale.cycles[i] - scale.cycles[i - 1]) * CYCLE_WIDTH);
    return scale;
}

static double x_of(const struct scale *scale, double cycle)
{
    size_t low = 0;
    while (low + 1 < scale->count && scale->cycles[low + 1] <= cycle + 1e-6)
        low++;
    double within = (cycle - scale->cycles[low]) * CYCLE_WIDTH;
    return LABEL_WIDTH + scale->x[low] + (has_gap(scale, low) ? fmin(within, CYCLE_WIDTH) : within);
}

static void add_span(struct html *html, const struct scale *scale, const char *kind, double from,
                     double to, double y, double height)
{
    double left = x_of(scale, from), right = x_of(scale, to);
    if (right - left < 0.01)
        return;
    html_printf(html, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
                kind, left, y, right - left, height);
}

/* What the instruction at this offset lost most cycles to. */
static int main_cause(const struct timed_cpu *cpu, uint32_t offset)
{
    int cause = MAIN_CAUSE_NONE;
    for (size_t i = 0; i < cpu->insn_count; i++)
        for (int stall = 0; cpu->insns[i].offset == offset && stall < STALL_COUNT; stall++)
            if (cpu->insns[i].stall[stall] >= 0.005 &&
                (cause == MAIN_CAUSE_NONE ||
                 cpu->insns[i].stall[stall] > cpu->insns[i].stall[cause]))
                cause = stall;
    return cause;
}

static void add_row_label(struct html *html, const struct timeline_row *row, double y)
{
    struct text label;
    text_init(&label, html->out->region);
    size_t length = strlen(row->text), shown = length <= 34 ? length : 33;
    text_add_bytes(&label, row->text, shown);
    html_printf(html, "<text x=\"0\" y=\"%.1f\">", y + 14);
    html_say(html, label.data);
    html_put(html, shown < length ? "&#8230;</text>" : "</text>");
}

static void add_row(struct html *html, const struct scale *scale, const struct timed_cpu *cpu,
                    const struct timeline_row *row, double previous_retire, double y)
{
    double issue = row->issue >= 0 ? row->issue : row->dispatch;
    double done = row->issue >= 0 ? row->done : row->dispatch;
    int cause = main_cause(cpu, row->offset);
    add_row_label(html, row, y);
    add_span(html, scale, "t-wait", row->dispatch, issue, y + 3, 9);
    add_span(html, scale, "t-run", issue, done, y + 3, 9);
    add_span(html, scale, "t-done", done, row->retire, y + 6, 3);
    if (row->commit >= 0)
        add_span(html, scale, "t-store", row->retire, row->commit, y + 3, 9);
    if (cause != MAIN_CAUSE_NONE && previous_retire >= 0)
        add_span(html, scale,
                 region_printf(html->out->region, "s-%s", stall_name((enum stall)cause)),
                 previous_retire, row->retire, y + 14, 4);
}

/* Cycle numbers, not too near to each other. */
static void add_ruler(struct html *html, const struct scale *scale, double bottom)
{
    double last = -1000;
    for (size_t i = 0; i < scale->count; i++) {
        double x = LABEL_WIDTH + scale->x[i];
        if (has_gap(scale, i))
            html_printf(html,
                        "<rect class=\"t-gap\" x=\"%.1f\" y=\"%d\" width=\"%d\" height=\"%.1f\"/>",
                        x + CYCLE_WIDTH, TOP - 6, 2 * CYCLE_WIDTH, bottom - TOP + 6);
        if (x - last < 40)
            continue;
        html_printf(html,
                    "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%.1f\"/><text class=\"tick\" "
                    "x=\"%.1f\" y=\"12\">%.0f</text>",
                    x, x, TOP - 6, bottom, x, scale->cycles[i] - scale->cycles[0]);
        last = x;
    }
}

static void add_timeline(struct html *html, const struct result *result,
                         const struct timed_cpu *cpu)
{
    const struct timeline_row *rows = cpu->timeline;
    size_t count =
        cpu->timeline_count < HTML_TIMELINE_ROWS ? cpu->timeline_count : HTML_TIMELINE_ROWS;
    struct scale scale = make_scale(html->out->region, rows, count);
    double width = LABEL_WIDTH + scale.x[scale.count - 1] + 40;
    double height = TOP + (double)count * ROW_HEIGHT;
    html_printf(html,
                "<div class=\"scroll\" role=\"region\" aria-label=\"Timeline\" tabindex=\"0\">"
                "<svg class=\"timeline\" width=\"%.0f\" height=\"%.0f\" role=\"img\" "
                "aria-label=\"Timeline of ",
                width, height);
    html_say(html, result->program->cpus[cpu->cpu].name);
    html_put(html, "; the table above has the figures\">\n");
    add_ruler(html, &scale, height);
    for (size_t i = 0; i < count; i++) {
        add_row(html, &scale, cpu, &rows[i], i ? rows[i - 1].retire : -1,
                TOP + (double)i * ROW_HEIGHT);
        html_put(html, "\n");
    }
    html_put(html, "</svg></div>\n");
    if (count < cpu->timeline_count)
        html_printf(html, "<p class=\"quiet\">%zu more instructions are not shown.</p>\n",
                    cpu->timeline_count - count);
}

static void add_legend(struct html *html)
{
    html_put(html, "<p class=\"legend\"><span><span class=\"key t-wait\"></span>dispatched, "
                   "waits</span> <span><span class=\"key t-run\"></span>executes</span> "
                   "<span><span class=\"key t-done\"></span>waits to retire</span> <span><span "
                   "class=\"key t-store\"></span>its store waits in the buffer</span> "
                   "<span>below: by how much it retired later than the one before, in the colour "
                   "of what it waited for most</span></p>\n");
}

static void add_timelines(struct html *html, const struct result *result)
{
    size_t shown = 0;
    for (size_t i = 0; i < result->timed->cpu_count; i++) {
        const struct timed_cpu *cpu = &result->timed->cpus[i];
        if (cpu->timeline_count && shown++ < HTML_TIMELINE_CPUS) {
            html_open_heading(html);
            html_say(html, result->program->cpus[cpu->cpu].name);
            if (cpu->has_iterations)
                html_printf(html, ", iterations %" PRIu64 " to %" PRIu64,
                            cpu->timeline[0].iteration,
                            cpu->timeline[cpu->timeline_count - 1].iteration);
            html_printf(html, ", from cycle %.0f", floor(cpu->timeline[0].dispatch));
            html_close_heading(html);
            add_timeline(html, result, cpu);
        }
    }
    if (shown)
        add_legend(html);
    if (shown > HTML_TIMELINE_CPUS)
        html_printf(html, "<p class=\"note\">Timelines of %zu more CPUs are not shown.</p>\n",
                    shown - HTML_TIMELINE_CPUS);
}

void html_time(struct html *html, const struct result *result)
{
    if (!result->timed || result->timed->cpu_count == 0)
        return;
    html_card(html, 2, "time", "Cycles");
    if (!result->timed->complete && result->timed->reason) {
        html_put(html, "<p class=\"note\">Not timed to the end: ");
        html_say(html, result->timed->reason);
        html_put(html, "</p>\n");
    }
    for (size_t i = 0; i < result->timed->cpu_count; i++)
        if (i < HTML_TIMELINE_CPUS && result->timed->cpus[i].insn_count)
            add_stalls(html, result, &result->timed->cpus[i]);
    if (result->timed->cpu_count > HTML_TIMELINE_CPUS)
        html_printf(html, "<p class=\"note\">Figures of %zu more CPUs are not shown.</p>\n",
                    result->timed->cpu_count - HTML_TIMELINE_CPUS);
    add_timelines(html, result);
    html_put(html, "</section>\n");
}
