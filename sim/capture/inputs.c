/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening files and archives; finding names in them. */
#include "sim/capture/inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct place nowhere = {0, 0};

/* What another library holds, to be given back with the region. */
struct held {
    int fd;
    Elf *elf;
};

static void give_back(void *argument)
{
    struct held *held = argument;
    if (held->elf)
        elf_end(held->elf);
    if (held->fd >= 0)
        close(held->fd);
}

static struct held *hold(struct region *region, int fd)
{
    struct held *held = region_alloc(region, sizeof *held);
    held->fd = fd;
    region_on_release(region, give_back, held);
    return held;
}

/* ---- files ---- */

/* For a descriptor that is not held yet when memory runs out: hold first, open then. */
static bool open_file(struct inputs *inputs, const char *path, int fd, struct held *held)
{
    struct stat status;
    held->fd = fd >= 0 ? fd : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (held->fd < 0 || fstat(held->fd, &status) != 0) {
        diagnostics_add(inputs->diagnostics, path, nowhere, "cannot be read: %s", strerror(errno));
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        diagnostics_add(inputs->diagnostics, path, nowhere, "is no file");
        return false;
    }
    held->elf = elf_begin(held->fd, ELF_C_READ, NULL);
    if (!held->elf || (elf_kind(held->elf) != ELF_K_ELF && elf_kind(held->elf) != ELF_K_AR)) {
        diagnostics_add(inputs->diagnostics, path, nowhere,
                        fd < 0 ? "neither an ELF file nor an archive of them (a source file needs "
                                 "its compiler behind --)"
                               : "the compiler made no object file of it (-flto, -S and -E make "
                                 "other files)");
        return false;
    }
    return true;
}

static void keep_binary(struct inputs *inputs, struct binary *binary)
{
    inputs->binaries = region_push(inputs->region, inputs->binaries, inputs->binary_count,
                                   &inputs->binary_capacity, sizeof *inputs->binaries);
    inputs->binaries[inputs->binary_count++] = binary;
}

static struct binary *add_binary(struct inputs *inputs, Elf *elf, int fd, const char *name)
{
    struct binary *binary = binary_read(inputs->region, elf, fd, name, inputs->diagnostics);
    if (binary)
        keep_binary(inputs, binary);
    return binary;
}

static struct input_object *keep_file(struct inputs *inputs, struct input_object *file)
{
    inputs->files = region_push(inputs->region, inputs->files, inputs->file_count,
                                &inputs->file_capacity, sizeof *inputs->files);
    return inputs->files[inputs->file_count++] = file;
}

struct input_object *inputs_add(struct inputs *inputs, const char *path, struct binary *binary)
{
    struct input_object *file = region_alloc(inputs->region, sizeof *file);
    *file = (struct input_object){.path = path, .fd = -1, .binary = binary};
    keep_binary(inputs, binary);
    return keep_file(inputs, file);
}

struct input_object *inputs_open(struct inputs *inputs, const char *path, int fd)
{
    struct held *held = hold(inputs->region, -1);
    for (size_t i = 0; i < inputs->file_count; i++)
        if (strcmp(inputs->files[i]->path, path) == 0)
            return inputs->files[i];
    if (!open_file(inputs, path, fd, held))
        return NULL;
    struct input_object *file = region_alloc(inputs->region, sizeof *file);
    *file = (struct input_object){.path = path,
                                  .fd = held->fd,
                                  .elf = held->elf,
                                  .is_archive = elf_kind(held->elf) == ELF_K_AR};
    if (!file->is_archive && !(file->binary = add_binary(inputs, held->elf, held->fd, path)))
        return NULL;
    if (file->is_archive)
        archive_read_index(inputs->region, file->fd, &file->index);
    return keep_file(inputs, file);
}

/* ---- archives ---- */

/* A copy of the member is read: handles of members depend on their archive's. */
static struct binary *read_member(struct inputs *inputs, struct input_object *file, uint64_t offset)
{
    struct region *region = inputs->region;
    struct archive_member member;
    for (size_t i = 0; i < inputs->binary_count; i++) /* several may have one name */
        if (inputs->binaries[i]->archive == file && inputs->binaries[i]->member == offset)
            return inputs->binaries[i];
    if (!archive_member_at(region, file->fd, &file->index, offset, &member))
        return NULL;
    char *bytes = region_alloc(region, member.size + 1);
    if (pread(file->fd, bytes, member.size, (off_t)member.start) != (ssize_t)member.size)
        return NULL;
    struct held *held = hold(region, -1);
    held->elf = elf_memory(bytes, member.size);
    if (!held->elf)
        return NULL;
    const char *name = region_printf(region, "%s(%s)", file->path, member.name);
    struct binary *binary = add_binary(inputs, held->elf, -1, name);
    if (binary) {
        binary->archive = file;
        binary->member = offset;
    }
    return binary;
}

/* The archive's own table of names says which member defines what. */
static struct binary *find_member(struct inputs *inputs, struct input_object *file,
                                  const char *name, const struct binary_symbol **symbol)
{
    for (size_t i = 0; i < file->index.count; i++) {
        if (strcmp(file->index.names[i].name, name) != 0)
            continue;
        struct binary *binary = read_member(inputs, file, file->index.names[i].member);
        *symbol = binary ? binary_find(binary, name) : NULL;
        return *symbol && symbol_is_defined(*symbol) ? binary : NULL;
    }
    if (file->index.count == 0)
        diagnostics_add(inputs->diagnostics, file->path, nowhere,
                        "the archive has no table of names, or a damaged one; run ranlib on it");
    return NULL;
}

