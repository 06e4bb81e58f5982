/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Unicorn engine with its memory and a record of what it has translated. Opening one costs
 * a millisecond, so a thread keeps one of the usual size for the next program.
 */
#ifndef FENCESIM_SIM_EXEC_MACHINE_H_
#define FENCESIM_SIM_EXEC_MACHINE_H_

#include <unicorn/unicorn.h>

#include "sim/exec/exec.h"

struct range {
    uint64_t start, size; /* mapped in the engine, whole pages */
    uint8_t *host;
};

/* What is translated at an address; length 0: nothing. */
struct placed {
    uint8_t length, bytes[15];
};

struct machine {
    uc_engine *engine;
    struct range code, objects, stacks;
    struct placed *at; /* per code byte */
    uint64_t translations;
    struct exec *user; /* whom the hooks serve */
};

/* What a program needs mapped: bytes of each range. */
struct extent {
    uint64_t code, objects, stacks;
};

struct machine_hooks {
    uc_cb_hookmem_t access;
    uc_cb_eventmem_t invalid; /* both get the machine as user data */
};

struct extent machine_extent(const struct program *program);

/* The thread's spare machine if it is large enough, else a new one; NULL when there is none. */
struct machine *machine_take(const struct extent *extent, const struct machine_hooks *hooks);

/* Keeps the machine for the thread's next program, or closes it. */
void machine_give_back(struct machine *machine);
void machine_close_spare(void);

/* Whether it has translated so much that a new one is cheaper. */
bool machine_is_worn(const struct machine *machine);

bool range_covers(const struct range *range, uint64_t address, uint64_t size);

/* Puts an instruction where it belongs, alone before HLT; false when that is no code. */
bool machine_place(struct machine *machine, const struct insn *insn);

/* Takes it away again after the step; `next` is where execution would go on. */
void machine_clear(struct machine *machine, const struct insn *insn);
void machine_forget_next(struct machine *machine, uint64_t next);

#endif
