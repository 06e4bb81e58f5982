/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RCPPS, RSQRTPS and the like: each CPU has its own result within a relative error of 1.5 * 2^-12
 * (Intel SDM vol. 2, their pages). Exploration refuses them; a timed run goes on with the rounded
 * one.
 */
#include <math.h>
#include <string.h>

#include "sim/exec/native.h"

/* Denormals count as zero; of a NaN one comes out. */
static uint32_t approximate(uint32_t word, bool root)
{
    float value, result;
    if ((word & 0x7f800000) == 0)
        word &= 0x80000000;
    memcpy(&value, &word, sizeof value);
    result = 1.0f / (root ? sqrtf(value) : value);
    if (isnan(result))
        return isnan(value) ? word | 1u << 22 : 0xffc00000;
    memcpy(&word, &result, sizeof result);
    return (word & 0x7f800000) == 0 ? word & 0x80000000 : word;
}

void native_approximate(struct native_step *step)
{
    const char *name = step->insn->mnemonic;
    bool vex = name[0] == 'v', scalar = name[strlen(name) - 2] == 's';
    bool root = strstr(name, "sqrt") != NULL;
    union vector from, result = {0};
    if (scalar && !vector_source(step, vex ? 1 : 0, &result))
        return;
    if (!vector_source(step, scalar && vex ? 2 : 1, &from))
        return;
    for (unsigned i = 0; i < (scalar ? 1 : sizeof from.d / sizeof from.d[0]); i++)
        result.d[i] = approximate(from.d[i], root);
    vector_write(step, 0, &result);
}
