/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by svg.c, which writes a drawing, and svg_arrows.c, which places arrows and labels. */
#ifndef FENCESIM_SIM_REPORT_SVG_H_
#define FENCESIM_SIM_REPORT_SVG_H_

#include "sim/report/graph.h"

/* In pixels. */
enum {
    LANE = 320, /* from lane to lane */
    BOX_WIDTH = 210,
    BOX_HEIGHT = 40,
    ROW = 78, /* from event to event */
    MARGIN = 24,
    LEFT = 90,      /* room for the arrows that bend out */
    HEADER = 96,    /* title and names of the CPUs */
    NAME_LIFT = 12, /* of a CPU's name above its first event */
};

struct drawing {
    struct text *out;
    const struct result *result;
    const struct relations *relations;
    int *x, *y; /* of each event's box: its left upper corner */
    int width, height;
};

/* A cubic curve: where it begins, what it is drawn to, where it ends. */
struct curve {
    int x[4], y[4];
};

/* An edge drawn: a curve, or two with a level line from the one to the other. */
struct arrow {
    const struct edge *edge;
    struct curve curves[2];
    int curve_count;
    const char *label;
    int label_x, label_y; /* its middle */
};

/* Whether an event has a box; fences stand at the arrows that go past them. */
bool svg_is_drawn(const struct event *event);

/* An arrow for each edge of the relations, in their order; the events have their places. */
struct arrow *svg_arrows(const struct drawing *drawing);

#endif
