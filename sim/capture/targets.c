/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a symbol, an address or a cell of a GOT stands for. */
#include <elf.h>
#include <string.h>

#include "sim/capture/elf.h"
#include "sim/capture/percpu.h"

static struct target place_target(struct binary *binary, const struct binary_symbol *symbol,
                                  int64_t distance)
{
    struct target target = {.kind = TARGET_PLACE,
                            .place = {binary, symbol->section, symbol->value},
                            .name = symbol->name,
                            .distance = distance};
    const struct binary_section *section = &binary->sections[symbol->section];
    if (section->flags & SHF_TLS)
        target.kind = TARGET_TLS;
    if (is_percpu_section(section))
        target.kind = TARGET_PERCPU;
    if (symbol->type != STT_SECTION)
        return target;
    /* Counted from the section: what lies there is what is meant. */
    uint64_t offset = (uint64_t)distance;
    target.is_section = true;
    if (section->size == 0)
        return target;
    target.place.offset = distance < 0 ? 0 : offset < section->size ? offset : section->size - 1;
    target.distance = distance - (int64_t)target.place.offset;
    return target;
}

size_t loose_object(struct elf_capture *elf, const char *name, uint64_t size)
{
    for (size_t i = 0; i < elf->loose_count; i++)
        if (strcmp(elf->looses[i].name, name) == 0) {
            if (elf->looses[i].size < size)
                elf->looses[i].size = size;
            return i;
        }
    elf->looses = region_push(elf->region, elf->looses, elf->loose_count, &elf->loose_capacity,
                              sizeof *elf->looses);
    elf->looses[elf->loose_count] =
        (struct loose){.name = name, .size = size ? size : 1, .alignment = 1, .object = NO_INDEX};
    return elf->loose_count++;
}

static struct target common_target(struct elf_capture *elf, struct binary *binary,
                                   const struct binary_symbol *symbol, int64_t distance)
{
    size_t index = loose_object(elf, symbol->name, symbol->size);
    struct loose *loose = &elf->looses[index];
    loose->binary = binary;
    loose->observed = true;
    if (symbol->value > loose->alignment && symbol->value <= 4096)
        loose->alignment = symbol->value;
    return (struct target){
        .kind = TARGET_LOOSE, .loose = index, .name = symbol->name, .distance = distance};
}

/* Names that linkers make up for the bounds of a section ("ld", "Input Section Example"). */
static bool bounds_section(const struct elf_capture *elf, const char *name)
{
    const char *section = strncmp(name, "__start_", 8) == 0  ? name + 8
                          : strncmp(name, "__stop_", 7) == 0 ? name + 7
                                                             : NULL;
    for (size_t i = 0; section && i < elf->inputs.binary_count; i++) {
        const struct binary *binary = elf->inputs.binaries[i];
        for (size_t n = 1; n < binary->section_count; n++)
            if (strcmp(binary->sections[n].name, section) == 0)
                return true;
    }
    return false;
}

struct target target_of_symbol(struct elf_capture *elf, struct binary *binary, uint32_t index,
                               int64_t distance)
{
    const struct binary_symbol *symbol = &binary->symbols[index];
    if (index == 0)
        return (struct target){.kind = TARGET_NUMBER, .name = "", .distance = distance};
    if (symbol->section == SECTION_NONE) {
        const char *name = symbol->name;
        struct binary *other = inputs_find(&elf->inputs, name, &symbol);
        if (!other && bounds_section(elf, name)) {
            elf_error(elf, binary->name,
                      "refers to '%s', which a linker makes; capture from the linked file", name);
            return (struct target){.kind = TARGET_NONE, .name = name};
        }
        if (!other && binary->symbols[index].bind == STB_WEAK)
            return (struct target){.kind = TARGET_NUMBER, .name = name, .distance = distance};
        if (!other)
            return (struct target){.kind = TARGET_NAME, .name = name, .distance = distance};
        binary = other;
    } else if (!binary->linked && symbol->bind != STB_LOCAL && *symbol->name) {
        /* Another file's definition may be the one that counts: inline functions and variables
         * of C++ are in every file that uses them. */
        const struct binary_symbol *other;
        struct binary *owner = inputs_find(&elf->inputs, symbol->name, &other);
        if (owner) {
            binary = owner;
            symbol = other;
        }
    }
    if (symbol->section == SECTION_COMMON)
        return common_target(elf, binary, symbol, distance);
    if (symbol->section == SECTION_ABSOLUTE)
        return (struct target){.kind = TARGET_NUMBER,
                               .name = symbol->name,
                               .distance = (int64_t)(symbol->value + (uint64_t)distance)};
    return place_target(binary, symbol, distance);
}

