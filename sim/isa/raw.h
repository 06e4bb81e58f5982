/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that Capstone 4.0.2 does not know or takes for others, recognised from their
 * bytes before Capstone sees them.
 */
#ifndef FENCESIM_SIM_ISA_RAW_H_
#define FENCESIM_SIM_ISA_RAW_H_

#include "sim/isa/insn.h"

/* Fills `insn` (address and bytes included) and returns true when the table has it. */
bool raw_decode(const uint8_t *bytes, size_t available, uint64_t address, struct region *region,
                struct insn *insn);

/*
 * For what Capstone does not decode either: an instruction with a VEX or EVEX prefix (AVX-512 and
 * younger parts of AVX). Only its length is told; it is INSN_UNMODELLED, its text names the opcode.
 */
bool raw_decode_vector(const uint8_t *bytes, size_t available, uint64_t address,
                       struct region *region, struct insn *insn);

#endif
