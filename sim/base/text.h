/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text that grows, in a region: what the report writers and the assembler's input use. */
#ifndef FENCESIM_SIM_BASE_TEXT_H_
#define FENCESIM_SIM_BASE_TEXT_H_

#include <string.h>

#include "sim/base/region.h"

struct text {
    struct region *region;
    char *data; /* always NUL-terminated once something was added */
    size_t length, capacity;
};

void text_init(struct text *text, struct region *region);
void text_reserve(struct text *text, size_t more); /* bytes, beside the NUL */

static inline void text_add_bytes(struct text *text, const char *bytes, size_t length)
{
    if (length >= text->capacity - text->length)
        text_reserve(text, length);
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

static inline void text_add(struct text *text, const char *string)
{
    text_add_bytes(text, string, strlen(string));
}

void text_add_unsigned(struct text *text, uint64_t number); /* in decimal */
void text_add_signed(struct text *text, int64_t number);
void text_pad(struct text *text, char filler, size_t count);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Bytes of the UTF-8 sequence at `at` and the character it stands for; 0 when it is malformed. */
size_t utf8_decode(const char *text, size_t length, size_t at, uint32_t *character);

#endif
