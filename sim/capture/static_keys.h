/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel's static keys: branches that are patched to jumps and NOPs while it runs. */
#ifndef FENCESIM_SIM_CAPTURE_STATIC_KEYS_H_
#define FENCESIM_SIM_CAPTURE_STATIC_KEYS_H_

#include "sim/capture/elf.h"

/* Sets the branches of a part whose keys the user told; notes the others. */
void patch_static_keys(struct elf_capture *elf, struct code_part *part);

/* Refuses what was told of keys that no captured code has. */
void check_static_keys(struct elf_capture *elf);

#endif
