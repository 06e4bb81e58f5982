/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Unicorn 2.0.1 leaves in registers and CPUs do not. */
#ifndef FENCESIM_SIM_EXEC_QUIRKS_H_
#define FENCESIM_SIM_EXEC_QUIRKS_H_

#include "sim/exec/exec.h"

/* Puts `after` right. */
void correct_quirks(const struct insn *insn, const struct registers *before,
                    const struct exec_result *result, struct registers *after);

#endif
