/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/command/options.h"

#include <string.h>

#include "include/fencesim/fencesim.h"

enum { HELP_COLUMN = 25, SUBCOMMAND_COLUMN = 44 };

const struct subcommand_row subcommand_rows[] = {
    {"check", "[options] FILE|DIR...", TAKES_TRACE, NULL,
     "for CI: a line for each file that fails, and a count", FOR_RUN},
    {"profiles", "[NAME]", TAKES_PROFILE, NULL,
     "the profiles; one with every number and its source", FOR_LISTS},
    {"explain", "[RULE]", TAKES_RULE, NULL, "what findings and stalls mean; one with all about it",
     FOR_LISTS},
    {"convert", "[-V NAME] FILE", TAKES_TRACE, NULL,
     "a litmus test as a trace; a trace as a litmus test", FOR_CONVERT},
    {"step", "[options] FILE", TAKES_TRACE, NULL,
     "be the adversary: choose every step of one execution", FOR_STEP},
    {"fit", "LOOPS --base NAME", TAKES_FILE, NULL,
     "a profile's cycles beside measured loops, or fitted", FOR_FIT},
    {"capture", "FILE:FUNCTION...", TAKES_FILE, NULL, "compiled code as a trace (capture --help)",
     FOR_RUN},
    {"completion", "SHELL", TAKES_WORD, "bash|zsh|fish", "what a shell completes this command by",
     FOR_COMPLETION},
};

const size_t subcommand_row_count = sizeof subcommand_rows / sizeof subcommand_rows[0];

const struct option_row option_rows[] = {
    {'p', "profile", TAKES_PROFILE, "NAME",
     "may be repeated; 'all'; or the path of a profile file. Default: the\n"
     "profiles that the trace's expectations name, or x86",
     FOR_RUN | FOR_STEP},
    {'V', "variant", TAKES_TEXT, "NAME", "only this variant (may be repeated)",
     FOR_RUN | FOR_CONVERT | FOR_STEP},
    {OPT_ONLY, "only", TAKES_WORD, "order|time", "half of the work", FOR_RUN},
    {'f', "format", TAKES_FORMAT, NULL,
     "for people, scripts, as herd7; for CI: test results (JUnit, TAP), code\n"
     "scanning (SARIF), messages as compilers print them, annotations; html:\n"
     "one page with scripts to step through and to explore it",
     FOR_RUN | FOR_LISTS | FOR_FIT},
    {'o', "output", TAKES_FILE, "FILE", "write the report there",
     FOR_RUN | FOR_LISTS | FOR_CONVERT | FOR_FIT},
    {OPT_WITNESS, "witness", TAKES_WORD, "none|first|all",
     "executions to show: none, one for each violated or surprising\n"
     "outcome (default), one for every outcome",
     FOR_RUN},
    {OPT_FINDINGS, "findings", TAKES_WORD, "none|static|all",
     "static leaves out those that explore the run again without a fence,\n"
     "or with it elsewhere (default all)",
     FOR_RUN},
    {OPT_KINDS, "kinds", TAKES_FILE, "FILE",
     "what to expect of litmus tests: lines of a test's name and Allow,\n"
     "Forbid or Require",
     FOR_RUN},
    {OPT_SAVE, "save-baseline", TAKES_FILE, "FILE", "keep the cycles of this run in a file",
     FOR_RUN},
    {OPT_BASELINE, "baseline", TAKES_FILE, "FILE",
     "fail (1) when a run costs more than one that was saved there", FOR_RUN},
    {OPT_TOLERANCE, "tolerance", TAKES_TEXT, "PERCENT", "by which it may (default 5%)", FOR_RUN},
    {OPT_TIMELINE, "timeline", TAKES_NOTHING, NULL,
     "when the instructions of the first lines or the last iterations were\n"
     "dispatched, executed, retired and committed, cycle by cycle",
     FOR_RUN},
    {OPT_BASE, "base", TAKES_PROFILE, "NAME", "fit: the profile to begin with", FOR_FIT},
    {OPT_FREE, "free", TAKES_TEXT, "PARAMETER",
     "fit: a parameter that may move, or a pattern (may be repeated); as\n"
     "NAME=LOW:HIGH within a range; none: which ones matter to what",
     FOR_FIT},
    {OPT_LOSS, "loss", TAKES_WORD, "squares|absolute",
     "fit: what is made small (default squares of relative residuals);\n"
     "-o FILE takes the fitted profile",
     FOR_FIT},
    {OPT_ITERATIONS, "iterations", TAKES_TEXT, "N", "fit: of each loop (default 4000)", FOR_FIT},
    {OPT_STATES, "max-states", TAKES_TEXT, "N", "per run (default 20000000); 0: no limit",
     FOR_RUN | FOR_STEP},
    {OPT_SECONDS, "max-seconds", TAKES_TEXT, "S", "per run (default: no limit)",
     FOR_RUN | FOR_STEP | FOR_FIT},
    {OPT_MEMORY, "max-memory", TAKES_TEXT, "SIZE", "per run, as 512MiB or 2GiB (default 4GiB)",
     FOR_RUN | FOR_STEP | FOR_FIT},
    {OPT_REDUCTION, "reduction", TAKES_WORD, "none|full",
     "none explores every interleaving, for comparison", FOR_RUN},
    {'j', "jobs", TAKES_TEXT, "N", "traces at a time (default: the machine's cores)",
     FOR_RUN | FOR_FIT},
    {'q', "quiet", TAKES_NOTHING, NULL, "verdicts only", FOR_RUN | FOR_FIT},
    {'v', "verbose", TAKES_NOTHING, NULL, "more of everything", FOR_RUN | FOR_FIT},
    {OPT_COLOR, "color", TAKES_WORD, "auto|always|never", "(NO_COLOR is honoured)", FOR_RUN},
    {'h', "help", TAKES_NOTHING, NULL, "this text", FOR_ANY},
    {OPT_VERSION, "version", TAKES_NOTHING, NULL, "which version this is", FOR_ANY},
};

