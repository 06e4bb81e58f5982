/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/explore/pieces.h"

static unsigned cut_small(uint64_t block, uint64_t address, unsigned size, unsigned offset,
                          struct piece *pieces)
{
    uint64_t room = block - address % block;
    pieces[0] = (struct piece){address, size, offset};
    if (size <= room)
        return 1;
    unsigned first = (unsigned)room;
    pieces[0].size = first;
    pieces[1] = (struct piece){address + first, size - first, offset + first};
    return 2;
}

unsigned cut_access(const struct order_parameters *order, uint64_t address, unsigned size,
                    struct piece pieces[PIECES_MAX])
{
    uint64_t block = order->atomic_bytes < 1 ? 1 : (uint64_t)order->atomic_bytes;
    if (size <= 8)
        return cut_small(block, address, size, 0, pieces);
    if (size == 16 && address % 16 == 0 && order->atomic_aligned_16 != 0) {
        pieces[0] = (struct piece){address, size, 0};
        return 1;
    }
    unsigned count = cut_small(block, address, 8, 0, pieces);
    return count + cut_small(block, address + 8, size - 8, 8, pieces + count);
}
