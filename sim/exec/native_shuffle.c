/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * AVX and AVX2 instructions that have no SSE namesake, or whose immediate means something else in
 * each half: permutations, selections, shifts by a count for each element, moves of a part.
 */
#include <capstone/capstone.h>
#include <string.h>

#include "sim/exec/native.h"

/* ---- one source, an index for each element ---- */

/* Element i of the result is element `index` of the same 16 bytes, or of the whole. */
static void permute_d(struct native_step *step, const union vector *from,
                      const union vector *indices, bool in_lane)
{
    union vector result;
    for (unsigned i = 0; i < 8; i++)
        result.d[i] = in_lane ? from->d[(i & 4) | (indices->d[i] & 3)] : from->d[indices->d[i] & 7];
    vector_write(step, 0, &result);
}

/* VPERMD and VPERMPS have the indices first, VPERMILPS last or in an immediate. */
static void permute_dwords(struct native_step *step, bool in_lane)
{
    union vector a, b;
    if (!vector_source(step, 1, &a))
        return;
    if (step->insn->has_immediate) {
        for (unsigned i = 0; i < 8; i++)
            b.d[i] = (uint32_t)(step->insn->immediate >> 2 * (i & 3)) & 3;
    } else if (!vector_source(step, 2, &b)) {
        return;
    }
    permute_d(step, in_lane ? &a : &b, in_lane ? &b : &a, in_lane);
}

/* VPERMQ, VPERMPD: two bits of the immediate for each. */
static void permute_quads(struct native_step *step)
{
    union vector from, result;
    if (!vector_source(step, 1, &from))
        return;
    for (unsigned i = 0; i < 4; i++)
        result.q[i] = from.q[step->insn->immediate >> 2 * i & 3];
    vector_write(step, 0, &result);
}

/* VPERMILPD: bit 1 of each index, or a bit of the immediate. */
static void permute_quads_in_lane(struct native_step *step)
{
    union vector from, indices = {0}, result;
    bool immediate = step->insn->has_immediate;
    if (!vector_source(step, 1, &from) || (!immediate && !vector_source(step, 2, &indices)))
        return;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t odd = immediate ? (uint64_t)step->insn->immediate >> i : indices.q[i] >> 1;
        result.q[i] = from.q[(i & 2) | (odd & 1)];
    }
    vector_write(step, 0, &result);
}

/* VPERM2F128, VPERM2I128: one of four halves, or zero. */
static void permute_halves(struct native_step *step)
{
    union vector from[2], result = {0};
    if (!vector_source(step, 1, &from[0]) || !vector_source(step, 2, &from[1]))
        return;
    for (unsigned i = 0; i < 2; i++) {
        unsigned choice = (unsigned)step->insn->immediate >> 4 * i & 15;
        if (!(choice & 8))
            memcpy(&result.q[2 * i], &from[choice >> 1 & 1].q[choice & 1 ? 2 : 0], 16);
    }
    vector_write(step, 0, &result);
}

/* VSHUFPD: the even elements of the result from the first source, the odd ones from the second. */
static void shuffle_quads(struct native_step *step)
{
    union vector from[2], result;
    if (!vector_source(step, 1, &from[0]) || !vector_source(step, 2, &from[1]))
        return;
    for (unsigned i = 0; i < 4; i++)
        result.q[i] = from[i & 1].q[(i & 2) | (step->insn->immediate >> i & 1)];
    vector_write(step, 0, &result);
}

/* ---- two sources, one of them for each element ---- */

static void blend(struct native_step *step, unsigned size)
{
    union vector a, b;
    if (!vector_source(step, 1, &a) || !vector_source(step, 2, &b))
        return;
    for (unsigned i = 0; i < sizeof a / size; i++)
        if (step->insn->immediate >> i & 1)
            memcpy(a.b + i * size, b.b + i * size, size);
    vector_write(step, 0, &a);
}

/* By the upper bit of each element of a fourth operand. */
static void blend_by_sign(struct native_step *step, unsigned size)
{
    union vector a, b, choice;
    if (!vector_source(step, 1, &a) || !vector_source(step, 2, &b) ||
        !vector_source(step, 3, &choice))
        return;
    for (unsigned i = 0; i < sizeof a / size; i++)
        if (choice.b[i * size + size - 1] & 0x80)
            memcpy(a.b + i * size, b.b + i * size, size);
    vector_write(step, 0, &a);
}

