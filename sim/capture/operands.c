/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What instructions refer to: by their relocations in an object file, by the addresses in them
 * in a linked one. Relocations are those of the System V ABI's AMD64 supplement, "Relocation".
 */
#include <elf.h>
#include <string.h>

#include "sim/capture/elf.h"
#include "sim/capture/patches.h"
#include "sim/capture/percpu.h"
#include "sim/capture/thunks.h"

/* ---- the fields of an instruction ---- */

struct operands {
    struct elf_capture *elf;
    struct cpu_code *code;
    size_t part;
    const struct insn *insn;
    uint32_t offset; /* of the instruction in its part */
    /* Where its bytes come from: the part's place, or that of a patch; `base` is where the part
     * would begin then, so that offsets in the section are `base` and more. */
    uint32_t section;
    uint64_t base;
    const struct code_patch *patch; /* NULL: its own bytes */
    uint64_t moved; /* of a linked file: how far the patch came from, in addresses */
};

static struct code_part *part_of(const struct operands *operands)
{
    return &operands->code->parts[operands->part];
}

static void refuse(const struct operands *operands, const char *what)
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

static void refer(const struct operands *operands, uint32_t field, enum reference_kind kind,
                  const struct target *target)
{
    const struct insn *insn = operands->insn;
    if (is_through_gs(operands, field, kind)) {
        if (target->kind == TARGET_NAME) /* no file says so, but it is */
            percpu_declare(operands->elf, target->name,
                           (uint64_t)(target->distance < 0 ? 0 : target->distance) +
                               insn->memory.size);
        else if (target->kind != TARGET_NUMBER && target->kind != TARGET_PERCPU) {
            refuse(operands, "an access through gs to data that is not a kernel's per-CPU data");
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

static void branch(const struct operands *operands, uint32_t field, uint8_t bytes,
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

/*
 * A call or jump through a GOT cell whose content is known becomes a direct one, as linkers
 * have it (AMD64 supplement, "GOT access optimization"): of the same length.
 */
static void branch_directly(const struct operands *operands, const struct target *target)
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

/* call or jmp through [rip + 32 bits] */
static bool is_indirect_branch(const struct insn *insn)
{
    return insn->is_branch && insn->length >= 6 && insn->bytes[insn->length - 6] == 0xff &&
           insn->bytes[insn->length - 5] == (insn->is_call ? 0x15 : 0x25);
}

static bool is_code_target(const struct target *target)
{
    return target->kind == TARGET_PLACE &&
           section_is_code(&target->place.binary->sections[target->place.section]);
}

static void take_got(const struct operands *operands, const struct binary_relocation *relocation,
                     uint32_t field, const struct target *target)
{
    uint8_t *bytes = part_of(operands)->bytes + field;
    struct target cell = {.kind = TARGET_LOOSE, .name = ""};
    uint32_t end = operands->offset + operands->insn->length;
    if (relocation->addend + (int64_t)(end - field) != 0 || field < operands->offset + 2) {
        refuse(operands, "a reference into the middle of a cell of the GOT");
        return;
    }
    if ((relocation->type == R_X86_64_GOTTPOFF) != (target->kind == TARGET_TLS)) {
        refuse(operands, region_printf(operands->elf->region,
                                       relocation->type == R_X86_64_GOTTPOFF
                                           ? "no file has thread-local data named '%s'"
                                           : "'%s' is thread-local data and is not used as such",
                                       target->name));
        return;
    }
    if (is_indirect_branch(operands->insn) && end - field == 4 &&
        (is_code_target(target) || target->kind == TARGET_NAME)) {
        branch_directly(operands, target);
        return;
    }
    bool relaxes = relocation->type != R_X86_64_GOTPCREL && end - field == 4 && bytes[-2] == 0x8b &&
                   (target->kind == TARGET_PLACE || target->kind == TARGET_LOOSE);
    if (relaxes) { /* mov from the cell becomes lea of what it points to */
        bytes[-2] = 0x8d;
        refer(operands, field, REFERENCE_PC32, target);
        return;
    }
    cell.loose = loose_cell(operands->elf, target);
    refer(operands, field, REFERENCE_PC32, &cell);
}

static void take_relocation(const struct operands *operands,
                            const struct binary_relocation *relocation)
{
    const struct code_part *part = part_of(operands);
    const struct insn *insn = operands->insn;
    uint32_t field = (uint32_t)(relocation->offset - operands->base);
    uint32_t end = operands->offset + insn->length;
    bool direct = insn->is_branch && insn->has_target;
    uint32_t width = relocation->type == R_X86_64_64     ? 8
                     : relocation->type == R_X86_64_PC8  ? 1
                     : relocation->type == R_X86_64_NONE ? 0
                                                         : 4;
    if (width > end - field) {
        refuse(operands, "a relocation that reaches beyond the instruction");
        return;
    }
    /* Relative fields count from the end of the instruction, relocations from the field. */
    int64_t to_end = (int64_t)(end - field);
    struct binary *binary = part->place.binary;
    struct target target;
    switch (relocation->type) {
    case R_X86_64_NONE:
        return;
    case R_X86_64_PC8:
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
        target = target_of_symbol(operands->elf, binary, relocation->symbol,
                                  relocation->addend + to_end);
        if (direct)
            branch(operands, field, (uint8_t)width, &target);
        else if (width == 4)
            refer(operands, field, REFERENCE_PC32, &target);
        else
            refuse(operands, "a relative field of one byte");
        return;
    case R_X86_64_32:
    case R_X86_64_32S:
    case R_X86_64_64:
        target = target_of_symbol(operands->elf, binary, relocation->symbol, relocation->addend);
        refer(operands, field,
              relocation->type == R_X86_64_32    ? REFERENCE_ABS32
              : relocation->type == R_X86_64_32S ? REFERENCE_ABS32S
                                                 : REFERENCE_ABS64,
              &target);
        return;
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
    case R_X86_64_GOTTPOFF:
        target = target_of_symbol(operands->elf, binary, relocation->symbol, 0);
        take_got(operands, relocation, field, &target);
        return;
    case R_X86_64_TPOFF32:
        target = target_of_symbol(operands->elf, binary, relocation->symbol, relocation->addend);
        if (target.kind != TARGET_TLS)
            refuse(operands, "thread-local data that no file defines");
        else
            refer(operands, field, REFERENCE_ABS32S, &target);
        return;
    case R_X86_64_TLSGD:
    case R_X86_64_TLSLD:
    case R_X86_64_DTPOFF32:
    case R_X86_64_GOTPC32_TLSDESC:
    case R_X86_64_TLSDESC_CALL:
        refuse(operands, "thread-local data of a shared library (general or local dynamic), which "
                         "is not supported; compile with -ftls-model=initial-exec");
        return;
    default:
        refuse(operands, region_printf(operands->elf->region,
                                       "a relocation of type %u, which is not "
                                       "supported",
                                       relocation->type));
        return;
    }
}

/* ---- linked code ---- */

static int32_t field_at(const struct insn *insn, unsigned at)
{
    return (int32_t)((uint32_t)insn->bytes[at] | (uint32_t)insn->bytes[at + 1] << 8 |
                     (uint32_t)insn->bytes[at + 2] << 16 | (uint32_t)insn->bytes[at + 3] << 24);
}

/*
 * Where the 32-bit displacement relative to rip stands: behind the ModRM byte that says so
 * (mod 00, r/m 101), with the value that the decoder found. 0: there is none.
 */
static unsigned relative_field(const struct insn *insn)
{
    const struct memory_operand *memory = &insn->memory;
    if (!strstr(insn->text, "[rip ") || memory->base != NO_REGISTER || memory->segment == 1)
        return 0;
    for (unsigned at = 2; at + 4u <= insn->length; at++)
        if ((insn->bytes[at - 1] & 0xc7) == 0x05 &&
            insn->address + insn->length + (uint64_t)(int64_t)field_at(insn, at) ==
                (uint64_t)memory->displacement)
            return at;
    return 0;
}

/* Where an absolute displacement of 32 bits stands. 0: there is none. */
static unsigned absolute_field(const struct insn *insn)
{
    if (!insn->memory.present || insn->memory.segment || strstr(insn->text, "[rip "))
        return 0;
    for (unsigned at = 2; at + 4u <= insn->length; at++)
        if (field_at(insn, at) == insn->memory.displacement)
            return at;
    return 0;
}

/* Whether a linked file says itself that a place in its code holds an address. */
static bool is_marked(const struct binary_section *section, uint64_t offset)
{
    size_t at = binary_relocation_from(section, offset);
    return at < section->relocation_count && section->relocations[at].offset == offset;
}

static void take_number(const struct operands *operands, unsigned at)
{
    const struct code_part *part = part_of(operands);
    const struct binary_section *section = &part->place.binary->sections[part->place.section];
    uint64_t address = (uint64_t)(int64_t)field_at(operands->insn, at);
    struct target target = target_of_address(part->place.binary, address);
    bool marks = section->relocation_count != 0; /* linked with --emit-relocs */
    uint32_t field = operands->offset + at;
    if (percpu_at(part->place.binary, address, &target))
        percpu_need(operands->elf, &target); /* and stays a number */
    if (target.kind != TARGET_PLACE || (marks && !is_marked(section, part->place.offset + field)))
        return;
    operands->code->assumed += !marks;
    refer(operands, field, REFERENCE_ABS32S, &target);
}

/* Immediates that can be an address: of 32 bits, where code is made for fixed addresses. */
static bool immediate_may_be_address(const struct insn *insn)
{
    static const char *const mnemonics[] = {"mov", "movabs", "push", "cmp", "add", "sub"};
    bool known = false;
    for (size_t i = 0; i < sizeof mnemonics / sizeof *mnemonics; i++)
        known |= strcmp(insn->mnemonic, mnemonics[i]) == 0;
    return known && insn->has_immediate && insn->length >= 5 &&
           field_at(insn, insn->length - 4u) == insn->immediate;
}

static void take_linked(const struct operands *operands)
{
    struct binary *binary = part_of(operands)->place.binary;
    const struct insn *insn = operands->insn;
    unsigned at = relative_field(insn);
    if (at) {
        uint64_t address = (uint64_t)insn->memory.displacement + operands->moved;
        struct target target = target_of_address(binary, address);
        struct target content = {.kind = TARGET_NUMBER};
        if (target.kind == TARGET_NUMBER)
            percpu_at(binary, address, &target);
        if (is_indirect_branch(insn))
            content = target_of_cell(operands->elf, binary, address);
        if (is_code_target(&content) || content.kind == TARGET_NAME)
            branch_directly(operands, &content);
        else if (target.kind == TARGET_NUMBER)
            refuse(operands, "refers to an address where the file has nothing");
        else
            refer(operands, operands->offset + at, REFERENCE_PC32, &target);
    }
    if (!binary->fixed)
        return;
    at = absolute_field(insn);
    if (at)
        take_number(operands, at);
    if (immediate_may_be_address(insn))
        take_number(operands, insn->length - 4u);
}

/* ---- both ---- */

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
        refuse(operands, "a patch with a branch out of it that nothing relocates");
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
    branch(operands, operands->offset + insn->length - bytes, bytes, &target);
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
        refuse(operands, "a patch with an operand relative to rip, which has no relocation");
    else if (offset >= binary->sections[part->place.section].size)
        refuse(operands, "refers to an address where the file has nothing");
    else
        refer(operands, operands->offset + at, REFERENCE_PC32, &target);
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
        branch(&operands, offset + insn->length - 4u, 4, &patch->target);
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
