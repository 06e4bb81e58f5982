/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What instructions refer to: by their relocations in an object file, by the addresses in them
 * in a linked one.
 */
#include "sim/capture/operands.h"

#include "sim/capture/patches.h"
#include "sim/capture/percpu.h"
#include "sim/capture/thunks.h"

/* ---- the fields of an instruction ---- */

struct code_part *part_of(const struct operands *operands)
{
    return &operands->code->parts[operands->part];
}

void refuse_insn(const struct operands *operands, const char *what)
{
    const struct code_part *part = part_of(operands);
    elf_error(operands->elf, part->place.binary->name, "%s+%u %s: %s", part->name, operands->offset,
              operands->insn->text, what);
}

/* Whether a field is that of an access through gs, not an immediate behind it. */
static bool is_through_gs(const struct operands *operands, uint32_t field, enum reference_kind kind)
{
    const struct insn *insn = operands->insn;
    uint32_t end = operands->offset + insn->length;
    bool immediate = kind != REFERENCE_PC32 && insn->has_immediate && field + 4 >= end;
    return insn->memory.present && insn->memory.segment == 2 && !immediate;
}

void refer_field(const struct operands *operands, uint32_t field, enum reference_kind kind,
                 const struct target *target)
{
    const struct insn *insn = operands->insn;
    if (is_through_gs(operands, field, kind)) {
        if (target->kind == TARGET_NAME) /* no file says so, but it is */
            percpu_declare(operands->elf, target->name,
                           (uint64_t)(target->distance < 0 ? 0 : target->distance) +
                               insn->memory.size);
        else if (target->kind != TARGET_NUMBER && target->kind != TARGET_PERCPU) {
            refuse_insn(operands,
                        "an access through gs to data that is not a kernel's per-CPU data");
            return;
        }
    }
    bool accesses = insn->memory.present && (insn->memory.read || insn->memory.write);
    struct code_reference reference = {
        .part = operands->part,
        .field = field,
        .end = operands->offset + insn->length,
        .kind = kind,
        .access = accesses ? insn->memory.size : 0,
        .target = *target,
    };
    add_reference(operands->elf, operands->code, &reference);
}

void branch_field(const struct operands *operands, uint32_t field, uint8_t bytes,
                  const struct target *target)
{
    struct code_edge edge = {.from = operands->part,
                             .field = field,
                             .bytes = bytes,
                             .end = operands->offset + operands->insn->length};
    if (bytes == 4 &&
        replace_thunk(operands->elf, part_of(operands), operands->insn, operands->offset, target))
        return;
    add_branch(operands->elf, operands->code, edge, target);
}

void branch_directly(const struct operands *operands, const struct target *target)
{
    uint8_t *bytes = part_of(operands)->bytes + operands->offset;
    uint32_t last = operands->insn->length - 4u, field = operands->offset + last;
    uint32_t opcode = last - 2; /* behind prefixes, which stay */
    struct code_edge edge = {.from = operands->part,
                             .field = field,
                             .bytes = 4,
                             .end = operands->offset + operands->insn->length};
    if (replace_thunk(operands->elf, part_of(operands), operands->insn, operands->offset, target))
        return;
    if (operands->insn->is_call) { /* addr32 call rel32 */
        bytes[opcode] = 0x67;
        bytes[opcode + 1] = 0xe8;
    } else { /* jmp rel32; nop */
        bytes[opcode] = 0xe9;
        bytes[last + 3] = 0x90;
        edge.field--;
        edge.end--;
    }
    add_branch(operands->elf, operands->code, edge, target);
}

bool is_indirect_branch(const struct insn *insn)
{
    return insn->is_branch && insn->length >= 6 && insn->bytes[insn->length - 6] == 0xff &&
           insn->bytes[insn->length - 5] == (insn->is_call ? 0x15 : 0x25);
}

bool is_code_target(const struct target *target)
{
    return target->kind == TARGET_PLACE &&
           section_is_code(&target->place.binary->sections[target->place.section]);
}

/* ---- the whole ---- */

