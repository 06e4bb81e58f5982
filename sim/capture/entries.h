/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user names: functions that the trace's CPUs start with. */
#ifndef FENCESIM_SIM_CAPTURE_ENTRIES_H_
#define FENCESIM_SIM_CAPTURE_ENTRIES_H_

#include "sim/capture/elf.h"
#include "sim/capture/live.h"

/* A function that a CPU starts with. */
struct entry {
    struct binary *binary;
    const struct binary_symbol *symbol;
};

struct entries {
    struct entry *items;
    size_t count, capacity;
};

/* Each adds the functions of one target, or an error. In their order: "FILE:FUNCTION,...", the same
 * of a disassembly or dump, raw bytes, the functions of a process. */
void read_target(struct elf_capture *elf, const char *target, struct entries *entries);
void read_text_target(struct elf_capture *elf, const char *target, struct entries *entries);
void read_raw(struct elf_capture *elf, const fs_capture_raw *raw, struct entries *entries);
void read_live(struct elf_capture *elf, struct live *live, struct entries *entries);

#endif
