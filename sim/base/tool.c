/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "sim/base/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void tool_begin(struct tool *tool)
{
    sigset_t held;
    tool->directory[0] = '\0';
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &held, &tool->mask);
}

int tool_make_directory(struct tool *tool)
{
    const char *parent = getenv("TMPDIR");
    if (!parent || !*parent || strlen(parent) > PATH_MAX - 32)
        parent = "/tmp";
    snprintf(tool->directory, sizeof tool->directory, "%s/fencesim-XXXXXX", parent);
    if (!mkdtemp(tool->directory)) {
        tool->directory[0] = '\0';
        return errno;
    }
    snprintf(tool->input, TOOL_PATH_BYTES, "%s/in.s", tool->directory);
    snprintf(tool->object, TOOL_PATH_BYTES, "%s/out.o", tool->directory);
    snprintf(tool->messages, TOOL_PATH_BYTES, "%s/messages", tool->directory);
    return 0;
}

static int spawn_with(const struct tool *tool, char *const *arguments, char *const *environment,
                      pid_t *pid, posix_spawn_file_actions_t *actions,
                      posix_spawnattr_t *attributes)
{
    int error = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(actions, 1, tool->messages,
                                                 O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0600);
    if (!error)
        error = posix_spawn_file_actions_adddup2(actions, 1, 2);
    if (!error)
        error = posix_spawnattr_setsigmask(attributes, &tool->mask);
    if (!error)
        error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK);
    if (!error)
        error = posix_spawnp(pid, arguments[0], actions, attributes, arguments, environment);
    return error;
}

int tool_start(const struct tool *tool, char *const *arguments, char *const *environment,
               pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        error = spawn_with(tool, arguments, environment, pid, &actions, &attributes);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

bool tool_wait(pid_t pid)
{
    int status = 0;
    for (;;) {
        pid_t got = waitpid(pid, &status, 0);
        if (got == pid)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (got < 0 && errno != EINTR)
            return errno == ECHILD;
    }
}

void tool_end(struct tool *tool)
{
    if (tool->directory[0]) {
        unlink(tool->input);
        unlink(tool->object);
        unlink(tool->messages);
        rmdir(tool->directory);
    }
    pthread_sigmask(SIG_SETMASK, &tool->mask, NULL);
}
