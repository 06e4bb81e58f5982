/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FMA, and AVX's comparisons of floating-point numbers, under the MXCSR that programs start with:
 * rounding to nearest, denormals kept, no exception raised. fma() rounds once, as they do; which
 * NaN comes out is decided here.
 */
#include <math.h>
#include <string.h>

#include "sim/exec/native.h"
#include "sim/isa/vex.h"

/* A format's elements as words. */
struct format {
    unsigned bytes;
    uint64_t sign, infinity, quiet;
};

static const struct format single = {4, UINT64_C(1) << 31, 0x7f800000, UINT64_C(1) << 22};
static const struct format wide = {8, UINT64_C(1) << 63, UINT64_C(0x7ff) << 52, UINT64_C(1) << 51};

static bool is_nan(const struct format *format, uint64_t word)
{
    return (word & ~format->sign) > format->infinity;
}

static uint64_t element(const struct format *format, const union vector *vector, unsigned i)
{
    return format->bytes == 4 ? vector->d[i] : vector->q[i];
}

static void set_element(const struct format *format, union vector *vector, unsigned i,
                        uint64_t word)
{
    if (format->bytes == 4)
        vector->d[i] = (uint32_t)word;
    else
        vector->q[i] = word;
}

static double as_double(uint64_t word)
{
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static float as_float(uint64_t word)
{
    uint32_t low = (uint32_t)word;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

/* ---- fused multiplication and addition ---- */

/*
 * A NaN among the operands becomes the result, the first factor's before the second's before the
 * summand's; one that no operand was is the default one, whose sign is set (Intel SDM vol. 1,
 * "Fused-Multiply-ADD (FMA) Numeric Behavior").
 */
static uint64_t multiply_add(const struct format *format, const uint64_t operands[3],
                             bool negate_product, bool negate_summand)
{
    for (int i = 0; i < 3; i++)
        if (is_nan(format, operands[i]))
            return operands[i] | format->quiet;
    uint64_t a = operands[0] ^ (negate_product ? format->sign : 0), b = operands[1];
    uint64_t c = operands[2] ^ (negate_summand ? format->sign : 0), result = 0;
    if (format->bytes == 4) {
        float value = fmaf(as_float(a), as_float(b), as_float(c));
        memcpy(&result, &value, sizeof value);
    } else {
        double value = fma(as_double(a), as_double(b), as_double(c));
        memcpy(&result, &value, sizeof value);
    }
    return is_nan(format, result) ? format->sign | format->infinity | format->quiet : result;
}

/*
 * The opcode: its upper digit says which operands are the factors, the lower one what is done;
 * 6 and 7 alternate, from 8 on the odd ones are scalar (Intel SDM vol. 2, opcode map 0F 38).
 */
struct fma {
    uint8_t order[3]; /* operands: factor, factor, summand */
    bool scalar, negates_product;
    bool subtracts[2]; /* in even and odd elements */
};

static void describe_fma(uint8_t opcode, struct fma *fma)
{
    static const uint8_t orders[3][3] = {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}};
    unsigned what = opcode & 15;
    memcpy(fma->order, orders[(opcode >> 4) - 9u], sizeof fma->order);
    fma->scalar = what >= 8 && what & 1;
    fma->negates_product = what >= 12;
    fma->subtracts[0] = what == 6 || (what >= 8 && what & 2);
    fma->subtracts[1] = what == 7 || (what >= 8 && what & 2);
}

/* W, which the long form of VEX has: 64-bit elements. */
static void take_opcode(const struct insn *insn, uint8_t *opcode, const struct format **format)
{
    const uint8_t *at = insn->bytes;
    while (*at != 0xc4)
        at++;
    *format = at[2] & 0x80 ? &wide : &single;
    *opcode = at[3];
}

static void do_fma(struct native_step *step)
{
    const struct format *format;
    uint8_t opcode;
    struct fma fma;
    union vector operands[3];
    take_opcode(step->insn, &opcode, &format);
    describe_fma(opcode, &fma);
    for (unsigned i = 0; i < 3; i++)
        if (!vector_source(step, i, &operands[i]))
            return;
    union vector result = operands[0];
    unsigned count = fma.scalar ? 1 : step->insn->operands[0].size / format->bytes;
    for (unsigned i = 0; i < count; i++) {
        uint64_t words[3];
        for (unsigned k = 0; k < 3; k++)
            words[k] = element(format, &operands[fma.order[k]], i);
        set_element(format, &result, i,
                    multiply_add(format, words, fma.negates_product, fma.subtracts[i & 1]));
    }
    vector_write(step, 0, &result);
}

/* ---- comparisons ---- */

enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

/* Those from 16 on are the first 16 with the other choice of exceptions, which none raises here. */
static const uint8_t predicates[16] = {
    EQUAL,
    LESS,
    LESS | EQUAL,
    UNORDERED,
    LESS | GREATER | UNORDERED,
    EQUAL | GREATER | UNORDERED,
    GREATER | UNORDERED,
    LESS | EQUAL | GREATER,
    EQUAL | UNORDERED,
    LESS | UNORDERED,
    LESS | EQUAL | UNORDERED,
    0,
    LESS | GREATER,
    EQUAL | GREATER,
    GREATER,
    LESS | EQUAL | GREATER | UNORDERED,
};

static unsigned relation(const struct format *format, uint64_t a, uint64_t b)
{
    if (is_nan(format, a) || is_nan(format, b))
        return UNORDERED;
    double x = format->bytes == 4 ? (double)as_float(a) : as_double(a);
    double y = format->bytes == 4 ? (double)as_float(b) : as_double(b);
    return x < y ? LESS : x > y ? GREATER : EQUAL;
}

/* The predicate is an immediate, which the decoder makes a part of the name. */
static void compare(struct native_step *step)
{
    const struct insn *insn = step->insn;
    size_t length = strlen(insn->mnemonic);
    const struct format *format = insn->mnemonic[length - 1] == 's' ? &single : &wide;
    bool scalar = insn->mnemonic[length - 2] == 's';
    unsigned accepted = predicates[insn->bytes[insn->length - 1] & 15];
    union vector a, b;
    if (!vector_source(step, 1, &a) || !vector_source(step, 2, &b))
        return;
    union vector result = a;
    unsigned count = scalar ? 1 : insn->operands[0].size / format->bytes;
    for (unsigned i = 0; i < count; i++) {
        bool holds = accepted & relation(format, element(format, &a, i), element(format, &b, i));
        set_element(format, &result, i, holds ? UINT64_MAX : 0);
    }
    vector_write(step, 0, &result);
}

bool native_float(struct native_step *step)
{
    if (step->insn->vex == VEX_FMA)
        do_fma(step);
    else if (step->insn->vex == VEX_COMPARE)
        compare(step);
    else
        return false;
    return true;
}
