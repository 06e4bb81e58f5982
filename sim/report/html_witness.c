/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Witnesses as tables: a row per step, a lane per CPU with its buffer after the step, and
 * memory. Whoever has scripts steps through the rows; without them they are all there.
 */
#include <string.h>

#include "sim/report/html.h"

struct lanes {
    struct html *html;
    const struct result *result;
    const struct witness *witness;
    const struct witness_step **last; /* per CPU: the last step of it so far */
    const uint64_t *memory;           /* before the step */
};

static void add_buffer(struct html *html, const struct witness_step *step)
{
    if (!step || step->buffer_count == 0)
        return;
    html_put(html, "<div class=\"buffer\"><span class=\"hidden\">store buffer, oldest first: "
                   "</span>");
    for (size_t i = 0; i < step->buffer_count; i++) {
        html_put(html, i ? " <span class=\"chip\">" : "<span class=\"chip\">");
        html_say(html, step->buffer[i]);
        html_put(html, "</span>");
    }
    html_put(html, "</div>");
}

static void add_action(struct html *html, const struct witness_step *step)
{
    html_put(html, "<div class=\"act\">");
    if (step->has_insn) {
        html_put(html, "<code>");
        html_say(html, step->text);
        html_put(html, "</code>");
    } else {
        html_put(html, "<span class=\"event\">");
        html_say(html, step->event);
        html_put(html, "</span>");
    }
    html_put(html, " <span class=\"detail\">");
    html_say(html, step->detail);
    html_put(html, "</span>");
    for (size_t i = 0; i < step->register_count; i++) {
        html_put(html, " <span class=\"reg\">");
        html_say(html, step->registers[i]);
        html_put(html, "</span>");
    }
    html_put(html, "</div>");
}

static void add_memory(struct lanes *lanes, const uint64_t *memory)
{
    struct html *html = lanes->html;
    const struct cells *cells = &lanes->witness->cells;
    html_put(html, "<td class=\"memory\">");
    for (size_t i = 0; memory && i < cells->count; i++) {
        bool changed = lanes->memory && lanes->memory[i] != memory[i];
        html_put(html, changed ? "<span class=\"cell changed\">" : "<span class=\"cell\">");
        if (cells->items[i].durable)
            html_put(html, "durable ");
        html_say(html, cells->items[i].name);
        html_printf(html, "=%s</span> ", html_value(html, memory[i]));
    }
    html_put(html, "</td>");
    lanes->memory = memory ? memory : lanes->memory;
}

/* What is read out when the reader steps here. */
static void add_saying(struct html *html, const struct result *result,
                       const struct witness_step *step)
{
    html_put(html, " data-say=\"");
    html_say(html, result->program->cpus[step->cpu].name);
    html_put(html, ": ");
    html_say(html, step->has_insn ? step->text : step->event);
    html_put(html, step->detail[0] ? ": " : "");
    html_say(html, step->detail);
    html_put(html, "\"");
}

static void add_step(struct lanes *lanes, const struct witness_step *step, size_t number)
{
    struct html *html = lanes->html;
    lanes->last[step->cpu] = step;
    html_printf(html, "<tr data-cpu=\"%u\"", step->cpu);
    add_saying(html, lanes->result, step);
    html_printf(html, "><th scope=\"row\">%zu</th>", number);
    for (uint32_t cpu = 0; cpu < lanes->result->program->cpu_count; cpu++) {
        html_put(html, cpu == step->cpu ? "<td class=\"lane acts\">" : "<td class=\"lane\">");
        if (cpu == step->cpu)
            add_action(html, step);
        add_buffer(html, lanes->last[cpu]);
        html_put(html, "</td>");
    }
    add_memory(lanes, step->memory);
    html_put(html, "</tr>\n");
}

static void add_header(struct lanes *lanes)
{
    struct html *html = lanes->html;
    html_put(html, "<thead><tr><th scope=\"col\"><span class=\"hidden\">step</span>#</th>");
    for (size_t cpu = 0; cpu < lanes->result->program->cpu_count; cpu++) {
        html_put(html, "<th scope=\"col\">");
        html_say(html, lanes->result->program->cpus[cpu].name);
        html_put(html, "</th>");
    }
    html_put(html, "<th scope=\"col\">memory</th></tr></thead>\n");
}

