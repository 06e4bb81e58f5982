/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values out of YAML nodes, checked. Every reader says what it found and what it expected at
 * the node's place, and returns false; the caller goes on, so that one run shows all errors.
 */
#ifndef FENCESIM_SIM_PROGRAM_FIELDS_H_
#define FENCESIM_SIM_PROGRAM_FIELDS_H_

#include "sim/base/diagnostics.h"
#include "sim/program/yaml.h"

/* The file that is read, and where its errors go. */
struct input {
    struct region *region;
    const char *file;
    struct diagnostics *diagnostics;
    const struct yaml_document *document;
};

void input_error(struct input *input, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What a node is, for "found ...": 'many', a list, nothing. Long text is cut. */
const char *input_describe(struct input *input, const struct node *node);

/* The character that `text` begins with, quoted. */
const char *input_character(struct input *input, const char *text);

/*
 * What was meant by `word`: " (did you mean 'x'?)", or ", expected x or y" when none of the
 * candidates is near but they are few, or "". Costs nothing once so many errors were found
 * that further ones are not kept.
 */
const char *input_suggest(struct input *input, const char *word, const char *const *candidates,
                          size_t count);

/* One key that a mapping may have; the reader fills `key` and `value`, NULL when it is absent. */
struct field {
    const char *name;
    const struct node *key, *value;
};

/*
 * Sorts a mapping's pairs into `fields`; unknown keys are errors. False when the node is no
 * mapping. `what` names the mapping: "an object".
 */
bool input_map(struct input *input, const struct node *node, const char *what, struct field *fields,
               size_t count);

/* A list, or false. `what` names the value: "observe". */
bool input_list(struct input *input, const struct node *node, const char *what,
                const char *expected);

/* Any scalar that is not empty. */
bool input_text(struct input *input, const struct node *node, const char *what, const char **text);

/* Whether reports can repeat a text as it is: one line, and nothing that drives a terminal. */
bool is_printable_line(const char *text);

/* A name of at most NAME_MAX_BYTES: a letter or '_', then letters, digits, '_' and `more`. */
bool input_name(struct input *input, const struct node *node, const char *what, const char *more,
                const char **name);

/* `true` or `false`. */
bool input_flag(struct input *input, const struct node *node, const char *what, bool *flag);

/* One of the words; `*index` of it. */
bool input_choice(struct input *input, const struct node *node, const char *what,
                  const char *const *words, size_t count, int *index);

/* An integer from `least` to `most`, decimal or 0x. */
bool input_number(struct input *input, const struct node *node, const char *what, uint64_t least,
                  uint64_t most, uint64_t *number);

/* A finite decimal number that is not negative. */
bool input_real(struct input *input, const struct node *node, const char *what, double *number);

/* A number of bytes from 1 to `most`, with an optional KiB, MiB, GiB or TiB. */
bool input_size(struct input *input, const struct node *node, const char *what, uint64_t most,
                uint64_t *bytes);

enum number_result { NUMBER_OK, NUMBER_NONE, NUMBER_TOO_BIG, NUMBER_OCTAL };

/*
 * An unsigned number in the first `length` bytes of `text`, all of them. A leading zero is
 * refused: some would read it as octal, others not.
 */
enum number_result number_parse(const char *text, size_t length, uint64_t *number);

/* Hex digits in pairs, blanks between bytes allowed. */
enum hex_result { HEX_OK, HEX_NOT, HEX_HALF };

/*
 * The bytes of a hex string, in `region`. On failure `*at` is the offset of what is wrong.
 * Digits of a byte stay together: "0 1" is half a byte and half a byte.
 */
enum hex_result hex_parse(struct region *region, const char *text, uint8_t **bytes, size_t *count,
                          size_t *at);

#endif
