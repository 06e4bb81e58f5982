/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which instructions the interpreter takes, from their bytes (opcode map: SDM volume 2,
 * appendix A). Whatever is not recognised for certain stays with the oracle.
 */
#include <string.h>

#include "sim/time/interpret.h"

struct reader {
    const uint8_t *bytes;
    unsigned length, at;
    uint8_t rex;
    bool operand16;
    uint8_t mod, reg, rm;
    bool has_modrm;
};

static unsigned operand_size(const struct reader *reader)
{
    return reader->rex & 8 ? 8 : reader->operand16 ? 2 : 4;
}

/* Immediates end the instruction. */
static uint64_t immediate(const struct reader *reader, unsigned size)
{
    int64_t value = 0;
    if (size > reader->length) {
        return 0;
    }
    memcpy(&value, reader->bytes + reader->length - size, size);
    return size == 8 ? (uint64_t)value
                     : (uint64_t)((int64_t)((uint64_t)value << (64 - 8 * size)) >> (64 - 8 * size));
}

/* Prefixes; false for those that change the meaning in ways not handled here. */
static bool read_prefixes(struct reader *reader)
{
    for (; reader->at < reader->length; reader->at++) {
        uint8_t byte = reader->bytes[reader->at];
        if (byte == 0x66) {
            reader->operand16 = true;
        } else if (byte != 0xf0 && byte != 0x64 && byte != 0x65) {
            break;
        }
    }
    if (reader->at < reader->length && (reader->bytes[reader->at] & 0xf0) == 0x40) {
        reader->rex = reader->bytes[reader->at++];
    }
    return reader->at < reader->length;
}

static bool read_modrm(struct reader *reader)
{
    if (reader->at >= reader->length) {
        return false;
    }
    uint8_t byte = reader->bytes[reader->at++];
    reader->mod = byte >> 6;
    reader->reg = (uint8_t)(((byte >> 3) & 7) | (reader->rex & 4 ? 8 : 0));
    reader->rm = (uint8_t)((byte & 7) | (reader->rex & 1 ? 8 : 0));
    reader->has_modrm = true;
    return true;
}

/* Without REX, byte registers 4 to 7 are ah, ch, dh, bh: left to the oracle. */
static bool byte_register_is_low(const struct reader *reader, unsigned index)
{
    return reader->rex != 0 || index < 4;
}

static bool set_rm(const struct reader *reader, unsigned size, enum place_kind *kind,
                   uint8_t *index)
{
    *kind = reader->mod == 3 ? PLACE_REGISTER : PLACE_MEMORY;
    *index = reader->rm;
    return *kind == PLACE_MEMORY || size != 1 || byte_register_is_low(reader, reader->rm);
}

static bool set_reg(const struct reader *reader, unsigned size, enum place_kind *kind,
                    uint8_t *index)
{
    *kind = PLACE_REGISTER;
    *index = reader->reg;
    return size != 1 || byte_register_is_low(reader, reader->reg);
}

/* op r/m, r */
static bool rm_reg(struct interpreted *i, struct reader *reader, enum operation operation,
                   unsigned size)
{
    i->operation = operation;
    i->size = (uint8_t)size;
    return read_modrm(reader) && set_rm(reader, size, &i->target, &i->target_register) &&
           set_reg(reader, size, &i->source, &i->source_register);
}

/* op r, r/m */
static bool reg_rm(struct interpreted *i, struct reader *reader, enum operation operation,
                   unsigned size, unsigned source_size)
{
    i->operation = operation;
    i->size = (uint8_t)size;
    i->source_size = (uint8_t)source_size;
    return read_modrm(reader) && set_reg(reader, size, &i->target, &i->target_register) &&
           set_rm(reader, source_size, &i->source, &i->source_register);
}

/* op r/m, immediate; the operation is chosen after the ModRM byte was read */
static bool rm_immediate(struct interpreted *i, const struct reader *reader,
                         enum operation operation, unsigned size, unsigned immediate_size)
{
    i->operation = operation;
    i->size = (uint8_t)size;
    i->source = PLACE_IMMEDIATE;
    i->immediate = immediate(reader, immediate_size);
    return set_rm(reader, size, &i->target, &i->target_register);
}

static unsigned long_immediate(unsigned size) { return size == 1 ? 1 : size == 2 ? 2 : 4; }

