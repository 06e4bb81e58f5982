/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running traces: the report, and a baseline that is saved or compared with. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/command/check.h"
#include "sim/command/command.h"
#include "sim/command/options.h"
#include "sim/command/progress.h"

enum { GRAPH_STATES = 4000 /* of a run that an HTML report lets its reader explore */ };

static bool wants_color(const struct command *command)
{
    if (command->color != COLOR_AUTO)
        return command->color == COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return !command->output && isatty(STDOUT_FILENO) && (!no_color || !*no_color) &&
           (!terminal || strcmp(terminal, "dumb") != 0);
}

/* What bad input or an interruption left out would be missing in it. */
static int save_baseline(const struct command *command, fs_report *report, int result)
{
    const char *path = command->save_baseline;
    const char *text;
    size_t length;
    if (*command->options.stop || result == EXIT_USAGE || result == EXIT_INTERNAL) {
        fprintf(stderr, "simulate: '%s' was not saved: not everything could be run\n", path);
        return 0;
    }
    fs_status status = fs_report_baseline(report, &text, &length);
    if (status == FS_BAD_INPUT) {
        fprintf(stderr,
                "simulate: '%s' was not saved: no run has cycles; name a profile that has "
                "some, such as -p zen4\n",
                path);
        return EXIT_USAGE;
    }
    return status == FS_OK ? write_out(path, text, length) : report_failure(status);
}

/* Options that mean nothing beside the others; 0 or an exit status. */
static int disagreement(const struct command *command)
{
    const fs_options *options = &command->options;
    const char *of_cycles = options->baseline        ? "baseline"
                            : command->save_baseline ? "save-baseline"
                            : options->timeline      ? "timeline"
                                                     : NULL;
    if (options->half == FS_ORDER_ONLY && of_cycles)
        return usage_error("--%s is about cycles, which --only order leaves out", of_cycles);
    return 0;
}

int command_run(struct command *command, const char *const *paths, size_t count)
{
    int problem = disagreement(command);
    if (problem)
        return problem;
    fs_report *report;
    const char *text, *line;
    size_t length;
    if (option_given(command->given, OPT_TOLERANCE) && !command->options.baseline)
        return usage_error("%s", "--tolerance means nothing without --baseline");
    if (command->format == FS_FORMAT_HERD) { /* which has no place for either */
        command->options.relaxed = false;
        command->options.findings = FS_FINDINGS_NONE;
    }
    if (command->format == FS_FORMAT_HTML) {
        command->options.graph_states = GRAPH_STATES;
        command->options.timeline = true;
    }
    bool quiet = command->format == FS_FORMAT_TEXT && (command->verbosity < 0 || command->summary);
    if (command->format == FS_FORMAT_HERD || quiet)
        command->options.explain = false;
    fs_progress progress = {0};
    command->options.progress = &progress;
    progress_start(&progress);
    fs_status status = fs_run(paths, count, &command->options, &report);
    progress_stop();
    if (!report)
        return report_failure(status);
    for (size_t i = 0; (line = fs_report_diagnostic(report, i)); i++)
        fprintf(stderr, "%s\n", line);
    fs_style style = {.color = wants_color(command),
                      .verbosity = command->verbosity,
                      .summary = command->summary};
    int result = fs_report_exit_status(report);
    if (*command->options.stop && result == 0)
        result = EXIT_UNKNOWN; /* what was asked for was not all done */
    status = fs_report_write(report, command->format, &style, &text, &length);
    int written =
        status == FS_OK ? write_out(command->output, text, length) : report_failure(status);
    if (command->format != FS_FORMAT_TEXT && command->format != FS_FORMAT_JSON)
        for (size_t i = 0; (line = fs_report_regression(report, i)); i++)
            fprintf(stderr, "simulate: regression: %s\n", line);
    if (command->save_baseline && !written)
        written = save_baseline(command, report, result);
    if (command->options.baseline && !fs_report_compared(report) && result != EXIT_USAGE) {
        fprintf(stderr,
                "simulate: '%s' has no cost of this run; name the profiles (-p) and the files as "
                "when it was saved\n",
                command->options.baseline);
        result = EXIT_USAGE;
    }
    fs_report_free(report);
    return written ? written : result;
}

/* `check DIR` compares with the baseline in DIR, unless one is named or saved. */
int command_check(struct command *command, const char *const *paths, size_t count)
{
    fs_options *options = &command->options;
    command->summary = true;
    if (!options->baseline && !command->save_baseline) {
        if (!check_find_baseline(paths, count, command->found_baseline,
                                 sizeof command->found_baseline))
            return usage_error("a second baseline is '%s'; name one with --baseline",
                               command->found_baseline);
        if (command->found_baseline[0])
            options->baseline = command->found_baseline;
    }
    return command_run(command, paths, count);
}
