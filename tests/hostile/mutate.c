/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Damaged copies of a file: bytes, 16-, 32- and 64-bit fields set to what breaks things,
 * pieces copied over others, the end cut off. The same seed gives the same files.
 *
 *   mutate SEED COUNT DIRECTORY FILE
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint32_t next(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33);
}

static size_t below(size_t limit) { return limit ? next() % limit : 0; }

/*
 * Most damage goes where structure is: the header, the table of sections, and whatever 64-byte
 * aligned record follows; the rest anywhere.
 */
static size_t place(const unsigned char *bytes, size_t size)
{
    uint64_t table;
    memcpy(&table, bytes + 40, sizeof table); /* e_shoff */
    switch (next() % 4) {
    case 0:
        return below(64);
    case 1:
    case 2:
        return table < size ? (size_t)table + below(size - (size_t)table) : below(size);
    default:
        return below(size);
    }
}

static void put(unsigned char *bytes, size_t size, size_t at)
{
    static const uint64_t values[] = {0,
                                      1,
                                      2,
                                      0x7f,
                                      0x80,
                                      0xff,
                                      0x7fff,
                                      0xffff,
                                      0xff00,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      UINT64_C(0x7fffffffffffffff),
                                      UINT64_C(0x8000000000000000),
                                      UINT64_MAX,
                                      UINT64_MAX - 7};
    size_t width = (size_t)1 << next() % 4;
    uint64_t value =
        next() % 4 ? values[next() % (sizeof values / sizeof *values)] : (uint64_t)next() * next();
    if (next() % 3 == 0)
        at &= ~(size_t)7;
    if (at + width <= size)
        memcpy(bytes + at, &value, width);
}

static size_t damage(unsigned char *bytes, size_t size)
{
    size_t changes = 1 + below(next() % 8 == 0 ? 64 : 4);
    for (size_t i = 0; i < changes; i++) {
        size_t at = place(bytes, size);
        switch (next() % 8) {
        case 0:
            bytes[at] ^= (unsigned char)(1u << next() % 8);
            break;
        case 1: {
            size_t length = below(64), from = below(size);
            if (at + length <= size && from + length <= size)
                memmove(bytes + at, bytes + from, length);
            break;
        }
        default:
            put(bytes, size, at);
            break;
        }
    }
    return next() % 12 == 0 ? 64 + below(size - 64) : size;
}

int main(int argc, char **argv)
{
    static unsigned char original[1 << 20], copy[1 << 20];
    if (argc != 5)
        return 2;
    FILE *file = fopen(argv[4], "rb");
    size_t size = file ? fread(original, 1, sizeof original, file) : 0;
    if (size < 128)
        return 2;
    fclose(file);
    state = strtoull(argv[1], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + size;
    for (long i = 0; i < atol(argv[2]); i++) {
        char path[4096];
        memcpy(copy, original, size);
        size_t length = damage(copy, size);
        snprintf(path, sizeof path, "%s/%ld.elf", argv[3], i);
        file = fopen(path, "wb");
        if (!file || fwrite(copy, 1, length, file) != length || fclose(file))
            return 2;
    }
    return 0;
}
