/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where arrows run and their labels stand. Arrows between lanes are curves from side to side; one
 * that passes a lane does so between two rows of boxes. Within a lane they bend out to its left,
 * po and fences to its right. A short arrow from above says that a load read what memory held at
 * the start. Labels stand on their arrows, where no box and no other label is.
 */
#include <string.h>

#include "sim/report/svg.h"

enum {
    GAP = LANE - BOX_WIDTH, /* between the boxes of two lanes */
    LABEL_HEIGHT = 14,
    CHARACTER = 7, /* its width, on the safe side */
    INITIAL_LENGTH = 26,
    TRACKS = 3, /* arrows between two rows stand apart while there are no more of them */
    TRACK = 6   /* from one to the next; labels have the room below them */
};

struct box {
    int left, top, right, bottom;
};

struct placing {
    const struct drawing *drawing;
    struct box *taken; /* boxes of events, names of CPUs, labels so far */
    size_t taken_count;
    int *tracks; /* arrows below each row of boxes that pass a lane */
};

/* ---- curves ---- */

static struct curve straight(int x1, int y1, int x2, int y2)
{
    return (struct curve){{x1, x1, x2, x2}, {y1, y1, y2, y2}};
}

/* From level to level. */
static struct curve swing(int x1, int y1, int x2, int y2)
{
    int middle = (x1 + x2) / 2;
    return (struct curve){{x1, middle, middle, x2}, {y1, y1, y2, y2}};
}

static struct curve bend_out(int side, int out, int y1, int y2)
{
    int middle = BOX_HEIGHT / 2;
    return (struct curve){{side, side + out, side + out, side},
                          {y1 + middle + 8, y1 + middle + 14, y2 + middle - 14, y2 + middle - 8}};
}

static void within_lane(struct arrow *arrow, int x, int y1, int y2)
{
    enum relation relation = arrow->edge->relation;
    int rows = (y2 > y1 ? y2 - y1 : y1 - y2) / ROW;
    int out = 24 + 8 * (rows < 6 ? rows : 6);
    if (relation == RELATION_PO && y2 > y1 && rows == 1)
        arrow->curves[0] = straight(x + BOX_WIDTH / 2, y1 + BOX_HEIGHT, x + BOX_WIDTH / 2, y2);
    else if (relation == RELATION_PO || relation == RELATION_FENCE)
        arrow->curves[0] = bend_out(x + BOX_WIDTH, out, y1, y2);
    else
        arrow->curves[0] = bend_out(x, -out, y1, y2);
}

static void between_lanes(struct placing *placing, struct arrow *arrow, int x1, int y1, int x2,
                          int y2)
{
    enum relation relation = arrow->edge->relation;
    int lanes = (x1 < x2 ? x2 - x1 : x1 - x2) / LANE, sign = x1 < x2 ? 1 : -1;
    int level = BOX_HEIGHT / 2 + (relation == RELATION_FR ? 8 : relation == RELATION_CO ? 0 : -8);
    int from = sign > 0 ? x1 + BOX_WIDTH : x1, to = sign > 0 ? x2 : x2 + BOX_WIDTH;
    if (lanes == 1) {
        arrow->curves[0] = swing(from, y1 + level, to, y2 + level);
        return;
    }
    int above = y1 < y2 ? y1 : y2;
    int track = placing->tracks[(above - HEADER) / ROW]++ % TRACKS;
    int between = above + BOX_HEIGHT + (track + 1) * TRACK;
    arrow->curves[0] = swing(from, y1 + level, from + sign * GAP, between);
    arrow->curves[1] = swing(to - sign * GAP, between, to, y2 + level);
    arrow->curve_count = 2;
}

static void place_arrow(struct placing *placing, struct arrow *arrow)
{
    const struct drawing *d = placing->drawing;
    const struct edge *edge = arrow->edge;
    int x2 = d->x[edge->to], y2 = d->y[edge->to];
    arrow->curve_count = 1;
    if (d->relations->events[edge->from].cpu == NO_CPU)
        arrow->curves[0] = straight(x2 + 16, y2 - INITIAL_LENGTH, x2 + 16, y2);
    else if (d->x[edge->from] == x2)
        within_lane(arrow, x2, d->y[edge->from], y2);
    else
        between_lanes(placing, arrow, d->x[edge->from], d->y[edge->from], x2, y2);
}

/* ---- labels ---- */

static void take(struct placing *placing, int x, int y, int width, int height)
{
    placing->taken[placing->taken_count++] =
        (struct box){x - width / 2, y - height / 2, x + width / 2, y + height / 2};
}

