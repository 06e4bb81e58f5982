/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that are left out: stubs that return, traps that end what can be known. */
#ifndef FENCESIM_SIM_CAPTURE_STAND_IN_H_
#define FENCESIM_SIM_CAPTURE_STAND_IN_H_

#include "sim/capture/elf.h"

/* What takes the place of a function that is left out. */
struct stand_in {
    const char *name;
    bool traps;
    const char *value; /* that it returns; "": rax stays */
};

/* Whether a function of that name is left out. */
bool find_stand_in(const struct elf_capture *elf, const char *name, struct stand_in *found);

/* The same by any name of a place. */
bool stand_in_at(const struct elf_capture *elf, const struct binary *binary,
                 const struct binary_symbol *symbol, struct stand_in *found);

/* Whether all that no file has is left out (--trap '*'). */
bool traps_unknown(const struct elf_capture *elf);

/* The part of a CPU's code that stands for it, made when there is none. */
int stand_in_part(struct elf_capture *elf, struct cpu_code *code, const struct stand_in *stand_in);

/* Errors about names that --stub and --trap have and no file, once the CPUs' code is collected. */
void check_stand_ins(struct elf_capture *elf);

#endif
