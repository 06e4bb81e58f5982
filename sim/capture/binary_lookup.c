/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions about a binary: what lies at a place, what has a name. */
#include <elf.h>
#include <string.h>

#include "sim/capture/binary.h"

/* How far something without a size and without a neighbour reaches. */
enum { UNKNOWN_REACH = 4096 };

bool section_is_code(const struct binary_section *section)
{
    return section->flags & SHF_EXECINSTR;
}

bool symbol_is_defined(const struct binary_symbol *symbol)
{
    return symbol->section != SECTION_NONE && symbol->section != SECTION_ABSOLUTE;
}

bool symbol_is_code(const struct binary *binary, const struct binary_symbol *symbol)
{
    if (symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC)
        return true;
    return symbol->type == STT_NOTYPE && symbol->section < binary->section_count &&
           symbol->section != SECTION_NONE && section_is_code(&binary->sections[symbol->section]);
}

uint32_t binary_section_at(const struct binary *binary, uint64_t address)
{
    for (uint32_t i = 1; i < binary->section_count; i++) {
        const struct binary_section *section = &binary->sections[i];
        bool only_template = (section->flags & SHF_TLS) && section->type == SHT_NOBITS;
        if (section->address == 0) /* a kernel's per-CPU data: small numbers are no addresses */
            continue;
        if ((section->flags & SHF_ALLOC) && !only_template && address >= section->address &&
            address - section->address < section->size)
            return i;
    }
    return SECTION_NONE;
}

/* ---- symbols by place ---- */

/* How many of the section's symbols begin at or before an offset. */
static size_t symbols_up_to(const struct binary *binary, const struct binary_section *section,
                            uint64_t offset)
{
    size_t low = 0, high = section->symbol_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (binary->symbols[section->symbols[middle]].value <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t binary_symbols_before(const struct binary *binary, const struct binary_section *section,
                             uint64_t offset)
{
    return offset ? symbols_up_to(binary, section, offset - 1) : 0;
}

static bool is_kind(const struct binary *binary, const struct binary_symbol *symbol,
                    enum symbol_kind kind)
{
    if (kind == SYMBOL_CODE)
        return symbol_is_code(binary, symbol);
    return symbol->type == STT_OBJECT || symbol->type == STT_TLS ||
           (symbol->type == STT_NOTYPE && symbol->size);
}

uint64_t binary_symbol_end(const struct binary *binary, const struct binary_symbol *symbol)
{
    const struct binary_section *section = &binary->sections[symbol->section];
    if (symbol->size)
        return symbol->value + symbol->size;
    for (size_t i = symbols_up_to(binary, section, symbol->value); i < section->symbol_count; i++)
        if (is_kind(binary, &binary->symbols[section->symbols[i]], SYMBOL_CODE))
            return binary->symbols[section->symbols[i]].value;
    return section->size;
}

/* Symbols overlap where one is another name, or a part, of a thing; few do, so few are tried. */
const struct binary_symbol *binary_symbol_at(const struct binary *binary, uint32_t index,
                                             uint64_t offset, enum symbol_kind kind)
{
    enum { TRIED_MAX = 64 };
    const struct binary_section *section = &binary->sections[index];
    const struct binary_symbol *best = NULL;
    size_t from = symbols_up_to(binary, section, offset);
    for (size_t tried = 0; tried < TRIED_MAX && tried < from; tried++) {
        const struct binary_symbol *symbol = &binary->symbols[section->symbols[from - 1 - tried]];
        if (best && symbol->value != best->value)
            break;
        if (!is_kind(binary, symbol, kind))
            continue;
        bool covers = symbol->size ? offset - symbol->value < symbol->size : kind == SYMBOL_CODE;
        if (covers && (!best || (best->bind == STB_LOCAL && symbol->bind != STB_LOCAL)))
            best = symbol;
    }
    return best;
}

void binary_gap(const struct binary *binary, uint32_t index, uint64_t offset, uint64_t *start,
                uint64_t *end)
{
    const struct binary_section *section = &binary->sections[index];
    size_t from = symbols_up_to(binary, section, offset);
    *start = offset > UNKNOWN_REACH ? offset - UNKNOWN_REACH : 0;
    *end = section->size - offset > UNKNOWN_REACH ? offset + UNKNOWN_REACH : section->size;
    if (from) {
        const struct binary_symbol *before = &binary->symbols[section->symbols[from - 1]];
        if (before->value + before->size <= offset && before->value + before->size > *start)
            *start = before->value + before->size;
    }
    if (from < section->symbol_count && binary->symbols[section->symbols[from]].value < *end)
        *end = binary->symbols[section->symbols[from]].value;
}

size_t binary_relocation_from(const struct binary_section *section, uint64_t offset)
{
    size_t low = 0, high = section->relocation_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (section->relocations[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- symbols by name ---- */

static int rank(const struct binary_symbol *symbol)
{
    return (symbol_is_defined(symbol) ? 2 : 0) + (symbol->bind != STB_LOCAL);
}

static bool can_be_named(const struct binary_symbol *symbol)
{
    return *symbol->name && symbol->type != STT_SECTION && symbol->type != STT_FILE;
}

void binary_index_names(struct binary *binary)
{
    binary->names = region_alloc(binary->region, sizeof *binary->names);
    intern_init(binary->names, binary->region);
    binary->symbol_of =
        region_array(binary->region, binary->symbol_count + 1, sizeof *binary->symbol_of);
    for (uint32_t i = 1; i < binary->symbol_count; i++) {
        const struct binary_symbol *symbol = &binary->symbols[i];
        bool fresh;
        if (!can_be_named(symbol))
            continue;
        uint32_t id = intern_add(binary->names, symbol->name, strcspn(symbol->name, "@"), &fresh);
        if (fresh || rank(symbol) > rank(&binary->symbols[binary->symbol_of[id]]))
            binary->symbol_of[id] = i;
    }
}

const struct binary_symbol *binary_find(const struct binary *binary, const char *name)
{
    bool fresh;
    uint32_t id = intern_add(binary->names, name, strcspn(name, "@"), &fresh);
    bool known = !fresh && id < binary->symbol_count && binary->symbol_of[id];
    return known ? &binary->symbols[binary->symbol_of[id]] : NULL;
}
