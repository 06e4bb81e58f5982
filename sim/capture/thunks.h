/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that a kernel takes out of its code when it starts: thunks and tracing. */
#ifndef FENCESIM_SIM_CAPTURE_THUNKS_H_
#define FENCESIM_SIM_CAPTURE_THUNKS_H_

#include "sim/capture/elf.h"

/*
 * Whether a direct branch goes to a retpoline, a return thunk or the function for tracing,
 * which no file has or whose callers a file lists as places to patch. The branch at `offset` of
 * a part is replaced by what the thunk stands for then, as on parts that need no mitigation.
 */
bool replace_thunk(struct elf_capture *elf, struct code_part *part, const struct insn *insn,
                   uint32_t offset, const struct target *target);

#endif
