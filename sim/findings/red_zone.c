/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * red-zone-store: an exchange or locked operation used as a barrier that changes memory below
 * rsp. The 128 bytes there are the red zone (System V psABI, AMD64, "The Stack Frame"): a
 * leaf function may keep live data in them. A locked operation that leaves the value as it
 * is (add 0, or 0, and -1, xor 0, sub 0) does no harm.
 */
#include <string.h>

#include "sim/findings/findings.h"

enum { RSP = 4 };

/* Whether the text ends in an immediate operand of this value. */
static bool last_operand_is(const struct insn *insn, const char *value)
{
    const char *comma = strrchr(insn->text, ',');
    return comma && strcmp(comma + 1 + (comma[1] == ' '), value) == 0;
}

bool keeps_the_value(const struct insn *insn)
{
    const char *name = insn->mnemonic;
    bool zero_keeps = strstr(name, "add") || strstr(name, "or") || strstr(name, "sub");
    if (strstr(name, "xadd"))
        return false;
    if (strstr(name, "and"))
        return last_operand_is(insn, "-1") || last_operand_is(insn, "0xffffffffffffffff") ||
               last_operand_is(insn, "0xffffffff");
    return zero_keeps && insn->has_immediate && last_operand_is(insn, "0");
}

void find_red_zone_stores(struct judgement *judgement)
{
    for (uint32_t cpu = 0; cpu < judgement->result->program->cpu_count; cpu++) {
        const struct code *code = judgement->prepared->oracle->code[cpu];
        for (size_t i = 0; i < code->insn_count; i++) {
            const struct insn *insn = code->insns[i];
            if (insn->class == INSN_LOCKED && insn->memory.base == RSP &&
                insn->memory.displacement < 0 && !keeps_the_value(insn))
                report_finding(judgement, "red-zone-store", cpu, insn, NULL);
        }
    }
}
