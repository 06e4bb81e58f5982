/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the two files that read propositions. */
#ifndef FENCESIM_SIM_PROGRAM_LITMUS_PROPOSITION_H_
#define FENCESIM_SIM_PROGRAM_LITMUS_PROPOSITION_H_

#include "sim/program/litmus_reader.h"

enum connective { ATOM, AND, OR, IMPLIES };

struct proposition {
    const struct condition *condition;
    enum connective op;
    size_t start; /* in the normal form's text */
};

struct chain {
    const struct condition **items;
    size_t count, capacity;
};

struct condition *proposition_node(struct litmus_reader *reader, enum condition_op op,
                                   const struct condition *left, const struct condition *right);
struct condition *proposition_number(struct litmus_reader *reader, uint64_t number);
const struct condition *proposition_join(struct litmus_reader *reader, enum condition_op op,
                                         const struct condition *const *items, size_t count);
void chain_add(struct litmus_reader *reader, struct chain *chain, const struct condition *item);

/* Complains, unless `expected` is NULL, and reads on to the end. */
struct proposition proposition_give_up(struct litmus_reader *reader, const char *expected);

/* Adds to the normal form. */
void proposition_put(struct litmus_reader *reader, const char *text);

/* "0:rax=1" and its like. */
struct proposition proposition_atom(struct litmus_reader *reader, bool shown);

#endif
