/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where things lie, for every reader of programs. The constants are in program.h. */
#ifndef FENCESIM_SIM_PROGRAM_LAYOUT_H_
#define FENCESIM_SIM_PROGRAM_LAYOUT_H_

#include "sim/program/program.h"

/*
 * Gives every object that has no parent its address: in the order of the list, each on a line
 * of its own and aligned to its entry of `alignments` (powers of two; NULL: a line for all).
 * Then the names inside other objects, whose `address` must hold their offset before. Fills
 * `roots`. Returns the index of the first object that finds no room, or NO_INDEX.
 */
int program_layout(struct program *program, const uint64_t *alignments);

/* Gives CPU `index` its stack; rsp points to the return address. */
void program_place_cpu(struct cpu *cpu, size_t index);

static inline uint64_t code_address(size_t cpu) { return CODE_BASE + cpu * CODE_STRIDE; }
static inline uint64_t setup_address(size_t cpu) { return code_address(cpu) + SETUP_OFFSET; }

/* Of the n-th handler of a CPU. */
static inline uint64_t handler_address(size_t cpu, size_t n)
{
    return code_address(cpu) + HANDLER_OFFSET + n * HANDLER_STRIDE;
}

/* Bytes that fit at those addresses. */
enum {
    CODE_BYTES_MAX = SETUP_OFFSET,
    SETUP_BYTES_MAX = HANDLER_OFFSET - SETUP_OFFSET,
    HANDLER_BYTES_MAX = HANDLER_STRIDE
};

/*
 * Fills `lines` pointers of 8 bytes, one at the start of each line of an object at `address`:
 * one cycle through all lines in a shuffled order that is always the same.
 */
void layout_chase(struct region *region, uint8_t *bytes, size_t lines, uint64_t address);

/* Whether the assembler would take `name` for a register or a word of its own. */
bool name_is_reserved(const char *name);

#endif
