/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/command/values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool parse_number(const char *text, uint64_t *number)
{
    char *end;
    errno = 0;
    if (text[0] < '0' || text[0] > '9')
        return false;
    *number = strtoull(text, &end, 10);
    return *end == '\0' && errno == 0;
}

bool parse_seconds(const char *text, double *seconds)
{
    char *end;
    errno = 0;
    *seconds = strtod(text, &end);
    return end != text && *end == '\0' && errno == 0 && *seconds >= 0 && *seconds < 1e9;
}

bool parse_percent(const char *text, double *share)
{
    char *end;
    errno = 0;
    double percent = strtod(text, &end);
    if (end == text || errno || (strcmp(end, "") != 0 && strcmp(end, "%") != 0))
        return false;
    *share = percent / 100;
    return percent >= 0 && percent <= 1e6;
}

bool parse_size(const char *text, uint64_t *bytes)
{
    static const struct {
        const char *suffix;
        unsigned shift;
    } units[] = {{"", 0},     {"B", 0},  {"KiB", 10}, {"MiB", 20},
                 {"GiB", 30}, {"K", 10}, {"M", 20},   {"G", 30}};
    char *end;
    errno = 0;
    if (text[0] < '0' || text[0] > '9')
        return false;
    uint64_t number = strtoull(text, &end, 10);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(end, units[i].suffix) != 0 || errno || number > UINT64_MAX >> units[i].shift)
            continue;
        *bytes = number << units[i].shift;
        return true;
    }
    return false;
}
