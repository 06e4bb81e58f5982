/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/property/property.h"

void outcomes_add(struct outcomes *outcomes, const uint64_t *row)
{
    if (outcomes->count == outcomes->capacity) {
        outcomes->capacity = outcomes->capacity * 2 + 16;
        outcomes->rows = realloc(outcomes->rows, outcomes->capacity * sizeof *outcomes->rows);
        if (!outcomes->rows)
            abort();
    }
    memcpy(outcomes->rows[outcomes->count++], row, sizeof *outcomes->rows);
}

static int compare(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    for (size_t i = 0; i < VALUES_MAX; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

void outcomes_sort(struct outcomes *outcomes)
{
    size_t kept = 0;
    if (outcomes->count)
        qsort(outcomes->rows, outcomes->count, sizeof *outcomes->rows, compare);
    for (size_t i = 0; i < outcomes->count; i++)
        if (kept == 0 || compare(outcomes->rows[kept - 1], outcomes->rows[i]) != 0)
            memmove(outcomes->rows[kept++], outcomes->rows[i], sizeof *outcomes->rows);
    outcomes->count = kept;
}

bool outcomes_equal(const struct outcomes *a, const struct outcomes *b)
{
    return a->count == b->count && outcomes_within(a, b);
}

bool outcomes_within(const struct outcomes *part, const struct outcomes *whole)
{
    for (size_t i = 0; i < part->count; i++)
        if (!whole->count ||
            !bsearch(part->rows[i], whole->rows, whole->count, sizeof *whole->rows, compare))
            return false;
    return true;
}

void outcomes_print(const struct outcomes *outcomes, unsigned threads)
{
    size_t values = threads * (size_t)REGISTERS;
    for (size_t n = 0; n < outcomes->count; n++) {
        const uint64_t *row = outcomes->rows[n];
        printf("   ");
        for (size_t i = 0; i < values + WINDOW_WORDS; i++)
            printf("%s%" PRIx64, i < values && i % REGISTERS == 0 ? " |" : " ", row[i]);
        printf("\n");
    }
}

void outcomes_free(struct outcomes *outcomes)
{
    free(outcomes->rows);
    *outcomes = (struct outcomes){NULL, 0, 0};
}
