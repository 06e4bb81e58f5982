/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state in which all CPUs start together: registers and memory after every `setup`. */
#ifndef FENCESIM_SIM_EXPLORE_START_H_
#define FENCESIM_SIM_EXPLORE_START_H_

#include "sim/base/map.h"
#include "sim/exec/exec.h"

struct start {
    struct region *region;
    const struct program *program;
    struct registers *registers; /* per CPU, rip at its first instruction */
    struct map index_of;         /* address / 8 -> index of a word that setup code stored */
    uint64_t *values;
    size_t count, capacity;
    bool stacks_differ;  /* setup code of one CPU stored to the stack of another */
    const char *problem; /* why the setup could not be run; NULL when all is well */
};

enum { SETUP_STEPS_MAX = 1 << 22 };

/* Runs the setup code of every CPU, one after the other, alone and drained. */
struct start *start_new(struct region *region, struct exec *exec, const struct program *program,
                        uint32_t variant);

/* The aligned word that `address` lies in, at the start. */
uint64_t start_word(const struct start *start, uint64_t address);

/* "x", "x+4", "[P0 stack rsp-64]" or "0x1234". */
const char *describe_address(struct region *region, const struct program *program,
                             uint64_t address);

#endif
