/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of objects in disassembled text become the names that the trace gave them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/isa/insn.h"

const char *name_relative(struct region *region, const struct program *program, const char *text,
                          uint64_t next)
{
    const char *at = strstr(text, "[rip ");
    char *end;
    if (!at || (at[5] != '+' && at[5] != '-'))
        return text;
    uint64_t distance = strtoull(at + 7, &end, 0);
    const char *name =
        program_name_at(program, region, at[5] == '+' ? next + distance : next - distance);
    if (!name || *end != ']')
        return text;
    return region_printf(region, "%.*s[%s%s", (int)(at - text), text, name, end);
}

const char *name_addresses(struct region *region, const struct program *program, const char *text)
{
    struct text out;
    const char *at = strstr(text, "0x");
    if (!at)
        return text;
    text_init(&out, region);
    while (at) {
        char *end;
        uint64_t address = strtoull(at, &end, 16);
        bool negative = at >= text + 2 && at[-2] == '-';
        const char *name = negative ? NULL : program_name_at(program, region, address);
        text_add_bytes(&out, text, (size_t)(at - text));
        if (name)
            text_add(&out, name);
        else
            text_add_bytes(&out, at, (size_t)(end - at));
        text = end;
        at = strstr(text, "0x");
    }
    text_add(&out, text);
    return out.data;
}
