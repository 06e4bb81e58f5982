/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Static keys: `__jump_table` lists places of code with a NOP or a jump, where the jump goes and
 * the key that decides (Linux, arch/x86/include/asm/jump_label.h). An entry is three distances
 * of 32, 32 and 64 bits, formerly three addresses. The key's low bits say which of its states
 * jumps, and whether the compiled jump is one that the build makes a NOP.
 */
#include "sim/capture/static_keys.h"

#include <elf.h>
#include <inttypes.h>
#include <string.h>

#include "sim/capture/patches.h"

enum {
    ENTRY_BYTES = 16,
    OLD_ENTRY_BYTES = 24,
    JUMPS_WHEN_OFF = 1,
    BUILD_MAKES_NOP = 2,
    KEY_FLAGS = 3,
    SHORT_BYTES = 2,
    NEAR_BYTES = 5,
    NOTE_BYTES_MAX = 400
};

struct branch_site {
    struct location place, target;
    const char *key;
    unsigned flags;
};

/* ---- the table ---- */

/* What a field of an entry stands for; a key (`flags` is not NULL) without its low bits. */
static bool read_field(struct elf_capture *elf, struct binary *binary, uint32_t table,
                       uint64_t offset, unsigned size, bool relative, struct target *target,
                       unsigned *flags)
{
    const struct binary_section *section = &binary->sections[table];
    if (!binary->linked) {
        size_t row = binary_relocation_from(section, offset);
        if (row == section->relocation_count || section->relocations[row].offset != offset)
            return false;
        const struct binary_relocation *relocation = &section->relocations[row];
        int64_t low = flags ? relocation->addend & KEY_FLAGS : 0;
        *target = target_of_symbol(elf, binary, relocation->symbol, relocation->addend - low);
        if (flags)
            *flags = (unsigned)low;
        return true;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)section->bytes[offset + i] << 8 * i;
    if (size == 4)
        value = (uint64_t)(int64_t)(int32_t)value;
    if (relative)
        value += section->address + offset;
    if (flags)
        *flags = (unsigned)value & KEY_FLAGS;
    *target = target_of_address(binary, flags ? value - (value & KEY_FLAGS) : value);
    return true;
}

static bool code_place(const struct target *target, const struct binary *binary,
                       struct location *place)
{
    *place = target->place;
    place->offset += (uint64_t)target->distance;
    return target->kind == TARGET_PLACE && target->place.binary == binary &&
           section_is_code(&binary->sections[place->section]) &&
           place->offset < binary->sections[place->section].size;
}

static const char *key_name(const struct target *target)
{
    if (*target->name || target->kind != TARGET_PLACE)
        return target->name;
    const struct binary_symbol *symbol =
        binary_symbol_at(target->place.binary, target->place.section,
                         target->place.offset + (uint64_t)target->distance, SYMBOL_DATA);
    return symbol ? symbol->name : "";
}

static bool read_entry(struct elf_capture *elf, struct binary *binary, uint32_t table,
                       uint64_t offset, unsigned size, struct branch_site *site)
{
    bool relative = size == ENTRY_BYTES;
    unsigned first = relative ? 4 : 8;
    struct target place, target, key;
    if (!read_field(elf, binary, table, offset, first, relative, &place, NULL) ||
        !read_field(elf, binary, table, offset + first, first, relative, &target, NULL) ||
        !read_field(elf, binary, table, offset + 2 * (uint64_t)first, 8, relative, &key,
                    &site->flags))
        return false;
    site->key = key_name(&key);
    return code_place(&place, binary, &site->place) && code_place(&target, binary, &site->target);
}

/* An object's relocations show how its entries are laid out; of a linked file one is tried. */
static unsigned entry_bytes(struct elf_capture *elf, struct binary *binary, uint32_t table)
{
    const struct binary_section *section = &binary->sections[table];
    struct branch_site site;
    bool old = section->relocation_count && section->relocations[0].type == R_X86_64_64;
    if (binary->linked)
        old = section->size >= OLD_ENTRY_BYTES &&
              !read_entry(elf, binary, table, 0, ENTRY_BYTES, &site);
    return old ? OLD_ENTRY_BYTES : ENTRY_BYTES;
}

/* ---- sites ---- */

/* The length of the jump or NOP at a place, 0 when there is none. */
static uint32_t site_bytes(const uint8_t *bytes, uint32_t left, bool *jumps)
{
    static const uint8_t nop5[] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
    static const uint8_t other_nop5[] = {0x3e, 0x8d, 0x74, 0x26, 0x00}; /* lea rsi, ds:[rsi] */
    *jumps = left && (bytes[0] == 0xe9 || bytes[0] == 0xeb);
    if (left >= NEAR_BYTES && (bytes[0] == 0xe9 || memcmp(bytes, nop5, NEAR_BYTES) == 0 ||
                               memcmp(bytes, other_nop5, NEAR_BYTES) == 0))
        return NEAR_BYTES;
    if (left >= SHORT_BYTES && (bytes[0] == 0xeb || (bytes[0] == 0x66 && bytes[1] == 0x90)))
        return SHORT_BYTES;
    return 0;
}

