/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs one instruction on the CPU that the tests themselves run on. */
#ifndef FENCESIM_TESTS_UNIT_HOST_CPU_H_
#define FENCESIM_TESTS_UNIT_HOST_CPU_H_

#include "sim/exec/exec.h"

/* What an instruction needs beyond x86-64 with SSE2. */
enum host_feature { HOST_BASE, HOST_SSE42, HOST_AES, HOST_ADX, HOST_BMI, HOST_AVX2, HOST_FMA };

/*
 * Maps `size` bytes of data at OBJECT_BASE, the first CPU's stack where its trace has it, and
 * code; false where the system or the CPU (which needs AVX) does not allow it.
 */
bool host_open(size_t size);
void host_close(void);
bool host_has(enum host_feature feature);

/*
 * Executes `insn` on `registers`, rip excepted. `*taken` tells whether it branched; its target
 * is not looked at. False when it raises an exception: the registers are then as before.
 */
bool host_run(const struct insn *insn, struct registers *registers, bool *taken);

#endif
