/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judges traces on one profile with libfencesim and prints the verdicts:
 *
 *     cc judge.c $(pkg-config --cflags --libs fencesim) -o judge
 *     ./judge zen4 traces/classic
 */
#include <fencesim/fencesim.h>
#include <stdio.h>
#include <stdlib.h>

static int judge(const char *profile, const char *const *paths, size_t count)
{
    fs_options options;
    fs_report *report;
    const char *line, *text;
    size_t length;

    fs_options_init(&options); /* first, so that members of later versions have their defaults */
    options.profiles = &profile;
    options.profile_count = 1;
    options.half = FS_ORDER_ONLY;
    options.max_seconds = 60; /* a run that takes longer is unknown */

    fs_run(paths, count, &options, &report);
    if (!report) {
        fputs("memory ran out\n", stderr);
        return EXIT_FAILURE;
    }
    for (size_t i = 0; (line = fs_report_diagnostic(report, i)); i++)
        fprintf(stderr, "%s\n", line);

    /* For programs there is FS_FORMAT_JSON; docs/schema/report.schema.json describes it. */
    fs_style style = {.verbosity = -1};
    if (fs_report_write(report, FS_FORMAT_TEXT, &style, &text, &length) == FS_OK)
        fwrite(text, 1, length, stdout);
    int status = fs_report_exit_status(report); /* as `simulate` exits: 0 held, 1 violated, ... */
    fs_report_free(report);                     /* and with it `text` and `line` */
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s PROFILE FILE|DIR...\n", argv[0]);
        return 2;
    }
    return judge(argv[1], (const char *const *)argv + 2, (size_t)(argc - 2));
}