const size_t option_row_count = sizeof option_rows / sizeof option_rows[0];

_Static_assert(sizeof option_rows / sizeof option_rows[0] < OPTIONS_MAX, "room for all of them");

void options_for_getopt(struct option options[OPTIONS_MAX], char *letters)
{
    memset(options, 0, OPTIONS_MAX * sizeof *options);
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        bool argument = row->takes != TAKES_NOTHING;
        options[i] =
            (struct option){row->name, argument ? required_argument : no_argument, NULL, row->key};
        if (row->key < OPT_ONLY)
            *letters++ = (char)row->key;
        if (row->key < OPT_ONLY && argument)
            *letters++ = ':';
    }
    *letters = '\0';
}

const struct option_row *option_by_key(int key)
{
    for (size_t i = 0; i < option_row_count; i++)
        if (option_rows[i].key == key)
            return &option_rows[i];
    return NULL;
}

const struct subcommand_row *subcommand_by_name(const char *name)
{
    for (size_t i = 0; i < subcommand_row_count; i++)
        if (strcmp(subcommand_rows[i].name, name) == 0)
            return &subcommand_rows[i];
    return NULL;
}

bool option_given(uint64_t given, int key)
{
    return given >> (option_by_key(key) - option_rows) & 1;
}

const struct option_row *option_out_of_place(uint64_t given, enum command_set set)
{
    for (size_t i = 0; i < option_row_count; i++)
        if ((given >> i & 1) && !(option_rows[i].commands & set))
            return &option_rows[i];
    return NULL;
}

int option_word(int key, const char *word)
{
    const char *words = option_by_key(key)->argument;
    size_t length = strlen(word);
    for (int i = 0;; i++) {
        size_t here = strcspn(words, "|");
        if (here == length && strncmp(words, word, length) == 0)
            return i;
        if (words[here] == '\0')
            return -1;
        words += here + 1;
    }
}

/* ---- help ---- */

/* Lines of help; those after the first are indented. */
static void write_help(FILE *out, const char *help, int column)
{
    for (;;) {
        int length = (int)strcspn(help, "\n");
        fprintf(out, "%.*s\n", length, help);
        if (help[length] == '\0')
            return;
        help += length + 1;
        fprintf(out, "%*s", column, "");
    }
}

static void write_option(FILE *out, const struct option_row *row)
{
    char head[1024]; /* the longest has all formats */
    const char *format;
    int length = row->key < OPT_ONLY
                     ? snprintf(head, sizeof head, "  -%c, --%s", row->key, row->name)
                     : snprintf(head, sizeof head, "      --%s", row->name);
    if (row->argument)
        length += snprintf(head + length, sizeof head - (size_t)length, " %s", row->argument);
    for (int i = 0; row->takes == TAKES_FORMAT && (format = fs_format_name((fs_format)i)); i++)
        length +=
            snprintf(head + length, sizeof head - (size_t)length, "%c%s", i ? '|' : ' ', format);
    bool fits = length + 2 <= HELP_COLUMN;
    fprintf(out, "%s%s%*s", head, fits ? "" : "\n", fits ? HELP_COLUMN - length : HELP_COLUMN, "");
    write_help(out, row->help, HELP_COLUMN);
}

void write_usage(FILE *out)
{
    fputs("usage: simulate [options] FILE|DIR...       judge and time every trace; - is standard "
          "input\n",
          out);
    for (size_t i = 0; i < subcommand_row_count; i++) {
        const struct subcommand_row *row = &subcommand_rows[i];
        int length = fprintf(out, "       simulate %s %s", row->name, row->arguments);
        int padding = length < SUBCOMMAND_COLUMN ? SUBCOMMAND_COLUMN - length : 1;
        fprintf(out, "%*s%s\n", padding, "", row->help);
    }
    fputs("\n"
          "  simulate traces/seeds/store_mb.yaml --profile zen4\n"
          "  simulate traces/classic -q\n"
          "  simulate -p intel -p amd -V mfence --only order -f json my.yaml\n"
          "\n",
          out);
    for (size_t i = 0; i < option_row_count; i++)
        write_option(out, &option_rows[i]);
    fputs(
        "\n"
        "exit status: 0 every expectation held; 1 one did not, or (without expectations) an "
        "outcome\n"
        "that no interleaving explains is reachable; 2 bad usage or bad input; 3 unknown: a limit "
        "was\n"
        "hit or something is not modelled; 70 internal error\n",
        out);
}
