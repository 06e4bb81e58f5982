/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libelf reads archives, too, but takes it on trust that the last name of their table ends.
 * Format: the first member, called "/", holds a big-endian count, as many offsets of members,
 * and the names; in "/SYM64/" numbers have 8 bytes. "//" holds the names of members that are too
 * long for a header, each ended by "/\n" (System V Application Binary Interface, "Archive File").
 */
#include "sim/capture/archive.h"

#include <ar.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEMBER_BYTES_MAX = 1 << 30 };

static uint64_t big_endian(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | bytes[i];
    return value;
}

static bool read_all(int fd, void *to, size_t size, off_t at)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = pread(fd, (char *)to + done, size - done, at + (off_t)done);
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/* Names go into messages: nothing in them may act on a terminal. */
static void clean(char *name)
{
    for (; *name; name++)
        if (*name <= ' ' || *name >= 0x7f)
            *name = '?';
}

/* Cuts the names apart; each ends within the table, which has a NUL behind it. */
static void take_names(struct region *region, unsigned char *table, size_t size, size_t width,
                       struct archive_index *index)
{
    if (size < width)
        return;
    uint64_t count = big_endian(table, width);
    if (count > (size - width) / width)
        return;
    char *name = (char *)table + width + count * width;
    const char *end = (const char *)table + size;
    index->names = region_array(region, count, sizeof *index->names);
    for (uint64_t i = 0; i < count && name < end; i++) {
        index->names[index->count++] =
            (struct archive_name){name, big_endian(table + width + i * width, width)};
        size_t length = strlen(name);
        clean(name);
        name += length + 1;
    }
}

/* The header at an offset and the size that it tells, which lies within the file. */
static bool read_header(int fd, uint64_t offset, struct ar_hdr *header, size_t *size)
{
    char text[sizeof header->ar_size + 1] = {0};
    off_t end = lseek(fd, 0, SEEK_END);
    if (end < 0 || offset > (uint64_t)end || (uint64_t)end - offset < sizeof *header ||
        !read_all(fd, header, sizeof *header, (off_t)offset) ||
        memcmp(header->ar_fmag, ARFMAG, sizeof header->ar_fmag) != 0)
        return false;
    memcpy(text, header->ar_size, sizeof header->ar_size);
    unsigned long long value = strtoull(text, NULL, 10);
    *size = (size_t)value;
    return value <= (uint64_t)end - offset - sizeof *header && value <= MEMBER_BYTES_MAX;
}

/* A member's bytes with a NUL behind them; NULL when they cannot be read. */
static char *read_bytes(struct region *region, int fd, uint64_t offset, size_t size)
{
    char *bytes = region_alloc(region, size + 1);
    return read_all(fd, bytes, size, (off_t)(offset + sizeof(struct ar_hdr))) ? bytes : NULL;
}

void archive_read_index(struct region *region, int fd, struct archive_index *index)
{
    struct ar_hdr header;
    size_t size;
    uint64_t at = SARMAG;
    *index = (struct archive_index){0};
    if (!read_header(fd, at, &header, &size))
        return;
    bool wide = memcmp(header.ar_name, "/SYM64/ ", 8) == 0;
    if (!wide && memcmp(header.ar_name, "/ ", 2) != 0)
        return;
    char *table = read_bytes(region, fd, at, size);
    if (table)
        take_names(region, (unsigned char *)table, size, wide ? 8 : 4, index);
    at += sizeof header + size + size % 2;
    if (read_header(fd, at, &header, &size) && memcmp(header.ar_name, "// ", 3) == 0) {
        index->long_names = read_bytes(region, fd, at, size);
        index->long_size = size;
    }
}

/* "member.o/" in the header, or "/N": N bytes into the long names. */
static char *member_name(struct region *region, const struct archive_index *index,
                         const struct ar_hdr *header)
{
    char *name = region_strndup(region, header->ar_name, sizeof header->ar_name);
    if (name[0] == '/' && index->long_names) {
        unsigned long at = strtoul(name + 1, NULL, 10);
        if (at < index->long_size)
            name = region_strndup(region, index->long_names + at,
                                  strcspn(index->long_names + at, "/\n"));
    }
    name[strcspn(name, "/ ")] = '\0';
    clean(name);
    return name;
}

bool archive_member_at(struct region *region, int fd, const struct archive_index *index,
                       uint64_t offset, struct archive_member *member)
{
    struct ar_hdr header;
    if (!read_header(fd, offset, &header, &member->size))
        return false;
    member->name = member_name(region, index, &header);
    member->start = offset + sizeof header;
    return true;
}
