/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How an access falls into pieces that are each seen at once. Architecturally atomic: a byte,
 * aligned 2, 4 and 8 bytes (Intel SDM vol. 3A, "Guaranteed Atomic Operations"; AMD APM vol. 1,
 * "Access Atomicity"); what else is atomic depends on the vendor and part. An access that
 * is not atomic is seen in two pieces here, cut at the boundary that it crosses.
 */
#ifndef FENCESIM_SIM_EXPLORE_PIECES_H_
#define FENCESIM_SIM_EXPLORE_PIECES_H_

#include "models/profile.h"

enum { PIECES_MAX = 4 };

struct piece {
    uint64_t address;
    uint32_t size, offset; /* offset: of its first byte within the access */
};

/* Cuts [address, address + size), size <= 16; returns the number of pieces. */
unsigned cut_access(const struct order_parameters *order, uint64_t address, unsigned size,
                    struct piece pieces[PIECES_MAX]);

#endif
