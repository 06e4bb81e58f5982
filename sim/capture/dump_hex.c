/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dumps of bytes. A line may begin with the offset of its first byte, as xxd ("00000010: "),
 * hexdump -C (eight digits and two spaces) and od (seven octal digits, or six of hex) have it;
 * what they show as characters is not read. Otherwise it is digits, two a byte.
 */
#include <inttypes.h>
#include <string.h>

#include "sim/capture/dump.h"
#include "sim/program/layout.h"

enum { BYTES_MAX = CODE_BYTES_MAX }; /* a CPU has no more */

enum offset_kind { OFFSET_NONE, OFFSET_COLON, OFFSET_HEXDUMP, OFFSET_OD, OFFSET_OD_HEX };

struct hex_reader {
    struct dump *dump;
    const struct dump_line *line;
    uint8_t *bytes;
    size_t count, capacity;
    enum offset_kind kind;
    bool started, repeats; /* has an offset so far; the line before was "*" */
    uint64_t first;        /* offset of the first byte */
    size_t last_line;      /* bytes before this line's, to be repeated by "*" */
    size_t last_count;
};

static void complain(const struct hex_reader *reader, const char *at, const char *found)
{
    dump_error(reader->dump, reader->line->number, (size_t)(at - reader->line->start) + 1,
               "found %s, expected hexadecimal digits, two a byte", found);
}

static bool add_byte(struct hex_reader *reader, uint8_t byte)
{
    if (reader->count == BYTES_MAX) {
        dump_error(reader->dump, reader->line->number, 1, "more than %d bytes of code",
                   (int)BYTES_MAX);
        return false;
    }
    reader->bytes =
        region_push(reader->dump->region, reader->bytes, reader->count, &reader->capacity, 1);
    reader->bytes[reader->count++] = byte;
    return true;
}

static size_t digits_at(const char *at, const char *end)
{
    size_t count = 0;
    while (at + count < end && dump_is_hex(at[count]))
        count++;
    return count;
}

/* What stands at the start of a line. */
static enum offset_kind offset_at(const char *at, const char *end)
{
    size_t digits = digits_at(at, end);
    const char *behind = at + digits;
    if (digits >= 6 && behind < end && *behind == ':')
        return OFFSET_COLON;
    if (digits == 8 &&
        (behind == end || (end - behind > 1 && behind[0] == ' ' && behind[1] == ' ')))
        return OFFSET_HEXDUMP;
    if (digits == 7)
        return OFFSET_OD;
    if (digits == 6 && at[0] == '0' && at[1] == '0' && (behind == end || *behind == ' '))
        return OFFSET_OD_HEX;
    return OFFSET_NONE;
}

static bool read_octal(const char **at, uint64_t *value)
{
    *value = 0;
    for (int i = 0; i < 7; i++) {
        if ((*at)[i] < '0' || (*at)[i] > '7')
            return false;
        *value = *value << 3 | (uint64_t)((*at)[i] - '0');
    }
    *at += 7;
    return true;
}

/* "*" stands for lines like the one before, up to the next offset. */
static bool repeat_to(struct hex_reader *reader, uint64_t offset)
{
    size_t from = reader->last_line, length = reader->last_count;
    reader->repeats = false;
    if (!length)
        return false;
    for (size_t i = 0; reader->first + reader->count < offset; i++)
        if (!add_byte(reader, reader->bytes[from + i % length]))
            return false;
    return true;
}

/* The offset at the start of a line, which must go on where the line before ended. */
static bool take_offset(struct hex_reader *reader, const char **at, const char *end)
{
    const char *start = *at;
    uint64_t offset;
    bool good =
        reader->kind == OFFSET_OD ? read_octal(at, &offset) : dump_hex_number(at, end, &offset);
    if (!good || offset > UINT64_MAX / 2) {
        complain(reader, start, "a wrong offset");
        return false;
    }
    if (reader->kind == OFFSET_COLON)
        ++*at;
    if (!reader->started)
        reader->first = offset;
    reader->started = true;
    if (reader->repeats && offset > reader->first + reader->count && !repeat_to(reader, offset))
        return false;
    if (offset != reader->first + reader->count) {
        dump_error(reader->dump, reader->line->number, (size_t)(start - reader->line->start) + 1,
                   "found the offset 0x%" PRIx64 ", expected 0x%" PRIx64, offset,
                   reader->first + reader->count);
        return false;
    }
    return true;
}

/* Between bytes, as dumps and programs' tables have it. */
static bool is_separator(char c) { return strchr(" \t,;{}\"'", c) != NULL; }

/* Two spaces or a bar end the bytes of a dump that shows characters, too. */
static bool characters_follow(const struct hex_reader *reader, const char *at, const char *end,
                              size_t on_line)
{
    if (reader->kind == OFFSET_HEXDUMP || reader->kind == OFFSET_OD)
        return *at == '|' || *at == '>';
    return reader->kind == OFFSET_COLON && on_line && end - at > 1 && at[0] == ' ' && at[1] == ' ';
}

static bool read_group(struct hex_reader *reader, const char **at, const char *end)
{
    if (end - *at > 1 && (*at)[1] == 'x' && ((*at)[0] == '0' || (*at)[0] == '\\'))
        *at += 2;
    size_t digits = digits_at(*at, end);
    bool dumped = reader->kind != OFFSET_NONE && reader->kind != OFFSET_COLON;
    if (digits == 0 || digits % 2) {
        complain(reader, *at, digits ? "an odd number of digits" : "something else");
        return false;
    }
    if (dumped && digits != 2) {
        dump_error(reader->dump, reader->line->number, (size_t)(*at - reader->line->start) + 1,
                   "found words of %zu digits, whose order is not known; use xxd, hexdump -C or "
                   "od -tx1",
                   digits);
        return false;
    }
    for (size_t i = 0; i < digits; i += 2)
        if (!add_byte(reader,
                      (uint8_t)(dump_hex_digit((*at)[i]) << 4 | dump_hex_digit((*at)[i + 1]))))
            return false;
    *at += digits;
    return true;
}

static bool read_line(struct hex_reader *reader)
{
    const char *at = reader->line->start, *end = at + reader->line->length;
    size_t before = reader->count;
    if (at < end && *at == '*' && reader->kind != OFFSET_NONE) {
        reader->repeats = true;
        return true;
    }
    if (!reader->started && !reader->count)
        reader->kind = offset_at(at, end);
    if (at < end && *at != '#' && reader->kind != OFFSET_NONE && !take_offset(reader, &at, end))
        return false;
    while (at < end && *at != '#' && !(end - at > 1 && at[0] == '/' && at[1] == '/')) {
        if (characters_follow(reader, at, end, reader->count - before))
            break;
        if (is_separator(*at))
            at++;
        else if (!read_group(reader, &at, end))
            return false;
    }
    if (reader->count > before) {
        reader->last_line = before;
        reader->last_count = reader->count - before;
    }
    return true;
}

void dump_read_hex(struct dump *dump, uint64_t *address, uint8_t **bytes, uint64_t *size)
{
    struct hex_reader reader = {.dump = dump};
    for (size_t i = 0; i < dump->line_count; i++) {
        reader.line = &dump->lines[i];
        if (!read_line(&reader))
            return;
    }
    if (!reader.count)
        dump_error(dump, dump->line_count ? dump->lines[0].number : 1, 1,
                   "found no code: expected a disassembly with addresses (objdump -d, gdb's x/i) "
                   "or bytes in hexadecimal");
    *address = reader.first;
    *bytes = reader.bytes;
    *size = reader.count;
}
