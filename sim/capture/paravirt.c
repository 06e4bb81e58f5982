/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel for virtual machines calls operations through a table (`pv_ops`, formerly
 * `pv_irq_ops` and others). When it starts on a real machine it puts native instructions in
 * place of the calls, or direct calls (Linux, arch/x86/kernel/paravirt.c). Which operation a
 * cell of the table is changes with version and configuration: the table's initial value in
 * one of the files says it, or the type of the table in DWARF.
 */
#include "sim/capture/paravirt.h"

#include <elf.h>
#include <inttypes.h>
#include <string.h>

#include "sim/capture/lines.h"
#include "sim/capture/patches.h"

enum { POINTER = 8, SITE_BYTES_MIN = 10, SITE_STRIDE = 16, CALL_BYTES = 5 };

/* Operations by the last words of their names, and the instructions that do them. */
static const struct native {
    const char *operation;
    uint8_t length, bytes[4];
} natives[] = {
    {"irq_disable", 1, {0xfa}},                    /* cli */
    {"irq_enable", 1, {0xfb}},                     /* sti */
    {"save_fl", 2, {0x9c, 0x58}},                  /* pushfq; pop rax */
    {"restore_fl", 2, {0x57, 0x9d}},               /* push rdi; popfq */
    {"wbinvd", 2, {0x0f, 0x09}},                   /* wbinvd */
    {"swapgs", 3, {0x0f, 0x01, 0xf8}},             /* swapgs */
    {"clts", 2, {0x0f, 0x06}},                     /* clts */
    {"read_cr2", 3, {0x0f, 0x20, 0xd0}},           /* mov rax, cr2 */
    {"read_cr3", 3, {0x0f, 0x20, 0xd8}},           /* mov rax, cr3 */
    {"write_cr2", 3, {0x0f, 0x22, 0xd7}},          /* mov cr2, rdi */
    {"write_cr3", 3, {0x0f, 0x22, 0xdf}},          /* mov cr3, rdi */
    {"queued_spin_unlock", 3, {0xc6, 0x07, 0x00}}, /* mov byte ptr [rdi], 0 */
    {"vcpu_is_preempted", 2, {0x31, 0xc0}},        /* xor eax, eax */
    {"paravirt_ident_64", 3, {0x48, 0x89, 0xf8}},  /* mov rax, rdi */
    {"pte_val", 3, {0x48, 0x89, 0xf8}},
    {"pmd_val", 3, {0x48, 0x89, 0xf8}},
    {"pud_val", 3, {0x48, 0x89, 0xf8}},
    {"p4d_val", 3, {0x48, 0x89, 0xf8}},
    {"pgd_val", 3, {0x48, 0x89, 0xf8}},
    {"make_pte", 3, {0x48, 0x89, 0xf8}},
    {"make_pmd", 3, {0x48, 0x89, 0xf8}},
    {"make_pud", 3, {0x48, 0x89, 0xf8}},
    {"make_p4d", 3, {0x48, 0x89, 0xf8}},
    {"make_pgd", 3, {0x48, 0x89, 0xf8}},
    {"paravirt_nop", 0, {0}},
    {"nop_func", 0, {0}},
    {"start_context_switch", 0, {0}},
    {"end_context_switch", 0, {0}},
    {"lazy_mode_enter", 0, {0}},
    {"lazy_mode_leave", 0, {0}},
    {"lazy_mode_flush", 0, {0}},
    {"activate_mm", 0, {0}},
    {"enter_mmap", 0, {0}},
    {"dup_mmap", 0, {0}},
    {"exit_mmap", 0, {0}},
    {"alloc_ldt", 0, {0}},
    {"free_ldt", 0, {0}},
    {"alloc_pte", 0, {0}},
    {"alloc_pmd", 0, {0}},
    {"alloc_pud", 0, {0}},
    {"alloc_p4d", 0, {0}},
    {"release_pte", 0, {0}},
    {"release_pmd", 0, {0}},
    {"release_pud", 0, {0}},
    {"release_p4d", 0, {0}},
};

/* The last of a name, as a whole word or more: "irq_save_fl" ends with "save_fl". */
static bool ends_with(const char *name, const char *words)
{
    size_t length = strlen(name), tail = strlen(words);
    return length >= tail && strcmp(name + length - tail, words) == 0 &&
           (length == tail || name[length - tail - 1] == '_');
}

static const struct native *find_native(const char *name)
{
    for (size_t i = 0; i < sizeof natives / sizeof *natives; i++)
        if (ends_with(name, natives[i].operation))
            return &natives[i];
    return NULL;
}

