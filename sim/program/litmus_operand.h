/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What litmus_insn.c knows of an operand. */
#ifndef FENCESIM_SIM_PROGRAM_LITMUS_OPERAND_H_
#define FENCESIM_SIM_PROGRAM_LITMUS_OPERAND_H_

#include "sim/program/litmus_reader.h"

enum operand_kind { OPERAND_REGISTER, OPERAND_IMMEDIATE, OPERAND_MEMORY, OPERAND_LABEL };

struct operand {
    enum operand_kind kind;
    struct place place;
    struct litmus_register reg;
    uint64_t number;  /* an immediate */
    const char *text; /* memory, a label */
    int symbol;       /* memory: the variable that is accessed, or NO_INDEX */
    uint64_t offset;  /* of the access in it, when `symbol` is there */
};

/* Reads one and goes on behind it; false after a complaint. */
bool read_litmus_operand(struct litmus_reader *reader, uint32_t cpu, struct operand *operand);

#endif