/* ---- names ---- */

static bool defines(struct binary *binary, const char *name, const struct binary_symbol **symbol)
{
    *symbol = binary_find(binary, name);
    return *symbol && symbol_is_defined(*symbol);
}

struct binary *inputs_find_in(struct inputs *inputs, struct input_object *file, const char *name,
                              const struct binary_symbol **symbol)
{
    if (file->is_archive)
        return find_member(inputs, file, name, symbol);
    return defines(file->binary, name, symbol) ? file->binary : NULL;
}

/* Smaller ones win; of equals the first does. */
enum rank { RANK_STRONG, RANK_COMMON, RANK_WEAK, RANK_LINKED, RANKS };

static enum rank rank_of(const struct binary *binary, const struct binary_symbol *symbol)
{
    if (binary->linked)
        return RANK_LINKED;
    if (symbol->section == SECTION_COMMON)
        return RANK_COMMON;
    return symbol->bind == STB_GLOBAL ? RANK_STRONG : RANK_WEAK;
}

/* Linkers refuse it; here two files that are not meant for each other would share one name. */
static void defined_twice(struct inputs *inputs, const char *name, const char *first,
                          const char *second)
{
    for (size_t i = 0; i < inputs->twice_count; i++)
        if (strcmp(inputs->twice[i], name) == 0)
            return;
    inputs->twice = region_push(inputs->region, inputs->twice, inputs->twice_count,
                                &inputs->twice_capacity, sizeof *inputs->twice);
    inputs->twice[inputs->twice_count++] = name;
    diagnostics_add(inputs->diagnostics, second, nowhere, "defines '%s', which %s defines, too",
                    name, first);
}

struct binary *inputs_find(struct inputs *inputs, const char *name,
                           const struct binary_symbol **symbol)
{
    struct binary *best = NULL;
    enum rank best_rank = RANKS;
    for (size_t i = 0; i < inputs->binary_count; i++) {
        struct binary *binary = inputs->binaries[i];
        if (!defines(binary, name, symbol) || (*symbol)->bind == STB_LOCAL)
            continue;
        enum rank rank = rank_of(binary, *symbol);
        if (rank == RANK_STRONG && best_rank == RANK_STRONG)
            defined_twice(inputs, name, best->name, binary->name);
        if (rank < best_rank) {
            best = binary;
            best_rank = rank;
        }
    }
    if (best && defines(best, name, symbol))
        return best;
    for (size_t i = 0; i < inputs->file_count; i++) {
        struct input_object *file = inputs->files[i];
        struct binary *binary = file->is_archive ? find_member(inputs, file, name, symbol) : NULL;
        if (binary)
            return binary;
    }
    return NULL;
}

enum { SUGGESTIONS = 3, CANDIDATES_MAX = 200000 };

static size_t list_functions(struct input_object *file, const char **names)
{
    size_t count = 0;
    if (file->is_archive) {
        for (size_t i = 0; i < file->index.count && count < CANDIDATES_MAX; i++)
            names[count++] = file->index.names[i].name;
        return count;
    }
    for (size_t i = 1; i < file->binary->symbol_count && count < CANDIDATES_MAX; i++) {
        const struct binary_symbol *symbol = &file->binary->symbols[i];
        if (*symbol->name && symbol_is_defined(symbol) && symbol_is_code(file->binary, symbol))
            names[count++] = symbol->name;
    }
    return count;
}

/* What becomes code only when it is linked. */
static bool has_link_time_code(const struct binary *binary)
{
    for (size_t i = 1; i < binary->section_count; i++)
        if (strncmp(binary->sections[i].name, ".gnu.lto_", 9) == 0)
            return true;
    return false;
}

/* The name inside one of C++, where its length precedes it; NULL: none has it. */
static const char *mangled_name(struct region *region, const char *name, const char **names,
                                size_t count)
{
    const char *inner = region_printf(region, "%zu%s", strlen(name), name);
    for (size_t i = 0; i < count; i++)
        if (strncmp(names[i], "_Z", 2) == 0 && strstr(names[i], inner))
            return names[i];
    return NULL;
}

const char *inputs_suggest(struct inputs *inputs, struct input_object *file, const char *name)
{
    struct region *region = inputs->region;
    const char **names = region_array(region, CANDIDATES_MAX, sizeof *names);
    size_t count = list_functions(file, names);
    const char *text = "";
    if (count == 0 && file->binary && has_link_time_code(file->binary))
        return ": it has link-time code only; compile without -flto or with -ffat-lto-objects";
    for (int n = 0; n < SUGGESTIONS; n++) {
        const char *near = mangled_name(region, name, names, count);
        if (!near)
            near = nearest_name(name, names, count);
        if (!near)
            break;
        text = region_printf(region, "%s%s'%.100s'", text, n ? ", " : " (did you mean ", near);
        for (size_t i = 0; i < count; i++) /* not again */
            if (strcmp(names[i], near) == 0)
                names[i--] = names[--count];
    }
    if (*text)
        return region_printf(region, "%s?)", text);
    for (size_t i = 0; i < count && i < 8; i++)
        text = region_printf(region, "%s%s%.60s", text, i ? ", " : "; functions there: ", names[i]);
    return count > 8 ? region_printf(region, "%s, ...", text) : text;
}
