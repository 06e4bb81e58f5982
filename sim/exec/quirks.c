/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/exec/quirks.h"

#include <capstone/capstone.h>
#include <string.h>

#define ZERO_FLAG UINT64_C(0x40)

/*
 * CMPXCHG writes the accumulator only when it differs, and the destination only when not.
 * Unicorn writes both always, which clears the upper halves of 32-bit ones.
 */
static void correct_cmpxchg(const struct insn *insn, const struct registers *before,
                            struct registers *after)
{
    bool equal = after->rflags & ZERO_FLAG;
    unsigned destination = insn->operands[0].number;
    if (!equal && !insn->memory.present)
        after->gpr[destination] = before->gpr[destination];
    if (equal && (insn->memory.present || destination != 0))
        after->gpr[0] = before->gpr[0];
}

/* BSF and BSR of zero leave the whole destination alone (AMD APM vol. 3; Intel's do, too). */
static void correct_scan(const struct insn *insn, const struct registers *before,
                         struct registers *after)
{
    unsigned destination = insn->operands[0].number;
    if (after->rflags & ZERO_FLAG)
        after->gpr[destination] = before->gpr[destination];
}

static bool computes_floats(unsigned id)
{
    switch (id) {
    case X86_INS_ADDPS:
    case X86_INS_ADDSS:
    case X86_INS_ADDPD:
    case X86_INS_ADDSD:
    case X86_INS_SUBPS:
    case X86_INS_SUBSS:
    case X86_INS_SUBPD:
    case X86_INS_SUBSD:
    case X86_INS_MULPS:
    case X86_INS_MULSS:
    case X86_INS_MULPD:
    case X86_INS_MULSD:
    case X86_INS_DIVPS:
    case X86_INS_DIVSS:
    case X86_INS_DIVPD:
    case X86_INS_DIVSD:
    case X86_INS_ADDSUBPS:
    case X86_INS_ADDSUBPD:
    case X86_INS_HADDPS:
    case X86_INS_HADDPD:
    case X86_INS_HSUBPS:
    case X86_INS_HSUBPD:
        return true;
    default:
        return false;
    }
}

static uint64_t element(const uint64_t words[2], unsigned bytes, unsigned i)
{
    uint64_t word = 0;
    memcpy(&word, (const uint8_t *)words + i * bytes, bytes);
    return word;
}

static bool is_nan(uint64_t word, unsigned bytes)
{
    return bytes == 8 ? (word & INT64_MAX) > UINT64_C(0x7ff) << 52
                      : (word & INT32_MAX) > 0x7f800000;
}

/* The two operands from which element `i` of the result is computed. */
static void operands_of(bool horizontal, unsigned bytes, unsigned i, const uint64_t *sources[2],
                        uint64_t pair[2])
{
    unsigned half = 8 / bytes; /* elements of the result from each source */
    for (unsigned k = 0; k < 2; k++)
        pair[k] = horizontal ? element(sources[i / half], bytes, 2 * (i % half) + k)
                             : element(sources[k], bytes, i);
}

/*
 * Of two NaNs, CPUs take the first operand (Intel SDM vol. 1, "Rules for handling NaNs") and
 * Unicorn the larger one.
 */
static void choose_nan(const struct insn *insn, const struct registers *before,
                       const struct exec_result *result, struct registers *after)
{
    size_t length = strlen(insn->mnemonic);
    unsigned bytes = insn->mnemonic[length - 1] == 'd' ? 8 : 4;
    unsigned count = insn->mnemonic[length - 2] == 's' ? 1 : 16 / bytes;
    bool horizontal = insn->mnemonic[0] == 'h';
    unsigned destination = insn->operands[0].number;
    uint64_t source[2] = {0, 0}, pair[2];
    if (insn->operands[1].kind == OPERAND_VECTOR)
        memcpy(source, before->xmm[insn->operands[1].number], sizeof source);
    else if (result->count > 0)
        memcpy(source, result->accesses[0].data, sizeof source);
    const uint64_t *sources[2] = {before->xmm[destination], source};
    for (unsigned i = 0; i < count; i++) {
        operands_of(horizontal, bytes, i, sources, pair);
        if (!is_nan(pair[0], bytes) || !is_nan(pair[1], bytes))
            continue;
        uint64_t quiet = pair[0] | (bytes == 8 ? UINT64_C(1) << 51 : UINT64_C(1) << 22);
        memcpy((uint8_t *)after->xmm[destination] + i * bytes, &quiet, bytes);
    }
}

void correct_quirks(const struct insn *insn, const struct registers *before,
                    const struct exec_result *result, struct registers *after)
{
    bool scan = insn->id == X86_INS_BSF || insn->id == X86_INS_BSR;
    if (insn->id == X86_INS_CMPXCHG && insn->operand_size == 4)
        correct_cmpxchg(insn, before, after);
    else if (scan && insn->operand_size == 4)
        correct_scan(insn, before, after);
    else if (computes_floats(insn->id))
        choose_nan(insn, before, result, after);
}
