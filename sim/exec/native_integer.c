/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Base instructions that Unicorn 2.0.1 gets wrong: divisions (it reports the first two #DE of
 * an engine's life only), LOCK NEG and shifts of memory by CL (flags). Flags that the manuals
 * leave undefined stay as they were, and so does what SHLD and SHRD shift by more than its size.
 */
#include <capstone/capstone.h>

#include "sim/exec/native.h"

__extension__ typedef unsigned __int128 wide;

static unsigned bits_of(const struct native_step *step)
{
    return step->insn->operands[0].size * 8u;
}

static uint64_t low_bits(uint64_t value, unsigned count)
{
    return count >= 64 ? value : value & ((UINT64_C(1) << count) - 1);
}

static uint64_t result_flags(uint64_t value, unsigned bits)
{
    uint64_t flags = __builtin_parityll(value & 0xff) ? 0 : FLAG_PF;
    flags |= low_bits(value, bits) == 0 ? FLAG_ZF : 0u;
    return flags | (value >> (bits - 1) & 1 ? FLAG_SF : 0u);
}

/* ---- divisions ---- */

static wide dividend_of(const struct native_step *step, unsigned bits)
{
    const uint64_t *gpr = step->registers->gpr;
    if (bits == 8)
        return gpr[0] & 0xffff;
    return (wide)low_bits(gpr[2], bits) << bits | low_bits(gpr[0], bits);
}

static void put_quotient(struct native_step *step, unsigned bits, uint64_t quotient,
                         uint64_t remainder)
{
    uint64_t *gpr = step->registers->gpr;
    uint64_t mask = low_bits(UINT64_MAX, bits);
    if (bits == 8) {
        gpr[0] = (gpr[0] & ~UINT64_C(0xffff)) | (quotient & mask) | (remainder & mask) << 8;
        return;
    }
    uint64_t kept = bits == 16 ? ~mask : 0; /* a write of 32 bits clears the others */
    gpr[0] = (gpr[0] & kept) | (quotient & mask);
    gpr[2] = (gpr[2] & kept) | (remainder & mask);
}

static void divide(struct native_step *step)
{
    unsigned bits = bits_of(step);
    uint64_t divisor;
    if (!native_source(step, 0, &divisor))
        return;
    wide dividend = dividend_of(step, bits);
    if (divisor == 0 || dividend / divisor > low_bits(UINT64_MAX, bits)) {
        step->result->status = EXEC_FAULT;
        step->result->vector = 0;
        return;
    }
    put_quotient(step, bits, (uint64_t)(dividend / divisor), (uint64_t)(dividend % divisor));
}

/* By magnitudes: the quotient is rounded to zero, the remainder has the dividend's sign. */
static void divide_signed(struct native_step *step)
{
    unsigned bits = bits_of(step);
    uint64_t divisor;
    if (!native_source(step, 0, &divisor))
        return;
    wide dividend = dividend_of(step, bits);
    bool minus = dividend >> (2 * bits - 1) & 1, divisor_minus = divisor >> (bits - 1) & 1;
    if (minus) /* beyond twice the size only zeros count */
        dividend = bits == 64 ? -dividend : ((wide)1 << 2 * bits) - dividend;
    if (divisor_minus)
        divisor = low_bits(-divisor, bits);
    uint64_t limit = (UINT64_C(1) << (bits - 1)) - (minus == divisor_minus);
    if (divisor == 0 || dividend / divisor > limit) {
        step->result->status = EXEC_FAULT;
        step->result->vector = 0;
        return;
    }
    uint64_t quotient = (uint64_t)(dividend / divisor), remainder = (uint64_t)(dividend % divisor);
    put_quotient(step, bits, minus == divisor_minus ? quotient : -quotient,
                 minus ? -remainder : remainder);
}

/* ---- read-modify-write of memory ---- */

static void negate(struct native_step *step)
{
    unsigned bits = bits_of(step);
    uint64_t value, result;
    if (!native_source(step, 0, &value))
        return;
    result = -value;
    if (!native_store(step, bits / 8, &result))
        return;
    native_flags(step, STATUS_FLAGS,
                 result_flags(result, bits) | (value ? FLAG_CF : 0u) | (value & 15 ? FLAG_AF : 0u) |
                     (value == UINT64_C(1) << (bits - 1) ? FLAG_OF : 0u));
}

struct shift {
    unsigned bits, count; /* 1 <= count */
    uint64_t value, source;
    uint64_t result;
    bool carry, carry_defined;
};

static void shift_left(struct shift *shift)
{
    shift->result = shift->value << shift->count;
    shift->carry_defined = shift->count <= shift->bits;
    shift->carry = shift->carry_defined && shift->value >> (shift->bits - shift->count) & 1;
}

static void shift_right(struct shift *shift, bool arithmetic)
{
    unsigned away = 64 - shift->bits;
    uint64_t value = shift->value;
    if (arithmetic)
        value = (uint64_t)((int64_t)(value << away) >> away);
    shift->result = arithmetic ? (uint64_t)((int64_t)value >> shift->count) : value >> shift->count;
    shift->carry = value >> (shift->count - 1) & 1;
    shift->carry_defined = arithmetic || shift->count <= shift->bits;
}

static void shift_double(struct shift *shift, bool left)
{
    unsigned count = shift->count, other = shift->bits - count;
    shift->carry_defined = true;
    shift->carry = shift->value >> (left ? other : count - 1) & 1;
    shift->result = shift->value;
    if (other == 0)
        shift->result = shift->source;
    else if (left)
        shift->result = shift->value << count | shift->source >> other;
    else
        shift->result = shift->value >> count | shift->source << other;
}

static void apply(struct native_step *step, struct shift *shift)
{
    switch (step->insn->id) {
    case X86_INS_SHR:
        shift_right(shift, false);
        break;
    case X86_INS_SAR:
        shift_right(shift, true);
        break;
    case X86_INS_SHLD:
    case X86_INS_SHRD:
        shift_double(shift, step->insn->id == X86_INS_SHLD);
        break;
    default: /* SHL, SAL */
        shift_left(shift);
        break;
    }
    shift->result = low_bits(shift->result, shift->bits);
}

/* OF is defined for a count of 1: SHL, SHLD, SHRD and SHR set it when the sign changes. */
static void shift_memory(struct native_step *step)
{
    unsigned bits = bits_of(step);
    struct shift shift = {.bits = bits,
                          .count = (unsigned)step->registers->gpr[1] & (bits == 64 ? 63 : 31)};
    bool two = step->insn->id == X86_INS_SHLD || step->insn->id == X86_INS_SHRD;
    if (!native_source(step, 0, &shift.value) || (two && !native_source(step, 1, &shift.source)))
        return;
    shift.result = shift.value;
    bool shifts = shift.count != 0 && !(two && shift.count > bits);
    if (shifts)
        apply(step, &shift);
    if (!native_store(step, bits / 8, &shift.result) || !shifts)
        return;
    bool changed = (shift.result ^ shift.value) >> (bits - 1) & 1;
    native_flags(step,
                 FLAG_PF | FLAG_ZF | FLAG_SF | (shift.carry_defined ? FLAG_CF : 0u) |
                     (shift.count == 1 ? FLAG_OF : 0u),
                 result_flags(shift.result, bits) | (shift.carry ? FLAG_CF : 0u) |
                     (changed ? FLAG_OF : 0u));
}

bool native_integer(struct native_step *step)
{
    switch (step->insn->id) {
    case X86_INS_DIV:
        divide(step);
        return true;
    case X86_INS_IDIV:
        divide_signed(step);
        return true;
    case X86_INS_NEG:
        negate(step);
        return true;
    case X86_INS_SAL:
    case X86_INS_SAR:
    case X86_INS_SHL:
    case X86_INS_SHLD:
    case X86_INS_SHR:
    case X86_INS_SHRD:
        shift_memory(step);
        return true;
    default:
        return false;
    }
}
