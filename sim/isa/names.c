/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses in disassembled text become the names that the trace gave objects and labels. */
#include <ctype.h>
#include <inttypes.h>
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

enum { LABELS_LOOKED_AT = 64 }; /* around a jump, before it is told by its offset */

/* The first label at or behind an offset. */
static size_t first_label(const struct snippet *snippet, uint64_t offset)
{
    size_t low = 0, high = snippet->label_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (snippet->labels[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether `label` is what its number means at offset `from`: the nearest one before or after. */
static bool is_nearest(const struct snippet *snippet, const struct code_label *label, uint64_t from)
{
    bool before = label->offset <= from;
    size_t begin = first_label(snippet, before ? label->offset + UINT64_C(1) : from + 1);
    size_t end = first_label(snippet, before ? from + 1 : label->offset);
    if (end - begin > LABELS_LOOKED_AT)
        return false;
    for (size_t i = begin; i < end; i++)
        if (strcmp(snippet->labels[i].name, label->name) == 0)
            return false;
    return true;
}

/* The label at offset `to`, as it is written at `from`; a name rather than a number. NULL: none. */
static const char *label_at(struct region *region, const struct snippet *snippet, uint64_t to,
                            uint64_t from)
{
    const struct code_label *number = NULL;
    size_t first = first_label(snippet, to);
    for (size_t i = first; i < snippet->label_count && i < first + LABELS_LOOKED_AT; i++) {
        const struct code_label *label = &snippet->labels[i];
        if (label->offset != to)
            break;
        if (!isdigit((unsigned char)label->name[0]))
            return label->name;
        if (!number && is_nearest(snippet, label, from))
            number = label;
    }
    return number ? region_printf(region, "%s%c", number->name, to <= from ? 'b' : 'f') : NULL;
}

const char *name_target(struct region *region, const struct snippet *snippet,
                        const struct insn *insn)
{
    uint64_t to = insn->target - snippet->address, from = insn->address - snippet->address;
    const char *at = strstr(insn->text, "0x");
    if (to > snippet->size || !at || strtoull(at, NULL, 16) != insn->target)
        return insn->text;
    const char *label = label_at(region, snippet, to, from);
    if (!label)
        label = region_printf(region, "+%" PRIu64, to);
    return region_printf(region, "%.*s%s", (int)(at - insn->text), insn->text, label);
}