/* Opcodes 00 to 3f: eight operations in six forms. */
static bool arithmetic_block(struct interpreted *i, struct reader *reader, uint8_t opcode)
{
    enum operation operation = (enum operation)(OPERATION_ADD + (opcode >> 3));
    unsigned size = opcode & 1 ? operand_size(reader) : 1;
    switch (opcode & 7) {
    case 0:
    case 1:
        return rm_reg(i, reader, operation, size);
    case 2:
    case 3:
        return reg_rm(i, reader, operation, size, size);
    case 4:
    case 5:
        i->operation = operation;
        i->size = (uint8_t)size;
        i->target = PLACE_REGISTER;
        i->target_register = 0;
        i->source = PLACE_IMMEDIATE;
        i->immediate = immediate(reader, long_immediate(size));
        return true;
    default:
        return false;
    }
}

static bool group(struct interpreted *i, struct reader *reader, uint8_t opcode)
{
    unsigned size = opcode & 1 ? operand_size(reader) : 1;
    if (!read_modrm(reader)) {
        return false;
    }
    unsigned row = reader->reg & 7;
    switch (opcode) {
    case 0x80:
    case 0x81:
        return rm_immediate(i, reader, (enum operation)(OPERATION_ADD + row), size,
                            long_immediate(size));
    case 0x83:
        return rm_immediate(i, reader, (enum operation)(OPERATION_ADD + row), size, 1);
    case 0xc6:
    case 0xc7:
        return row == 0 && rm_immediate(i, reader, OPERATION_MOV, size, long_immediate(size));
    case 0xc0:
    case 0xc1:
    case 0xd0:
    case 0xd1: {
        static const enum operation shifts[8] = {
            [4] = OPERATION_SHL, [5] = OPERATION_SHR, [7] = OPERATION_SAR};
        if (shifts[row] == OPERATION_NONE || size < 4 ||
            !rm_immediate(i, reader, shifts[row], size, 1)) {
            return false;
        }
        i->immediate = opcode >= 0xd0 ? 1 : i->immediate;
        return true;
    }
    case 0xf6:
    case 0xf7:
        if (row == 0) {
            return rm_immediate(i, reader, OPERATION_TEST, size, long_immediate(size));
        }
        i->operation = row == 2 ? OPERATION_NOT : OPERATION_NEG;
        break;
    default: /* fe, ff */
        i->operation = row == 0 ? OPERATION_INC : OPERATION_DEC;
        if (row > 1) {
            return false;
        }
        i->size = (uint8_t)size;
        return set_rm(reader, size, &i->target, &i->target_register);
    }
    i->size = (uint8_t)size;
    return (row == 2 || row == 3) && set_rm(reader, size, &i->target, &i->target_register);
}

static bool two_byte(struct interpreted *i, struct reader *reader, const struct insn *insn)
{
    if (reader->at >= reader->length) {
        return false;
    }
    uint8_t opcode = reader->bytes[reader->at++];
    unsigned size = operand_size(reader);
    if ((opcode & 0xf0) == 0x80) {
        i->operation = OPERATION_JUMP_IF;
        i->condition = opcode & 15;
        i->jump = insn->target;
        return insn->has_target && !reader->operand16;
    }
    switch (opcode) {
    case 0x1f:
        i->operation = OPERATION_NOTHING;
        return true;
    case 0xaf:
        return reg_rm(i, reader, OPERATION_IMUL, size, size);
    case 0xb6:
    case 0xb7:
        return reg_rm(i, reader, OPERATION_MOVZX, size, opcode & 1 ? 2 : 1);
    case 0xbe:
    case 0xbf:
        return reg_rm(i, reader, OPERATION_MOVSX, size, opcode & 1 ? 2 : 1);
    case 0xc0:
    case 0xc1:
        return rm_reg(i, reader, OPERATION_XADD, opcode & 1 ? size : 1) && reader->mod != 3;
    case 0xb0:
    case 0xb1:
        return rm_reg(i, reader, OPERATION_CMPXCHG, opcode & 1 ? size : 1) && reader->mod != 3;
    default:
        return false;
    }
}

static bool stack_and_jumps(struct interpreted *i, struct reader *reader, uint8_t opcode,
                            const struct insn *insn)
{
    if (reader->operand16) {
        return false;
    }
    i->size = 8;
    i->jump = insn->target;
    if ((opcode & 0xf0) == 0x70) {
        i->operation = OPERATION_JUMP_IF;
        i->condition = opcode & 15;
        return insn->has_target;
    }
    if ((opcode & 0xf8) == 0x50 || (opcode & 0xf8) == 0x58) {
        bool push = (opcode & 0xf8) == 0x50;
        uint8_t index = (uint8_t)((opcode & 7) | (reader->rex & 1 ? 8 : 0));
        i->operation = push ? OPERATION_PUSH : OPERATION_POP;
        i->source = i->target = PLACE_REGISTER;
        i->source_register = i->target_register = index;
        return true;
    }
    switch (opcode) {
    case 0x6a:
    case 0x68:
        i->operation = OPERATION_PUSH;
        i->source = PLACE_IMMEDIATE;
        i->immediate = immediate(reader, opcode == 0x6a ? 1 : 4);
        return true;
    case 0xeb:
    case 0xe9:
        i->operation = OPERATION_JUMP;
        return insn->has_target;
    case 0xe8:
        i->operation = OPERATION_CALL;
        return insn->has_target;
    case 0xc3:
        i->operation = OPERATION_RET;
        return true;
    default:
        return false;
    }
}

