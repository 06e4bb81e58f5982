/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace read from a string, for the tests of the readers. */
#ifndef FENCESIM_TESTS_UNIT_READING_H_
#define FENCESIM_TESTS_UNIT_READING_H_

#include <stdlib.h>
#include <string.h>

#include "sim/program/read.h"

struct reading {
    struct region region;
    struct diagnostics diagnostics;
    struct source_list sources;
    struct program *program;
};

/* Nothing is read yet. */
static inline void reading_start(struct reading *reading)
{
    memset(reading, 0, sizeof *reading);
    region_init(&reading->region, 0);
    if (region_guard(&reading->region))
        abort();
    diagnostics_init(&reading->diagnostics, &reading->region);
    reading->sources.region = &reading->region;
}

static inline void reading_open(struct reading *reading, const char *text)
{
    reading_start(reading);
    reading->program = trace_parse(&reading->region, "t.yaml", text, strlen(text),
                                   &reading->sources, &reading->diagnostics);
}

static inline void reading_close(struct reading *reading) { region_release(&reading->region); }

/* Whether there is an error at that place whose message has `words` in it. */
static inline bool reading_error(const struct reading *reading, uint32_t line, uint32_t column,
                                 const char *words)
{
    for (size_t i = 0; i < reading->diagnostics.count; i++) {
        const struct diagnostic *item = &reading->diagnostics.items[i];
        if (item->place.line == line && item->place.column == column &&
            strstr(item->message, words))
            return true;
    }
    return false;
}

#endif
