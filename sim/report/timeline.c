/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timelines: a row an instruction, a column a cycle. Cycles in which nothing happens to any
 * instruction, when there are many in a row, are left out and marked.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/report/report.h"

enum {
    ROWS_SHOWN = 64,
    CPUS_SHOWN = 4,
    NAME_MAX = 40,
    GAP = 12, /* so many cycles without an event are compressed */
    GAP_COLUMNS = 2,
    LEAD = 2 /* cycles shown on both sides of a gap */
};

/* From cycles (since the first one shown) to columns. */
struct scale {
    uint64_t start;
    uint64_t *cycles; /* those in which something happens, ascending */
    size_t *columns;  /* where they stand */
    size_t count;
};

static uint64_t cycle_of(double time) { return time < 0 ? 0 : (uint64_t)(time + 1e-6); }

static void add_cycle(struct scale *scale, double time)
{
    if (time < 0)
        return;
    uint64_t cycle = cycle_of(time) - scale->start; /* dispatch is in order, so not before it */
    size_t at = scale->count;
    while (at > 0 && scale->cycles[at - 1] > cycle)
        at--;
    if (at > 0 && scale->cycles[at - 1] == cycle)
        return;
    memmove(scale->cycles + at + 1, scale->cycles + at,
            (scale->count - at) * sizeof *scale->cycles);
    scale->cycles[at] = cycle;
    scale->count++;
}

/* Whether the cycles between this event and the next one are left out. */
static bool has_gap(const struct scale *scale, size_t event)
{
    return event + 1 < scale->count && scale->cycles[event + 1] - scale->cycles[event] > GAP;
}

static struct scale make_scale(struct region *region, const struct timeline_row *rows, size_t count)
{
    struct scale scale = {.start = cycle_of(rows[0].dispatch)};
    scale.cycles = region_array(region, 5 * count + 1, sizeof *scale.cycles);
    scale.columns = region_array(region, 5 * count + 1, sizeof *scale.columns);
    for (size_t i = 0; i < count; i++) {
        add_cycle(&scale, rows[i].dispatch);
        add_cycle(&scale, rows[i].issue);
        add_cycle(&scale, rows[i].done);
        add_cycle(&scale, rows[i].retire);
        add_cycle(&scale, rows[i].commit);
    }
    for (size_t i = 1; i < scale.count; i++)
        scale.columns[i] =
            scale.columns[i - 1] + (has_gap(&scale, i - 1)
                                        ? LEAD + GAP_COLUMNS + LEAD
                                        : (size_t)(scale.cycles[i] - scale.cycles[i - 1]));
    return scale;
}

static size_t column_of(const struct scale *scale, double time)
{
    uint64_t cycle = cycle_of(time) - scale->start;
    size_t low = 0;
    while (low + 1 < scale->count && scale->cycles[low + 1] <= cycle)
        low++;
    return scale->columns[low];
}

static void put_at(struct text *line, size_t column, char letter)
{
    if (line->length <= column)
        text_pad(line, ' ', column + 1 - line->length);
    line->data[column] = letter;
}

/* The stretch after `from` up to `to`. */
static void fill(struct text *line, size_t from, size_t to, char letter)
{
    for (size_t column = from + 1; column < to; column++)
        put_at(line, column, letter);
}

static void mark_gaps(struct text *line, const struct scale *scale)
{
    for (size_t i = 0; i < scale->count; i++)
        for (size_t n = 0; has_gap(scale, i) && n < GAP_COLUMNS; n++)
            if (scale->columns[i] + LEAD + n < line->length)
                line->data[scale->columns[i] + LEAD + n] = '/';
}

static void draw(struct text *line, const struct scale *scale, const struct timeline_row *row)
{
    size_t dispatch = column_of(scale, row->dispatch), done = column_of(scale, row->done);
    size_t retire = column_of(scale, row->retire);
    if (row->issue >= 0) {
        size_t issue = column_of(scale, row->issue);
        fill(line, dispatch, issue, '=');
        fill(line, issue, done, 'e');
        fill(line, done, retire, '-');
        put_at(line, dispatch, 'D');
        put_at(line, issue, 'I');
        put_at(line, done, 'E');
    } else {
        fill(line, dispatch, retire, '-');
        put_at(line, dispatch, 'D');
    }
    put_at(line, retire, 'R');
    if (row->commit >= 0) {
        size_t commit = column_of(scale, row->commit);
        fill(line, retire, commit, '~');
        put_at(line, commit, 'C');
    }
    mark_gaps(line, scale);
}

