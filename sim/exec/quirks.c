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

static int count_nans(const uint64_t words[2], bool doubles)
{
    int count = 0;
    for (int i = 0; i < 2; i++) {
        uint64_t infinity = UINT64_C(0x7ff) << 52;
        if (doubles)
            count += (words[i] & INT64_MAX) > infinity;
        else
            count +=
                ((words[i] & INT32_MAX) > 0x7f800000) + ((words[i] >> 32 & INT32_MAX) > 0x7f800000);
    }
    return count;
}

/* Of two NaNs, CPUs take the first operand and Unicorn the larger one. */
static bool chooses_nan(const struct insn *insn, const struct registers *before,
                        const struct exec_result *result)
{
    bool doubles = insn->mnemonic[strlen(insn->mnemonic) - 1] == 'd';
    uint64_t source[2] = {0, 0};
    if (insn->operands[1].kind == OPERAND_VECTOR)
        memcpy(source, before->xmm[insn->operands[1].number], sizeof source);
    else if (result->count > 0)
        memcpy(source, result->accesses[0].data, sizeof source);
    return count_nans(source, doubles) +
               count_nans(before->xmm[insn->operands[0].number], doubles) >
           1;
}

enum exec_status correct_quirks(const struct insn *insn, const struct registers *before,
                                const struct exec_result *result, struct registers *after)
{
    bool scan = insn->id == X86_INS_BSF || insn->id == X86_INS_BSR;
    if (insn->id == X86_INS_CMPXCHG && insn->operand_size == 4)
        correct_cmpxchg(insn, before, after);
    else if (scan && insn->operand_size == 4)
        correct_scan(insn, before, after);
    else if (computes_floats(insn->id) && chooses_nan(insn, before, result))
        return EXEC_UNMODELLED;
    return EXEC_OK;
}
