/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jump tables. They lie in read-only data but are about code, of which every CPU has its own:
 * so each CPU gets its own tables. A table is as long as its entries lead into the function
 * that refers to it.
 */
#include <elf.h>
#include <string.h>

#include "sim/capture/elf.h"
#include "sim/program/layout.h"

enum { ENTRIES_MAX = 4096 };

/* Whether a place is in the function, or in the part of it that the compiler put elsewhere. */
static bool belongs_to(const struct code_part *part, const struct location *place)
{
    if (place->binary != part->place.binary)
        return false;
    if (place->section == part->place.section)
        if (place->offset >= part->place.offset && place->offset - part->place.offset < part->size)
            return true;
    const struct binary_section *section = &place->binary->sections[place->section];
    if (!section_is_code(section) || place->offset >= section->size)
        return false;
    const struct binary_symbol *symbol =
        binary_symbol_at(place->binary, place->section, place->offset, SYMBOL_CODE);
    size_t length = strlen(part->name);
    return symbol && strncmp(symbol->name, part->name, length) == 0 &&
           strncmp(symbol->name + length, ".cold", 5) == 0;
}

static int32_t signed_word(const struct binary_section *section, uint64_t offset)
{
    uint32_t word = 0;
    for (unsigned i = 0; section->bytes && i < 4 && offset + i < section->size; i++)
        word |= (uint32_t)section->bytes[offset + i] << 8 * i;
    return (int32_t)word;
}

/* An entry of an object file, by its relocation. */
static bool relocated_entry(struct elf_capture *elf, const struct location *table, uint64_t offset,
                            uint8_t *width, struct target *target)
{
    struct binary *binary = table->binary;
    const struct binary_section *section = &binary->sections[table->section];
    size_t at = binary_relocation_from(section, offset);
    if (at == section->relocation_count || section->relocations[at].offset != offset)
        return false;
    const struct binary_relocation *row = &section->relocations[at];
    int64_t from_start = (int64_t)(offset - table->offset);
    if (row->type == R_X86_64_PC32) { /* counts from the entry, the code from the table */
        *width = 4;
        *target = target_of_symbol(elf, binary, row->symbol, row->addend - from_start);
    } else if (row->type == R_X86_64_64) {
        *width = 8;
        *target = target_of_symbol(elf, binary, row->symbol, row->addend);
    } else if (row->type == R_X86_64_RELATIVE) {
        *width = 8;
        *target = target_of_address(binary, (uint64_t)row->addend);
    } else {
        return false;
    }
    return true;
}

/* An entry of a linked file without relocations: an address where those are fixed, or a distance.
 */
static bool linked_entry(const struct location *table, uint64_t offset, uint8_t width,
                         struct target *target)
{
    struct binary *binary = table->binary;
    const struct binary_section *section = &binary->sections[table->section];
    if (!section->bytes || offset + width > section->size)
        return false;
    uint64_t word = (uint64_t)(int64_t)signed_word(section, offset);
    if (width == 4)
        word += section->address + table->offset;
    else if (!binary->fixed)
        return false;
    else
        word = (uint32_t)word | (uint64_t)(uint32_t)signed_word(section, offset + 4) << 32;
    *target = target_of_address(binary, word);
    return true;
}

static bool add_entry(struct elf_capture *elf, struct cpu_code *code, size_t part,
                      struct jump_table *table, const struct target *target)
{
    struct location place = target->place;
    struct jump_entry entry;
    if (target->kind != TARGET_PLACE)
        return false;
    place.offset += (uint64_t)target->distance;
    if (!belongs_to(&code->parts[part], &place))
        return false;
    int to = reach_part(elf, code, &place, &entry.at);
    if (to == NO_INDEX)
        return false;
    entry.part = (size_t)to;
    table->entries = region_push(elf->region, table->entries, table->count, &table->capacity,
                                 sizeof *table->entries);
    table->entries[table->count++] = entry;
    return true;
}

