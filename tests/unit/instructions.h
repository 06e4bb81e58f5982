/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instructions that are compared with the host CPU. */
#ifndef FENCESIM_TESTS_UNIT_INSTRUCTIONS_H_
#define FENCESIM_TESTS_UNIT_INSTRUCTIONS_H_

#include "tests/unit/host_cpu.h"

/* Every one of the mnemonics with every one of the operand lists, which '|' separates. */
struct instruction_group {
    enum host_feature feature;
    const char *mnemonics, *operands;
};

extern const struct instruction_group instruction_groups[];
extern const size_t instruction_group_count;

/* Flags that the manuals leave undefined after this instruction on these registers. */
uint64_t undefined_flags(const struct insn *insn, const struct registers *before);

#endif
