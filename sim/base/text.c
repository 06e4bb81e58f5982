/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { USUAL_BYTES = 64 }; /* of what is printed in one go; more is printed twice */

void text_reserve(struct text *text, size_t more)
{
    if (more > SIZE_MAX / 2 - text->length - 1)
        region_fail(text->region);
    size_t needed = text->length + more + 1;
    if (needed <= text->capacity)
        return;
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity < needed)
        capacity *= 2;
    text->data = region_resize(text->region, text->data, capacity);
    text->capacity = capacity;
}

void text_init(struct text *text, struct region *region)
{
    *text = (struct text){.region = region};
    text_reserve(text, 0);
    text->data[0] = '\0';
}

void text_add_unsigned(struct text *text, uint64_t number)
{
    char digits[20], *start = digits + sizeof digits;
    do
        *--start = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    text_add_bytes(text, start, (size_t)(digits + sizeof digits - start));
}

void text_add_signed(struct text *text, int64_t number)
{
    if (number < 0)
        text_add_bytes(text, "-", 1);
    text_add_unsigned(text, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

void text_pad(struct text *text, char filler, size_t count)
{
    text_reserve(text, count);
    memset(text->data + text->length, filler, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list arguments;
    text_reserve(text, USUAL_BYTES);
    size_t room = text->capacity - text->length;
    va_start(arguments, format);
    int length = vsnprintf(text->data + text->length, room, format, arguments);
    va_end(arguments);
    if (length < 0)
        region_fail(text->region);
    if ((size_t)length >= room) {
        text_reserve(text, (size_t)length);
        va_start(arguments, format);
        vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    text->length += (size_t)length;
}

size_t utf8_decode(const char *text, size_t length, size_t at, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text + at;
    size_t size = bytes[0] < 0x80   ? 1
                  : bytes[0] < 0xc0 ? 0
                  : bytes[0] < 0xe0 ? 2
                  : bytes[0] < 0xf0 ? 3
                  : bytes[0] < 0xf8 ? 4
                                    : 0;
    if (size == 0 || size > length - at)
        return 0;
    *character = size == 1 ? bytes[0] : bytes[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        *character = *character << 6 | (bytes[i] & 0x3f);
    }
    bool surrogate = *character >= 0xd800 && *character <= 0xdfff;
    return *character < least[size] || *character > 0x10ffff || surrogate ? 0 : size;
}
