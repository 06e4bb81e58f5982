/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/base/diagnostics.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void diagnostics_init(struct diagnostics *diagnostics, struct region *region)
{
    *diagnostics = (struct diagnostics){.region = region};
}

static size_t count_of(const struct diagnostics *diagnostics, const char *file)
{
    size_t count = 0;
    for (size_t i = 0; i < diagnostics->count; i++)
        count += diagnostics->items[i].file == file;
    return count;
}

void diagnostics_add(struct diagnostics *diagnostics, const char *file, struct place place,
                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diagnostics_add_list(diagnostics, file, place, format, arguments);
    va_end(arguments);
}

void diagnostics_add_list(struct diagnostics *diagnostics, const char *file, struct place place,
                          const char *format, va_list arguments)
{
    char message[1024];
    vsnprintf(message, sizeof message, format, arguments);
    for (char *c = message; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?'; /* the file's own bytes must not drive the reader's terminal */
    for (size_t i = 0; i < diagnostics->count; i++) {
        const struct diagnostic *old = &diagnostics->items[i];
        if (old->file == file && old->place.line == place.line &&
            old->place.column == place.column && strcmp(old->message, message) == 0)
            return;
    }
    if (count_of(diagnostics, file) >= DIAGNOSTICS_PER_FILE) {
        diagnostics->dropped++;
        return;
    }
    diagnostics->items = region_push(diagnostics->region, diagnostics->items, diagnostics->count,
                                     &diagnostics->capacity, sizeof *diagnostics->items);
    diagnostics->items[diagnostics->count++] =
        (struct diagnostic){file, place, region_strdup(diagnostics->region, message), 0};
}

const char *diagnostic_line(struct region *region, const struct diagnostic *item)
{
    if (!item->file[0])
        return region_printf(region, "simulate: error: %s", item->message);
    if (item->place.line && item->place.column)
        return region_printf(region, "%s:%u:%u: error: %s", item->file, item->place.line,
                             item->place.column, item->message);
    if (item->place.line)
        return region_printf(region, "%s:%u: error: %s", item->file, item->place.line,
                             item->message);
    return region_printf(region, "%s: error: %s", item->file, item->message);
}

const char **diagnostics_lines(struct diagnostics *diagnostics, size_t *count)
{
    struct region *region = diagnostics->region;
    diagnostics_sort(diagnostics);
    const char **lines = region_array(region, diagnostics->count + 1, sizeof *lines);
    for (*count = 0; *count < diagnostics->count; ++*count)
        lines[*count] = diagnostic_line(region, &diagnostics->items[*count]);
    if (diagnostics->dropped)
        lines[(*count)++] = region_printf(region, "and %zu more errors", diagnostics->dropped);
    return lines;
}

static int compare(const void *left, const void *right)
{
    const struct diagnostic *a = left, *b = right;
    int order = strcmp(a->file, b->file);
    if (order)
        return order;
    if (a->place.line != b->place.line)
        return a->place.line < b->place.line ? -1 : 1;
    if (a->place.column != b->place.column)
        return a->place.column < b->place.column ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

void diagnostics_sort(struct diagnostics *diagnostics)
{
    for (size_t i = 0; i < diagnostics->count; i++)
        diagnostics->items[i].order = i;
    if (diagnostics->count)
        qsort(diagnostics->items, diagnostics->count, sizeof *diagnostics->items, compare);
}

void diagnostics_append(struct diagnostics *to, const struct diagnostics *from)
{
    for (size_t i = 0; i < from->count; i++) {
        to->items = region_push(to->region, to->items, to->count, &to->capacity, sizeof *to->items);
        to->items[to->count++] = from->items[i];
    }
    to->dropped += from->dropped;
}

enum { LONGEST_NAME = 63 };

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* Levenshtein distance where swapping two neighbours also counts as one change. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST_NAME + 1];
    for (size_t j = 0; j <= b_length; j++)
        rows[1][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *now = rows[(i + 1) % 3], *last = rows[i % 3], *before = rows[(i + 2) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            now[j] = smallest(last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
    }
    return rows[(a_length + 1) % 3][b_length];
}

const char *nearest_name(const char *word, const char *const *candidates, size_t count)
{
    size_t length = strlen(word);
    const char *best = NULL;
    size_t best_distance = length / 3 + 1;
    if (length == 0 || length > LONGEST_NAME)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t candidate_length = strlen(candidates[i]);
        if (candidate_length > LONGEST_NAME)
            continue;
        size_t distance = edit_distance(word, length, candidates[i], candidate_length);
        if (distance <= best_distance && (!best || distance < best_distance)) {
            best = candidates[i];
            best_distance = distance;
        }
    }
    return best;
}
