/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What instructions of linked files refer to: by the addresses in them. */
#include <string.h>

#include "sim/capture/operands.h"
#include "sim/capture/percpu.h"

static int32_t field_at(const struct insn *insn, unsigned at)
{
    return (int32_t)((uint32_t)insn->bytes[at] | (uint32_t)insn->bytes[at + 1] << 8 |
                     (uint32_t)insn->bytes[at + 2] << 16 | (uint32_t)insn->bytes[at + 3] << 24);
}

/*
 * Where the 32-bit displacement relative to rip stands: behind the ModRM byte that says so
 * (mod 00, r/m 101), with the value that the decoder found. 0: there is none.
 */
unsigned relative_field(const struct insn *insn)
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
    refer_field(operands, field, REFERENCE_ABS32S, &target);
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

void take_linked(const struct operands *operands)
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
            refuse_insn(operands, "refers to an address where the file has nothing");
        else
            refer_field(operands, operands->offset + at, REFERENCE_PC32, &target);
    }
    if (!binary->fixed)
        return;
    at = absolute_field(insn);
    if (at)
        take_number(operands, at);
    if (immediate_may_be_address(insn))
        take_number(operands, insn->length - 4u);
}
