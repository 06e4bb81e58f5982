/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Capstone's instruction -> what executes it and which rule it falls under. */
#ifndef FENCESIM_SIM_ISA_CLASSIFY_H_
#define FENCESIM_SIM_ISA_CLASSIFY_H_

#include <capstone/capstone.h>

#include "sim/isa/insn.h"

/* Sets class, kind, the non-temporal hint and `native` of `insn` from Capstone's view of it. */
void classify(const cs_insn *decoded, struct insn *insn);

/* What the address of its memory operand must be a multiple of, or #GP is raised; 1 for most. */
unsigned required_alignment(const struct insn *insn);

#endif
