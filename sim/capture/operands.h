/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by operands.c, operands_relocated.c (object files, whose relocations say what is referred
 * to) and operands_linked.c (linked ones, which have the addresses).
 */
#ifndef FENCESIM_SIM_CAPTURE_OPERANDS_H_
#define FENCESIM_SIM_CAPTURE_OPERANDS_H_

#include "sim/capture/elf.h"

/* An instruction whose fields are looked at. */
struct operands {
    struct elf_capture *elf;
    struct cpu_code *code;
    size_t part;
    const struct insn *insn;
    uint32_t offset; /* of the instruction in its part */
    /* Where its bytes come from: the part's place, or that of a patch; `base` is where the part
     * would begin then, so that offsets in the section are `base` and more. */
    uint32_t section;
    uint64_t base;
    const struct code_patch *patch; /* NULL: its own bytes */
    uint64_t moved; /* of a linked file: how far the patch came from, in addresses */
};

struct code_part *part_of(const struct operands *operands);

/* Adds an error about the instruction. */
void refuse_insn(const struct operands *operands, const char *what);

/* The bytes at `field` refer to the target: data, or code as a number. */
void refer_field(const struct operands *operands, uint32_t field, enum reference_kind kind,
                 const struct target *target);

/* The field of `bytes` bytes is that of a branch to the target. */
void branch_field(const struct operands *operands, uint32_t field, uint8_t bytes,
                  const struct target *target);

/*
 * A call or jump through a GOT cell whose content is known becomes a direct one, as linkers
 * have it (AMD64 supplement, "GOT access optimization"): of the same length.
 */
void branch_directly(const struct operands *operands, const struct target *target);

/* call or jmp through [rip + 32 bits] */
bool is_indirect_branch(const struct insn *insn);

bool is_code_target(const struct target *target);

/* Where the 32-bit displacement relative to rip stands in the instruction. 0: there is none. */
unsigned relative_field(const struct insn *insn);

/* What a relocation within the instruction says; what a linked one says by its addresses. */
void take_relocation(const struct operands *operands, const struct binary_relocation *relocation);
void take_linked(const struct operands *operands);

#endif
