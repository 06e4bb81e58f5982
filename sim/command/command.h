/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the options of one call ask for, and the subcommands that do it. */
#ifndef FENCESIM_SIM_COMMAND_COMMAND_H_
#define FENCESIM_SIM_COMMAND_COMMAND_H_

#include "include/fencesim/fencesim.h"
#include "sim/command/output.h"

enum { NAMES_MAX = 256 };

struct command {
    fs_options options;
    fs_fit_options fit;
    fs_format format;
    const char *output, *save_baseline;
    int verbosity;
    bool summary;   /* `check` */
    uint64_t given; /* bit n: row n of the options' table */
    char found_baseline[4096];
    enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;
    const char *profiles[NAMES_MAX], *variants[NAMES_MAX], *free_names[NAMES_MAX];
};

/* Sets what an option of the table says, whose argument is getopt's; 0 or an exit status. */
int take_option(struct command *command, int option);

/* Each returns the exit status. */
int command_run(struct command *command, const char *const *paths, size_t count);
int command_check(struct command *command, const char *const *paths, size_t count);
int command_fit(struct command *command, const char *path);
int command_convert(struct command *command, const char *path);
int command_completion(struct command *command, const char *shell);

/* `profiles` and `explain`: a list, or one entry by name. */
typedef fs_status write_list(const char *name, fs_format format, char **text);
int command_list(struct command *command, write_list *write, const char *name);

#endif
