/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Damaged copies of a text: characters replaced by what breaks readers, lines lost, repeated
 * and exchanged, numbers changed, the end cut off. The same seed gives the same files.
 *
 *   mutate_text SEED COUNT DIRECTORY FILE
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_MAX_BYTES = 1 << 20 };

static uint64_t state;

static size_t below(size_t limit)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return limit ? (size_t)(state >> 33) % limit : 0;
}

static size_t line_end(const char *text, size_t size, size_t at)
{
    while (at < size && text[at] != '\n')
        at++;
    return at < size ? at + 1 : size;
}

static size_t line_start(const char *text, size_t at)
{
    while (at && text[at - 1] != '\n')
        at--;
    return at;
}

static size_t damage(char *text, size_t size)
{
    static const char odd[] = "\n\t :<>#*0xfF9+-.%$,;{}()[]\\\"'\x01\x7f\xff|=";
    size_t at = below(size), start = line_start(text, at), end = line_end(text, size, at);
    switch (below(8)) {
    case 0: /* a line is lost */
        memmove(text + start, text + end, size - end);
        return size - (end - start);
    case 1: /* or repeated */
        if (size + end - start > SIZE_MAX_BYTES)
            return size;
        memmove(text + end + (end - start), text + end, size - end);
        memcpy(text + end, text + start, end - start);
        return size + (end - start);
    case 2: /* the end is cut off */
        return below(8) ? size : at + 1;
    case 3: /* a piece elsewhere */
        end = below(size);
        start = below(40);
        if (end + start < size && at + start < size)
            memmove(text + end, text + at, start);
        return size;
    case 4:
    case 5: /* another digit */
        for (size_t i = at; i < size && i < at + 60; i++)
            if ((text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f')) {
                text[i] = "0123456789abcdef"[below(16)];
                break;
            }
        return size;
    default:
        text[at] = odd[below(sizeof odd - 1)];
        return size;
    }
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    static char original[SIZE_MAX_BYTES], text[SIZE_MAX_BYTES * 2];
    FILE *file = fopen(argv[4], "rb");
    if (!file)
        return 2;
    size_t size = fread(original, 1, sizeof original / 2, file);
    fclose(file);
    state = strtoull(argv[1], NULL, 10) * 2654435761u + 1;
    for (long n = 0, count = atol(argv[2]); n < count; n++) {
        char path[4096];
        size_t length = size;
        memcpy(text, original, size);
        for (size_t times = 1 + below(5); times && length; times--)
            length = damage(text, length);
        snprintf(path, sizeof path, "%s/%05ld.txt", argv[3], n);
        file = fopen(path, "wb");
        if (!file || fwrite(text, 1, length, file) != length || fclose(file) != 0)
            return 2;
    }
    return 0;
}