/* ---- the operation that a call is about ---- */

/* The cell that a call at a place goes through; TARGET_NUMBER when it is no such call. */
static struct target cell_of_call(struct elf_capture *elf, const struct location *place)
{
    static const struct target none = {.kind = TARGET_NUMBER, .name = ""};
    struct binary *binary = place->binary;
    const struct binary_section *section = &binary->sections[place->section];
    const uint8_t *bytes = section->bytes + place->offset;
    uint64_t left = section->size - place->offset;
    bool relative = left >= 6 && bytes[0] == 0xff && bytes[1] == 0x15;
    bool absolute = left >= 7 && bytes[0] == 0xff && bytes[1] == 0x14 && bytes[2] == 0x25;
    if (!relative && !absolute)
        return none;
    uint64_t field = place->offset + (relative ? 2 : 3);
    if (binary->linked) {
        const uint8_t *at = section->bytes + field;
        uint32_t low =
            (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        uint64_t address = (uint64_t)(int64_t)(int32_t)low;
        return target_of_address(binary,
                                 relative ? section->address + field + 4 + address : address);
    }
    size_t row = binary_relocation_from(section, field);
    if (row == section->relocation_count || section->relocations[row].offset != field)
        return none;
    const struct binary_relocation *relocation = &section->relocations[row];
    if (relocation->type != (relative ? R_X86_64_PC32 : R_X86_64_32S))
        return none;
    return target_of_symbol(elf, binary, relocation->symbol,
                            relocation->addend + (relative ? 4 : 0));
}

/* What a cell of a table holds at the start; TARGET_NUMBER when no file says that. */
static struct target content_of(struct elf_capture *elf, const struct target *cell)
{
    struct binary *binary = cell->place.binary;
    const struct binary_section *section = &binary->sections[cell->place.section];
    uint64_t offset = cell->place.offset + (uint64_t)cell->distance;
    if (binary->linked)
        return target_of_cell(elf, binary, section->address + offset);
    size_t row = binary_relocation_from(section, offset);
    if (row == section->relocation_count || section->relocations[row].offset != offset ||
        section->relocations[row].type != R_X86_64_64)
        return (struct target){.kind = TARGET_NUMBER, .name = ""};
    return target_of_symbol(elf, binary, section->relocations[row].symbol,
                            section->relocations[row].addend);
}

static const char *function_name(const struct target *target)
{
    if (target->kind != TARGET_PLACE || *target->name)
        return target->name;
    const struct binary_symbol *symbol =
        binary_symbol_at(target->place.binary, target->place.section,
                         target->place.offset + (uint64_t)target->distance, SYMBOL_CODE);
    return symbol ? symbol->name : "";
}

/* A function of the kernel's own that only does what an instruction does. */
static const struct native *native_function(const char *name)
{
    bool own =
        strstr(name, "native_") || strstr(name, "paravirt_") || strcmp(name, "nop_func") == 0;
    return own ? find_native(name) : NULL;
}

/* "pv_ops.irq_save_fl" as DWARF has it, or "pv_ops+216". */
static const char *operation_name(struct elf_capture *elf, struct binary *binary,
                                  const struct target *cell)
{
    const char *field =
        cell->distance < 0 ? NULL : lines_field_at(binary, cell->name, (uint64_t)cell->distance);
    size_t length = field ? strlen(field) : 0;
    if (!field)
        return region_printf(elf->region, "%s+%" PRId64, cell->name, cell->distance);
    if (ends_with(field, "func")) /* within a struct paravirt_callee_save */
        length -= strlen("_func");
    return region_printf(elf->region, "%s.%.*s", cell->name, (int)length, field);
}

/* ---- patching ---- */

static void put_native(struct elf_capture *elf, struct code_part *part, uint32_t start,
                       uint32_t end, const struct native *native)
{
    if (native->length > end - start) {
        elf_error(elf, part->place.binary->name, "'%s'+%u has no room for the native '%s'",
                  part->name, start, native->operation);
        return;
    }
    memcpy(part->bytes + start, native->bytes, native->length);
    put_nops(part->bytes + start + native->length, end - start - native->length);
    add_patch(elf, part, (struct code_patch){.start = start, .end = end});
}

static void put_call(struct elf_capture *elf, struct code_part *part, uint32_t start, uint32_t end,
                     const struct target *target)
{
    if (end - start < CALL_BYTES) {
        elf_error(elf, part->place.binary->name, "'%s'+%u has no room for a call", part->name,
                  start);
        return;
    }
    memset(part->bytes + start, 0, CALL_BYTES);
    part->bytes[start] = 0xe8; /* call rel32 */
    put_nops(part->bytes + start + CALL_BYTES, end - start - CALL_BYTES);
    add_patch(elf, part,
              (struct code_patch){.start = start, .end = end, .branches = true, .target = *target});
}

/* `type` is the number of the operation in the table, -1: only the instruction says which. */
static void patch_site(struct elf_capture *elf, struct code_part *part, uint32_t start,
                       uint32_t end, int type)
{
    struct location place = part->place;
    place.offset += start;
    struct target cell = cell_of_call(elf, &place), function = {.kind = TARGET_NUMBER};
    const struct binary_symbol *all =
        cell.kind == TARGET_NUMBER && type >= 0 ? binary_find(place.binary, "pv_ops") : NULL;
    if (all)
        cell = target_of_symbol(elf, place.binary, (uint32_t)(all - place.binary->symbols),
                                (int64_t)type * POINTER);
    const struct native *native = NULL;
    if (cell.kind == TARGET_PLACE) {
        function = content_of(elf, &cell);
        if (function.kind != TARGET_NUMBER)
            native = native_function(function_name(&function));
    } else if (cell.kind == TARGET_NAME) {
        const char *name = operation_name(elf, part->place.binary, &cell);
        native = find_native(name);
        function = (struct target){.kind = TARGET_NAME, .name = name};
    }
    if (native)
        put_native(elf, part, start, end, native);
    else if (function.kind == TARGET_PLACE || function.kind == TARGET_NAME)
        put_call(elf, part, start, end, &function);
    else
        elf_error(elf, part->place.binary->name,
                  "'%s'+%u is patched as a paravirtual operation, but is no call through a table "
                  "that a file has or leaves undefined",
                  part->name, start);
}

void patch_operation(struct elf_capture *elf, struct code_part *part, uint32_t start, uint32_t end)
{
    patch_site(elf, part, start, end, -1);
}

/* ---- .parainstructions ---- */

/* Where a row of the table points to: 8 bytes of address, then type and length, one byte each. */
static bool read_site(struct elf_capture *elf, struct binary *binary, uint32_t table,
                      uint64_t offset, struct location *place, uint8_t *type, uint8_t *length)
{
    const struct binary_section *section = &binary->sections[table];
    struct target target;
    if (!section->bytes)
        return false;
    if (binary->linked) {
        uint64_t address = 0;
        for (unsigned i = 0; i < POINTER; i++)
            address |= (uint64_t)section->bytes[offset + i] << 8 * i;
        target = target_of_address(binary, address);
    } else {
        size_t row = binary_relocation_from(section, offset);
        if (row == section->relocation_count || section->relocations[row].offset != offset ||
            section->relocations[row].type != R_X86_64_64)
            return false;
        target = target_of_symbol(elf, binary, section->relocations[row].symbol,
                                  section->relocations[row].addend);
    }
    *place = target.place;
    place->offset += (uint64_t)target.distance;
    *type = section->bytes[offset + POINTER];
    *length = section->bytes[offset + POINTER + 1];
    return target.kind == TARGET_PLACE && target.place.binary == binary;
}

static unsigned patch_by_table(struct elf_capture *elf, struct code_part *part, uint32_t table)
{
    struct binary *binary = part->place.binary;
    const struct binary_section *section = &binary->sections[table];
    unsigned count = 0;
    for (uint64_t offset = 0; offset <= section->size && section->size - offset >= SITE_BYTES_MIN;
         offset += SITE_STRIDE) {
        struct location place;
        uint8_t type, length;
        if (!read_site(elf, binary, table, offset, &place, &type, &length)) {
            elf_error(elf, binary->name, "%s+0x%" PRIx64 " points to no code: it is damaged",
                      section->name, offset);
            return count;
        }
        if (place.section != part->place.section || place.offset < part->place.offset ||
            place.offset - part->place.offset >= part->size)
            continue;
        uint32_t start = (uint32_t)(place.offset - part->place.offset);
        count++;
        if (!elf->profile)
            continue;
        if (length > part->size - start)
            elf_error(elf, binary->name, "%s+0x%" PRIx64 " reaches beyond '%s': it is damaged",
                      section->name, offset, part->name);
        else
            patch_site(elf, part, start, start + length, type);
    }
    return count;
}

unsigned patch_paravirt(struct elf_capture *elf, struct code_part *part)
{
    const struct binary *binary = part->place.binary;
    unsigned count = 0;
    for (uint32_t i = 1; i < binary->section_count; i++)
        if (strcmp(binary->sections[i].name, ".parainstructions") == 0)
            count += patch_by_table(elf, part, i);
    return count;
}
