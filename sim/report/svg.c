/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Witnesses drawn: one document, the executions below each other. A lane a CPU with its events
 * in program order from top to bottom; svg_arrows.c places the arrows.
 */
#include <string.h>

#include "sim/report/svg.h"

enum {
    WIDTH_LEAST = 560,
    LABEL_MAX = 25, /* characters that fit a box, and an ellipsis */
    TEXT_MAX = 33
};

static void place_events(struct drawing *d)
{
    const struct relations *relations = d->relations;
    size_t cpus = d->result->program->cpu_count;
    int *row = region_array(d->out->region, cpus, sizeof *row), rows = 0;
    for (size_t i = 0; i < relations->event_count; i++) {
        const struct event *event = &relations->events[i];
        if (!svg_is_drawn(event))
            continue;
        d->x[i] = LEFT + (int)event->cpu * LANE;
        d->y[i] = HEADER + row[event->cpu]++ * ROW;
        rows = row[event->cpu] > rows ? row[event->cpu] : rows;
    }
    d->width = LEFT + (int)cpus * LANE;
    d->width = d->width > WIDTH_LEAST ? d->width : WIDTH_LEAST;
    d->height = HEADER + rows * ROW + MARGIN;
}

/* What fits into a box, the rest cut off. */
static void add_short(struct text *out, const char *string, size_t most)
{
    size_t length = 0, characters = 0;
    for (; string[length]; length++)
        if (((unsigned char)string[length] & 0xc0) != 0x80 && ++characters > most)
            break;
    add_xml_text(out, region_strndup(out->region, string, length));
    if (string[length])
        text_add(out, "…");
}

static void add_box(struct drawing *d, size_t number)
{
    const struct event *event = &d->relations->events[number];
    int x = d->x[number], y = d->y[number];
    text_add(d->out, "<g><title>");
    add_xml_text(d->out, event->label);
    text_add(d->out, "</title>");
    text_printf(d->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>", x, y,
                BOX_WIDTH, BOX_HEIGHT);
    text_printf(d->out, "<text x=\"%d\" y=\"%d\" class=\"label\">", x + BOX_WIDTH / 2, y + 17);
    add_short(d->out, event->label, LABEL_MAX);
    text_add(d->out, "</text>");
    if (event->text[0]) {
        text_printf(d->out, "<text x=\"%d\" y=\"%d\" class=\"code\">", x + BOX_WIDTH / 2, y + 33);
        add_short(d->out, event->text, TEXT_MAX);
        text_add(d->out, "</text>");
    }
    text_add(d->out, "</g>\n");
}

static const char *arrow_class(const struct edge *edge)
{
    static const char *const words[] = {"", "po", "rf", "co", "fr", "fence", "ipi"};
    return words[edge->relation];
}

static void add_arrow(struct drawing *d, const struct arrow *arrow)
{
    const struct edge *edge = arrow->edge;
    const char *class = arrow_class(edge);
    text_printf(d->out, "<path class=\"%s%s%s\" marker-end=\"url(#%s)\" d=\"", class,
                edge->in_cycle ? " cycle" : "", edge->relaxed ? " relaxed" : "", class);
    for (int i = 0; i < arrow->curve_count; i++) {
        const struct curve *c = &arrow->curves[i];
        text_printf(d->out, "%s%d %dC%d %d %d %d %d %d", i ? "L" : "M", c->x[0], c->y[0], c->x[1],
                    c->y[1], c->x[2], c->y[2], c->x[3], c->y[3]);
    }
    text_add(d->out, "\"/>\n");
}

static void add_label(struct drawing *d, const struct arrow *arrow)
{
    text_printf(d->out, "<text class=\"%s relation\" x=\"%d\" y=\"%d\">", arrow_class(arrow->edge),
                arrow->label_x, arrow->label_y + 4);
    add_xml_text(d->out, arrow->label);
    text_add(d->out, "</text>\n");
}

static void add_lanes(struct drawing *d, int top)
{
    for (uint32_t cpu = 0; cpu < d->result->program->cpu_count; cpu++) {
        text_printf(d->out, "<text class=\"cpu\" x=\"%d\" y=\"%d\">",
                    LEFT + (int)cpu * LANE + BOX_WIDTH / 2, top);
        add_xml_text(d->out, d->result->program->cpus[cpu].name);
        text_add(d->out, "</text>\n");
    }
}

static void add_drawing(struct drawing *d)
{
    const struct relations *relations = d->relations;
    const struct arrow *arrows = svg_arrows(d);
    add_lanes(d, HEADER - NAME_LIFT);
    for (size_t i = 0; i < relations->edge_count; i++)
        add_arrow(d, &arrows[i]);
    for (size_t i = 0; i < relations->event_count; i++)
        if (svg_is_drawn(&relations->events[i]))
            add_box(d, i);
    for (size_t i = 0; i < relations->edge_count; i++)
        add_label(d, &arrows[i]);
}

static struct drawing new_drawing(struct text *out, const struct result *result,
                                  const struct relations *relations)
{
    struct drawing d = {.out = out, .result = result, .relations = relations};
    d.x = region_array(out->region, relations->event_count + 1, sizeof *d.x);
    d.y = region_array(out->region, relations->event_count + 1, sizeof *d.y);
    place_events(&d);
    return d;
}

void svg_drawing(struct text *out, const struct result *result, const struct relations *relations)
{
    struct drawing d = new_drawing(out, result, relations);
    int top = HEADER - 32; /* without room for a title */
    text_printf(out,
                "<svg class=\"relations\" width=\"%d\" height=\"%d\" viewBox=\"0 %d %d %d\" "
                "role=\"img\" aria-label=\"Graph of the execution; the text above says the same\">"
                "\n",
                d.width, d.height - top, top, d.width, d.height - top);
    add_drawing(&d);
    text_add(out, "</svg>");
}