static void read_entries(struct elf_capture *elf, struct cpu_code *code, size_t part, uint8_t width,
                         struct jump_table *table)
{
    bool linked = table->place.binary->linked;
    for (; table->count < ENTRIES_MAX;) {
        struct target target;
        uint64_t offset = table->place.offset + table->count * (uint64_t)width;
        uint8_t own = width;
        bool found = relocated_entry(elf, &table->place, offset, &own, &target) && own == width;
        if (!found && linked)
            found = linked_entry(&table->place, offset, width, &target);
        if (!found || !add_entry(elf, code, part, table, &target))
            return;
    }
}

/* Only where a function jumps to what a register says can there be a table. */
static bool jumps_anywhere(const struct code_part *part)
{
    for (uint32_t i = 0; i + 1 < part->size; i++) /* jmp r/m64 that is not relative to rip */
        if (part->bytes[i] == 0xff && (part->bytes[i + 1] >> 3 & 7) == 4 &&
            part->bytes[i + 1] != 0x25)
            return true;
    return false;
}

bool take_table(struct elf_capture *elf, struct cpu_code *code, size_t part, struct target *target)
{
    struct location place = target->place;
    if (target->kind != TARGET_PLACE || !jumps_anywhere(&code->parts[part]))
        return false;
    place.offset += (uint64_t)target->distance;
    const struct binary_section *section = &place.binary->sections[place.section];
    bool constant = !(section->flags & SHF_WRITE) ||
                    strncmp(section->name, ".data.rel.ro", 12) == 0; /* once relocated */
    if (!constant || (section->flags & SHF_EXECINSTR) || place.offset >= section->size)
        return false;
    const struct binary_symbol *symbol =
        binary_symbol_at(place.binary, place.section, place.offset, SYMBOL_DATA);
    if (symbol && (symbol->bind != STB_LOCAL || symbol->value != place.offset))
        return false;
    for (size_t i = 0; i < code->table_count; i++) {
        const struct location *known = &code->tables[i].place;
        if (known->binary == place.binary && known->section == place.section &&
            known->offset == place.offset) {
            *target = (struct target){.kind = TARGET_TABLE, .loose = i, .name = "a jump table"};
            return true;
        }
    }
    struct jump_table table = {.place = place, .object = NO_INDEX};
    for (table.width = 4; table.width <= 8 && !table.count;
         table.width = (uint8_t)(table.width * 2)) {
        read_entries(elf, code, part, table.width, &table);
        if (table.count)
            break;
    }
    if (!table.count || (symbol && table.count * table.width != symbol->size))
        return false;
    code->tables = region_push(elf->region, code->tables, code->table_count, &code->table_capacity,
                               sizeof *code->tables);
    code->tables[code->table_count] = table;
    *target =
        (struct target){.kind = TARGET_TABLE, .loose = code->table_count++, .name = "a jump table"};
    return true;
}

void make_tables(struct elf_capture *elf, const struct cpu_code *code, size_t cpu)
{
    for (size_t i = 0; i < code->table_count; i++) {
        struct jump_table *table = &code->tables[i];
        table->object =
            capture_add_object(&elf->capture, region_printf(elf->region, "%s_table", code->name),
                               table->count * (uint64_t)table->width);
        struct capture_object *object = &elf->capture.objects[table->object];
        object->code_fields = region_array(elf->region, table->count, sizeof *object->code_fields);
        object->code_field_count = table->count;
        for (size_t n = 0; n < table->count; n++) {
            uint64_t offset = n * (uint64_t)table->width;
            int64_t at =
                (int64_t)(code->parts[table->entries[n].part].offset + table->entries[n].at);
            /* pc32 counts from the field, the entry from the start of the table */
            object->code_fields[n] = (struct capture_code_field){
                offset, table->width == 4 ? REFERENCE_PC32 : REFERENCE_ABS64, cpu,
                table->width == 4 ? at + (int64_t)offset : at};
        }
    }
}
