/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Explore mode: the graph of a run's states as JSON, for scripts. Equal graphs of several
 * runs are in the page once.
 */
#include <string.h>

#include "sim/report/html.h"

static void add_strings(struct text *out, const char *const *strings, size_t count)
{
    text_add(out, "[");
    for (size_t i = 0; i < count; i++) {
        text_add(out, i ? "," : "");
        text_add_json(out, strings[i]);
    }
    text_add(out, "]");
}

/* [status, next instruction, its offset, buffer, registers, reason] */
static void add_component(struct text *out, const struct graph_component *component)
{
    text_printf(out, "[%d,", component->status);
    text_add_json(out, component->next ? component->next : "");
    text_printf(out, ",%u,", component->offset);
    add_strings(out, component->buffer, component->buffer_count);
    text_add(out, ",");
    add_strings(out, component->registers, component->register_count);
    if (component->reason) {
        text_add(out, ",");
        text_add_json(out, component->reason);
    }
    text_add(out, "]");
}

static void add_components(struct text *out, const struct graph *graph)
{
    text_add(out, "\"components\":[");
    for (uint32_t cpu = 0; cpu < graph->cpu_count; cpu++) {
        text_add(out, cpu ? ",[" : "[");
        for (size_t i = 0; i < graph->component_counts[cpu]; i++) {
            text_add(out, i ? ",\n" : "");
            add_component(out, &graph->components[cpu][i]);
        }
        text_add(out, "]");
    }
    text_add(out, "]");
}

static void add_memories(struct html *html, struct text *out, const struct graph *graph)
{
    text_add(out, ",\n\"cells\":[");
    for (size_t i = 0; i < graph->cells.count; i++) {
        text_add(out, i ? ",[" : "[");
        text_add_json(out, graph->cells.items[i].name);
        text_printf(out, ",%d]", graph->cells.items[i].durable);
    }
    text_printf(out, "],\"hidden_cells\":%zu,\n\"memories\":[", graph->cells.left_out);
    for (size_t i = 0; i < graph->memory_count; i++) {
        text_add(out, i ? ",[" : "[");
        for (size_t n = 0; n < graph->cells.count; n++)
            text_printf(out, "%s\"%s\"", n ? "," : "", html_value(html, graph->memories[i][n]));
        text_add(out, "]");
    }
    text_add(out, "]");
}

/* [cpu, instruction, event, detail] */
static void add_labels(struct text *out, const struct graph *graph)
{
    text_add(out, ",\n\"labels\":[");
    for (size_t i = 0; i < graph->label_count; i++) {
        const struct graph_label *label = &graph->labels[i];
        text_printf(out, "%s[%u,", i ? ",\n" : "", label->cpu);
        text_add_json(out, label->text);
        text_add(out, ",");
        text_add_json(out, label->event);
        text_add(out, ",");
        text_add_json(out, label->detail);
        text_add(out, "]");
    }
    text_add(out, "]");
}

/* [ending, crash, memory, a component per CPU, then label and state of every step] */
static void add_states(struct text *out, const struct graph *graph)
{
    text_add(out, ",\n\"states\":[");
    for (size_t i = 0; i < graph->state_count; i++) {
        const struct graph_state *state = &graph->states[i];
        text_printf(out, "%s[%d,%d,%u", i ? ",\n" : "", state->ending, state->crash, state->memory);
        for (uint32_t cpu = 0; cpu < graph->cpu_count; cpu++)
            text_printf(out, ",%u", state->components[cpu]);
        for (uint32_t n = 0; n < state->edge_count; n++) {
            const struct graph_edge *edge = &graph->edges[state->first_edge + n];
            text_printf(out, ",%u,%u", edge->label, edge->to);
        }
        text_add(out, "]");
    }
    text_add(out, "]");
}

static void add_bits(struct text *out, const bool *bits, size_t count)
{
    text_add(out, "\"");
    for (size_t i = 0; i < count; i++)
        text_add(out, bits[i] ? "1" : "0");
    text_add(out, "\"");
}

/* What ends come to: [outcome, which conditions hold, values when it is none of the outcomes];
 * and which conditions hold after power cuts. */
static void add_endings(struct html *html, struct text *out, const struct result *result)
{
    const struct state_graph *found = result->state_graph;

    text_add(out, ",\n\"endings\":[");
    for (size_t i = 0; i < found->ending_count; i++) {
        text_printf(out, "%s[%d,", i ? "," : "", found->endings[i].outcome);
        add_bits(out, found->endings[i].holds, found->finals.count);
        if (found->endings[i].outcome == NO_INDEX) {
            text_add(out, ",");
            text_add_json(out, html_outcome(html, result, found->endings[i].values));
        }
        text_add(out, "]");
    }
    text_add(out, "],\"images\":[");
    for (size_t i = 0; i < found->image_count; i++) {
        text_add(out, i ? "," : "");
        add_bits(out, found->images[i], found->crashes.count);
    }
    text_add(out, "]");
}

