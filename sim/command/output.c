/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/command/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int usage_error(const char *format, const char *argument)
{
    fprintf(stderr, "simulate: ");
    fprintf(stderr, format, argument);
    fprintf(stderr, "\ntry 'simulate --help'\n");
    return EXIT_USAGE;
}

int report_failure(fs_status status)
{
    fprintf(stderr, "simulate: %s\n",
            status == FS_NO_MEMORY ? "memory ran out" : "an internal error");
    return EXIT_INTERNAL;
}

int write_out(const char *path, const char *text, size_t length)
{
    FILE *file = path ? fopen(path, "w") : stdout;
    if (!file) {
        fprintf(stderr, "simulate: cannot write '%s': %s\n", path, strerror(errno));
        return EXIT_USAGE;
    }
    bool bad = fwrite(text, 1, length, file) != length;
    int error = errno;
    if ((path ? fclose(file) : fflush(file)) && !bad) {
        bad = true;
        error = errno;
    }
    if (!bad || (error == EPIPE && !path))
        return 0;
    fprintf(stderr, "simulate: cannot write %s: %s\n", path ? path : "the report", strerror(error));
    return EXIT_INTERNAL;
}

int write_from(bool (*write)(FILE *out, void *argument), void *argument)
{
    char *text = NULL;
    size_t length;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        return report_failure(FS_NO_MEMORY);
    bool good = write(memory, argument);
    int done = fclose(memory) ? report_failure(FS_NO_MEMORY)
               : good         ? write_out(NULL, text, length)
                              : EXIT_USAGE;
    free(text);
    return done;
}
