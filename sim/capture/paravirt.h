/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls through a kernel's table of paravirtual operations, and what takes their place. */
#ifndef FENCESIM_SIM_CAPTURE_PARAVIRT_H_
#define FENCESIM_SIM_CAPTURE_PARAVIRT_H_

#include "sim/capture/elf.h"

/*
 * Makes an indirect call in `[start, end)` of a part what a kernel makes of it on a machine
 * that is not virtual: the native instruction, nothing, or a direct call of the operation.
 */
void patch_operation(struct elf_capture *elf, struct code_part *part, uint32_t start, uint32_t end);

/* Does that for all places of a part that .parainstructions lists. Returns how many there are. */
unsigned patch_paravirt(struct elf_capture *elf, struct code_part *part);

#endif
