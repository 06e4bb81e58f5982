/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line as data: options and subcommands with what they take and what they do. What
 * getopt is told, `--help`, the completion of shells and the check of the manual page all
 * come from here.
 */
#ifndef FENCESIM_SIM_COMMAND_OPTIONS_H_
#define FENCESIM_SIM_COMMAND_OPTIONS_H_

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum option_key { /* those without a letter */
                  OPT_ONLY = 256,
                  OPT_WITNESS,
                  OPT_STATES,
                  OPT_SECONDS,
                  OPT_MEMORY,
                  OPT_COLOR,
                  OPT_VERSION,
                  OPT_REDUCTION,
                  OPT_FINDINGS,
                  OPT_KINDS,
                  OPT_TIMELINE,
                  OPT_SAVE,
                  OPT_BASELINE,
                  OPT_TOLERANCE,
                  OPT_BASE,
                  OPT_FREE,
                  OPT_LOSS,
                  OPT_ITERATIONS
};

/* What an argument can be, for completion. */
enum takes {
    TAKES_NOTHING,
    TAKES_WORD, /* one of those in `argument`, which '|' separates */
    TAKES_FORMAT,
    TAKES_PROFILE,
    TAKES_RULE,
    TAKES_FILE,
    TAKES_TRACE, /* a file or a folder of them */
    TAKES_TEXT   /* nothing that could be completed */
};

/* What is run: bits, so that an option can say for which of them it is. */
enum command_set {
    FOR_RUN = 1,   /* without a subcommand, and check */
    FOR_LISTS = 2, /* profiles, explain */
    FOR_CONVERT = 4,
    FOR_STEP = 8,
    FOR_FIT = 16,
    FOR_COMPLETION = 32,
    FOR_ANY = 63
};

struct option_row {
    int key; /* its letter, or an option_key */
    const char *name;
    enum takes takes;
    const char *argument; /* as help shows it; NULL: none, or the formats */
    const char *help;     /* lines, the first one short */
    unsigned commands;    /* enum command_set: elsewhere it is an error */
};

struct subcommand_row {
    const char *name, *arguments; /* "[NAME]" */
    enum takes takes;             /* each of its arguments */
    const char *words;            /* for TAKES_WORD */
    const char *help;
    enum command_set set;
};

extern const struct option_row option_rows[];
extern const size_t option_row_count;
extern const struct subcommand_row subcommand_rows[];
extern const size_t subcommand_row_count;

enum { OPTIONS_MAX = 64 };

/* What getopt_long wants, ended by a row of zeros; `letters` of at least 2 * OPTIONS_MAX bytes. */
void options_for_getopt(struct option options[OPTIONS_MAX], char *letters);

const struct option_row *option_by_key(int key);

/* The subcommand of that name, NULL when there is none. */
const struct subcommand_row *subcommand_by_name(const char *name);

/* Whether that option is among those that were given (bit n: row n). */
bool option_given(uint64_t given, int key);

/* The first option that was given and is not for `set`; NULL when all are. */
const struct option_row *option_out_of_place(uint64_t given, enum command_set set);

/* The position of `word` among those that an option of TAKES_WORD takes; -1. */
int option_word(int key, const char *word);

/* The text of --help. */
void write_usage(FILE *out);

#endif
