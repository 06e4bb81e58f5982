/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run of an assembler or compiler. What it needs outside of memory is a temporary folder with
 * its input, its object file and what it says; tool_end removes it. Signals that would end the
 * program wait from tool_begin until then.
 *
 * Nothing here allocates, so that no unwinding can come between tool_begin and tool_end but one
 * of the caller's own.
 */
#ifndef FENCESIM_SIM_BASE_TOOL_H_
#define FENCESIM_SIM_BASE_TOOL_H_

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

enum { TOOL_PATH_BYTES = PATH_MAX + 16 };

struct tool {
    char directory[PATH_MAX]; /* empty: not made */
    char input[TOOL_PATH_BYTES], object[TOOL_PATH_BYTES], messages[TOOL_PATH_BYTES];
    sigset_t mask; /* the caller's */
};

/* Holds signals; then tool_end must be called. */
void tool_begin(struct tool *tool);

/* Makes the folder, in TMPDIR or /tmp, and sets the paths of the files, of which none exists
 * yet. 0, or errno. */
int tool_make_directory(struct tool *tool);

/*
 * Starts `arguments[0]`, looked for as execvp does, with signals as the caller had them, nothing
 * to read, and both outputs in `messages`. Both arrays end with NULL. 0, or errno.
 */
int tool_start(const struct tool *tool, char *const *arguments, char *const *environment,
               pid_t *pid);

/* Waits for it. Whether it ended well; where the caller ignores SIGCHLD there is no status to ask
 * for: true, and the object file alone tells. */
bool tool_wait(pid_t pid);

void tool_end(struct tool *tool);

#endif
