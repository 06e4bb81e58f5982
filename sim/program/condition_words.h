/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words and terms of conditions; what condition.c builds its trees from. */
#ifndef FENCESIM_SIM_PROGRAM_CONDITION_WORDS_H_
#define FENCESIM_SIM_PROGRAM_CONDITION_WORDS_H_

#include "sim/program/trace_reader.h"

enum lexeme { END, NAME, NUMBER, COMPARISON, AND, OR, NOT, OPEN, CLOSE, STRANGE };

struct condition_parser {
    struct trace_reader *reader;
    const struct node *node;
    const char *text;
    size_t next;  /* offset behind the lexeme */
    size_t start; /* the lexeme itself: */
    size_t length;
    enum lexeme lexeme;
    enum condition_op comparison;
    unsigned nesting;
    bool failed;  /* some error was reported: no tree comes out */
    bool stopped; /* the rest cannot be understood any more */
    bool about_crash, about_stuck;
};

/* A term as it is written: it may stand for the same register of several CPUs. */
struct operand {
    enum condition_op op;
    uint64_t number;
    uint32_t first, count; /* CPUs */
    bool family;
    uint32_t object;
    struct register_view view;
    const char *register_name;
};

/* Reports an error at an offset of the condition's text; the reading goes on. */
void complain_at(struct condition_parser *parser, size_t offset, const char *message);

/* The same, and nothing more is read: the parser is at its end then. */
void stop_at(struct condition_parser *parser, size_t offset, const char *message);

/* The same for the present lexeme, which is not what was expected. */
void stop_here(struct condition_parser *parser, const char *expected);

/* Starts at the first lexeme of a scalar's text. */
struct condition_parser condition_begin(struct trace_reader *reader, const struct node *node);
void advance(struct condition_parser *parser);

/* Reads a term and goes on behind it. `expected` says what is wanted here. */
struct operand read_operand(struct condition_parser *parser, const char *expected);

#endif
