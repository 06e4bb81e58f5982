/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of objects in disassembled text become the names that the trace gave them. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/isa/insn.h"

/* The name for an address, or NULL when no object covers it. */
static const char *name_of(struct region *region, const struct program *program, uint64_t address)
{
    int index = program_object_at(program, address, 1);
    if (index == NO_INDEX)
        return NULL;
    for (size_t i = 0; i < program->object_count; i++) /* a name inside another object is nearer */
        if (program->objects[i].address == address)
            return program->objects[i].name;
    return region_printf(region, "%s+%" PRIu64, program->objects[index].name,
                         address - program->objects[index].address);
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
        const char *name = negative ? NULL : name_of(region, program, address);
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
