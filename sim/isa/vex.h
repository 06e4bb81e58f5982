/* SPDX-License-Identifier: GPL-2.0-or-later */
/* AVX, AVX2 and FMA instructions by how exec/ computes them. */
#ifndef FENCESIM_SIM_ISA_VEX_H_
#define FENCESIM_SIM_ISA_VEX_H_

enum vex_form {
    VEX_NONE,         /* none of these, or not known */
    VEX_LANES,        /* the SSE instruction of this name, on each 16 bytes */
    VEX_FROM_GENERAL, /* the same; the last source is a general register or memory */
    VEX_WIDEN,        /* each 16 bytes come from a part of the source's first 16 */
    VEX_NARROW,       /* each 16 bytes of the source become 8 */
    VEX_TO_GENERAL,   /* the SSE instruction of this name writes a general register or memory */
    VEX_FLAGS,        /* and this one flags */
    VEX_COMPARE,      /* floating-point comparisons, by predicate */
    VEX_FMA,
    VEX_APPROXIMATE
};

/* `mnemonic` is that of an instruction encoded with VEX. */
enum vex_form vex_form(const char *mnemonic);

#endif
