/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a kernel does to its code when it starts: alternatives and other places to patch. */
#ifndef FENCESIM_SIM_CAPTURE_PATCHES_H_
#define FENCESIM_SIM_CAPTURE_PATCHES_H_

#include "sim/capture/elf.h"

/* Errors about the features that the user told. */
void check_features(struct elf_capture *elf);

/* Patches a part's bytes as the kernel would on a CPU of the profile's vendor. */
void patch_code(struct elf_capture *elf, struct code_part *part);

/* The patch that has the byte at an offset of a part, NULL when it is the file's. */
const struct code_patch *patch_at(const struct code_part *part, uint32_t offset);

/* Adds what a reader of the trace must know about a part. */
void add_part_note(struct elf_capture *elf, struct code_part *part, const char *note);

/* Adds a patch, which has priority over those that are there. */
void add_patch(struct elf_capture *elf, struct code_part *part, struct code_patch patch);

/* Fills bytes with NOPs, as long ones as there are. */
void put_nops(uint8_t *bytes, uint32_t count);

#endif
