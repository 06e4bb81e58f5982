/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel's per-CPU data: an area for each CPU, which its gs base points to. */
#ifndef FENCESIM_SIM_CAPTURE_PERCPU_H_
#define FENCESIM_SIM_CAPTURE_PERCPU_H_

#include "sim/capture/elf.h"

/* The table of where all areas are. */
#define PERCPU_TABLE "__per_cpu_offset"

/* What the code or other data needs of per-CPU data: a variable. */
struct percpu_use {
    struct binary *binary; /* NULL: no file defines it */
    uint32_t section;
    uint64_t start, size; /* in the section */
    const char *name;
};

bool is_percpu_section(const struct binary_section *section);

/* Whether a linked file has per-CPU data at an address, which is no other data's. */
bool percpu_at(struct binary *binary, uint64_t address, struct target *target);

/* Whether a target is per-CPU data; of a name that no file has, when it was declared. */
bool is_percpu(const struct elf_capture *elf, const struct target *target);

/* A name that no file defines is of per-CPU data of at least `size` bytes. */
void percpu_declare(struct elf_capture *elf, const char *name, uint64_t size);

/* Makes per-CPU data part of the trace. */
void percpu_need(struct elf_capture *elf, const struct target *target);

/* Needs what the `index`-th variable points to; false when there are not that many. */
bool percpu_follow(struct elf_capture *elf, size_t index);

/* The distance of a target from the gs base; false with an error when it has none. */
bool percpu_offset(struct elf_capture *elf, const struct target *target, int64_t *offset);

/* Makes the areas, and what a kernel keeps in and about them; sets every CPU's gs base. */
void make_percpu(struct elf_capture *elf);

#endif