static bool one_byte(struct interpreted *i, struct reader *reader, const struct insn *insn)
{
    uint8_t opcode = reader->bytes[reader->at++];
    unsigned size = opcode & 1 ? operand_size(reader) : 1;
    if (opcode < 0x40) {
        return opcode != 0x0f ? arithmetic_block(i, reader, opcode) : two_byte(i, reader, insn);
    }
    if ((opcode & 0xf8) == 0xb8) {
        size = operand_size(reader);
        i->operation = OPERATION_MOV;
        i->size = (uint8_t)size;
        i->target = PLACE_REGISTER;
        i->target_register = (uint8_t)((opcode & 7) | (reader->rex & 1 ? 8 : 0));
        i->source = PLACE_IMMEDIATE;
        i->immediate = immediate(reader, size);
        return true;
    }
    switch (opcode) {
    case 0x63:
        size = operand_size(reader);
        return reg_rm(i, reader, OPERATION_MOVSX, size, 4) && size >= 4;
    case 0x69:
    case 0x6b:
        size = operand_size(reader);
        i->second_source = true;
        i->immediate = immediate(reader, opcode == 0x6b ? 1 : long_immediate(size));
        return reg_rm(i, reader, OPERATION_IMUL, size, size);
    case 0x84:
    case 0x85:
        return rm_reg(i, reader, OPERATION_TEST, size);
    case 0x86:
    case 0x87:
        return rm_reg(i, reader, OPERATION_XCHG, size) && reader->mod != 3;
    case 0x88:
    case 0x89:
        return rm_reg(i, reader, OPERATION_MOV, size);
    case 0x8a:
    case 0x8b:
        return reg_rm(i, reader, OPERATION_MOV, size, size);
    case 0x8d:
        size = operand_size(reader);
        return reg_rm(i, reader, OPERATION_LEA, size, size) && insn->memory.segment == 0;
    case 0x90:
        i->operation = OPERATION_NOTHING;
        return (reader->rex & 1) == 0;
    case 0x80:
    case 0x81:
    case 0x83:
    case 0xc0:
    case 0xc1:
    case 0xd0:
    case 0xd1:
    case 0xc6:
    case 0xc7:
    case 0xf6:
    case 0xf7:
    case 0xfe:
    case 0xff:
        return group(i, reader, opcode);
    case 0xa8:
    case 0xa9:
        i->operation = OPERATION_TEST;
        i->size = (uint8_t)size;
        i->target = PLACE_REGISTER;
        i->source = PLACE_IMMEDIATE;
        i->immediate = immediate(reader, long_immediate(size));
        return true;
    default:
        return stack_and_jumps(i, reader, opcode, insn);
    }
}

/* movnti: an ordinary store with a hint. */
static bool non_temporal(struct interpreted *i, struct reader *reader)
{
    if (reader->at + 2 > reader->length || reader->bytes[reader->at] != 0x0f ||
        reader->bytes[reader->at + 1] != 0xc3) {
        return false;
    }
    reader->at += 2;
    return rm_reg(i, reader, OPERATION_MOV, operand_size(reader)) && reader->mod != 3;
}

void interpret_decode(struct interpreted *interpreted, const struct insn *insn)
{
    memset(interpreted, 0, sizeof *interpreted);
    struct reader reader = {.bytes = insn->bytes, .length = insn->length};
    bool taken = false;
    if (insn->class == INSN_NOTHING) {
        interpreted->operation = OPERATION_NOTHING;
        return;
    }
    if (!insn->uses_xmm && !insn->rep && !insn->repne && read_prefixes(&reader)) {
        if (insn->class == INSN_ORDINARY || insn->class == INSN_LOCKED) {
            taken = one_byte(interpreted, &reader, insn);
        } else if (insn->class == INSN_NT_STORE) {
            taken = non_temporal(interpreted, &reader);
        }
    }
    bool memory = interpreted->target == PLACE_MEMORY || interpreted->source == PLACE_MEMORY;
    if (!taken || (memory && !insn->memory.present)) {
        interpreted->operation = OPERATION_NONE;
    }
}
