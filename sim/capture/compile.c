/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the compiler. Its object file and its words are in a temporary folder, which is gone
 * before this returns; signals that would end the program wait for that.
 */
#define _GNU_SOURCE
#include "sim/capture/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = PATH_MAX + 16, WORDS_MAX = 8192 };

struct session {
    char directory[PATH_MAX]; /* empty: not made */
    char object[PATH_BYTES], messages[PATH_BYTES];
    sigset_t mask; /* the caller's */
};

static void hold_signals(struct session *session)
{
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &held, &session->mask);
}

static void release(struct session *session)
{
    if (session->directory[0]) {
        unlink(session->object);
        unlink(session->messages);
        rmdir(session->directory);
    }
    pthread_sigmask(SIG_SETMASK, &session->mask, NULL);
}

static bool make_directory(struct session *session)
{
    const char *parent = getenv("TMPDIR");
    if (!parent || !*parent || strlen(parent) > PATH_MAX - 32)
        parent = "/tmp";
    snprintf(session->directory, sizeof session->directory, "%s/fencesim-XXXXXX", parent);
    if (!mkdtemp(session->directory)) {
        session->directory[0] = '\0';
        return false;
    }
    snprintf(session->object, PATH_BYTES, "%s/out.o", session->directory);
    snprintf(session->messages, PATH_BYTES, "%s/messages", session->directory);
    return true;
}

static int spawn_with(const struct session *session, char **arguments, pid_t *pid,
                      posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes)
{
    int error = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(actions, 1, session->messages,
                                                 O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0600);
    if (!error)
        error = posix_spawn_file_actions_adddup2(actions, 1, 2);
    if (!error)
        error = posix_spawnattr_setsigmask(attributes, &session->mask);
    if (!error)
        error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK);
    if (!error)
        error = posix_spawnp(pid, arguments[0], actions, attributes, arguments, environ);
    return error;
}

static int spawn(const struct session *session, char **arguments, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        error = spawn_with(session, arguments, pid, &actions, &attributes);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static bool ended_well(pid_t pid)
{
    int status = 0;
    for (;;) {
        pid_t got = waitpid(pid, &status, 0);
        if (got == pid)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (got < 0 && errno != EINTR)
            return errno == ECHILD; /* the caller ignores SIGCHLD: the object file tells */
    }
}

static void read_words(const struct session *session, char words[WORDS_MAX + 1])
{
    int fd = open(session->messages, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? 0 : read(fd, words, WORDS_MAX);
    if (fd >= 0)
        close(fd);
    words[size > 0 ? size : 0] = '\0';
}

/* What the compiler said, a diagnostic for each line. */
static void repeat_words(char *words, struct region *region, struct diagnostics *diagnostics)
{
    for (char *line = words, *end; *line; line = end + (*end != '\0')) {
        end = line + strcspn(line, "\n");
        for (char *c = line; c < end; c++)
            if ((unsigned char)*c < ' ' && *c != '\t')
                *c = '?';
        if (end > line)
            diagnostics_add(diagnostics, "", (struct place){0}, "%s",
                            region_strndup(region, line, (size_t)(end - line)));
    }
}

/* Allocates nothing, so that the folder is removed whatever happens. */
static int run(struct session *session, char **arguments, int *error, char words[WORDS_MAX + 1])
{
    pid_t pid;
    words[0] = '\0';
    *error = make_directory(session) ? 0 : errno;
    if (!*error)
        *error = spawn(session, arguments, &pid);
    if (*error)
        return -1;
    if (ended_well(pid))
        return open(session->object, O_RDONLY | O_CLOEXEC);
    read_words(session, words);
    return -1;
}

int compile_source(struct region *region, const char *const *compiler, size_t count,
                   const char *source, struct diagnostics *diagnostics)
{
    char words[WORDS_MAX + 1];
    struct session *session = region_alloc(region, sizeof *session);
    char **arguments = region_array(region, count + 6, sizeof *arguments);
    int error;
    for (size_t i = 0; i < count; i++)
        arguments[i] = region_strdup(region, compiler[i]);
    arguments[count] = region_strdup(region, "-g");
    arguments[count + 1] = region_strdup(region, "-c");
    arguments[count + 2] = region_strdup(region, "-o");
    arguments[count + 3] = session->object;
    arguments[count + 4] = region_strdup(region, source);
    hold_signals(session);
    int fd = run(session, arguments, &error, words);
    release(session);
    if (fd < 0) {
        repeat_words(words, region, diagnostics);
        diagnostics_add(diagnostics, source, (struct place){0}, "'%s' %s%s", compiler[0],
                        error ? "could not be run: " : "did not compile it",
                        error ? strerror(error) : "");
    }
    return fd;
}
