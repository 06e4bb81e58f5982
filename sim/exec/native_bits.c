/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BMI1 and BMI2: Intel SDM vol. 2, instruction pages of the names below. Flags that the
 * manuals leave undefined stay as they were (AF and PF of all, SF of BEXTR).
 */
#include <capstone/capstone.h>

#include "sim/exec/native.h"

static unsigned bits_of(const struct native_step *step)
{
    return step->insn->operands[0].size * 8u;
}

/* `value` cut to the operand size goes to the destination and sets SF and ZF. */
static void finish(struct native_step *step, uint64_t value, bool carry)
{
    unsigned bits = bits_of(step);
    if (bits < 64)
        value &= (UINT64_C(1) << bits) - 1;
    native_write(step, 0, value);
    native_flags(step, FLAG_CF | FLAG_ZF | FLAG_SF | FLAG_OF,
                 (carry ? FLAG_CF : 0u) | (value ? 0u : FLAG_ZF) |
                     (value >> (bits - 1) & 1 ? FLAG_SF : 0u));
}

static uint64_t low_bits(uint64_t value, unsigned count)
{
    return count >= 64 ? value : value & ((UINT64_C(1) << count) - 1);
}

static void lowest_bit(struct native_step *step, uint64_t source)
{
    switch (step->insn->id) {
    case X86_INS_BLSI:
        finish(step, -source & source, source != 0);
        break;
    case X86_INS_BLSMSK:
        finish(step, (source - 1) ^ source, source == 0);
        break;
    default: /* BLSR */
        finish(step, (source - 1) & source, source == 0);
        break;
    }
}

static void extract(struct native_step *step, uint64_t source, uint64_t control)
{
    unsigned start = control & 0xff, count = control >> 8 & 0xff;
    uint64_t value = start < bits_of(step) ? low_bits(source >> start, count) : 0;
    native_write(step, 0, value);
    native_flags(step, FLAG_CF | FLAG_ZF | FLAG_OF, value ? 0 : FLAG_ZF);
}

static void zero_high(struct native_step *step, uint64_t source, uint64_t index)
{
    unsigned count = index & 0xff;
    finish(step, low_bits(source, count), count > bits_of(step) - 1);
}

static void multiply(struct native_step *step, uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    native_write(step, 1, (uint64_t)product);
    native_write(step, 0, (uint64_t)(product >> bits_of(step))); /* wins when both are one */
}

static uint64_t deposit(uint64_t source, uint64_t mask)
{
    uint64_t value = 0;
    for (; mask; mask &= mask - 1, source >>= 1)
        if (source & 1)
            value |= mask & -mask;
    return value;
}

static uint64_t gather(uint64_t source, uint64_t mask)
{
    uint64_t value = 0, bit = 1;
    for (; mask; mask &= mask - 1, bit <<= 1)
        if (source & mask & -mask)
            value |= bit;
    return value;
}

static uint64_t shifted(const struct native_step *step, uint64_t value, uint64_t count)
{
    unsigned bits = bits_of(step), by = (unsigned)count & (bits - 1);
    switch (step->insn->id) {
    case X86_INS_SHLX:
        return value << by;
    case X86_INS_SHRX:
        return value >> by;
    case X86_INS_SARX:
        return bits == 32 ? (uint64_t)((int32_t)value >> by) : (uint64_t)((int64_t)value >> by);
    default: /* RORX */
        return by == 0 ? value : value >> by | value << (bits - by);
    }
}

/* Three operands: the destination, a first source and a second one or an immediate. */
static void compute(struct native_step *step, uint64_t a, uint64_t b)
{
    switch (step->insn->id) {
    case X86_INS_ANDN:
        finish(step, ~a & b, false);
        break;
    case X86_INS_BEXTR:
        extract(step, a, b);
        break;
    case X86_INS_BZHI:
        zero_high(step, a, b);
        break;
    case X86_INS_PDEP:
        native_write(step, 0, deposit(a, b));
        break;
    case X86_INS_PEXT:
        native_write(step, 0, gather(a, b));
        break;
    default:
        native_write(step, 0, shifted(step, a, b));
        break;
    }
}

bool native_bits(struct native_step *step)
{
    uint64_t a = 0, b = (uint64_t)step->insn->immediate;
    switch (step->insn->id) {
    case X86_INS_BLSI:
    case X86_INS_BLSMSK:
    case X86_INS_BLSR:
        if (native_source(step, 1, &a))
            lowest_bit(step, a);
        return true;
    case X86_INS_MULX: /* the other factor is (r/e)dx */
        if (native_source(step, 2, &a))
            multiply(step, a, low_bits(step->registers->gpr[2], bits_of(step)));
        return true;
    case X86_INS_RORX:
        if (native_source(step, 1, &a))
            compute(step, a, b);
        return true;
    case X86_INS_ANDN:
    case X86_INS_BEXTR:
    case X86_INS_BZHI:
    case X86_INS_PDEP:
    case X86_INS_PEXT:
    case X86_INS_SARX:
    case X86_INS_SHLX:
    case X86_INS_SHRX:
        if (native_source(step, 1, &a) && native_source(step, 2, &b))
            compute(step, a, b);
        return true;
    default:
        return false;
    }
}
