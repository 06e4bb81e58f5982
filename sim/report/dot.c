/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Witnesses as graphs for graphviz: a digraph each, a cluster a CPU, relations in the colours
 * that litmus tools use; the cycle that makes an execution relaxed is bold, and the program
 * order that was not kept in it dashed.
 */
#include "sim/report/graph.h"

static bool same_ends(const struct edge *a, const struct edge *b)
{
    return a->from == b->from && a->to == b->to;
}

/*
 * All relations between two events as one edge: graphviz 2.43 fails on some graphs with several,
 * and on some whose labels take room where nothing but program order ranks the events.
 */
static void add_edges(struct text *out, const struct relations *relations, size_t first)
{
    struct text labels, colors;
    bool in_cycle = false, relaxed = false, ranks = false;
    text_init(&labels, out->region);
    text_init(&colors, out->region);
    for (size_t i = 0; i < relations->edge_count; i++) {
        const struct edge *edge = &relations->edges[i];
        if (!same_ends(edge, &relations->edges[first]))
            continue;
        if (i < first)
            return; /* written with that one */
        text_printf(&labels, "%s%s", i > first ? " " : "", edge_label(edge));
        text_printf(&colors, "%s%s", i > first ? ":" : "", relation_color(edge->relation));
        in_cycle = in_cycle || edge->in_cycle;
        relaxed = relaxed || edge->relaxed;
        ranks = ranks || edge->relation == RELATION_PO;
    }
    const struct edge *edge = &relations->edges[first];
    text_printf(out, "  e%u -> e%u [%s=\"%s\", color=\"%s\", fontcolor=\"%s\"%s%s%s];\n",
                edge->from, edge->to, ranks ? "label" : "xlabel", labels.data, colors.data,
                relation_color(edge->relation), in_cycle ? ", penwidth=3" : "",
                relaxed ? ", style=dashed" : "", ranks ? "" : ", constraint=false");
}

static void add_event(struct text *out, size_t number, const struct event *event)
{
    text_printf(out, "  e%zu [label=\"", number);
    add_dot_text(out, event->label);
    if (event->text[0] && event->kind != EVENT_FENCE) {
        text_add(out, "\\n");
        add_dot_text(out, event->text);
    }
    text_add(out, event->cpu == NO_CPU ? "\", shape=plaintext];\n" : "\"];\n");
}

static void add_cpu(struct text *out, const struct result *result,
                    const struct relations *relations, uint32_t cpu)
{
    text_printf(out, " subgraph cluster_%u {\n  label=\"", cpu);
    add_dot_text(out, result->program->cpus[cpu].name);
    text_add(out, "\";\n");
    for (size_t i = 0; i < relations->event_count; i++)
        if (relations->events[i].cpu == cpu && relations->events[i].kind != EVENT_FENCE)
            add_event(out, i, &relations->events[i]);
    text_add(out, " }\n");
}

static void add_graph(struct text *out, const struct result *result,
                      const struct result_witness *witness)
{
    const struct relations *relations = witness->relations;
    struct text title;
    text_init(&title, out->region);
    graph_title(&title, result);
    text_add(&title, ": ");
    graph_ends(&title, result, witness);
    text_add(out, "digraph \"");
    add_dot_text(out, title.data);
    text_add(out, "\" {\n label=\"");
    add_dot_text(out, title.data);
    if (relations->problem)
        text_printf(out, "\\n%s", relations->problem);
    text_add(out, "\";\n labelloc=t;\n node [shape=box, fontname=monospace];\n"
                  " edge [fontname=\"sans-serif\", fontsize=11];\n");
    for (uint32_t cpu = 0; cpu < result->program->cpu_count; cpu++)
        add_cpu(out, result, relations, cpu);
    for (size_t i = 0; i < relations->event_count; i++)
        if (relations->events[i].cpu == NO_CPU)
            add_event(out, i, &relations->events[i]);
    for (size_t i = 0; i < relations->edge_count; i++)
        add_edges(out, relations, i);
    text_add(out, "}\n");
}

void write_dot(struct text *out, const struct report_view *view)
{
    const struct result_list *results = view->results;
    bool any = false;
    for (size_t i = 0; i < results->count; i++)
        for (size_t n = 0; n < results->items[i]->witness_count; n++)
            if (results->items[i]->witnesses[n].relations) {
                add_graph(out, results->items[i], &results->items[i]->witnesses[n]);
                any = true;
            }
    if (!any)
        text_add(out, "digraph \"nothing to show\" {\n label=\"no execution is shown: nothing was "
                      "violated and nothing is relaxed\";\n}\n");
}