/* A direct branch without relocation: within the section, or to an address. */
static void take_branch(const struct operands *operands)
{
    const struct code_part *part = part_of(operands);
    const struct insn *insn = operands->insn;
    struct binary *binary = part->place.binary;
    uint64_t start = binary->linked ? binary->sections[part->place.section].address : 0;
    uint64_t offset = insn->target - start;
    const struct code_patch *patch = operands->patch;
    uint64_t in_part = offset - part->place.offset;
    bool leaves_patch = patch && (in_part < patch->start || in_part > patch->end);
    if (leaves_patch && (!binary->linked || insn->length < 5)) {
        refuse_insn(operands, "a patch with a branch out of it that nothing relocates");
        return;
    }
    if (!leaves_patch && in_part < part->size)
        return; /* stays in the part, wherever that comes to lie */
    uint8_t bytes = insn->length < 5 ? 1 : 4;
    struct target target = {.kind = TARGET_PLACE,
                            .place = {binary, part->place.section, offset},
                            .name = "",
                            .is_section = true};
    if (binary->linked)
        target = target_of_address(binary, insn->target + operands->moved);
    else if (offset >= binary->sections[part->place.section].size)
        target.kind = TARGET_NUMBER;
    branch_field(operands, operands->offset + insn->length - bytes, bytes, &target);
}

/* An access through gs that counts from the area's start. */
static void take_gs(const struct operands *operands)
{
    enum { GUARD = 40 };
    struct binary *binary = part_of(operands)->place.binary;
    uint64_t distance = (uint64_t)operands->insn->memory.displacement;
    operands->elf->uses_guard |= distance == GUARD;
    if (!binary->linked)
        return; /* a relocation says more */
    struct target target;
    if (percpu_at(binary, distance, &target))
        percpu_need(operands->elf, &target);
}

/*
 * An operand relative to rip in an object file without relocation: assemblers leave none for what
 * is in the same section, as the address of a static function is.
 */
static void take_neighbour(const struct operands *operands)
{
    const struct code_part *part = part_of(operands);
    struct binary *binary = part->place.binary;
    unsigned at = relative_field(operands->insn);
    uint64_t offset = (uint64_t)operands->insn->memory.displacement;
    if (!at || offset - part->place.offset < part->size)
        return; /* in the part itself it stays right wherever that comes to lie */
    struct target target = {.kind = TARGET_PLACE,
                            .place = {binary, part->place.section, offset},
                            .name = "",
                            .is_section = true};
    if (operands->base != part->place.offset)
        refuse_insn(operands, "a patch with an operand relative to rip, which has no relocation");
    else if (offset >= binary->sections[part->place.section].size)
        refuse_insn(operands, "refers to an address where the file has nothing");
    else
        refer_field(operands, operands->offset + at, REFERENCE_PC32, &target);
}

void take_operands_of(struct elf_capture *elf, struct cpu_code *code, size_t part,
                      const struct insn *insn, uint32_t offset)
{
    struct location place = code->parts[part].place;
    const struct code_patch *patch = patch_at(&code->parts[part], offset);
    struct operands operands = {.elf = elf,
                                .code = code,
                                .part = part,
                                .insn = insn,
                                .offset = offset,
                                .section = place.section,
                                .base = place.offset,
                                .patch = patch};
    bool relocated = false;
    if (patch && patch->branches && patch->start == offset)
        branch_field(&operands, offset + insn->length - 4u, 4, &patch->target);
    if (patch && !patch->from.binary)
        return;
    if (patch) {
        operands.section = patch->from.section;
        operands.base = patch->from.offset - patch->start;
        operands.moved = place.binary->sections[patch->from.section].address + operands.base -
                         place.binary->sections[place.section].address - place.offset;
    }
    const struct binary_section *section = &place.binary->sections[operands.section];
    uint64_t start = operands.base + offset;
    if (insn->memory.segment == 1) {
        code->uses_fs = true;
        if (insn->memory.base == NO_REGISTER && insn->memory.index == NO_REGISTER)
            tls_touch(elf, insn->memory.displacement);
    }
    bool direct = insn->memory.base == NO_REGISTER && insn->memory.index == NO_REGISTER;
    if (insn->memory.present && insn->memory.segment == 2 && direct)
        take_gs(&operands);
    if (place.binary->linked) {
        take_linked(&operands);
    } else {
        for (size_t i = binary_relocation_from(section, start);
             i < section->relocation_count && section->relocations[i].offset < start + insn->length;
             i++) {
            relocated |= section->relocations[i].type != R_X86_64_NONE;
            take_relocation(&operands, &section->relocations[i]);
        }
        if (!relocated)
            take_neighbour(&operands);
    }
    if (!relocated && insn->is_branch && insn->has_target)
        take_branch(&operands);
}
