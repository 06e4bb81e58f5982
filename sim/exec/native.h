/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions that Unicorn 2.0.1 refuses, executed here on the registers. */
#ifndef FENCESIM_SIM_EXEC_NATIVE_H_
#define FENCESIM_SIM_EXEC_NATIVE_H_

#include "sim/exec/exec.h"

/* The address that an explicit memory operand denotes. */
uint64_t operand_address(const struct memory_operand *memory, const struct registers *registers);

/* Executes an INSN_NATIVE instruction; rip is moved on by the caller. */
void native_step(const struct insn *insn, struct registers *registers, exec_read *read,
                 void *context, struct exec_result *result);

#endif
