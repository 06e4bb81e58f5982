/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What instructions of object files refer to. Relocations are those of the System V ABI's AMD64
 * supplement, "Relocation".
 */
#include <elf.h>

#include "sim/capture/operands.h"

static void take_got(const struct operands *operands, const struct binary_relocation *relocation,
                     uint32_t field, const struct target *target)
{
    uint8_t *bytes = part_of(operands)->bytes + field;
    struct target cell = {.kind = TARGET_LOOSE, .name = ""};
    uint32_t end = operands->offset + operands->insn->length;
    if (relocation->addend + (int64_t)(end - field) != 0 || field < operands->offset + 2) {
        refuse_insn(operands, "a reference into the middle of a cell of the GOT");
        return;
    }
    if ((relocation->type == R_X86_64_GOTTPOFF) != (target->kind == TARGET_TLS)) {
        refuse_insn(operands,
                    region_printf(operands->elf->region,
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
        refer_field(operands, field, REFERENCE_PC32, target);
        return;
    }
    cell.loose = loose_cell(operands->elf, target);
    refer_field(operands, field, REFERENCE_PC32, &cell);
}

static uint32_t width_of(const struct binary_relocation *relocation)
{
    switch (relocation->type) {
    case R_X86_64_NONE:
        return 0;
    case R_X86_64_PC8:
        return 1;
    case R_X86_64_64:
        return 8;
    default:
        return 4;
    }
}

/* Relative to the place itself. */
static void take_distance(const struct operands *operands,
                          const struct binary_relocation *relocation, uint32_t field)
{
    const struct insn *insn = operands->insn;
    struct binary *binary = part_of(operands)->place.binary;
    uint8_t width = (uint8_t)width_of(relocation);
    /* Fields count from the end of the instruction, relocations from the field. */
    int64_t to_end = (int64_t)(operands->offset + insn->length - field);
    struct target target =
        target_of_symbol(operands->elf, binary, relocation->symbol, relocation->addend + to_end);
    if (insn->is_branch && insn->has_target)
        branch_field(operands, field, width, &target);
    else if (width == 4)
        refer_field(operands, field, REFERENCE_PC32, &target);
    else
        refuse_insn(operands, "a relative field of one byte");
}

void take_relocation(const struct operands *operands, const struct binary_relocation *relocation)
{
    struct binary *binary = part_of(operands)->place.binary;
    uint32_t field = (uint32_t)(relocation->offset - operands->base);
    struct target target;
    if (width_of(relocation) > operands->offset + operands->insn->length - field) {
        refuse_insn(operands, "a relocation that reaches beyond the instruction");
        return;
    }
    switch (relocation->type) {
    case R_X86_64_NONE:
        return;
    case R_X86_64_PC8:
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
        take_distance(operands, relocation, field);
        return;
    case R_X86_64_32:
    case R_X86_64_32S:
    case R_X86_64_64:
        target = target_of_symbol(operands->elf, binary, relocation->symbol, relocation->addend);
        refer_field(operands, field,
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
            refuse_insn(operands, "thread-local data that no file defines");
        else
            refer_field(operands, field, REFERENCE_ABS32S, &target);
        return;
    case R_X86_64_TLSGD:
    case R_X86_64_TLSLD:
    case R_X86_64_DTPOFF32:
    case R_X86_64_GOTPC32_TLSDESC:
    case R_X86_64_TLSDESC_CALL:
        refuse_insn(operands,
                    "thread-local data of a shared library (general or local dynamic), which "
                    "is not supported; compile with -ftls-model=initial-exec");
        return;
    default:
        refuse_insn(operands, region_printf(operands->elf->region,
                                            "a relocation of type %u, which is not "
                                            "supported",
                                            relocation->type));
        return;
    }
}
