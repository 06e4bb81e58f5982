/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moves of the elements that a mask selects, tests of signs, and multiplication without carries.
 */
#include <capstone/capstone.h>
#include <string.h>

#include "sim/exec/native.h"

/* What is not selected is not accessed: it may lie outside of all memory. */
static bool load_masked(struct native_step *step, unsigned size, const union vector *mask)
{
    union vector result = {0};
    for (unsigned at = 0; at < step->insn->operands[0].size; at += size)
        if (mask->b[at + size - 1] & 0x80 && !native_load_at(step, at, size, result.b + at))
            return false;
    vector_write(step, 0, &result);
    return true;
}

static bool store_masked(struct native_step *step, unsigned size, const union vector *mask)
{
    union vector from;
    if (!vector_source(step, 2, &from))
        return false;
    for (unsigned at = 0; at < step->insn->operands[2].size; at += size)
        if (mask->b[at + size - 1] & 0x80 && !native_store_at(step, at, size, from.b + at))
            return false;
    return true;
}

static void move_masked(struct native_step *step, unsigned size)
{
    union vector mask;
    if (!vector_source(step, 1, &mask))
        return;
    if (step->insn->operands[0].kind == OPERAND_MEMORY)
        store_masked(step, size, &mask);
    else
        load_masked(step, size, &mask);
}

static void test_signs(struct native_step *step, unsigned size)
{
    union vector a, b;
    uint8_t both = 0, only_b = 0;
    if (!vector_source(step, 0, &a) || !vector_source(step, 1, &b))
        return;
    for (unsigned at = size - 1; at < sizeof a; at += size) {
        both |= a.b[at] & b.b[at];
        only_b |= (uint8_t)~a.b[at] & b.b[at];
    }
    native_flags(step, STATUS_FLAGS, (both & 0x80 ? 0u : FLAG_ZF) | (only_b & 0x80 ? 0u : FLAG_CF));
}

/* The immediate chooses a half of each factor. */
static void multiply_without_carries(struct native_step *step)
{
    bool vex = step->insn->id == X86_INS_VPCLMULQDQ;
    union vector a, b, result = {0};
    if (!vector_source(step, vex ? 1 : 0, &a) || !vector_source(step, vex ? 2 : 1, &b))
        return;
    uint64_t x = a.q[step->insn->immediate & 1], y = b.q[step->insn->immediate >> 4 & 1];
    for (unsigned i = 0; i < 64; i++) {
        if (!(y >> i & 1))
            continue;
        result.q[0] ^= x << i;
        result.q[1] ^= i ? x >> (64 - i) : 0;
    }
    vector_write(step, 0, &result);
}

bool native_masked(struct native_step *step)
{
    switch (step->insn->id) {
    case X86_INS_VMASKMOVPS:
    case X86_INS_VPMASKMOVD:
        move_masked(step, 4);
        return true;
    case X86_INS_VMASKMOVPD:
    case X86_INS_VPMASKMOVQ:
        move_masked(step, 8);
        return true;
    case X86_INS_VTESTPS:
        test_signs(step, 4);
        return true;
    case X86_INS_VTESTPD:
        test_signs(step, 8);
        return true;
    case X86_INS_PCLMULQDQ:
    case X86_INS_VPCLMULQDQ:
        multiply_without_carries(step);
        return true;
    default:
        return false;
    }
}