/*
 * Whether an address that no data has at its start is the end of the section before: the end of
 * an array is an address, too.
 */
static bool ends_section(const struct binary *binary, uint64_t address, uint32_t *before)
{
    uint32_t section = binary_section_at(binary, address);
    if (section != SECTION_NONE && strncmp(binary->sections[section].name, ".eh_frame", 9) != 0)
        return false;
    *before = address ? binary_section_at(binary, address - 1) : SECTION_NONE;
    return *before != SECTION_NONE && *before != section &&
           !(binary->sections[*before].flags & SHF_TLS);
}

struct target target_of_address(struct binary *binary, uint64_t address)
{
    uint32_t section = binary_section_at(binary, address), before;
    for (size_t i = 0; section == SECTION_NONE && i < binary->outside_count; i++)
        if (binary->outside[i].address == address)
            return (struct target){.kind = TARGET_NAME, .name = binary->outside[i].name};
    if (ends_section(binary, address, &before)) {
        const struct binary_section *ended = &binary->sections[before];
        return (struct target){.kind = TARGET_PLACE,
                               .place = {binary, before, ended->size - 1},
                               .name = "",
                               .is_section = true,
                               .distance = 1};
    }
    if (section == SECTION_NONE)
        return (struct target){.kind = TARGET_NUMBER, .name = "", .distance = (int64_t)address};
    struct target target = {.kind = TARGET_PLACE,
                            .place = {binary, section, address - binary->sections[section].address},
                            .name = "",
                            .is_section = true};
    if (binary->sections[section].flags & SHF_TLS)
        target.kind = TARGET_TLS;
    if (is_percpu_section(&binary->sections[section]))
        target.kind = TARGET_PERCPU;
    return target;
}

struct target target_of_tls(struct binary *binary, uint64_t offset)
{
    for (uint32_t i = 1; i < binary->section_count; i++) {
        const struct binary_section *section = &binary->sections[i];
        uint64_t start = section->address - binary->tls_address;
        if ((section->flags & SHF_TLS) && offset >= start && offset - start < section->size)
            return (struct target){
                .kind = TARGET_TLS, .place = {binary, i, offset - start}, .name = ""};
    }
    return (struct target){.kind = TARGET_NUMBER, .name = ""};
}

static uint64_t word_of(const struct binary_section *section, uint64_t offset)
{
    uint64_t word = 0;
    for (unsigned i = 0; section->bytes && i < 8 && offset + i < section->size; i++)
        word |= (uint64_t)section->bytes[offset + i] << 8 * i;
    return word;
}

struct target target_of_cell(struct elf_capture *elf, struct binary *binary, uint64_t address)
{
    struct target nothing = {.kind = TARGET_NUMBER, .name = ""};
    uint32_t index = binary_section_at(binary, address);
    if (index == SECTION_NONE)
        return nothing;
    const struct binary_section *section = &binary->sections[index];
    uint64_t offset = address - section->address;
    size_t at = binary_relocation_from(section, offset);
    if (at < section->relocation_count && section->relocations[at].offset == offset) {
        const struct binary_relocation *relocation = &section->relocations[at];
        switch (relocation->type) {
        case R_X86_64_GLOB_DAT:
        case R_X86_64_JUMP_SLOT:
        case R_X86_64_64:
            return target_of_symbol(elf, binary, relocation->symbol, relocation->addend);
        case R_X86_64_RELATIVE:
            return target_of_address(binary, (uint64_t)relocation->addend);
        default:
            return nothing;
        }
    }
    return binary->pointers_unmarked ? target_of_address(binary, word_of(section, offset))
                                     : nothing;
}

static bool same_target(const struct target *a, const struct target *b)
{
    return a->kind == b->kind && a->place.binary == b->place.binary &&
           a->place.section == b->place.section && a->place.offset == b->place.offset &&
           a->distance == b->distance && a->loose == b->loose && strcmp(a->name, b->name) == 0;
}

size_t loose_cell(struct elf_capture *elf, const struct target *target)
{
    const char *of = *target->name ? target->name : "data";
    const char *name = region_printf(elf->region, "got_%s", of);
    size_t index = loose_object(elf, name, 8);
    while (elf->looses[index].points && !same_target(&elf->looses[index].target, target)) {
        name = region_printf(elf->region, "%s_", name);
        index = loose_object(elf, name, 8);
    }
    elf->looses[index].points = true;
    elf->looses[index].alignment = 8;
    elf->looses[index].target = *target;
    return index;
}