static void draw_number(struct text *line, size_t column, uint64_t cycle)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, cycle);
    if (column > 0 && line->length >= column)
        return; /* no room */
    for (size_t i = 0; digits[i]; i++)
        put_at(line, column + i, digits[i]);
}

/* Cycle numbers: every tenth, and the first event after a gap. */
static void draw_numbers(struct text *line, const struct scale *scale)
{
    for (size_t i = 0; i < scale->count; i++) {
        uint64_t from = scale->cycles[i];
        if (i == 0 || has_gap(scale, i - 1))
            draw_number(line, scale->columns[i], from);
        uint64_t until =
            has_gap(scale, i) || i + 1 == scale->count ? from + 1 : scale->cycles[i + 1];
        for (uint64_t cycle = from; cycle < until; cycle++)
            if (cycle % 10 == 0)
                draw_number(line, scale->columns[i] + (size_t)(cycle - from), cycle);
    }
}

static size_t name_width(const struct timeline_row *rows, size_t count)
{
    size_t width = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(rows[i].text);
        width = length > width ? length : width;
    }
    return width < NAME_MAX ? width : NAME_MAX;
}

static void add_header(struct text *out, const struct result *result, const struct timed_cpu *cpu)
{
    const struct timeline_row *rows = cpu->timeline;
    text_printf(out, "  timeline: %s", result->program->cpus[cpu->cpu].name);
    if (cpu->has_iterations)
        text_printf(out, ", iterations %" PRIu64 " to %" PRIu64, rows[0].iteration,
                    rows[cpu->timeline_count - 1].iteration);
    text_printf(out, ", from cycle %" PRIu64 "\n", cycle_of(rows[0].dispatch));
}

static void add_timeline(struct text *out, const struct result *result, const struct timed_cpu *cpu,
                         bool all)
{
    const struct timeline_row *rows = cpu->timeline;
    size_t count = !all && cpu->timeline_count > ROWS_SHOWN ? ROWS_SHOWN : cpu->timeline_count;
    int width = (int)name_width(rows, count);
    struct scale scale = make_scale(out->region, rows, count);
    struct text line;
    text_init(&line, out->region);
    add_header(out, result, cpu);
    draw_numbers(&line, &scale);
    text_printf(out, "    %5s %-*s  %s\n", "", width, "", line.data);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && rows[i].iteration != rows[i - 1].iteration)
            text_add(out, "\n");
        line.length = 0;
        draw(&line, &scale, &rows[i]);
        text_printf(out, "    %-5s %-*.*s  %s\n",
                    offset_text(out->region, result, cpu->cpu, rows[i].offset), width, width,
                    rows[i].text, line.data);
    }
    if (count < cpu->timeline_count)
        text_printf(out, "    ... and %zu more (-v shows all)\n", cpu->timeline_count - count);
}

void write_timelines(struct text *out, const struct result *result, bool all)
{
    size_t shown = 0, left_out = 0;
    for (size_t i = 0; result->timed && i < result->timed->cpu_count; i++) {
        const struct timed_cpu *cpu = &result->timed->cpus[i];
        if (cpu->timeline_count == 0)
            continue;
        if (!all && shown == CPUS_SHOWN) {
            left_out++;
            continue;
        }
        add_timeline(out, result, cpu, all);
        shown++;
    }
    if (left_out)
        text_printf(out, "    ... and %zu more CPUs (-v shows all)\n", left_out);
    if (shown)
        text_add(out, "    D dispatched  = waits for operands, a port or older work\n"
                      "    I begins to execute  e executes  E done  - waits to retire  R retired\n"
                      "    ~ its store waits in the queue  C its store is in the cache\n"
                      "    // cycles left out; of several events in one cycle the last is shown\n");
}
