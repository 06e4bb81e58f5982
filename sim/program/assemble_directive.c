/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directives that a snippet may use: data and padding, whose size can be told from the
 * text. Everything else (.include, .section, .macro, .set, ...) could reach out of the
 * snippet and is refused. (.cfi_startproc and the like, which describe stacks to debuggers, have
 * been left out by then.)
 */
#include "sim/program/assemble.h"

#include <string.h>
#include <strings.h>

enum directive_kind { DATA, ALIGN_BYTES, ALIGN_POWER, FILL };

static const struct {
    const char *name;
    enum directive_kind kind;
    unsigned size; /* DATA: bytes of an item */
} directives[] = {
    {".byte", DATA, 1},          {".2byte", DATA, 2},          {".value", DATA, 2},
    {".word", DATA, 2},          {".short", DATA, 2},          {".hword", DATA, 2},
    {".4byte", DATA, 4},         {".long", DATA, 4},           {".int", DATA, 4},
    {".8byte", DATA, 8},         {".quad", DATA, 8},           {".align", ALIGN_BYTES, 0},
    {".balign", ALIGN_BYTES, 0}, {".p2align", ALIGN_POWER, 0}, {".nops", FILL, 0},
    {".zero", FILL, 0},          {".skip", FILL, 0},           {".space", FILL, 0},
};

enum { DIRECTIVES = sizeof directives / sizeof directives[0], ALIGNMENT_MAX = 4096 };

bool parse_count(const char *start, const char *end, uint64_t *value)
{
    while (start < end && *start == ' ')
        start++;
    while (end > start && end[-1] == ' ')
        end--;
    unsigned base = 10;
    if (end - start > 2 && start[0] == '0' && (start[1] | 0x20) == 'x') {
        base = 16;
        start += 2;
    } else if (end - start > 1 && *start == '0') {
        return false; /* would be octal */
    }
    if (start == end || end - start > 9)
        return false;
    *value = 0;
    for (; start < end; start++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = memchr(digits, *start | 0x20, base);
        if (!digit)
            return false;
        *value = *value * base + (uint64_t)(digit - digits);
    }
    return true;
}

static const char *next_argument(const char *start, const char *end)
{
    const char *comma = memchr(start, ',', (size_t)(end - start));
    return comma ? comma : end;
}

/* Optional arguments after the first: plain numbers, or left out. */
static bool plain_arguments(const char *at, const char *end)
{
    while (at < end) {
        const char *start = at + 1; /* behind the comma */
        at = next_argument(start, end);
        uint64_t ignored;
        while (start < at && *start == ' ')
            start++;
        if (start < at && !parse_count(start, at, &ignored))
            return false;
    }
    return true;
}

static uint64_t item_count(const char *at, const char *end)
{
    uint64_t count = 1;
    for (; at < end; at++)
        count += *at == ',';
    return count;
}

static const char *check_alignment(struct unit *unit, uint64_t alignment)
{
    if (alignment == 0)
        alignment = 1;
    if (alignment > ALIGNMENT_MAX || (alignment & (alignment - 1)) != 0)
        return "an alignment is a power of two up to 4096 bytes";
    if (alignment > unit->alignment)
        unit->alignment = (uint32_t)alignment;
    unit->estimate += alignment;
    return NULL;
}

static const char *check_padding(struct unit *unit, struct region *region, size_t entry,
                                 const char *arguments, const char *end)
{
    uint64_t value;
    const char *first = next_argument(arguments, end);
    if (!parse_count(arguments, first, &value) || !plain_arguments(first, end))
        return region_printf(region, "%s takes plain numbers here", directives[entry].name);
    switch (directives[entry].kind) {
    case ALIGN_POWER:
        return check_alignment(unit, value < 32 ? UINT64_C(1) << value : UINT64_MAX);
    case ALIGN_BYTES:
        return check_alignment(unit, value);
    case FILL:
        if (value > unit->source->limit)
            return region_printf(region, "%s %llu: only %u bytes fit here", directives[entry].name,
                                 (unsigned long long)value, (unsigned)unit->source->limit);
        unit->estimate += value;
        return NULL;
    case DATA:
        break;
    }
    return NULL;
}

const char *directive_check(struct unit *unit, struct region *region, const char *name,
                            size_t length, const char *arguments, const char *end)
{
    for (size_t i = 0; i < DIRECTIVES; i++) {
        if (strlen(directives[i].name) != length ||
            strncasecmp(directives[i].name, name, length) != 0)
            continue;
        if (directives[i].kind != DATA)
            return check_padding(unit, region, i, arguments, end);
        unit->estimate += directives[i].size * item_count(arguments, end);
        return NULL;
    }
    return region_printf(region, "the directive %.*s may not be used in a snippet",
                         (int)(length < 64 ? length : 64), name);
}
