/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Alternatives: a kernel lists places in its code, what to put there instead, and the feature
 * of the CPU that decides (Linux, arch/x86/include/asm/alternative.h). Entries have grown over
 * the years; how long they are shows in the distance of their relocations.
 */
#include "sim/capture/patches.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "models/profile.h"

enum { ENTRY_BYTES_MIN = 12, ENTRY_BYTES_MAX = 14, ENTRIES_MAX = 1 << 20, FENTRY_BYTES = 5 };

#define FEATURE(word, bit) ((word)*32 + (bit))

/* Features by Linux's numbers (arch/x86/include/asm/cpufeatures.h) that every x86-64 part of a
 * vendor has, or none. Others must be told. */
static const struct {
    uint32_t number;
    const char *name;
    bool intel, amd;
} features[] = {
    {FEATURE(0, 25), "XMM", true, true},
    {FEATURE(0, 26), "XMM2", true, true},
    {FEATURE(1, 27), "RDTSCP", true, true},
    {FEATURE(3, 16), "REP_GOOD", true, true},
    {FEATURE(3, 18), "LFENCE_RDTSC", true, true},
    {FEATURE(3, 21), "ALWAYS", true, true},
    {FEATURE(9, 9), "ERMS", true, true},
    {FEATURE(9, 20), "SMAP", true, true},
    {FEATURE(9, 23), "CLFLUSHOPT", true, true},
    {FEATURE(9, 24), "CLWB", true, true},
    {FEATURE(11, 27), "APIC_MSRS_FENCE", true, false},
};

/* One place to patch. */
struct alternative {
    struct location place, replacement;
    uint8_t length, replacement_length;
    uint32_t feature;
    bool negated, direct_call;
};

static uint64_t number_at(const struct binary_section *section, uint64_t offset, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; section->bytes && i < size && offset + i < section->size; i++)
        value |= (uint64_t)section->bytes[offset + i] << 8 * i;
    return value;
}

/* What a 32-bit distance in the table leads to. */
static bool follow(struct elf_capture *elf, struct binary *binary, uint32_t table, uint64_t offset,
                   struct location *place)
{
    const struct binary_section *section = &binary->sections[table];
    struct target target;
    size_t at = binary_relocation_from(section, offset);
    if (!binary->linked) {
        if (at == section->relocation_count || section->relocations[at].offset != offset)
            return false;
        target = target_of_symbol(elf, binary, section->relocations[at].symbol,
                                  section->relocations[at].addend);
    } else {
        uint64_t distance = (uint64_t)(int64_t)(int32_t)number_at(section, offset, 4);
        target = target_of_address(binary, section->address + offset + distance);
    }
    *place = target.place;
    place->offset += (uint64_t)target.distance;
    return target.kind == TARGET_PLACE &&
           place->offset < place->binary->sections[place->section].size;
}

/* The length of an entry; 0 when it cannot be told. */
static uint64_t entry_bytes(const struct binary *binary, const struct binary_section *section)
{
    uint64_t length = 0;
    if (!binary->linked && section->relocation_count >= 3)
        length = section->relocations[2].offset - section->relocations[0].offset;
    else if (!binary->linked && section->relocation_count == 2)
        length = section->size;
    for (uint64_t guess = ENTRY_BYTES_MAX; !length && guess >= ENTRY_BYTES_MIN; guess--)
        if (section->size % guess == 0)
            length = guess;
    return length >= ENTRY_BYTES_MIN && length <= ENTRY_BYTES_MAX ? length : 0;
}

static bool read_alternative(struct elf_capture *elf, struct binary *binary, uint32_t table,
                             uint64_t offset, uint64_t length, struct alternative *alternative)
{
    const struct binary_section *section = &binary->sections[table];
    if (!follow(elf, binary, table, offset, &alternative->place) ||
        !follow(elf, binary, table, offset + 4, &alternative->replacement))
        return false;
    uint64_t lengths = length == ENTRY_BYTES_MAX ? offset + 12 : offset + 10;
    alternative->feature = (uint32_t)number_at(section, offset + 8, 2);
    if (length == ENTRY_BYTES_MAX) { /* flags of their own */
        uint64_t flags = number_at(section, offset + 10, 2);
        alternative->negated = flags & 1;
        alternative->direct_call = flags & 2;
    } else {
        alternative->negated = alternative->feature & 0x8000;
        alternative->direct_call = false;
        alternative->feature &= 0x7fff;
    }
    alternative->length = (uint8_t)number_at(section, lengths, 1);
    alternative->replacement_length = (uint8_t)number_at(section, lengths + 1, 1);
    return true;
}

/* ---- features ---- */

/* "WORD*32+BIT=on" or "=off" of the user's; false when it is something else. */
static bool parse_feature(const char *text, unsigned long *number, bool *has)
{
    char *end;
    *number = strtoul(text, &end, 0);
    bool good = end != text;
    if (strncmp(end, "*32+", 4) == 0)
        *number = *number * 32 + strtoul(end + 4, &end, 10);
    *has = strcmp(end, "=on") == 0;
    return good && (*has || strcmp(end, "=off") == 0);
}

void check_features(struct elf_capture *elf)
{
    unsigned long number;
    bool has;
    for (size_t i = 0; i < elf->options->feature_count; i++) {
        const char *text = elf->options->features[i];
        if (!parse_feature(text, &number, &has))
            elf_error(elf, NULL,
                      "--feature %s: expected a number of Linux's, such as 18*32+14, "
                      "and =on or =off",
                      text);
        else if (!elf->options->profile)
            elf_error(elf, NULL, "--feature %s: nothing is patched without --profile", text);
    }
}

