/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that read measured loops: loops.c and row.c. */
#ifndef FENCESIM_SIM_FIT_READER_H_
#define FENCESIM_SIM_FIT_READER_H_

#include <jansson.h>

#include "sim/fit/fit.h"
#include "sim/program/read.h"

struct loop_reader {
    struct fit *fit;
    struct source_list sources;
    struct diagnostics raw; /* of the traces that the lines become */
    const char *line;       /* the one being read; ends at a newline or the text's end */
    size_t length;
    uint32_t number;
    json_t *row;
    bool failed;
    struct made { /* per loop: where its trace came from */
        const char *file;
        const char *line; /* of the input */
        size_t length;
        uint32_t setup_line, code_line; /* of the trace */
    } * made;
    size_t made_capacity;
};

/* An error of the line in hand, at the member `key` (NULL: at its beginning). */
void loop_error(struct loop_reader *reader, const char *key, const char *message);

/* The column of a member's key in a line. */
uint32_t loop_key_column(struct region *region, const char *line, size_t length, const char *key);

/* Adds the loop that reader->row describes, an object; or says what is wrong with it. */
void loop_read_row(struct loop_reader *reader);

#endif