/* "NAME=on" or "NAME=off" of the user's. */
static bool told_key(struct elf_capture *elf, const char *key, bool *enabled)
{
    size_t length = strlen(key);
    bool found = false;
    for (size_t i = 0; i < elf->options->static_key_count; i++) {
        const char *text = elf->options->static_keys[i];
        if (!length || strncmp(text, key, length) != 0 || text[length] != '=')
            continue;
        *enabled = strcmp(text + length + 1, "on") == 0;
        elf->static_key_used[i] = found = true;
    }
    return found;
}

static void put_jump(struct elf_capture *elf, struct code_part *part, uint32_t start, uint32_t size,
                     const struct branch_site *site)
{
    struct code_patch patch = {.start = start, .end = start + size};
    uint8_t *bytes = part->bytes + start;
    if (size == NEAR_BYTES) {
        memset(bytes, 0, size);
        bytes[0] = 0xe9; /* jmp rel32 */
        patch.branches = true;
        patch.target = (struct target){.kind = TARGET_PLACE, .place = site->target, .name = ""};
    } else {
        int64_t distance = (int64_t)site->target.offset - (int64_t)(site->place.offset + size);
        if (site->target.section != part->place.section || distance != (int8_t)distance ||
            site->target.offset < part->place.offset ||
            site->target.offset - part->place.offset >= part->size) {
            elf_error(elf, part->place.binary->name,
                      "'%s'+%u: the jump of the static key '%s' leaves the function, which a "
                      "short one cannot here",
                      part->name, start, site->key);
            return;
        }
        bytes[0] = 0xeb; /* jmp rel8 */
        bytes[1] = (uint8_t)distance;
    }
    add_patch(elf, part, patch);
}

static void note_key(struct elf_capture *elf, struct code_part *part, const char *key,
                     const char *state)
{
    const char *note = region_printf(elf->region, "static key '%.60s' %s", key, state);
    if (!part->note || (strlen(part->note) < NOTE_BYTES_MAX && !strstr(part->note, note)))
        add_part_note(elf, part, note);
}

static void patch_site(struct elf_capture *elf, struct code_part *part,
                       const struct branch_site *site)
{
    uint32_t start = (uint32_t)(site->place.offset - part->place.offset);
    bool jumps, enabled, told = told_key(elf, site->key, &enabled);
    uint32_t size = site_bytes(part->bytes + start, part->size - start, &jumps);
    if (!size) {
        elf_error(elf, part->place.binary->name,
                  "'%s'+%u is listed for the static key '%s', but is no jump or NOP", part->name,
                  start, site->key);
        return;
    }
    bool shall_jump = told ? enabled != (site->flags & JUMPS_WHEN_OFF)
                           : jumps && !(site->flags & BUILD_MAKES_NOP);
    note_key(elf, part, site->key, !told ? "as compiled" : enabled ? "on" : "off");
    if (shall_jump && !jumps) {
        put_jump(elf, part, start, size, site);
    } else if (!shall_jump && jumps) {
        put_nops(part->bytes + start, size);
        add_patch(elf, part, (struct code_patch){.start = start, .end = start + size});
    }
}

void patch_static_keys(struct elf_capture *elf, struct code_part *part)
{
    struct binary *binary = part->place.binary;
    for (uint32_t i = 1; i < binary->section_count; i++) {
        const struct binary_section *section = &binary->sections[i];
        if (strcmp(section->name, "__jump_table") != 0 || !section->bytes)
            continue;
        unsigned size = entry_bytes(elf, binary, i);
        for (uint64_t offset = 0; offset + size <= section->size; offset += size) {
            struct branch_site site;
            if (!read_entry(elf, binary, i, offset, size, &site)) {
                elf_error(elf, binary->name,
                          "%s+0x%" PRIx64 " points to no code: it is damaged, or of a layout "
                          "that is not known",
                          section->name, offset);
                return;
            }
            if (site.place.section == part->place.section &&
                site.place.offset >= part->place.offset &&
                site.place.offset - part->place.offset < part->size)
                patch_site(elf, part, &site);
        }
    }
}

void check_static_keys(struct elf_capture *elf)
{
    for (size_t i = 0; i < elf->options->static_key_count; i++)
        if (!elf->static_key_used[i])
            elf_error(elf, NULL, "--static-key %s: the captured code has no such key",
                      elf->options->static_keys[i]);
}
