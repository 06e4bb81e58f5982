/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stepping with plain prompts. */
#include "sim/command/step.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEP_USAGE = 2, STEP_INTERNAL = 70, LINE_BYTES_MAX = 256 };

static size_t choice_count(const fs_stepper *stepper)
{
    size_t count = 0;
    while (fs_stepper_choice(stepper, count))
        count++;
    return count;
}

static size_t step_count(const fs_stepper *stepper)
{
    size_t count = 0;
    while (fs_stepper_step(stepper, count))
        count++;
    return count;
}

static void show(const fs_stepper *stepper)
{
    size_t choices = choice_count(stepper), steps = step_count(stepper);
    printf("\nafter %zu step%s\n%s", steps, steps == 1 ? "" : "s", fs_stepper_state(stepper));
    for (size_t i = 0; i < choices; i++)
        printf("  %zu  %s\n", i + 1, fs_stepper_choice(stepper, i));
}

static void show_steps(const fs_stepper *stepper)
{
    const char *text;
    for (size_t i = 0; (text = fs_stepper_step(stepper, i)); i++)
        printf("  %3zu %s\n", i + 1, text);
}

static void help(void)
{
    printf("  a number takes that choice; u takes the last step back, r all of them;\n"
           "  l lists the steps that were taken; q ends\n");
}

/* What one line of input asks for; `*status` is of the library. False: it is the end. */
static bool obey(fs_stepper *stepper, const char *line, fs_status *status)
{
    char *end;
    size_t choices = choice_count(stepper);
    unsigned long number = strtoul(line, &end, 10);
    if (line[0] >= '0' && line[0] <= '9' && *end == '\0') {
        if (number == 0 || number > choices) {
            printf("  there is no choice %s\n", line);
            return true;
        }
        *status = fs_stepper_take(stepper, number - 1);
    } else if (strcmp(line, "q") == 0) {
        return false;
    } else if (strcmp(line, "u") == 0 || strcmp(line, "r") == 0) {
        *status = fs_stepper_undo(stepper, line[0] == 'u' ? 1 : SIZE_MAX);
    } else if (strcmp(line, "l") == 0) {
        show_steps(stepper);
        return true;
    } else {
        if (line[0] && strcmp(line, "?") != 0)
            printf("  '%s' is no choice\n", line);
        help();
        return true;
    }
    if (*status != FS_OK)
        return false;
    show(stepper);
    return true;
}

/* A line without its end; false at the end of input. What is too long is cut off. */
static bool read_line(char line[LINE_BYTES_MAX])
{
    if (!fgets(line, LINE_BYTES_MAX, stdin))
        return false;
    size_t length = strlen(line);
    bool whole = length && line[length - 1] == '\n';
    for (int c = 0; !whole && c != '\n' && c != EOF;)
        c = getchar();
    while (length &&
           (line[length - 1] == '\n' || line[length - 1] == '\r' || line[length - 1] == ' '))
        line[--length] = '\0';
    return true;
}

static int prompt(fs_stepper *stepper, const volatile int *stop)
{
    char line[LINE_BYTES_MAX];
    fs_status status = FS_OK;
    bool echo = !isatty(STDIN_FILENO);
    printf("%s\n", fs_stepper_title(stepper));
    show(stepper);
    for (bool more = true; more && !*stop;) {
        printf("choose a number, u(ndo), r(estart), l(ist), q(uit), ?: ");
        fflush(stdout);
        more = read_line(line);
        if (!more || echo)
            printf("%s\n", more ? line : "");
        more = more && obey(stepper, line, &status);
    }
    if (status != FS_OK) {
        fprintf(stderr, "simulate: memory ran out\n");
        return STEP_INTERNAL;
    }
    if (fflush(stdout) && errno != EPIPE) {
        fprintf(stderr, "simulate: cannot write: %s\n", strerror(errno));
        return STEP_INTERNAL;
    }
    return 0;
}

int step(const fs_options *options, const char *path)
{
    fs_stepper *stepper;
    const char *line;
    static const volatile int never;
    const volatile int *stop = options->stop ? options->stop : &never;
    if (strcmp(path, "-") == 0) {
        fprintf(stderr, "simulate: step reads its choices from standard input; name a file\n");
        return STEP_USAGE;
    }
    if (options->profile_count > 1 || options->variant_count > 1) {
        fprintf(stderr, "simulate: step takes one profile and one variant\n");
        return STEP_USAGE;
    }
    fs_status status = fs_stepper_open(path, options, &stepper);
    if (!stepper) {
        fprintf(stderr, "simulate: memory ran out\n");
        return STEP_INTERNAL;
    }
    for (size_t i = 0; (line = fs_stepper_diagnostic(stepper, i)); i++)
        fprintf(stderr, "%s\n", line);
    int result = status == FS_BAD_INPUT ? STEP_USAGE : -1;
    if (status == FS_OK && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
        result = step_on_terminal(stepper, stop);
    if (result < 0)
        result = prompt(stepper, stop);
    fs_stepper_free(stepper);
    return result;
}
