/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `simulate fit`: the report, and the fitted profile where one was asked for. */
#include "sim/command/command.h"

static int save_fitted(const char *path, fs_fit_result *result)
{
    const char *text;
    size_t length;
    fs_status status = fs_fit_profile(result, &text, &length);
    if (status == FS_BAD_INPUT) {
        fprintf(stderr, "simulate: '%s' was not written: nothing was fitted\n", path);
        return fs_fit_complete(result) ? EXIT_USAGE : EXIT_UNKNOWN;
    }
    return status == FS_OK ? write_out(path, text, length) : report_failure(status);
}

int command_fit(struct command *command, const char *path)
{
    fs_fit_options *options = &command->fit;
    fs_fit_result *result;
    const char *text, *line;
    size_t length;
    if (command->format != FS_FORMAT_TEXT && command->format != FS_FORMAT_JSON)
        return usage_error("%s", "fit reports as text or json");
    if (command->output && options->free_count == 0)
        return usage_error("-o '%s' takes the fitted profile: name what is --free",
                           command->output);
    options->free_names = command->free_names;
    options->stop = command->options.stop;
    options->jobs = command->options.jobs;
    options->max_seconds = command->options.max_seconds;
    options->max_memory = command->options.max_memory;
    fs_status status = fs_fit(path, options, &result);
    if (!result)
        return report_failure(status);
    for (size_t i = 0; (line = fs_fit_diagnostic(result, i)); i++)
        fprintf(stderr, "%s\n", line);
    int done = status == FS_OK ? 0 : EXIT_USAGE;
    if (status == FS_OK) {
        status = fs_fit_write(result, command->format, command->verbosity, &text, &length);
        done = status == FS_OK ? write_out(NULL, text, length) : report_failure(status);
    }
    if (done == 0 && command->output)
        done = save_fitted(command->output, result);
    if (done == 0 && !fs_fit_complete(result))
        done = EXIT_UNKNOWN;
    fs_fit_free(result);
    return done;
}