static void add_execution(struct drawing *d, const struct result_witness *witness, size_t number,
                          int top)
{
    struct text title, ends;
    text_init(&title, d->out->region);
    text_init(&ends, d->out->region);
    graph_title(&title, d->result);
    graph_ends(&ends, d->result, witness);
    text_printf(d->out,
                "<g transform=\"translate(0 %d)\" role=\"img\" aria-labelledby=\"t%zu d%zu\">\n"
                "<title id=\"t%zu\">",
                top, number, number, number);
    add_xml_text(d->out, title.data);
    text_add(d->out, ": ");
    add_xml_text(d->out, ends.data);
    text_printf(d->out, "</title>\n<desc id=\"d%zu\">", number);
    add_xml_text(d->out, witness->prose ? witness->prose : "");
    text_printf(d->out, "</desc>\n<text class=\"title\" x=\"%d\" y=\"24\">", MARGIN);
    add_xml_text(d->out, title.data);
    text_printf(d->out, "</text>\n<text x=\"%d\" y=\"46\">", MARGIN);
    add_xml_text(d->out, ends.data);
    text_add(d->out, "</text>\n");
    if (d->relations->problem) {
        text_printf(d->out, "<text class=\"note\" x=\"%d\" y=\"72\">%s</text>\n", MARGIN,
                    d->relations->problem);
    } else {
        add_drawing(d);
    }
    text_add(d->out, "</g>\n");
}

void svg_markers(struct text *out)
{
    static const char *const names[] = {"po", "rf", "co", "fr", "fence", "ipi"};
    for (int i = 0; i < 6; i++)
        text_printf(out,
                    "<marker id=\"%s\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" "
                    "markerWidth=\"9\" markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" "
                    "orient=\"auto\"><path class=\"%s\" d=\"M1 1 L8 4 L1 7\"/></marker>\n",
                    names[i], names[i]);
}

static void add_style(struct text *out)
{
    static const char *const names[] = {"po", "rf", "co", "fr", "fence", "ipi"};
    text_add(out,
             "<style>\n"
             "svg { background: #fff; font-family: sans-serif; }\n"
             "text { font-size: 13px; fill: #111; } .title { font-size: 15px; font-weight: 600; }\n"
             ".cpu { font-weight: 600; text-anchor: middle; }\n"
             ".label, .code { text-anchor: middle; font-family: monospace; }\n"
             ".code { font-size: 10px; }\n"
             ".relation { font-size: 12px; text-anchor: middle; paint-order: stroke; stroke-width: "
             "4; }\n"
             "rect { fill: #f6f6f6; stroke: #555; }\n"
             "path { fill: none; stroke-width: 1.3; } .cycle { stroke-width: 3.5; }\n"
             ".relaxed { stroke-dasharray: 7 4; }\n");
    for (int i = 0; i < 6; i++)
        text_printf(out, ".%s { stroke: %s; } .%s.relation { stroke: #fff; fill: %s; }\n", names[i],
                    relation_color((enum relation)(RELATION_PO + i)), names[i],
                    relation_color((enum relation)(RELATION_PO + i)));
    text_add(out, "@media (prefers-color-scheme: dark) {\n"
                  "svg { background: #16181c; } text { fill: #eee; } rect { fill: #24272d; }\n"
                  ".po { stroke: #ddd; } .po.relation { fill: #ddd; }\n"
                  ".co { stroke: #7aa2ff; } .co.relation { fill: #7aa2ff; }\n"
                  ".fence { stroke: #5fbf6f; } .fence.relation { fill: #5fbf6f; }\n"
                  ".rf { stroke: #ff6b6b; } .rf.relation { fill: #ff6b6b; }\n"
                  ".ipi { stroke: #d08cff; } .ipi.relation { fill: #d08cff; }\n"
                  "text.relation { stroke: #16181c !important; }\n}\n"
                  "</style>\n<defs>\n");
    svg_markers(out);
    text_add(out, "</defs>\n");
}

static void add_document(struct text *out, const struct text *body, size_t number, int width,
                         int height)
{
    text_printf(out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "
                "xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                "viewBox=\"0 0 %d %d\">\n<title>%zu execution%s</title>\n",
                width, height, width, height, number, number == 1 ? "" : "s");
    add_style(out);
    text_add_bytes(out, body->data, body->length);
    text_add(out, "</svg>\n");
}

void write_svg(struct text *out, const struct report_view *view)
{
    const struct result_list *results = view->results;
    struct text body;
    size_t number = 0;
    int top = 0, width = WIDTH_LEAST;
    text_init(&body, out->region);
    text_add(&body, "");
    for (size_t i = 0; i < results->count; i++)
        for (size_t n = 0; n < results->items[i]->witness_count; n++) {
            const struct result_witness *witness = &results->items[i]->witnesses[n];
            if (!witness->relations)
                continue;
            struct drawing d = new_drawing(&body, results->items[i], witness->relations);
            add_execution(&d, witness, number++, top);
            top += d.height;
            width = d.width > width ? d.width : width;
        }
    if (number == 0) {
        text_printf(&body,
                    "<text class=\"title\" x=\"%d\" y=\"24\">no execution is shown: nothing was "
                    "violated and nothing is relaxed</text>\n",
                    MARGIN);
        top = 48;
    }
    add_document(out, &body, number, width, top);
}
