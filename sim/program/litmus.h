/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Litmus tests: what a `.litmus` file says beyond a program. A program that was read from one
 * points to its `struct litmus`; the report writers use it to speak of the test in the words
 * that it is written in.
 */
#ifndef FENCESIM_SIM_PROGRAM_LITMUS_H_
#define FENCESIM_SIM_PROGRAM_LITMUS_H_

#include "sim/program/program.h"
#include "sim/program/read.h"

enum quantifier { QUANTIFIER_EXISTS, QUANTIFIER_NOT_EXISTS, QUANTIFIER_FORALL };

/* A place whose final value a state lists: a register, a variable, or all of an array. */
struct litmus_location {
    const char *label; /* "0:rax", "[x]", "t" for an array */
    bool is_array;
    bool is_signed;        /* how its values are printed */
    uint8_t width;         /* bits of a value (of an element) */
    uint32_t first, count; /* its terms; count is 1 unless it is an array */
};

struct litmus {
    enum quantifier quantifier;
    struct place place;                /* of the quantifier; line 0 when the file has none */
    const struct condition *condition; /* NULL: true */
    const char *text; /* the condition as herd prints it, without quantifier and brackets */
    const struct condition
        *filter; /* NULL: true. Final states that it does not hold in are dropped */
    struct litmus_location *locations; /* in the order in which states list them */
    size_t location_count;
    bool has_addresses; /* values may be addresses of objects */
    bool is_32_bit;     /* X86, not X86_64 */
    const char *hash;   /* the file's Hash=, or NULL */
};

/* Whether text (of a file without a telling name) is a litmus test. */
bool litmus_recognise(const char *text, size_t length);

/* What trace_parse does, for a litmus test. All terms of the program are observed. */
struct program *litmus_parse(struct region *region, const char *name, const char *text,
                             size_t length, struct source_list *sources,
                             struct diagnostics *diagnostics);

/* "exists", "~exists", "forall". */
const char *quantifier_name(enum quantifier quantifier);

/*
 * Makes the condition's expectation: `~exists` and `forall` are, `exists` is one only when it
 * is `wanted`.
 */
void litmus_expect(struct program *program, enum quantifier quantifier, bool wanted);

/* The name of a general register at a width, with its % for the assembler. */
const char *register_text(uint8_t number, uint8_t width);

#endif
