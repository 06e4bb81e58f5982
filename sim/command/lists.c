/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Subcommands that write one text: profiles, explain, convert, completion. */
#include <stdlib.h>
#include <string.h>

#include "sim/command/command.h"
#include "sim/command/completion.h"

int command_list(struct command *command, write_list *write, const char *name)
{
    char *text;
    if (command->format != FS_FORMAT_TEXT && command->format != FS_FORMAT_JSON)
        return usage_error("profiles and explain are text or json, not %s",
                           fs_format_name(command->format));
    fs_status status = write(name, command->format, &text);
    if (status == FS_BAD_INPUT) {
        fprintf(stderr, "simulate: %s", text);
        free(text);
        return EXIT_USAGE;
    }
    if (status != FS_OK)
        return report_failure(status);
    int result = write_out(command->output, text, strlen(text));
    free(text);
    return result;
}

int command_convert(struct command *command, const char *path)
{
    char *text;
    if (command->options.variant_count > 1)
        return usage_error("convert takes one variant, not also '%s'", command->variants[1]);
    const char *variant = command->options.variant_count ? command->variants[0] : NULL;
    fs_status status = fs_convert(path, variant, &text);
    if (status != FS_OK && status != FS_BAD_INPUT)
        return report_failure(status);
    if (status == FS_BAD_INPUT)
        fputs(text, stderr);
    int written = status == FS_OK ? write_out(command->output, text, strlen(text)) : EXIT_USAGE;
    free(text);
    return written;
}

/* ---- completion ---- */

/* The first word of each line, with spaces between them; in place. */
static void keep_names(char *lines)
{
    char *out = lines;
    while (*lines) {
        size_t word = strcspn(lines, " \n"), line = strcspn(lines, "\n");
        memmove(out, lines, word);
        lines += line + (lines[line] == '\n');
        out += word;
        *out++ = *lines ? ' ' : '\0';
    }
    *out = '\0';
}

struct completion_request {
    const char *shell;
    struct completion_names names;
};

static bool write_script(FILE *out, void *argument)
{
    const struct completion_request *request = argument;
    return write_completion(out, request->shell, &request->names);
}

int command_completion(struct command *command, const char *shell)
{
    (void)command;
    char *profiles = NULL, *rules = NULL;
    fs_status status = fs_profiles_text(NULL, FS_FORMAT_TEXT, &profiles);
    if (status == FS_OK)
        status = fs_rules_text(NULL, FS_FORMAT_TEXT, &rules);
    int done = status == FS_OK ? 0 : report_failure(status);
    if (done == 0) {
        keep_names(profiles);
        keep_names(rules);
        struct completion_request request = {shell, {profiles, rules}};
        done = write_from(write_script, &request);
        if (done == EXIT_USAGE)
            usage_error("completion is for bash, zsh and fish, not for '%s'", shell);
    }
    free(profiles);
    free(rules);
    return done;
}
