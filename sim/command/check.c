/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/command/check.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool check_find_baseline(const char *const *paths, size_t count, char *found, size_t size)
{
    char path[4096];
    found[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        struct stat status;
        size_t length = strlen(paths[i]);
        const char *slash = length && paths[i][length - 1] == '/' ? "" : "/";
        int needed = snprintf(path, sizeof path, "%s%s%s", paths[i], slash, CHECK_BASELINE);
        if (needed < 0 || (size_t)needed >= sizeof path)
            continue; /* no file can be there */
        if (stat(path, &status) || strcmp(path, found) == 0)
            continue;
        bool is_second = found[0] != '\0';
        needed = snprintf(found, size, "%s", path);
        if (is_second || needed < 0 || (size_t)needed >= size)
            return false;
    }
    return true;
}
