/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Capstone's instruction -> what executes it and which rule it falls under. */
#ifndef FENCESIM_SIM_ISA_CLASSIFY_H_
#define FENCESIM_SIM_ISA_CLASSIFY_H_

#include <capstone/capstone.h>

#include "sim/isa/insn.h"

/* Sets class, kind and the non-temporal hint of `insn` from Capstone's view of it. */
void classify(const cs_insn *decoded, struct insn *insn);

/* Whether an unaligned 16-byte operand of this instruction raises #GP. */
bool needs_alignment(const struct insn *insn);

#endif