/* ---- shifts ---- */

static void shift_each(struct native_step *step)
{
    union vector a, b;
    if (!vector_source(step, 1, &a) || !vector_source(step, 2, &b))
        return;
    unsigned id = step->insn->id;
    if (id == X86_INS_VPSLLVQ || id == X86_INS_VPSRLVQ) {
        for (unsigned i = 0; i < 4; i++)
            a.q[i] = b.q[i] > 63 ? 0 : id == X86_INS_VPSLLVQ ? a.q[i] << b.q[i] : a.q[i] >> b.q[i];
    } else {
        for (unsigned i = 0; i < 8; i++) {
            uint32_t count = b.d[i] > 31 ? 31 : b.d[i];
            if (id == X86_INS_VPSRAVD)
                a.d[i] = (uint32_t)((int32_t)a.d[i] >> count);
            else if (b.d[i] > 31)
                a.d[i] = 0;
            else
                a.d[i] = id == X86_INS_VPSLLVD ? a.d[i] << count : a.d[i] >> count;
        }
    }
    vector_write(step, 0, &a);
}

/* ---- moves of a part ---- */

/* VMOVSS, VMOVSD: from memory the rest is zero, from a register that of a third one. */
static void move_scalar(struct native_step *step, unsigned size)
{
    const struct operand *operands = step->insn->operands;
    union vector a, b;
    if (!vector_source(step, 1, &a))
        return;
    if (operands[0].kind == OPERAND_MEMORY) {
        native_store(step, size, &a);
        return;
    }
    if (operands[2].kind != OPERAND_NONE) {
        if (!vector_source(step, 2, &b))
            return;
        memcpy(&a, &b, size);
    }
    vector_write(step, 0, &a);
}

/* VMOVLPS and the like: 8 bytes of memory and one half of 16. */
static void move_half(struct native_step *step, bool upper)
{
    union vector a, b;
    if (!vector_source(step, 1, &a))
        return;
    if (step->insn->operands[0].kind == OPERAND_MEMORY) {
        native_store(step, 8, &a.q[upper]);
        return;
    }
    if (!vector_source(step, 2, &b))
        return;
    a.q[upper] = b.q[0];
    vector_write(step, 0, &a);
}

static bool permute(struct native_step *step)
{
    switch (step->insn->id) {
    case X86_INS_VPERMD:
    case X86_INS_VPERMPS:
        permute_dwords(step, false);
        return true;
    case X86_INS_VPERMILPS:
        permute_dwords(step, true);
        return true;
    case X86_INS_VPERMPD:
    case X86_INS_VPERMQ:
        permute_quads(step);
        return true;
    case X86_INS_VPERMILPD:
        permute_quads_in_lane(step);
        return true;
    case X86_INS_VPERM2F128:
    case X86_INS_VPERM2I128:
        permute_halves(step);
        return true;
    case X86_INS_VSHUFPD:
        shuffle_quads(step);
        return true;
    default:
        return false;
    }
}

bool native_shuffle(struct native_step *step)
{
    switch (step->insn->id) {
    case X86_INS_VBLENDPS:
    case X86_INS_VPBLENDD:
        blend(step, 4);
        return true;
    case X86_INS_VBLENDPD:
        blend(step, 8);
        return true;
    case X86_INS_VPBLENDVB:
        blend_by_sign(step, 1);
        return true;
    case X86_INS_VBLENDVPS:
        blend_by_sign(step, 4);
        return true;
    case X86_INS_VBLENDVPD:
        blend_by_sign(step, 8);
        return true;
    case X86_INS_VPSLLVD:
    case X86_INS_VPSLLVQ:
    case X86_INS_VPSRAVD:
    case X86_INS_VPSRLVD:
    case X86_INS_VPSRLVQ:
        shift_each(step);
        return true;
    case X86_INS_VMOVSS:
        move_scalar(step, 4);
        return true;
    case X86_INS_VMOVSD:
        move_scalar(step, 8);
        return true;
    case X86_INS_VMOVLPS:
    case X86_INS_VMOVLPD:
        move_half(step, false);
        return true;
    case X86_INS_VMOVHPS:
    case X86_INS_VMOVHPD:
        move_half(step, true);
        return true;
    default:
        return permute(step);
    }
}