static void add_start(struct lanes *lanes)
{
    struct html *html = lanes->html;
    html_put(html, "<tr data-say=\"At the start\"><th scope=\"row\">0</th>");
    for (size_t cpu = 0; cpu < lanes->result->program->cpu_count; cpu++)
        html_put(html, "<td class=\"lane\"></td>");
    add_memory(lanes, lanes->witness->start);
    html_put(html, "</tr>\n");
}

/* Adds all rows; returns how many steps are not shown. */
static size_t add_rows(struct lanes *lanes)
{
    const struct witness *witness = lanes->witness;
    size_t number = 0, hidden = 0;
    add_start(lanes);
    for (size_t i = 0; i < witness->count; i++) {
        if (!is_telling(&witness->steps[i]) || number == HTML_STEPS)
            hidden++;
        else
            add_step(lanes, &witness->steps[i], ++number);
    }
    return hidden;
}

static void add_end(struct html *html, const struct result *result,
                    const struct result_witness *witness, size_t hidden)
{
    if (witness->outcome >= 0) {
        const struct outcome_row *row = &result->outcomes[witness->outcome];
        html_put(html, "<p class=\"ends\">Ends in <code>");
        html_say(html, html_outcome(html, result, row->values));
        html_put(html, row->relaxed ? "</code> <span class=\"relaxed\">relaxed</span>: no "
                                      "interleaving of the instructions gives it.</p>\n"
                                    : "</code></p>\n");
    }
    if (hidden)
        html_printf(
            html, "<p class=\"quiet\">%zu step%s on registers or a stack only %s not shown.</p>\n",
            hidden, hidden == 1 ? "" : "s", hidden == 1 ? "is" : "are");
}

static void add_witness(struct html *html, const struct result *result, size_t index)
{
    const struct result_witness *witness = &result->witnesses[index];
    struct lanes lanes = {html, result, witness->witness, NULL, NULL};
    lanes.last = region_array(html->out->region, result->program->cpu_count, sizeof *lanes.last);
    html_printf(html, "<div class=\"witness\" data-witness=\"%zu\" data-outcome=\"%d\">\n", index,
                witness->outcome);
    html_open_heading(html);
    html_say(html, witness->reason);
    html_close_heading(html);
    html_put(html, "<div class=\"scroll\" role=\"region\" aria-label=\"Steps of this "
                   "execution\" tabindex=\"0\"><table class=\"lanes\">\n");
    add_header(&lanes);
    html_put(html, "<tbody>\n");
    size_t hidden = add_rows(&lanes);
    html_put(html, "</tbody></table></div>\n");
    add_end(html, result, witness, hidden);
    html_relations(html, result, witness);
    html_put(html, "</div>\n");
}

/* Witnesses of what failed come first, those that no expectation asks about last. */
static bool is_asked_about(const struct result *result, size_t witness)
{
    for (size_t i = 0; i < result->expect_count; i++)
        if (result->expects[i].witness == (int)witness && result->expects[i].held == HELD_NO)
            return true;
    return false;
}

void html_witnesses(struct html *html, const struct result *result)
{
    size_t shown = 0;
    if (result->witness_count == 0)
        return;
    html_card(html, 2, "witnesses", "How it happens");
    html_put(html, "<p class=\"quiet\">One execution, step by step. Boxes are stores "
                   "that wait in a CPU's buffer, oldest first; the last column is memory, as the "
                   "other CPUs see it.</p>\n");
    for (int asked = 1; asked >= 0; asked--)
        for (size_t i = 0; i < result->witness_count; i++)
            if (is_asked_about(result, i) == (asked == 1) && shown++ < HTML_WITNESSES)
                add_witness(html, result, i);
    if (shown > HTML_WITNESSES)
        html_printf(html, "<p class=\"note\">%zu more executions are not shown.</p>\n",
                    shown - HTML_WITNESSES);
    html_put(html, "</section>\n");
}
