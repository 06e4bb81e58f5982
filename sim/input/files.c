/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/input/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/program/litmus.h"

enum { SHORT_BYTES = 16 << 10 };

static const struct place nowhere = {0, 0};

static struct input_file *add_file(struct region *region, struct input_files *files,
                                   const char *name)
{
    files->items =
        region_push(region, files->items, files->count, &files->capacity, sizeof *files->items);
    files->items[files->count] = (struct input_file){.name = name};
    return &files->items[files->count++];
}

static void close_fd(void *descriptor)
{
    int *fd = descriptor;
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* The next bytes, 0 at the end, -1 when it cannot be read. */
static ssize_t read_some(int fd, char *to, size_t room)
{
    ssize_t got;
    do
        got = read(fd, to, room);
    while (got < 0 && errno == EINTR);
    return got;
}

/* Goes on behind the `used` bytes of `start`; NULL when that is too much or cannot be read. */
static char *read_long(struct region *region, int fd, const char *start, size_t used,
                       size_t *length, bool *too_large)
{
    size_t capacity = 2 * used;
    char *text = region_resize(region, NULL, capacity + 1);
    memcpy(text, start, used);
    for (ssize_t got = 1; got > 0; used += (size_t)got) {
        if (used == capacity) {
            *too_large = capacity >= INPUT_BYTES_MAX;
            if (*too_large)
                return NULL;
            capacity *= 2;
            text = region_resize(region, text, capacity + 1);
        }
        got = read_some(fd, text + used, capacity - used);
        if (got < 0)
            return NULL;
    }
    text[used] = '\0';
    *length = used;
    return text;
}

/* Reads to the end. Nearly every file is short: those take no more memory than they need. */
static char *read_all(struct region *region, int fd, size_t *length, bool *too_large)
{
    char start[SHORT_BYTES];
    size_t used = 0;
    *too_large = false;
    while (used < sizeof start) {
        ssize_t got = read_some(fd, start + used, sizeof start - used);
        if (got < 0)
            return NULL;
        if (got == 0) {
            *length = used;
            return region_strndup(region, start, used);
        }
        used += (size_t)got;
    }
    return read_long(region, fd, start, used, length, too_large);
}

static bool read_descriptor(struct region *region, int fd, struct input_file *file,
                            struct diagnostics *diagnostics)
{
    bool too_large;
    errno = 0;
    file->text = read_all(region, fd, &file->length, &too_large);
    if (!file->text && too_large)
        diagnostics_add(diagnostics, file->name, nowhere,
                        "larger than %d MiB, the most that is read", INPUT_BYTES_MAX >> 20);
    else if (!file->text)
        diagnostics_add(diagnostics, file->name, nowhere, "cannot be read: %s", strerror(errno));
    return file->text;
}

bool input_read(struct region *region, struct input_file *file, struct diagnostics *diagnostics)
{
    if (file->text || file->unreadable)
        return file->text;
    /* The descriptor is closed with the region even when memory runs out. */
    int *fd = region_alloc(region, sizeof *fd);
    *fd = open(file->name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (*fd < 0) {
        diagnostics_add(diagnostics, file->name, nowhere, "cannot be opened: %s", strerror(errno));
        return false;
    }
    region_on_release(region, close_fd, fd);
    read_descriptor(region, *fd, file, diagnostics);
    close_fd(fd);
    return file->text;
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

struct entry {
    const char *name;
    unsigned char type; /* DT_... */
};

/* The folder's entries by name, `*count` long; NULL with errno when it cannot be read. */
static struct entry *read_entries(struct region *region, const char *path, size_t *count)
{
    struct dirent **found;
    int number = scandir(path, &found, NULL, by_name);
    if (number < 0)
        return NULL;
    /* Copied into the region first, so that nothing leaks when memory runs out later. */
    struct entry *entries = region_array(region, (size_t)number + 1, sizeof *entries);
    for (int i = 0; i < number; i++) {
        entries[i] = (struct entry){region_strdup(region, found[i]->d_name), found[i]->d_type};
        free(found[i]);
    }
    free(found);
    *count = (size_t)number;
    return entries;
}

/* DT_REG, DT_DIR or something else; what a link leads to is asked for, as is what is not known. */
static unsigned char type_of(const char *path, unsigned char type)
{
    struct stat status;
    if (type != DT_LNK && type != DT_UNKNOWN)
        return type;
    if (stat(path, &status))
        return DT_UNKNOWN;
    return S_ISDIR(status.st_mode) ? DT_DIR : S_ISREG(status.st_mode) ? DT_REG : DT_UNKNOWN;
}

/* The folders that a folder was found in, and itself. */
struct way {
    const struct way *up;
    unsigned depth;
    dev_t device;
    ino_t inode;
};

/* Whether a folder is one that it was found in: a link leads back. */
static bool leads_back(const char *path, struct way *way)
{
    struct stat status;
    if (stat(path, &status))
        return false;
    way->device = status.st_dev;
    way->inode = status.st_ino;
    for (const struct way *above = way->up; above; above = above->up)
        if (above->device == way->device && above->inode == way->inode)
            return true;
    return false;
}

static void list_folder(struct region *region, const char *path, const struct way *up,
                        struct input_files *files, struct diagnostics *diagnostics)
{
    struct way way = {.up = up, .depth = up ? up->depth + 1 : 0};
    if (leads_back(path, &way))
        return;
    if (way.depth > FOLDER_DEPTH_MAX) {
        diagnostics_add(diagnostics, region_strdup(region, path), nowhere,
                        "lies deeper than %d folders, and is not read", FOLDER_DEPTH_MAX);
        return;
    }
    size_t count;
    struct entry *entries = read_entries(region, path, &count);
    if (!entries) {
        diagnostics_add(diagnostics, region_strdup(region, path), nowhere, "cannot be read: %s",
                        strerror(errno));
        return;
    }
    const char *separator = *path && path[strlen(path) - 1] == '/' ? "" : "/";
    for (size_t i = 0; i < count; i++) {
        const char *name = entries[i].name;
        bool wanted = is_trace_name(name);
        if (name[0] == '.' || (entries[i].type == DT_REG && !wanted))
            continue;
        const char *child = region_printf(region, "%s%s%s", path, separator, name);
        unsigned char type = type_of(child, entries[i].type);
        if (type == DT_DIR)
            list_folder(region, child, &way, files, diagnostics);
        else if (type == DT_REG && wanted)
            add_file(region, files, child);
    }
}

static void list_one(struct region *region, const char *path, bool once, struct input_files *files,
                     struct diagnostics *diagnostics)
{
    struct input_file *file = add_file(region, files, region_strdup(region, path));
    if (once)
        file->unreadable = !input_read(region, file, diagnostics);
}

void list_path(struct region *region, const char *path, struct input_files *files,
               struct diagnostics *diagnostics)
{
    struct stat status;
    size_t before = files->count, errors = diagnostics->count;
    if (strcmp(path, "-") == 0) {
        struct input_file *file = add_file(region, files, "-");
        file->unreadable = !read_descriptor(region, STDIN_FILENO, file, diagnostics);
        return;
    }
    if (stat(path, &status)) {
        diagnostics_add(diagnostics, region_strdup(region, path), nowhere, "%s", strerror(errno));
        return;
    }
    if (!S_ISDIR(status.st_mode)) {
        list_one(region, path, !S_ISREG(status.st_mode), files, diagnostics);
        return;
    }
    list_folder(region, path, NULL, files, diagnostics);
    if (files->count == before && diagnostics->count == errors)
        diagnostics_add(diagnostics, region_strdup(region, path), nowhere,
                        "no .yaml or .litmus file is in this folder");
}

void read_path(struct region *region, const char *path, struct input_files *files,
               struct diagnostics *diagnostics)
{
    size_t kept = files->count;
    list_path(region, path, files, diagnostics);
    for (size_t i = kept; i < files->count; i++)
        if (input_read(region, &files->items[i], diagnostics))
            files->items[kept++] = files->items[i];
    files->count = kept;
}