/* Pixels of a label there that would stand on something else. */
static int overlap(const struct placing *placing, int x, int y, int width)
{
    int sum = 0;
    for (size_t i = 0; i < placing->taken_count; i++) {
        const struct box *box = &placing->taken[i];
        int left = x - width / 2, top = y - LABEL_HEIGHT / 2;
        int right = left + width < box->right ? left + width : box->right;
        int bottom = top + LABEL_HEIGHT < box->bottom ? top + LABEL_HEIGHT : box->bottom;
        left = left > box->left ? left : box->left;
        top = top > box->top ? top : box->top;
        if (left < right && top < bottom)
            sum += (right - left) * (bottom - top);
    }
    return sum;
}

static int label_width(const char *label) { return CHARACTER * (int)strlen(label); }

/* A coordinate of the curve, `part` sixteenths of the way. */
static int along(const int at[4], int part)
{
    int rest = 16 - part;
    return (rest * rest * rest * at[0] + 3 * rest * rest * part * at[1] +
            3 * rest * part * part * at[2] + part * part * part * at[3]) /
           (16 * 16 * 16);
}

/* Best first. Arrows between lanes often cross in the middle: labels stand to its sides. */
static const int parts_between[] = {5, 11, 4, 12, 6, 10, 8, 3, 13, 7, 9};
static const int parts_within[] = {8, 6, 10, 5, 11, 4, 12};

/* The n-th place to try for a label; false when there are no more. */
static bool candidate(const struct arrow *arrow, size_t number, int *x, int *y)
{
    const struct curve *curve = &arrow->curves[0];
    if (curve->x[0] == curve->x[3] && curve->x[0] == curve->x[1]) { /* beside a straight arrow */
        int away = label_width(arrow->label) / 2 + 7;
        *x = curve->x[0] + (number == 0 ? away : -away);
        *y = curve->y[3] - LABEL_HEIGHT / 2 - 4;
        return number < 2;
    }
    bool within = curve->x[0] == curve->x[3];
    const int *parts = within ? parts_within : parts_between;
    size_t count = within ? sizeof parts_within / sizeof *parts_within
                          : sizeof parts_between / sizeof *parts_between;
    if (number >= count * (size_t)arrow->curve_count)
        return false;
    curve = &arrow->curves[number / count];
    *x = along(curve->x, parts[number % count]);
    *y = along(curve->y, parts[number % count]);
    return true;
}

static void place_label(struct placing *placing, struct arrow *arrow)
{
    bool initial = placing->drawing->relations->events[arrow->edge->from].cpu == NO_CPU;
    arrow->label = initial ? "rf init" : edge_label(arrow->edge);
    int width = label_width(arrow->label), x, y, least = -1;
    for (size_t i = 0; least != 0 && candidate(arrow, i, &x, &y); i++) {
        int overlapped = overlap(placing, x, y, width);
        if (least >= 0 && overlapped >= least)
            continue;
        least = overlapped;
        arrow->label_x = x;
        arrow->label_y = y;
    }
    take(placing, arrow->label_x, arrow->label_y, width, LABEL_HEIGHT);
}

/* ---- all of them ---- */

bool svg_is_drawn(const struct event *event)
{
    return event->kind != EVENT_FENCE && event->cpu != NO_CPU;
}

static struct placing new_placing(const struct drawing *d)
{
    const struct relations *relations = d->relations;
    const struct program *program = d->result->program;
    struct region *region = d->out->region;
    struct placing placing = {.drawing = d};
    placing.tracks = region_array(region, relations->event_count + 1, sizeof *placing.tracks);
    placing.taken =
        region_array(region, relations->event_count + relations->edge_count + program->cpu_count,
                     sizeof *placing.taken);
    for (size_t i = 0; i < relations->event_count; i++)
        if (svg_is_drawn(&relations->events[i]))
            take(&placing, d->x[i] + BOX_WIDTH / 2, d->y[i] + BOX_HEIGHT / 2, BOX_WIDTH,
                 BOX_HEIGHT);
    for (uint32_t cpu = 0; cpu < program->cpu_count; cpu++)
        take(&placing, LEFT + (int)cpu * LANE + BOX_WIDTH / 2, HEADER - NAME_LIFT - 4,
             (CHARACTER + 2) * (int)strlen(program->cpus[cpu].name), LABEL_HEIGHT);
    return placing;
}

struct arrow *svg_arrows(const struct drawing *drawing)
{
    const struct relations *relations = drawing->relations;
    struct placing placing = new_placing(drawing);
    struct arrow *arrows =
        region_array(drawing->out->region, relations->edge_count + 1, sizeof *arrows);
    for (size_t i = 0; i < relations->edge_count; i++) {
        arrows[i].edge = &relations->edges[i];
        place_arrow(&placing, &arrows[i]);
        place_label(&placing, &arrows[i]);
    }
    return arrows;
}
