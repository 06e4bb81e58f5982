/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of registers, and the words that an object may therefore not be called. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/program/layout.h"
#include "sim/program/program.h"

enum { LONGEST_WORD = 24 };

/* Copies `name` in lower case; false when it is longer than any word known here. */
static bool lower(const char *name, char word[static LONGEST_WORD])
{
    size_t length = strlen(name);
    if (length == 0 || length >= LONGEST_WORD)
        return false;
    for (size_t i = 0; i <= length; i++)
        word[i] = (char)tolower((unsigned char)name[i]);
    return true;
}

static int find(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, list[i]) == 0)
            return (int)i;
    return NO_INDEX;
}

#define FIND(word, list) find(word, list, sizeof(list) / sizeof *(list))

/* The number after `prefix`, below `count` and without leading zeros; NO_INDEX when it is none. */
static int numbered(const char *word, const char *prefix, int count)
{
    size_t length = strlen(prefix);
    if (strncmp(word, prefix, length) != 0 || !isdigit((unsigned char)word[length]))
        return NO_INDEX;
    char *end;
    long number = strtol(word + length, &end, 10);
    bool padded = word[length] == '0' && word[length + 1];
    return *end || padded || number >= count ? NO_INDEX : (int)number;
}

static bool parse_extended(const char *word, struct register_view *view)
{
    static const struct {
        char suffix;
        uint8_t width;
    } widths[] = {{'d', 32}, {'w', 16}, {'b', 8}};
    char stem[LONGEST_WORD];
    uint8_t width = 64;
    size_t length = strlen(word);
    memcpy(stem, word, length + 1);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        if (length > 2 && stem[length - 1] == widths[i].suffix) {
            width = widths[i].width;
            stem[length - 1] = '\0';
            break;
        }
    }
    int number = numbered(stem, "r", 16);
    if (number < 8)
        return false;
    *view = (struct register_view){REGISTER_GPR, (uint8_t)number, 0, width};
    return true;
}

static bool parse_flag(const char *word, struct register_view *view)
{
    static const struct {
        const char name[3];
        uint8_t bit;
    } flags[] = {{"cf", 0}, {"pf", 2}, {"af", 4},  {"zf", 6}, {"sf", 7},
                 {"tf", 8}, {"if", 9}, {"df", 10}, {"of", 11}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(word, flags[i].name) == 0) {
            *view = (struct register_view){REGISTER_FLAG, 0, flags[i].bit, 1};
            return true;
        }
    }
    return false;
}

static bool parse_gpr(const char *word, struct register_view *view)
{
    static const char *const wide[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"};
    static const char *const low[] = {"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"};
    static const char *const high[] = {"ah", "ch", "dh", "bh"};
    char name[LONGEST_WORD + 1] = "r";
    int index;
    if ((index = FIND(word, low)) != NO_INDEX) {
        *view = (struct register_view){REGISTER_GPR, (uint8_t)index, 0, 8};
        return true;
    }
    if ((index = FIND(word, high)) != NO_INDEX) {
        *view = (struct register_view){REGISTER_GPR, (uint8_t)index, 8, 8};
        return true;
    }
    bool prefixed = word[0] == 'r' || word[0] == 'e'; /* rax, eax; ax otherwise */
    strcpy(name + 1, prefixed ? word + 1 : word);
    if ((index = FIND(name, wide)) == NO_INDEX)
        return parse_extended(word, view);
    uint8_t width = word[0] == 'r' ? 64 : prefixed ? 32 : 16;
    *view = (struct register_view){REGISTER_GPR, (uint8_t)index, 0, width};
    return true;
}

bool register_parse(const char *name, struct register_view *view)
{
    char word[LONGEST_WORD];
    return lower(name, word) && (parse_gpr(word, view) || parse_flag(word, view));
}

bool name_is_reserved(const char *name)
{
    /* Registers without a number, then what Intel syntax reads as an operator or a size. */
    static const char *const words[] = {
        "cs",     "ds",      "es",      "fs",      "gs",
        "ss",     "ip",      "eip",     "rip",     "eiz",
        "riz",    "st",      "flat",    "ptr",     "offset",
        "short",  "near",    "far",     "byte",    "word",
        "dword",  "fword",   "qword",   "tbyte",   "oword",
        "mmword", "xmmword", "ymmword", "zmmword", "and",
        "or",     "not",     "xor",     "shl",     "shr",
        "mod",    "eq",      "ne",      "lt",      "le",
        "gt",     "ge",      "crash",   "bcst",    "_global_offset_table_"};
    static const struct {
        const char *prefix;
        int count;
    } numbers[] = {{"xmm", 32}, {"ymm", 32}, {"zmm", 32}, {"mm", 8},  {"st", 8},  {"k", 8},
                   {"cr", 16},  {"dr", 16},  {"tr", 8},   {"db", 16}, {"bnd", 4}, {"tmm", 8}};
    char word[LONGEST_WORD];
    struct register_view view;
    if (!lower(name, word))
        return false;
    if (parse_gpr(word, &view) || FIND(word, words) != NO_INDEX)
        return true;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbered(word, numbers[i].prefix, numbers[i].count) != NO_INDEX)
            return true;
    return false;
}
