/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The operands of an instruction and the registers that it reads and writes. */
#ifndef FENCESIM_SIM_ISA_OPERANDS_H_
#define FENCESIM_SIM_ISA_OPERANDS_H_

#include <capstone/capstone.h>

#include "sim/isa/insn.h"

/* The bit of a register in `reads` and `writes`: sub-registers count as the whole; 0 for others. */
uint64_t register_bit(x86_reg reg);

/* Sets the operands and the memory operand of `insn`; its id and length are set already. */
void take_operands(const cs_insn *decoded, struct insn *insn);

/* Sets reads, writes and the implicit accesses; operands and class are set already. */
void take_registers(csh handle, const cs_insn *decoded, struct insn *insn);

#endif
