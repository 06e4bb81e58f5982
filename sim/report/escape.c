/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/report/escape.h"

void text_add_escaped(struct text *out, const char *string, escape *escaped)
{
    size_t length = strlen(string);
    for (size_t at = 0; at < length;) {
        uint32_t character;
        size_t size = utf8_decode(string, length, at, &character);
        const char *instead = size ? escaped(character) : REPLACEMENT;
        if (instead)
            text_add(out, instead);
        else
            text_add_bytes(out, string + at, size);
        at += size ? size : 1;
    }
}

const char *markup_entity(uint32_t character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

bool is_xml_character(uint32_t character)
{
    return character == '\t' || character == '\n' || character == '\r' ||
           (character >= ' ' && character != 0xfffe && character != 0xffff);
}
