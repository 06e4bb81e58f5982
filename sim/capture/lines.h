/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What DWARF says about code: the line of each instruction, the parameters of a function. */
#ifndef FENCESIM_SIM_CAPTURE_LINES_H_
#define FENCESIM_SIM_CAPTURE_LINES_H_

#include "sim/capture/binary.h"

/* "demo.c:12", NULL when the file does not say. The text lives in the binary's region. */
const char *lines_at(struct binary *binary, uint32_t section, uint64_t offset);

/* What DWARF says of the function at a place. */
struct function_types {
    bool known;                /* it says something */
    const char *parameters[6]; /* those that general registers hold, in their order: "struct node
                                *n"; NULL: not known */
    size_t parameter_count;
    unsigned result_bytes; /* size of an integer or pointer that it returns; 0: none, unknown */
};

void lines_function(struct binary *binary, uint32_t section, uint64_t offset,
                    struct function_types *types);

/* A part of a variable that is an integer or a pointer. */
struct variable_field {
    const char *name;      /* "head", "slot_3"; "" when the variable itself is one */
    uint64_t offset, size; /* bytes; size 1, 2, 4 or 8 */
};

/*
 * The fields of a variable of that name and size, in their order. Returns how many there are;
 * 0 when DWARF does not say or there are more than `most`.
 */
size_t lines_fields(struct binary *binary, const char *name, uint64_t size,
                    struct variable_field *fields, size_t most);

/* The name of the field of a variable at an offset, whatever file defines it; NULL: not known. */
const char *lines_field_at(struct binary *binary, const char *name, uint64_t offset);

#endif
