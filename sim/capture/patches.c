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
#include "sim/capture/paravirt.h"
#include "sim/capture/static_keys.h"

enum { ENTRY_BYTES_MIN = 12, ENTRY_BYTES_MAX = 14, FEATURES_MAX = 64 * 32 };

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
    /* Of virtual machines: none. */
    {FEATURE(4, 31), "HYPERVISOR", false, false},
    {FEATURE(8, 16), "XENPV", false, false},
    {FEATURE(8, 20), "PVUNLOCK", false, false},
    {FEATURE(8, 21), "VCPUPREEMPT", false, false},
    {FEATURE(8, 22), "TDX_GUEST", false, false},
    /* Chosen where a part needs them against speculation; taken as not chosen. */
    {FEATURE(7, 12), "RETPOLINE", false, false},
    {FEATURE(7, 13), "RETPOLINE_LFENCE", false, false},
    {FEATURE(11, 14), "RETHUNK", false, false},
    {FEATURE(11, 15), "UNRET", false, false},
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
    /* What is put there may be nothing, at the very end of its section. */
    return target.kind == TARGET_PLACE && place->binary == binary &&
           place->offset <= binary->sections[place->section].size;
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

/* Whether all entries make sense when they have that length. */
static bool length_fits(struct elf_capture *elf, struct binary *binary, uint32_t table,
                        uint64_t length)
{
    const struct binary_section *section = &binary->sections[table];
    struct alternative alternative;
    if (section->size % length != 0)
        return false;
    for (uint64_t offset = 0; offset < section->size; offset += length)
        if (!read_alternative(elf, binary, table, offset, length, &alternative) ||
            alternative.feature >= FEATURES_MAX ||
            alternative.replacement_length > alternative.length ||
            !section_is_code(&binary->sections[alternative.place.section]))
            return false;
    return true;
}

/* The length of an entry; 0 when it cannot be told. */
static uint64_t entry_bytes(struct elf_capture *elf, struct binary *binary, uint32_t table)
{
    for (uint64_t length = ENTRY_BYTES_MAX; length >= ENTRY_BYTES_MIN; length--)
        if (length_fits(elf, binary, table, length))
            return length;
    return 0;
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

void add_part_note(struct elf_capture *elf, struct code_part *part, const char *note)
{
    part->note = part->note ? region_printf(elf->region, "%s; %s", part->note, note) : note;
}

/* NOPs as the manuals recommend them: Intel SDM volume 2, "NOP - No Operation". */
void put_nops(uint8_t *bytes, uint32_t count)
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

void add_patch(struct elf_capture *elf, struct code_part *part, struct code_patch patch)
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
        patch_operation(elf, part, start, end);
        return;
    }
    if (filled > start)
        memcpy(part->bytes + start, section->bytes + from->offset, filled - start);
    put_nops(part->bytes + filled, end - filled);
    /* A later entry for the same place comes first when relocations are looked up. */
    add_patch(elf, part, (struct code_patch){.start = filled, .end = end});
    add_patch(elf, part, (struct code_patch){.start = start, .end = filled, .from = *from});
}

/* The entries of a table that are about a part and whose features decide for them. */
struct alternatives {
    struct alternative *items;
    size_t count, capacity;
    unsigned seen; /* of the part at all */
};

static void list_alternatives(struct elf_capture *elf, const struct code_part *part, uint32_t table,
                              struct alternatives *list)
{
    struct binary *binary = part->place.binary;
    const struct binary_section *section = &binary->sections[table];
    uint64_t length = section->size ? entry_bytes(elf, binary, table) : 0;
    if (!length && section->size) {
        elf_error(elf, binary->name, "%s is damaged, or of a layout that is not known",
                  section->name);
        return;
    }
    for (uint64_t offset = 0; offset < section->size; offset += length) {
        struct alternative alternative;
        if (!read_alternative(elf, binary, table, offset, length, &alternative) ||
            alternative.place.section != part->place.section ||
            alternative.place.offset < part->place.offset ||
            alternative.place.offset - part->place.offset >= part->size)
            continue;
        list->seen++;
        if (!elf->profile || has_feature(elf, part, alternative.feature) == alternative.negated)
            continue;
        list->items = region_push(elf->region, list->items, list->count, &list->capacity,
                                  sizeof *list->items);
        list->items[list->count++] = alternative;
    }
}

/* Of several entries for a place the last one that applies is what stays. */
static unsigned patch_by_table(struct elf_capture *elf, struct code_part *part, uint32_t table)
{
    struct alternatives list = {0};
    list_alternatives(elf, part, table, &list);
    bool *done = region_array(elf->region, part->size, sizeof *done);
    for (size_t i = list.count; i-- > 0;) {
        uint64_t start = list.items[i].place.offset - part->place.offset;
        if (!done[start])
            apply(elf, part, &list.items[i]);
        done[start] = true;
    }
    return list.seen;
}

static const char *number_of(struct elf_capture *elf, unsigned number, const char *thing)
{
    return region_printf(elf->region, "%u %s%s", number, thing, number == 1 ? "" : "s");
}

/* Says in the trace what was done, or left. */
static void note_patches(struct elf_capture *elf, struct code_part *part, unsigned alternatives,
                         unsigned operations)
{
    const char *what = alternatives ? number_of(elf, alternatives, "alternative") : "";
    if (operations)
        what = region_printf(elf->region, "%s%s%s", what, alternatives ? " and " : "",
                             number_of(elf, operations, "paravirtual operation"));
    if (!*what)
        return;
    if (elf->profile)
        add_part_note(
            elf, part,
            region_printf(elf->region, "%s, as %s parts get them", what, elf->profile->vendor));
    else
        add_part_note(elf, part,
                      region_printf(elf->region,
                                    "%s as compiled, not as a kernel that runs has them; "
                                    "--profile patches",
                                    what));
}

void patch_code(struct elf_capture *elf, struct code_part *part)
{
    const struct binary *binary = part->place.binary;
    unsigned operations = patch_paravirt(elf, part), alternatives = 0;
    for (uint32_t i = 1; i < binary->section_count; i++)
        if (strcmp(binary->sections[i].name, ".altinstructions") == 0)
            alternatives += patch_by_table(elf, part, i);
    note_patches(elf, part, alternatives, operations);
    patch_static_keys(elf, part);
}

const struct code_patch *patch_at(const struct code_part *part, uint32_t offset)
{
    for (size_t i = part->patch_count; i-- > 0;)
        if (offset >= part->patches[i].start && offset < part->patches[i].end)
            return &part->patches[i];
    return NULL;
}
