/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/run/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/program/litmus.h"

static const struct place nowhere = {0, 0};

static void add_file(struct region *region, struct input_files *files, const char *name,
                     const char *text, size_t length)
{
    files->items =
        region_push(region, files->items, files->count, &files->capacity, sizeof *files->items);
    files->items[files->count++] = (struct input_file){name, text, length};
}

static void close_fd(void *descriptor)
{
    int *fd = descriptor;
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Reads to the end; the descriptor is closed with the region even when memory runs out. */
static char *read_all(struct region *region, int fd, size_t *length, bool *too_large)
{
    size_t capacity = 1 << 14, used = 0;
    char *text = region_resize(region, NULL, capacity + 1);
    *too_large = false;
    for (;;) {
        if (used == capacity) {
            if (capacity >= INPUT_BYTES_MAX) {
                *too_large = true;
                return NULL;
            }
            capacity *= 2;
            text = region_resize(region, text, capacity + 1);
        }
        ssize_t got = read(fd, text + used, capacity - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return NULL;
        if (got == 0)
            break;
        used += (size_t)got;
    }
    text[used] = '\0';
    *length = used;
    return text;
}

static void read_descriptor(struct region *region, int fd, const char *name,
                            struct input_files *files, struct diagnostics *diagnostics)
{
    size_t length;
    bool too_large;
    errno = 0;
    char *text = read_all(region, fd, &length, &too_large);
    if (text)
        add_file(region, files, name, text, length);
    else if (too_large)
        diagnostics_add(diagnostics, name, nowhere, "larger than %d MiB, the most that is read",
                        INPUT_BYTES_MAX >> 20);
    else
        diagnostics_add(diagnostics, name, nowhere, "cannot be read: %s", strerror(errno));
}

static void read_file(struct region *region, const char *path, struct input_files *files,
                      struct diagnostics *diagnostics)
{
    /* A FIFO without a writer must not hang the open; a device is no trace. */
    int *fd = region_alloc(region, sizeof *fd);
    const char *name = region_strdup(region, path);
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (*fd < 0) {
        diagnostics_add(diagnostics, name, nowhere, "cannot be opened: %s", strerror(errno));
        return;
    }
    region_on_release(region, close_fd, fd);
    read_descriptor(region, *fd, name, files, diagnostics);
    close_fd(fd);
}

static bool is_trace_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && dot != name &&
           (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0 || strcmp(dot, ".litmus") == 0);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

bool input_is_litmus(const struct input_file *file)
{
    const char *dot = strrchr(file->name, '.');
    if (dot && strcmp(dot, ".litmus") == 0)
        return true;
    return strcmp(file->name, "-") == 0 && litmus_recognise(file->text, file->length);
}

static void read_folder(struct region *region, const char *path, unsigned depth,
                        struct input_files *files, struct diagnostics *diagnostics)
{
    struct dirent **entries;
    const char *name = region_strdup(region, path);
    int count = scandir(path, &entries, NULL, by_name);
    if (count < 0) {
        diagnostics_add(diagnostics, name, nowhere, "cannot be read: %s", strerror(errno));
        return;
    }
    /* Copied into the region first, so that nothing leaks when memory runs out below. */
    const char **names = region_array(region, (size_t)count + 1, sizeof *names);
    for (int i = 0; i < count; i++) {
        names[i] = region_strdup(region, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    size_t length = strlen(path);
    for (int i = 0; i < count; i++) {
        struct stat status;
        if (names[i][0] == '.')
            continue;
        const char *child = region_printf(region, "%s%s%s", path,
                                          length && path[length - 1] == '/' ? "" : "/", names[i]);
        if (stat(child, &status))
            continue;
        if (S_ISDIR(status.st_mode) && depth < FOLDER_DEPTH_MAX)
            read_folder(region, child, depth + 1, files, diagnostics);
        else if (S_ISREG(status.st_mode) && is_trace_name(names[i]))
            read_file(region, child, files, diagnostics);
    }
}

void read_path(struct region *region, const char *path, struct input_files *files,
               struct diagnostics *diagnostics)
{
    struct stat status;
    size_t before = files->count, errors = diagnostics->count;
    if (strcmp(path, "-") == 0) {
        read_descriptor(region, STDIN_FILENO, "-", files, diagnostics);
        return;
    }
    if (stat(path, &status)) {
        diagnostics_add(diagnostics, region_strdup(region, path), nowhere, "%s", strerror(errno));
        return;
    }
    if (!S_ISDIR(status.st_mode)) {
        read_file(region, path, files, diagnostics);
        return;
    }
    read_folder(region, path, 0, files, diagnostics);
    if (files->count == before && diagnostics->count == errors)
        diagnostics_add(diagnostics, region_strdup(region, path), nowhere,
                        "no .yaml or .litmus file is in this folder");
}