/* The number of this graph in the page, from 1; 0 when it does not fit any more. */
static size_t add_graph(struct html *html, const struct result *result)
{
    const struct state_graph *found = result->state_graph;
    struct region *scratch = region_child(html->out->region);
    struct text text;
    bool fresh;
    text_init(&text, scratch);
    text_add(&text, "{");
    add_components(&text, found->graph);
    add_memories(html, &text, found->graph);
    add_labels(&text, found->graph);
    add_endings(html, &text, result);
    add_states(&text, found->graph);
    text_add(&text, "}");
    size_t number = intern_add(&html->graphs, text.data, text.length, &fresh);
    html->graph_shown = region_reach(html->out->region, html->graph_shown, number,
                                     &html->graph_capacity, sizeof *html->graph_shown);
    if (fresh && html->graph_bytes + text.length <= HTML_GRAPH_BYTES) {
        html->graph_shown[number] = true;
        html->graph_bytes += text.length;
        text_printf(&html->graphs_out, "<script type=\"application/json\" id=\"graph-%zu\">",
                    number + 1);
        text_add_bytes(&html->graphs_out, text.data, text.length);
        text_add(&html->graphs_out, "</script>\n");
    }
    region_release(scratch);
    return html->graph_shown[number] ? number + 1 : 0;
}

static const char *kind_name(const struct expectation *expectation)
{
    return expectation->kind == EXPECT_NEVER    ? "never"
           : expectation->kind == EXPECT_ALWAYS ? "always"
                                                : "sometimes";
}

/* [kind, condition, whether it is asked of this run, line] */
static void add_conditions(struct text *out, const char *key, const struct condition_list *list,
                           const struct result *result)
{
    text_printf(out, "\"%s\":[", key);
    for (size_t i = 0; i < list->count; i++) {
        const struct expectation *expectation = list->items[i];
        const char *kind = kind_name(expectation), *condition = expectation->text;
        size_t length = strlen(kind);
        if (strncmp(condition, kind, length) == 0 && condition[length] == ' ')
            condition += length + 1;
        text_printf(out, "%s[\"%s\",", i ? "," : "", kind);
        text_add_json(out, condition);
        text_printf(out, ",%d,%u]",
                    expectation_applies(expectation, variant_name(result), result->profile->name),
                    expectation->place.line);
    }
    text_add(out, "]");
}

static void add_outcome_list(struct html *html, struct text *out, const struct result *result)
{
    text_add(out, ",\"outcomes\":[");
    for (size_t i = 0; i < result->outcome_count; i++) {
        text_add(out, i ? ",[" : "[");
        text_add_json(out, html_outcome(html, result, result->outcomes[i].values));
        text_printf(out, ",%d]", result->outcomes[i].relaxed);
    }
    text_add(out, "]");
}

enum { SURPRISES_MAX = 8 };

/* Relaxed outcomes of any run of this trace: what a fence might forbid here. */
static void add_surprises(struct html *html, struct text *out, struct result *const *siblings,
                          size_t sibling_count)
{
    struct intern seen;
    intern_init(&seen, html->out->region);
    text_add(out, ",\"surprises\":[");
    for (size_t i = 0; i < sibling_count; i++)
        for (size_t n = 0; n < siblings[i]->outcome_count; n++) {
            const struct outcome_row *row = &siblings[i]->outcomes[n];
            bool fresh;
            if (!row->relaxed || seen.count == SURPRISES_MAX)
                continue;
            const char *text = html_outcome(html, siblings[i], row->values);
            intern_add(&seen, text, strlen(text), &fresh);
            if (!fresh)
                continue;
            text_add(out, seen.count > 1 ? "," : "");
            text_add_json(out, text);
        }
    text_add(out, "]");
}

static void add_run(struct html *html, struct result *const *siblings, size_t sibling_count,
                    const struct result *result, size_t graph)
{
    static const struct state_graph nothing;
    const struct state_graph *found = result->state_graph ? result->state_graph : &nothing;
    struct text *out = html->out;
    text_printf(out, "<script type=\"application/json\" class=\"run-data\">{\"graph\":%zu,", graph);
    text_add(out, "\"cpus\":[");
    for (size_t cpu = 0; cpu < result->program->cpu_count; cpu++) {
        text_add(out, cpu ? "," : "");
        text_add_json(out, result->program->cpus[cpu].name);
    }
    text_add(out, "],");
    add_conditions(out, "finals", &found->finals, result);
    text_add(out, ",");
    add_conditions(out, "crashes", &found->crashes, result);
    add_outcome_list(html, out, result);
    add_surprises(html, out, siblings, sibling_count);
    text_printf(out, ",\"stuck\":%d}</script>\n", result->stuck);
}

void html_explore(struct html *html, struct result *const *siblings, size_t sibling_count,
                  const struct result *result)
{
    const struct state_graph *found = result->state_graph;
    if (!result->ordered || (!found && !result->witness_count))
        return;
    size_t graph = found ? add_graph(html, result) : 0;
    html_card(html, 2, "explore", "Explore: you are the adversary");
    html_put(html, "<p class=\"quiet\">");
    if (graph) {
        html_printf(html,
                    "All %zu states of this run and the %zu steps between them are in this page: "
                    "choose which CPU runs its next instruction, or which buffered store becomes "
                    "visible.",
                    found->graph->state_count, found->graph->edge_count);
    } else {
        html_put(html, "Not all states of this run are in this page (");
        html_say(html, found              ? "with those of the other runs it would be too large"
                       : result->no_graph ? result->no_graph
                                          : "they were not asked for");
        html_put(html, "): only the executions shown above can be followed.");
    }
    html_put(html, " <span class=\"no-script\">This needs scripts; everything else here does "
                   "not.</span></p>\n");
    add_run(html, siblings, sibling_count, result, graph);
    html_put(html, "</section>\n");
}