static bool told_feature(const struct elf_capture *elf, uint32_t number, bool *has)
{
    unsigned long told;
    for (size_t i = 0; i < elf->options->feature_count; i++)
        if (parse_feature(elf->options->features[i], &told, has) && told == number)
            return true;
    return false;
}

static bool has_feature(struct elf_capture *elf, const struct code_part *part, uint32_t number)
{
    bool has = false, amd = strcmp(elf->profile->vendor, "amd") == 0;
    if (told_feature(elf, number, &has))
        return has;
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (features[i].number == number)
            return amd ? features[i].amd : features[i].intel;
    elf_error(elf, part->place.binary->name,
              "'%s' is patched by the CPU's feature %u*32+%u, of which the profile says nothing: "
              "--feature %u*32+%u=on or =off",
              part->name, number / 32, number % 32, number / 32, number % 32);
    return false;
}

/* ---- patching ---- */

/* NOPs as the manuals recommend them: Intel SDM volume 2, "NOP - No Operation". */
static void put_nops(uint8_t *bytes, uint32_t count)
{
    static const uint8_t nops[8][8] = {
        {0x90},
        {0x66, 0x90},
        {0x0f, 0x1f, 0x00},
        {0x0f, 0x1f, 0x40, 0x00},
        {0x0f, 0x1f, 0x44, 0x00, 0x00},
        {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
        {0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
        {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
    };
    while (count) {
        uint32_t length = count < 8 ? count : 8;
        memcpy(bytes, nops[length - 1], length);
        bytes += length;
        count -= length;
    }
}

static void add_patch(struct elf_capture *elf, struct code_part *part, struct code_patch patch)
{
    part->patches = region_push(elf->region, part->patches, part->patch_count,
                                &part->patch_capacity, sizeof *part->patches);
    part->patches[part->patch_count++] = patch;
}

static void apply(struct elf_capture *elf, struct code_part *part,
                  const struct alternative *alternative)
{
    const struct location *from = &alternative->replacement;
    const struct binary_section *section = &from->binary->sections[from->section];
    uint32_t start = (uint32_t)(alternative->place.offset - part->place.offset);
    uint32_t end = start + alternative->length, filled = start + alternative->replacement_length;
    if (end > part->size || filled > end ||
        (alternative->replacement_length &&
         (!section->bytes || section->size - from->offset < alternative->replacement_length))) {
        elf_error(elf, part->place.binary->name,
                  "the alternative at '%s'+%u does not fit: the table is damaged", part->name,
                  start);
        return;
    }
    if (alternative->direct_call) {
        elf_error(elf, part->place.binary->name,
                  "'%s'+%u is patched to call a paravirtual operation directly, which is not "
                  "supported",
                  part->name, start);
        return;
    }
    if (filled > start)
        memcpy(part->bytes + start, section->bytes + from->offset, filled - start);
    put_nops(part->bytes + filled, end - filled);
    /* A later entry for the same place comes first when relocations are looked up. */
    add_patch(elf, part, (struct code_patch){filled, end, {0}});
    add_patch(elf, part, (struct code_patch){start, filled, *from});
}

static void patch_by_table(struct elf_capture *elf, struct code_part *part, uint32_t table)
{
    struct binary *binary = part->place.binary;
    const struct binary_section *section = &binary->sections[table];
    uint64_t length = entry_bytes(binary, section);
    unsigned seen = 0;
    for (uint64_t offset = 0; length && offset + length <= section->size; offset += length) {
        struct alternative alternative;
        if (!read_alternative(elf, binary, table, offset, length, &alternative) ||
            alternative.place.section != part->place.section ||
            alternative.place.offset < part->place.offset ||
            alternative.place.offset - part->place.offset >= part->size)
            continue;
        seen++;
        if (elf->profile && has_feature(elf, part, alternative.feature) != alternative.negated)
            apply(elf, part, &alternative);
    }
    if (seen)
        part->note =
            region_printf(elf->region,
                          elf->profile ? "%u alternatives, as %s parts get them"
                                       : "%u alternatives as compiled, not as a kernel that runs "
                                         "has them; --profile patches",
                          seen, elf->profile ? elf->profile->vendor : "");
}

/* The call for tracing at a function's start becomes a NOP when a kernel starts. */
static void drop_fentry(struct elf_capture *elf, struct code_part *part)
{
    struct binary *binary = part->place.binary;
    const struct binary_section *section = &binary->sections[part->place.section];
    size_t at = binary_relocation_from(section, part->place.offset);
    if (at == section->relocation_count || binary->linked)
        return;
    const struct binary_relocation *row = &section->relocations[at];
    uint64_t field = row->offset - part->place.offset;
    if (field == 0 || field + 4 > part->size || field > 8 || part->bytes[field - 1] != 0xe8 ||
        strcmp(binary->symbols[row->symbol].name, "__fentry__") != 0)
        return;
    uint32_t start = (uint32_t)field - 1;
    put_nops(part->bytes + start, FENTRY_BYTES);
    add_patch(elf, part, (struct code_patch){start, start + FENTRY_BYTES, {0}});
}

void patch_code(struct elf_capture *elf, struct code_part *part)
{
    const struct binary *binary = part->place.binary;
    drop_fentry(elf, part);
    for (uint32_t i = 1; i < binary->section_count; i++)
        if (strcmp(binary->sections[i].name, ".altinstructions") == 0)
            patch_by_table(elf, part, i);
}

const struct code_patch *patch_at(const struct code_part *part, uint32_t offset)
{
    for (size_t i = part->patch_count; i-- > 0;)
        if (offset >= part->patches[i].start && offset < part->patches[i].end)
            return &part->patches[i];
    return NULL;
}
