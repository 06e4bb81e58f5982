/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs GNU as on one input. What the run needs outside of memory (a temporary directory, a
 * descriptor, an Elf handle) is in a session that is released on every way out, and signals
 * that would end the program wait for that, too.
 */
#define _GNU_SOURCE
#include "sim/program/assemble.h"

#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PATH_BYTES = PATH_MAX + 16,
    MESSAGES_MAX = 16 << 20, /* more than that of complaints is not read */
    OBJECT_MAX = 1 << 30,
    CPU_SECONDS = 120 /* a stop for whatever a hostile text may do to `as` */
};

struct session {
    char directory[PATH_MAX]; /* empty: not made */
    char input[PATH_BYTES], object[PATH_BYTES], messages[PATH_BYTES];
    int fd; /* -1: none */
    Elf *elf;
    sigset_t mask; /* the caller's */
};

static void set_path(const struct session *session, char path[PATH_BYTES], const char *name)
{
    snprintf(path, PATH_BYTES, "%s/%s", session->directory, name);
}

static void close_fd(struct session *session)
{
    if (session->fd >= 0)
        close(session->fd);
    session->fd = -1;
}

static void session_release(struct session *session)
{
    if (session->elf)
        elf_end(session->elf);
    close_fd(session);
    if (session->directory[0]) {
        unlink(session->input);
        unlink(session->object);
        unlink(session->messages);
        rmdir(session->directory);
    }
    pthread_sigmask(SIG_SETMASK, &session->mask, NULL);
}

static void hold_signals(struct session *session)
{
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &held, &session->mask);
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
    set_path(session, session->input, "in.s");
    set_path(session, session->object, "out.o");
    set_path(session, session->messages, "messages");
    return true;
}

static bool write_input(struct session *session, const struct text *input)
{
    size_t done = 0;
    session->fd = open(session->input, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (session->fd < 0)
        return false;
    while (done < input->length) {
        ssize_t wrote = write(session->fd, input->data + done, input->length - done);
        if (wrote < 0 && errno != EINTR)
            return false;
        if (wrote > 0)
            done += (size_t)wrote;
    }
    close_fd(session);
    return true;
}

/* The whole file, NUL-terminated and at most `limit` bytes, in memory to be freed with
 * region_free; NULL with errno when it cannot be read. */
static char *read_file(struct session *session, struct region *region, const char *path,
                       size_t limit, size_t *size)
{
    struct stat status;
    session->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (session->fd < 0 || fstat(session->fd, &status) != 0)
        return NULL;
    size_t wanted = (size_t)status.st_size < limit ? (size_t)status.st_size : limit;
    char *data = region_resize(region, NULL, wanted + 1);
    *size = 0;
    while (*size < wanted) {
        ssize_t got = read(session->fd, data + *size, wanted - *size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        *size += (size_t)got;
    }
    data[*size] = '\0';
    close_fd(session);
    return data;
}

/* The environment with messages in English, since they are parsed. */
static char **tool_environment(struct region *region)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **copy = region_array(region, count + 2, sizeof *copy);
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "LC_ALL=", 7) != 0 && strncmp(environ[i], "LANGUAGE=", 9) != 0)
            copy[kept++] = environ[i];
    copy[kept] = region_strdup(region, "LC_ALL=C");
    return copy;
}

static int spawn_with(struct session *session, char **environment, pid_t *pid,
                      posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes)
{
    char name[] = "as", bits[] = "--64", output[] = "-o", no_note[] = "-mx86-used-note=no";
    char *arguments[] = {name, bits, no_note, output, session->object, session->input, NULL};
    int error = posix_spawn_file_actions_addopen(actions, 0, session->input, O_RDONLY, 0);
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
        error = posix_spawnp(pid, name, actions, attributes, arguments, environment);
    return error;
}

static int spawn(struct session *session, char **environment, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        error = spawn_with(session, environment, pid, &actions, &attributes);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Whether it ended well. A caller that ignores SIGCHLD leaves no status to ask for; then the
 * object file alone tells. */
static bool wait_for(pid_t pid)
{
    int status = 0;
    struct rlimit seconds = {CPU_SECONDS, CPU_SECONDS}, bytes = {OBJECT_MAX, OBJECT_MAX};
    prlimit(pid, RLIMIT_CPU, &seconds, NULL);
    prlimit(pid, RLIMIT_FSIZE, &bytes, NULL);
    for (;;) {
        pid_t got = waitpid(pid, &status, 0);
        if (got == pid)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (got < 0 && errno != EINTR)
            return errno == ECHILD;
    }
}

static void give_up(struct as_output *output, int error, const char *what)
{
    output->error = error;
    output->failed_to = what;
}

static void read_results(struct session *session, struct region *region, size_t mark_count,
                         bool ended_well, struct as_output *output)
{
    size_t size;
    output->messages = read_file(session, region, session->messages, MESSAGES_MAX, &size);
    if (!output->messages) {
        give_up(output, errno, "read the messages of `as`");
        return;
    }
    output->input_name = region_strdup(region, session->input);
    char *image =
        ended_well ? read_file(session, region, session->object, OBJECT_MAX, &size) : NULL;
    if (!image)
        return;
    elf_version(EV_CURRENT);
    session->elf = elf_memory(image, size);
    output->assembled = session->elf && object_read(session->elf, region, mark_count, output);
    elf_end(session->elf);
    session->elf = NULL;
    region_free(region, image);
}

static void run_session(struct session *session, struct region *region, const struct text *input,
                        size_t mark_count, struct as_output *output)
{
    pid_t pid;
    char **environment = tool_environment(region);
    if (!make_directory(session)) {
        give_up(output, errno, "make a temporary directory");
        return;
    }
    if (!write_input(session, input)) {
        give_up(output, errno, "write a temporary file");
        return;
    }
    int error = spawn(session, environment, &pid);
    if (error) {
        give_up(output, error, "run `as`");
        return;
    }
    read_results(session, region, mark_count, wait_for(pid), output);
}

static bool run_guarded(struct session *session, struct region *region, const struct text *input,
                        size_t mark_count, struct as_output *output)
{
    if (region_guard(region))
        return false;
    run_session(session, region, input, mark_count, output);
    return true;
}

void as_run(struct region *region, const struct text *input, size_t mark_count,
            struct as_output *output)
{
    struct session session = {.fd = -1};
    /* A guard inside the caller's: release the session first, then unwind further. */
    jmp_buf outer;
    bool was_guarded = region->guarded;
    memcpy(&outer, &region->escape, sizeof outer);
    *output = (struct as_output){0};
    hold_signals(&session);
    bool enough_memory = run_guarded(&session, region, input, mark_count, output);
    session_release(&session);
    memcpy(&region->escape, &outer, sizeof outer);
    region->guarded = was_guarded;
    if (!enough_memory)
        region_fail(region);
}
