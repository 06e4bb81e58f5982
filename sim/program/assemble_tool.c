/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs GNU as on one input. What the run needs outside of memory (a temporary directory, a
 * descriptor, an Elf handle) is in a session that is released on every way out.
 */
#define _GNU_SOURCE
#include "sim/program/assemble.h"

#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/tool.h"

enum {
    MESSAGES_MAX = 16 << 20, /* more than that of complaints is not read */
    OBJECT_MAX = 1 << 30,
    CPU_SECONDS = 120 /* a stop for whatever a hostile text may do to `as` */
};

struct session {
    struct tool tool;
    int fd; /* -1: none */
    Elf *elf;
};

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
    tool_end(&session->tool);
}

static bool write_input(struct session *session, const struct text *input)
{
    size_t done = 0;
    session->fd = open(session->tool.input, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
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

static int start(struct tool *tool, char **environment, pid_t *pid)
{
    char name[] = "as", bits[] = "--64", output[] = "-o", no_note[] = "-mx86-used-note=no";
    char *arguments[] = {name, bits, no_note, output, tool->object, tool->input, NULL};
    struct rlimit seconds = {CPU_SECONDS, CPU_SECONDS}, bytes = {OBJECT_MAX, OBJECT_MAX};
    int error = tool_start(tool, arguments, environment, pid);
    if (error)
        return error;
    prlimit(*pid, RLIMIT_CPU, &seconds, NULL);
    prlimit(*pid, RLIMIT_FSIZE, &bytes, NULL);
    return 0;
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
    output->messages = read_file(session, region, session->tool.messages, MESSAGES_MAX, &size);
    if (!output->messages) {
        give_up(output, errno, "read the messages of `as`");
        return;
    }
    output->input_name = region_strdup(region, session->tool.input);
    char *image =
        ended_well ? read_file(session, region, session->tool.object, OBJECT_MAX, &size) : NULL;
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
    int error = tool_make_directory(&session->tool);
    if (error) {
        give_up(output, error, "make a temporary directory");
        return;
    }
    if (!write_input(session, input)) {
        give_up(output, errno, "write a temporary file");
        return;
    }
    error = start(&session->tool, environment, &pid);
    if (error) {
        give_up(output, error, "run `as`");
        return;
    }
    read_results(session, region, mark_count, tool_wait(pid), output);
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
    tool_begin(&session.tool);
    bool enough_memory = run_guarded(&session, region, input, mark_count, output);
    session_release(&session);
    memcpy(&region->escape, &outer, sizeof outer);
    region->guarded = was_guarded;
    if (!enough_memory)
        region_fail(region);
}
