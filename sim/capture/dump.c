/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a text that shows code, and tells what kind of text it is. */
#include "sim/capture/dump.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct place nowhere = {0, 0};

enum { FILE_MAX = 256 << 20 };

void dump_error(struct dump *dump, uint32_t line, size_t column, const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    for (char *c = message; *c; c++) /* what was found may be anything */
        if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f)
            *c = '?';
    struct place place = {line, (uint32_t)column};
    diagnostics_add(dump->diagnostics, dump->path, place, "%s", message);
}

/* ---- files ---- */

static void close_descriptor(void *argument)
{
    int *fd = argument;
    if (*fd > 0)
        close(*fd);
    *fd = -1;
}

/* Goes on to `offset`, by reading where a stream cannot be told to. */
static bool skip_to(int fd, uint64_t offset)
{
    uint8_t waste[4096];
    if (offset <= INT64_MAX && lseek(fd, (off_t)offset, SEEK_SET) >= 0)
        return true;
    while (offset) {
        ssize_t got = read(fd, waste, offset < sizeof waste ? offset : sizeof waste);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        offset -= (uint64_t)got;
    }
    return true;
}

static bool read_rest(struct region *region, int fd, uint64_t most, uint8_t **bytes, uint64_t *size)
{
    size_t capacity = 0;
    uint8_t *data = NULL;
    uint64_t count = 0;
    for (;;) {
        if (count == capacity)
            data = region_resize(region, data, capacity = capacity ? 2 * capacity : 65536);
        uint64_t room = capacity - count < most - count ? capacity - count : most - count;
        ssize_t got = room ? read(fd, data + count, room) : 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0)
            break;
        count += (uint64_t)got;
    }
    *bytes = data;
    *size = count;
    return true;
}

bool dump_read_file(struct region *region, struct diagnostics *diagnostics, const char *path,
                    uint64_t offset, uint64_t *size, uint8_t **bytes)
{
    uint64_t wanted = *size;
    struct stat status;
    int *fd = region_alloc(region, sizeof *fd);
    *fd = -1;
    region_on_release(region, close_descriptor, fd);
    *fd = strcmp(path, "-") == 0 ? 0 : open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0 || fstat(*fd, &status) != 0) {
        diagnostics_add(diagnostics, path, nowhere, "cannot be read: %s", strerror(errno));
        return false;
    }
    if (S_ISDIR(status.st_mode)) {
        diagnostics_add(diagnostics, path, nowhere, "is a directory");
        return false;
    }
    bool good = skip_to(*fd, offset) &&
                read_rest(region, *fd, wanted ? wanted : (uint64_t)FILE_MAX + 1, bytes, size);
    if (!good)
        diagnostics_add(diagnostics, path, nowhere, "cannot be read at byte %" PRIu64 "%s%s",
                        offset, errno ? ": " : "", errno ? strerror(errno) : "");
    else if (*size > FILE_MAX)
        diagnostics_add(diagnostics, path, nowhere, "has more than %d MiB", FILE_MAX >> 20);
    else if (wanted && *size < wanted)
        diagnostics_add(diagnostics, path, nowhere,
                        "has %" PRIu64 " bytes from %" PRIu64 " on, expected %" PRIu64, *size,
                        offset, wanted);
    close_descriptor(fd);
    return good && *size <= FILE_MAX && *size >= wanted;
}

const char *dump_stem(struct region *region, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t length = strcspn(base, ".");
    bool plain = length > 0 && !isdigit((unsigned char)*base);
    for (size_t i = 0; i < length; i++)
        plain &= isalnum((unsigned char)base[i]) || base[i] == '_';
    return plain ? region_strndup(region, base, length) : "code";
}

/* ---- words ---- */

bool dump_is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

uint8_t dump_hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return (uint8_t)(c - '0');
    return (uint8_t)((c | 0x20) - 'a' + 10);
}

bool dump_hex_number(const char **at, const char *end, uint64_t *value)
{
    const char *c = *at;
    *value = 0;
    for (; c < end && dump_is_hex(*c); c++) {
        if (c - *at == 16)
            return false;
        *value = *value << 4 | dump_hex_digit(*c);
    }
    bool any = c > *at;
    *at = c;
    return any;
}

void dump_skip_spaces(const char **at, const char *end)
{
    while (*at < end && (**at == ' ' || **at == '\t'))
        ++*at;
}

/* ---- the whole ---- */

static bool split_lines(struct dump *dump, const char *text, uint64_t size)
{
    uint32_t number = 1;
    for (const char *at = text, *end = text + size; at < end; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        if (memchr(at, 0, length)) {
            const char *nul = memchr(at, 0, length);
            dump_error(dump, number, (size_t)(nul - at) + 1,
                       "found a zero byte, expected text (--raw takes files of bytes)");
            return false;
        }
        dump->lines = region_push(dump->region, dump->lines, dump->line_count, &dump->line_capacity,
                                  sizeof *dump->lines);
        struct dump_line *line = &dump->lines[dump->line_count++];
        *line = (struct dump_line){at, length, number};
        if (length && at[length - 1] == '\r')
            line->length--;
        at += length + 1;
    }
    return true;
}

struct binary *dump_finish(struct dump *dump)
{
    struct snapshot *snapshot = &dump->snapshot;
    struct binary *binary = dump->diagnostics->count ? NULL : snapshot_binary(snapshot);
    if (!binary)
        return NULL;
    if (dump->assembled)
        binary->note =
            dump->filled
                ? region_printf(dump->region,
                                "instructions without bytes were assembled; %zu of the text "
                                "became shorter and have NOPs behind them",
                                dump->filled)
                : "instructions without bytes were assembled";
    if (!snapshot->ended)
        return binary;
    binary->end_byte = snapshot->end;
    binary->end_note = snapshot->end == SNAPSHOT_RET
                           ? "a return is put behind the code, which just ends"
                           : "a trap is put where the text ends but the code would go on; "
                             "getting there makes the verdict unknown";
    return binary;
}

struct binary *dump_bytes(struct region *region, struct diagnostics *diagnostics, const char *path,
                          const char *name, uint64_t address, const uint8_t *bytes, uint64_t size)
{
    struct dump dump = {.region = region, .diagnostics = diagnostics, .path = path, .name = name};
    snapshot_init(&dump.snapshot, region, diagnostics, path);
    dump.snapshot.end = SNAPSHOT_RET;
    struct snapshot_piece piece = {
        .section = "code", .address = address, .bytes = bytes, .size = size, .code = true};
    struct snapshot_symbol symbol = {
        .name = name, .section = "code", .address = address, .code = true};
    snapshot_add_piece(&dump.snapshot, &piece);
    snapshot_add_symbol(&dump.snapshot, &symbol);
    return dump_finish(&dump);
}

struct binary *dump_read(struct region *region, struct diagnostics *diagnostics, const char *path,
                         const char *name)
{
    struct dump dump = {.region = region, .diagnostics = diagnostics, .path = path};
    uint64_t size = 0, address;
    uint8_t *bytes;
    if (!dump_read_file(region, diagnostics, path, 0, &size, &bytes))
        return NULL;
    dump.name = name ? name : dump_stem(region, path);
    snapshot_init(&dump.snapshot, region, diagnostics, path);
    if (!split_lines(&dump, (const char *)bytes, size))
        return NULL;
    if (dump_is_listing(&dump)) {
        dump_read_listing(&dump);
        return dump_finish(&dump);
    }
    dump_read_hex(&dump, &address, &bytes, &size);
    if (diagnostics->count)
        return NULL;
    return dump_bytes(region, diagnostics, path, dump.name, address, bytes, size);
}
