/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Capturing from a running process: code, registers and memory where its threads were stopped. */
#ifndef FENCESIM_SIM_CAPTURE_LIVE_H_
#define FENCESIM_SIM_CAPTURE_LIVE_H_

#include "sim/capture/elf.h"

/* What a thread had when it was stopped, a CPU of the trace. */
struct live_cpu {
    const char *function;
    uint64_t registers[CAPTURE_REGISTERS];
    uint32_t read; /* registers that the code reads before it writes them, as bits */
};

struct live {
    struct live_cpu *cpus;
    size_t count;
    size_t first; /* CPU of the capture */
    struct binary *binary;
    bool uses_vectors;
};

/* Runs, stops and reads the process that the options name; false with errors. The process is
 * let go by then. */
bool live_read(struct elf_capture *elf, struct live *live);

/* Makes what the registers point to part of the trace; then sets the CPUs' registers. */
void live_need(struct elf_capture *elf, const struct live *live);
void live_set_registers(struct elf_capture *elf, const struct live *live);

#endif
