/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/exec/native.h"

#include <string.h>

enum { FLAG_CF = 1u << 0, FLAG_PF = 1u << 2, FLAG_AF = 1u << 4, FLAG_ZF = 1u << 6,
       FLAG_SF = 1u << 7, FLAG_OF = 1u << 11 };
#define STATUS_FLAGS ((uint64_t)(FLAG_CF | FLAG_PF | FLAG_AF | FLAG_ZF | FLAG_SF | FLAG_OF))

uint64_t operand_address(const struct memory_operand *memory, const struct registers *registers)
{
    uint64_t address = (uint64_t)memory->displacement;
    if (memory->base < 16)
        address += registers->gpr[memory->base];
    if (memory->index < 16)
        address += registers->gpr[memory->index] * memory->scale;
    if (memory->segment == 1)
        address += registers->fs_base;
    else if (memory->segment == 2)
        address += registers->gs_base;
    return address;
}

/* ModRM of an instruction with a two-byte (0F xx) or three-byte (0F 38 xx) opcode. */
struct modrm {
    uint8_t reg, rm;
    bool is_register;
    unsigned size; /* operand size in bytes: 2, 4 or 8 */
};

static struct modrm find_modrm(const struct insn *insn)
{
    struct modrm found = {.size = 4};
    uint8_t rex = 0;
    unsigned at = 0;
    for (; at < insn->length && insn->bytes[at] != 0x0f; at++) {
        if (insn->bytes[at] == 0x66)
            found.size = 2;
        if ((insn->bytes[at] & 0xf0) == 0x40)
            rex = insn->bytes[at];
    }
    if (rex & 8)
        found.size = 8;
    at += at + 1 < insn->length && insn->bytes[at + 1] == 0x38 ? 3 : 2;
    uint8_t byte = at < insn->length ? insn->bytes[at] : 0;
    found.reg = (uint8_t)(((byte >> 3) & 7) | ((rex & 4) << 1));
    found.rm = (uint8_t)((byte & 7) | ((rex & 1) << 3));
    found.is_register = byte >> 6 == 3;
    return found;
}

static void write_register(struct registers *registers, unsigned index, unsigned size,
                           uint64_t value)
{
    uint64_t *gpr = &registers->gpr[index];
    if (size == 8)
        *gpr = value;
    else if (size == 4)
        *gpr = (uint32_t)value;
    else
        *gpr = (*gpr & ~UINT64_C(0xffff)) | (value & 0xffff);
}

static uint64_t mask_of(unsigned size)
{
    return size == 8 ? UINT64_MAX : (UINT64_C(1) << (size * 8)) - 1;
}

static uint64_t load(const struct insn *insn, const struct registers *registers, unsigned size,
                     exec_read *read, void *context, struct exec_result *result)
{
    struct exec_access *access = &result->accesses[result->count++];
    *access = (struct exec_access){.address = operand_address(&insn->memory, registers),
                                   .size = (uint8_t)size};
    read(context, access->address, size, access->data);
    uint64_t value = 0;
    memcpy(&value, access->data, size);
    return value;
}

static uint64_t swap_bytes(uint64_t value, unsigned size)
{
    return __builtin_bswap64(value) >> (64 - size * 8);
}

static void do_movbe(const struct insn *insn, struct registers *registers, exec_read *read,
                     void *context, struct exec_result *result)
{
    struct modrm modrm = find_modrm(insn);
    if (!insn->memory.write) {
        uint64_t value = load(insn, registers, modrm.size, read, context, result);
        write_register(registers, modrm.reg, modrm.size, swap_bytes(value, modrm.size));
        return;
    }
    struct exec_access *access = &result->accesses[result->count++];
    *access = (struct exec_access){.address = operand_address(&insn->memory, registers),
                                   .size = (uint8_t)modrm.size,
                                   .write = true};
    uint64_t value = swap_bytes(registers->gpr[modrm.reg] & mask_of(modrm.size), modrm.size);
    memcpy(access->data, &value, modrm.size);
}

static void do_popcnt(const struct insn *insn, struct registers *registers, exec_read *read,
                      void *context, struct exec_result *result)
{
    struct modrm modrm = find_modrm(insn);
    uint64_t value = modrm.is_register
                         ? registers->gpr[modrm.rm] & mask_of(modrm.size)
                         : load(insn, registers, modrm.size, read, context, result);
    write_register(registers, modrm.reg, modrm.size, (uint64_t)__builtin_popcountll(value));
    registers->rflags = (registers->rflags & ~STATUS_FLAGS) | (value ? 0 : FLAG_ZF);
}

static void move_base(const struct insn *insn, struct registers *registers)
{
    struct modrm modrm = find_modrm(insn);
    bool fs = insn->kind == KIND_RDFSBASE || insn->kind == KIND_WRFSBASE;
    uint64_t *base = fs ? &registers->fs_base : &registers->gs_base;
    if (insn->kind == KIND_RDFSBASE || insn->kind == KIND_RDGSBASE)
        write_register(registers, modrm.rm, modrm.size, *base);
    else
        *base = registers->gpr[modrm.rm] & mask_of(modrm.size);
}

void native_step(const struct insn *insn, struct registers *registers, exec_read *read,
                 void *context, struct exec_result *result)
{
    result->status = EXEC_OK;
    switch (insn->kind) {
    case KIND_POPCNT:
        do_popcnt(insn, registers, read, context, result);
        break;
    case KIND_MOVBE:
        do_movbe(insn, registers, read, context, result);
        break;
    case KIND_RDFSBASE:
    case KIND_RDGSBASE:
    case KIND_WRFSBASE:
    case KIND_WRGSBASE:
        move_base(insn, registers);
        break;
    case KIND_RDPID: /* IA32_TSC_AUX is 0 after reset and nothing here has set it */
        registers->gpr[find_modrm(insn).rm] = 0;
        break;
    default:
        result->status = EXEC_UNMODELLED;
        break;
    }
}
