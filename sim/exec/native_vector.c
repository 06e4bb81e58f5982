/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vector operands, and the AVX and AVX2 instructions that copies, fills and comparisons of memory
 * consist of. A write of 128 bits clears the upper half of the register (Intel SDM vol. 1, "VEX
 * Encoding and 128-bit instructions").
 */
#include <capstone/capstone.h>
#include <string.h>

#include "sim/exec/native.h"

static void get(const struct native_step *step, unsigned number, union vector *vector)
{
    memcpy(&vector->q[0], step->registers->xmm[number], 16);
    memcpy(&vector->q[2], step->registers->ymm_high[number], 16);
}

void vector_write(struct native_step *step, unsigned operand, const union vector *vector)
{
    const struct operand *to = &step->insn->operands[operand];
    memcpy(step->registers->xmm[to->number], &vector->q[0], 16);
    if (step->insn->mnemonic[0] != 'v')
        return;
    memset(step->registers->ymm_high[to->number], 0, 16);
    if (to->size == 32)
        memcpy(step->registers->ymm_high[to->number], &vector->q[2], 16);
}

bool vector_source(struct native_step *step, unsigned operand, union vector *vector)
{
    const struct operand *from = &step->insn->operands[operand];
    memset(vector, 0, sizeof *vector);
    if (from->kind == OPERAND_MEMORY)
        return native_load(step, from->size, vector);
    if (from->kind != OPERAND_VECTOR)
        return native_source(step, operand, &vector->q[0]);
    get(step, from->number, vector);
    if (from->size < 32)
        memset(&vector->q[2], 0, 16);
    return true;
}

static void move(struct native_step *step)
{
    const struct operand *to = &step->insn->operands[0];
    union vector vector;
    if (!vector_source(step, 1, &vector))
        return;
    if (step->insn->id == X86_INS_VMOVQ)
        vector.q[1] = 0;
    if (to->kind == OPERAND_MEMORY)
        native_store(step, to->size, &vector);
    else if (to->kind == OPERAND_GENERAL)
        native_write(step, 0, vector.q[0]);
    else
        vector_write(step, 0, &vector);
}

/* Repeats the lowest element of `size` bytes. */
static void broadcast(struct native_step *step, unsigned size)
{
    union vector vector;
    if (!vector_source(step, 1, &vector))
        return;
    for (unsigned i = size; i < sizeof vector; i++)
        vector.b[i] = vector.b[i - size];
    vector_write(step, 0, &vector);
}

static void insert_half(struct native_step *step)
{
    union vector vector, half;
    if (!vector_source(step, 1, &vector) || !vector_source(step, 2, &half))
        return;
    memcpy(&vector.q[step->insn->immediate & 1 ? 2 : 0], &half, 16);
    vector_write(step, 0, &vector);
}

static void extract_half(struct native_step *step)
{
    union vector vector;
    if (!vector_source(step, 1, &vector))
        return;
    if (step->insn->immediate & 1)
        memcpy(&vector.q[0], &vector.q[2], 16);
    if (step->insn->operands[0].kind == OPERAND_MEMORY)
        native_store(step, 16, &vector);
    else
        vector_write(step, 0, &vector);
}

static void test(struct native_step *step)
{
    union vector a, b;
    uint64_t both = 0, only_b = 0;
    if (!vector_source(step, 0, &a) || !vector_source(step, 1, &b))
        return;
    for (int i = 0; i < 4; i++) {
        both |= a.q[i] & b.q[i];
        only_b |= ~a.q[i] & b.q[i];
    }
    native_flags(step, STATUS_FLAGS, (both ? 0u : FLAG_ZF) | (only_b ? 0u : FLAG_CF));
}

static void move_mask(struct native_step *step)
{
    union vector vector;
    uint64_t mask = 0;
    if (!vector_source(step, 1, &vector))
        return;
    for (unsigned i = 0; i < sizeof vector; i++)
        mask |= (uint64_t)(vector.b[i] >> 7) << i;
    native_write(step, 0, mask);
}

#define EACH(lane, value)                                                                          \
    for (unsigned i = 0; i < sizeof a->lane / sizeof a->lane[0]; i++)                              \
        a->lane[i] = (__typeof__(a->lane[0]))(value);

static bool logic(unsigned id, union vector *a, const union vector *b)
{
    switch (id) {
    case X86_INS_VPXOR:
    case X86_INS_VXORPS:
    case X86_INS_VXORPD:
        EACH(q, a->q[i] ^ b->q[i])
        return true;
    case X86_INS_VPOR:
        EACH(q, a->q[i] | b->q[i])
        return true;
    case X86_INS_VPAND:
        EACH(q, a->q[i] & b->q[i])
        return true;
    case X86_INS_VPANDN:
        EACH(q, ~a->q[i] & b->q[i])
        return true;
    default:
        return false;
    }
}

static bool compare(unsigned id, union vector *a, const union vector *b)
{
    switch (id) {
    case X86_INS_VPCMPEQB:
        EACH(b, a->b[i] == b->b[i] ? UINT8_MAX : 0)
        return true;
    case X86_INS_VPCMPEQW:
        EACH(w, a->w[i] == b->w[i] ? UINT16_MAX : 0)
        return true;
    case X86_INS_VPCMPEQD:
        EACH(d, a->d[i] == b->d[i] ? UINT32_MAX : 0)
        return true;
    case X86_INS_VPCMPEQQ:
        EACH(q, a->q[i] == b->q[i] ? UINT64_MAX : 0)
        return true;
    default:
        return false;
    }
}

static bool add(unsigned id, union vector *a, const union vector *b)
{
    switch (id) {
    case X86_INS_VPADDB:
        EACH(b, a->b[i] + b->b[i])
        return true;
    case X86_INS_VPADDW:
        EACH(w, a->w[i] + b->w[i])
        return true;
    case X86_INS_VPADDD:
        EACH(d, a->d[i] + b->d[i])
        return true;
    case X86_INS_VPADDQ:
        EACH(q, a->q[i] + b->q[i])
        return true;
    default:
        return false;
    }
}

static bool subtract(unsigned id, union vector *a, const union vector *b)
{
    switch (id) {
    case X86_INS_VPSUBB:
        EACH(b, a->b[i] - b->b[i])
        return true;
    case X86_INS_VPSUBW:
        EACH(w, a->w[i] - b->w[i])
        return true;
    case X86_INS_VPSUBD:
        EACH(d, a->d[i] - b->d[i])
        return true;
    case X86_INS_VPSUBQ:
        EACH(q, a->q[i] - b->q[i])
        return true;
    default:
        return false;
    }
}

/* Two sources, element by element. */
static bool compute(struct native_step *step)
{
    unsigned id = step->insn->id;
    union vector a = {0}, b = {0};
    if (!logic(id, &a, &b) && !compare(id, &a, &b) && !add(id, &a, &b) && !subtract(id, &a, &b))
        return false;
    if (!vector_source(step, 1, &a) || !vector_source(step, 2, &b))
        return true;
    if (!logic(id, &a, &b) && !compare(id, &a, &b) && !add(id, &a, &b))
        subtract(id, &a, &b);
    vector_write(step, 0, &a);
    return true;
}

bool native_vector(struct native_step *step)
{
    switch (step->insn->id) {
    case X86_INS_VLDDQU:
    case X86_INS_VMOVAPD:
    case X86_INS_VMOVAPS:
    case X86_INS_VMOVD:
    case X86_INS_VMOVDQA:
    case X86_INS_VMOVDQU:
    case X86_INS_VMOVNTDQ:
    case X86_INS_VMOVNTDQA:
    case X86_INS_VMOVNTPD:
    case X86_INS_VMOVNTPS:
    case X86_INS_VMOVQ:
    case X86_INS_VMOVUPD:
    case X86_INS_VMOVUPS:
        move(step);
        return true;
    case X86_INS_VPBROADCASTB:
        broadcast(step, 1);
        return true;
    case X86_INS_VPBROADCASTW:
        broadcast(step, 2);
        return true;
    case X86_INS_VBROADCASTSS:
    case X86_INS_VPBROADCASTD:
        broadcast(step, 4);
        return true;
    case X86_INS_VBROADCASTSD:
    case X86_INS_VPBROADCASTQ:
        broadcast(step, 8);
        return true;
    case X86_INS_VBROADCASTF128:
        broadcast(step, 16);
        return true;
    case X86_INS_VINSERTF128:
    case X86_INS_VINSERTI128:
        insert_half(step);
        return true;
    case X86_INS_VEXTRACTF128:
    case X86_INS_VEXTRACTI128:
        extract_half(step);
        return true;
    case X86_INS_VPTEST:
        test(step);
        return true;
    case X86_INS_VPMOVMSKB:
        move_mask(step);
        return true;
    case X86_INS_VZEROALL:
        memset(step->registers->xmm, 0, sizeof step->registers->xmm);
        memset(step->registers->ymm_high, 0, sizeof step->registers->ymm_high);
        return true;
    case X86_INS_VZEROUPPER:
        memset(step->registers->ymm_high, 0, sizeof step->registers->ymm_high);
        return true;
    default:
        return compute(step);
    }
}
