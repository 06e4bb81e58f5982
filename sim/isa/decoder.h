/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoding with Capstone, which knows everything but what `raw.h` has. One decoder a thread. */
#ifndef FENCESIM_SIM_ISA_DECODER_H_
#define FENCESIM_SIM_ISA_DECODER_H_

#include "sim/isa/insn.h"

struct decoded {
    struct insn insn; /* without its texts */
    char text[200], mnemonic[32];
};

/*
 * The instruction that begins `bytes`, or NULL when none does; valid until this thread's next
 * call. Which one it is depends on its own bytes and its address only. Unwinds `region` when there
 * is no memory for a decoder.
 */
const struct decoded *decode_bytes(const uint8_t *bytes, size_t available, uint64_t address,
                                   struct region *region);

#endif
