/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the compiler. Its object file and its words are in a temporary folder, which is gone
 * before this returns; signals that would end the program wait for that.
 */
#define _GNU_SOURCE
#include "sim/capture/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/tool.h"

enum { WORDS_MAX = 8192 };

static void read_words(const struct tool *tool, char words[WORDS_MAX + 1])
{
    int fd = open(tool->messages, O_RDONLY | O_CLOEXEC);
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
static int run(struct tool *tool, char **arguments, int *error, char words[WORDS_MAX + 1])
{
    pid_t pid;
    words[0] = '\0';
    *error = tool_make_directory(tool);
    if (!*error)
        *error = tool_start(tool, arguments, environ, &pid);
    if (*error)
        return -1;
    if (tool_wait(pid))
        return open(tool->object, O_RDONLY | O_CLOEXEC);
    read_words(tool, words);
    return -1;
}

int compile_source(struct region *region, const char *const *compiler, size_t count,
                   const char *source, struct diagnostics *diagnostics)
{
    char words[WORDS_MAX + 1];
    struct tool *tool = region_alloc(region, sizeof *tool);
    char **arguments = region_array(region, count + 6, sizeof *arguments);
    int error;
    for (size_t i = 0; i < count; i++)
        arguments[i] = region_strdup(region, compiler[i]);
    arguments[count] = region_strdup(region, "-g");
    arguments[count + 1] = region_strdup(region, "-c");
    arguments[count + 2] = region_strdup(region, "-o");
    arguments[count + 3] = tool->object;
    arguments[count + 4] = region_strdup(region, source);
    tool_begin(tool);
    int fd = run(tool, arguments, &error, words);
    tool_end(tool);
    if (fd < 0) {
        repeat_words(words, region, diagnostics);
        diagnostics_add(diagnostics, source, (struct place){0}, "'%s' %s%s", compiler[0],
                        error ? "could not be run: " : "did not compile it",
                        error ? strerror(error) : "");
    }
    return fd;
}
