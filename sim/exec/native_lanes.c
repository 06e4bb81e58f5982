/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * AVX and AVX2 instructions as the SSE instruction of the same opcode: most do on each 16 bytes
 * what that one does; and those SSE instructions whose form with memory Unicorn gets wrong, as the
 * one with registers (Intel SDM vol. 2, instruction pages; each has both forms). The operands go
 * to registers of our choice: XMM1 is the first source and the destination, XMM2 the second
 * source, RAX the general one. What memory gives was loaded before.
 */
#include <capstone/capstone.h>
#include <string.h>

#include "sim/exec/native.h"
#include "sim/isa/vex.h"

enum { FIRST = 1, SECOND = 2 }; /* xmm registers */

/* ModRM bytes: reg, rm. */
enum {
    FIRST_SECOND = 0xc0 | FIRST << 3 | SECOND,
    FIRST_RAX = 0xc0 | FIRST << 3 | 0,
    RAX_SECOND = 0xc0 | 0 << 3 | SECOND,
    SECOND_RAX = 0xc0 | SECOND << 3 | 0,
    GROUP_FIRST = 0xc0 | FIRST
};

struct lowered {
    uint8_t bytes[8];
    unsigned length;
    uint8_t map, opcode;
    uint8_t reg; /* ModRM.reg: more opcode where no register is there */
    struct registers registers;
};

struct opcode {
    uint8_t prefix; /* the mandatory one; 0: none */
    bool wide;      /* REX.W or VEX.W */
    uint8_t map;    /* 1: 0F, 2: 0F 38, 3: 0F 3A */
    const uint8_t *at;
};

/*
 * VEX has the mandatory prefix in its last byte and the map of opcodes in the one before, or map 1
 * with the short form (Intel SDM vol. 2, "The VEX Prefix").
 */
static void find_vex(const uint8_t *at, struct opcode *found)
{
    static const uint8_t prefixes[] = {0, 0x66, 0xf3, 0xf2};
    bool is_long = *at == 0xc4;
    uint8_t last = at[is_long ? 2 : 1];
    found->prefix = prefixes[last & 3];
    found->wide = is_long && last & 0x80;
    found->map = is_long ? at[1] & 31 : 1;
    found->at = at + (is_long ? 3 : 2);
}

static void find_opcode(const struct insn *insn, struct opcode *found)
{
    const uint8_t *at = insn->bytes;
    memset(found, 0, sizeof *found);
    for (; *at != 0x0f; at++) {
        if (*at == 0xc4 || *at == 0xc5) {
            find_vex(at, found);
            return;
        }
        if (*at == 0x66 || *at == 0xf2 || *at == 0xf3)
            found->prefix = *at;
        found->wide = (*at & 0xf8) == 0x48;
    }
    found->map = at[1] == 0x38 ? 2 : at[1] == 0x3a ? 3 : 1;
    found->at = at + (found->map == 1 ? 1 : 2);
}

static void lower(const struct native_step *step, struct lowered *to)
{
    const struct insn *insn = step->insn;
    struct opcode found;
    find_opcode(insn, &found);
    memset(to, 0, sizeof *to);
    to->map = found.map;
    to->opcode = found.at[0];
    to->reg = found.at[1] >> 3 & 7;
    if (found.prefix)
        to->bytes[to->length++] = found.prefix;
    bool general = insn->vex == VEX_FROM_GENERAL || insn->vex == VEX_TO_GENERAL;
    if (found.wide && general) /* elsewhere W has no meaning */
        to->bytes[to->length++] = 0x48;
    to->bytes[to->length++] = 0x0f;
    if (to->map != 1)
        to->bytes[to->length++] = to->map == 2 ? 0x38 : 0x3a;
    to->bytes[to->length++] = to->opcode;
    to->registers.rflags = step->registers->rflags;
}

static void complete(const struct native_step *step, struct lowered *lowered, unsigned modrm)
{
    lowered->bytes[lowered->length++] = (uint8_t)modrm;
    if (step->insn->has_immediate)
        lowered->bytes[lowered->length++] = (uint8_t)step->insn->immediate;
}

static bool run(struct native_step *step, struct lowered *lowered)
{
    step->result->status =
        native_engine(step, lowered->bytes, lowered->length, &lowered->registers);
    return step->result->status == EXEC_OK;
}

static void set(struct lowered *lowered, unsigned number, const union vector *vector, unsigned lane)
{
    memcpy(lowered->registers.xmm[number], &vector->q[2 * lane], 16);
}

/* The last operand that is no immediate. */
static unsigned last_source(const struct insn *insn)
{
    bool third = insn->operands[2].kind == OPERAND_VECTOR ||
                 insn->operands[2].kind == OPERAND_MEMORY ||
                 insn->operands[2].kind == OPERAND_GENERAL;
    return third ? 2 : 1;
}

/* ---- a vector from vectors ---- */

static bool is_shift_by_immediate(const struct lowered *lowered)
{
    return lowered->map == 1 && lowered->opcode >= 0x71 && lowered->opcode <= 0x73;
}

/* INSERTPS takes a dword of memory, whatever element of a register it would take. */
static void repeat_dword(union vector *vector)
{
    vector->d[1] = vector->d[2] = vector->d[3] = vector->d[0];
}

