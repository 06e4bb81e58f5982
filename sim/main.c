/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command: options in, report out, exit status. Everything else is libfencesim's. */
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "include/fencesim/fencesim.h"
#include "sim/command/capture.h"
#include "sim/command/command.h"
#include "sim/command/options.h"
#include "sim/command/step.h"

enum { MAPPED_BYTES = 4 << 20 };

static volatile int interrupted;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

/*
 * Large tables grow in place then, and give their memory back: with the C library's growing
 * threshold they are copied within the heap, where the old ones stay.
 */
static void keep_memory_close(void)
{
    mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
    mallopt(M_TRIM_THRESHOLD, MAPPED_BYTES); /* the next program needs it again */
    mallopt(M_TOP_PAD, MAPPED_BYTES / 4);
}

static void catch_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    action.sa_flags = (int)SA_RESETHAND; /* a second one kills */
    sigaction(SIGINT, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static bool write_help(FILE *out, void *nothing)
{
    (void)nothing;
    write_usage(out);
    return true;
}

static int command_step(struct command *command, const char *path)
{
    return step(&command->options, path);
}

/* Subcommands of exactly one argument. */
static const struct {
    const char *name, *wants;
    int (*run)(struct command *command, const char *argument);
} of_one[] = {
    {"completion", "completion takes a shell: bash, zsh or fish", command_completion},
    {"convert", "convert takes one file", command_convert},
    {"fit", "fit takes one file of measured loops", command_fit},
    {"step", "step takes one file", command_step},
};

/* What is left when options are read: a subcommand and its arguments, or traces. */
static int dispatch(struct command *command, int count, char **words)
{
    const char *const *paths = (const char *const *)words;
    if (count == 0)
        return usage_error("%s", "no trace given");
    const struct subcommand_row *subcommand = subcommand_by_name(words[0]);
    if (subcommand && strcmp(subcommand->name, "capture") == 0)
        return usage_error("%s", "capture comes first: its options are its own");
    const struct option_row *stray =
        option_out_of_place(command->given, subcommand ? subcommand->set : FOR_RUN);
    if (stray) {
        fprintf(stderr, "simulate: --%s means nothing to %s\ntry 'simulate --help'\n", stray->name,
                subcommand ? subcommand->name : "a run; it is an option of fit");
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < sizeof of_one / sizeof *of_one; i++)
        if (strcmp(words[0], of_one[i].name) == 0)
            return count == 2 ? of_one[i].run(command, words[1])
                              : usage_error("%s", of_one[i].wants);
    bool profiles = strcmp(words[0], "profiles") == 0;
    if (profiles || strcmp(words[0], "explain") == 0)
        return count > 2
                   ? usage_error("one name is enough, not also '%s'", words[2])
                   : command_list(command, profiles ? fs_profiles_text : fs_rules_text, words[1]);
    if (strcmp(words[0], "check") == 0)
        return count == 1 ? usage_error("%s", "check takes files or folders")
                          : command_check(command, paths + 1, (size_t)count - 1);
    return command_run(command, paths, (size_t)count);
}

int main(int argc, char **argv)
{
    struct command command = {0};
    struct option long_options[OPTIONS_MAX];
    char letters[2 * OPTIONS_MAX];
    int option, problem;
    fs_options_init(&command.options);
    fs_fit_options_init(&command.fit);
    command.options.profiles = command.profiles;
    command.options.variants = command.variants;
    command.options.stop = &interrupted;
    keep_memory_close();
    if (argc > 1 && strcmp(argv[1], "capture") == 0)
        return command_capture(argc - 1, argv + 1);
    catch_signals();
    options_for_getopt(long_options, letters);
    while ((option = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
        if (option == 'h')
            return write_from(write_help, NULL);
        if (option == OPT_VERSION)
            return write_out(NULL, "simulate " FS_VERSION "\n",
                             strlen("simulate " FS_VERSION "\n"));
        if ((problem = take_option(&command, option)))
            return problem;
    }
    return dispatch(&command, argc - optind, argv + optind);
}