static void each_lane(struct native_step *step, struct lowered *lowered)
{
    const struct operand *operands = step->insn->operands;
    unsigned last = last_source(step->insn);
    bool sse = step->insn->mnemonic[0] != 'v';
    union vector a = {0}, b, result = {0};
    if (((sse || last == 2) && !vector_source(step, sse ? 0 : 1, &a)) ||
        !vector_source(step, last, &b))
        return;
    if (step->insn->id == X86_INS_VINSERTPS && operands[2].kind == OPERAND_MEMORY)
        repeat_dword(&b);
    unsigned form = FIRST_SECOND;
    bool shift = is_shift_by_immediate(lowered);
    if (shift)
        form = (unsigned)GROUP_FIRST | (unsigned)lowered->reg << 3;
    complete(step, lowered, form);
    unsigned lanes = operands[0].size / 16;
    bool one = operands[last].size < operands[0].size; /* the count of a shift */
    for (unsigned i = 0; i < lanes; i++) {
        set(lowered, FIRST, shift ? &b : &a, i);
        set(lowered, SECOND, &b, one ? 0 : i);
        if (!run(step, lowered))
            return;
        memcpy(&result.q[2 * i], lowered->registers.xmm[FIRST], 16);
    }
    vector_write(step, 0, &result);
}

static void from_general(struct native_step *step, struct lowered *lowered)
{
    union vector a, b, result = {0};
    if (!vector_source(step, 1, &a) || !vector_source(step, 2, &b))
        return;
    complete(step, lowered, FIRST_RAX);
    set(lowered, FIRST, &a, 0);
    lowered->registers.gpr[0] = b.q[0];
    if (!run(step, lowered))
        return;
    memcpy(&result, lowered->registers.xmm[FIRST], 16);
    vector_write(step, 0, &result);
}

/* How often the source's elements fit into those of the result: PMOVSX and PMOVZX by opcode. */
static unsigned ratio(const struct lowered *lowered)
{
    static const uint8_t ratios[] = {2, 4, 8, 2, 4, 2};
    return lowered->map == 2 ? ratios[(lowered->opcode & 7) % sizeof ratios] : 2;
}

static void widen(struct native_step *step, struct lowered *lowered)
{
    union vector from, result = {0};
    if (!vector_source(step, 1, &from))
        return;
    complete(step, lowered, FIRST_SECOND);
    unsigned part = 16 / ratio(lowered);
    for (unsigned i = 0; i < step->insn->operands[0].size / 16u; i++) {
        memcpy(lowered->registers.xmm[SECOND], from.b + i * part, part);
        if (!run(step, lowered))
            return;
        memcpy(&result.q[2 * i], lowered->registers.xmm[FIRST], 16);
    }
    vector_write(step, 0, &result);
}

static void narrow(struct native_step *step, struct lowered *lowered)
{
    union vector from, result = {0};
    if (!vector_source(step, 1, &from))
        return;
    complete(step, lowered, FIRST_SECOND);
    for (unsigned i = 0; i < step->insn->operands[1].size / 16u; i++) {
        set(lowered, SECOND, &from, i);
        if (!run(step, lowered))
            return;
        result.q[i] = lowered->registers.xmm[FIRST][0];
    }
    vector_write(step, 0, &result);
}

/* ---- something else from vectors ---- */

/* Those that extract have the general register in ModRM.rm. */
static bool extracts(const struct lowered *lowered) { return lowered->map == 3; }

static void to_general(struct native_step *step, struct lowered *lowered)
{
    const struct operand *operands = step->insn->operands;
    union vector from;
    uint64_t value = 0;
    if (!vector_source(step, 1, &from))
        return;
    complete(step, lowered, extracts(lowered) ? SECOND_RAX : RAX_SECOND);
    bool mask = operands[1].kind == OPERAND_VECTOR && operands[1].size == 32;
    unsigned bits = step->insn->id == X86_INS_VMOVMSKPD ? 2 : 4; /* of one lane's mask */
    for (unsigned i = 0; i < (mask ? 2 : 1); i++) {
        set(lowered, SECOND, &from, i);
        if (!run(step, lowered))
            return;
        value |= lowered->registers.gpr[0] << i * bits;
    }
    if (operands[0].kind == OPERAND_MEMORY)
        native_store(step, operands[0].size, &value);
    else
        native_write(step, 0, value);
}

static void to_flags(struct native_step *step, struct lowered *lowered)
{
    union vector a, b;
    if (!vector_source(step, 0, &a) || !vector_source(step, 1, &b))
        return;
    complete(step, lowered, FIRST_SECOND);
    set(lowered, FIRST, &a, 0);
    set(lowered, SECOND, &b, 0);
    if (run(step, lowered))
        step->registers->rflags = lowered->registers.rflags;
}

bool native_lanes(struct native_step *step)
{
    static void (*const ways[])(struct native_step *, struct lowered *) = {
        [VEX_LANES] = each_lane, [VEX_FROM_GENERAL] = from_general,
        [VEX_WIDEN] = widen,     [VEX_NARROW] = narrow,
        [VEX_FLAGS] = to_flags,  [VEX_TO_GENERAL] = to_general,
    };
    unsigned form = step->insn->vex;
    if (form >= sizeof ways / sizeof ways[0] || !ways[form])
        return false;
    struct lowered lowered;
    lower(step, &lowered);
    ways[form](step, &lowered);
    return true;
}
