/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures the loops of a file as `simulate fit` reads them (docs/FIT.md) on the processor that it
 * runs on, and prints the file with what it measured: the median of all samples in `cycles`, or in
 * `median`, and the least in `min`.
 *
 *   measure [-c CPU] [-n SAMPLES] [-t SECONDS] LOOPS.jsonl > MEASURED.jsonl
 *
 * -c: on which CPU, 1; -n: samples of each loop, 31; -t: how long a loop may take in all, 60.
 *
 * The loops are run as they are, with all rights of the user: only measure what you know.
 */
#define _GNU_SOURCE /* CPU sets */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/diagnostics.h"
#include "sim/base/region.h"
#include "sim/fit/fit.h"
#include "tools/measure/native.h"

struct wishes {
    int cpu, samples, seconds;
};

/* In a process of its own, since the code may do anything. */
static void measure_apart(const struct program *program, const struct wishes *wishes,
                          struct figures *figures)
{
    int ends[2], status = 0;
    *figures = (struct figures){0};
    fflush(stdout);
    if (pipe(ends) != 0) {
        snprintf(figures->problem, sizeof figures->problem, "pipe: %s", strerror(errno));
        return;
    }
    pid_t child = fork();
    if (child == 0) {
        struct figures own;
        close(ends[0]);
        alarm((unsigned)wishes->seconds);
        native_measure(program, wishes->samples, &own);
        ssize_t written = write(ends[1], &own, sizeof own);
        _exit(written == (ssize_t)sizeof own ? 0 : 1);
    }
    close(ends[1]);
    ssize_t got = child > 0 ? read(ends[0], figures, sizeof *figures) : -1;
    close(ends[0]);
    if (child > 0)
        waitpid(child, &status, 0);
    if (got == (ssize_t)sizeof *figures)
        return;
    *figures = (struct figures){0};
    if (child > 0 && WIFSIGNALED(status))
        snprintf(figures->problem, sizeof figures->problem, "%s", strsignal(WTERMSIG(status)));
    else
        snprintf(figures->problem, sizeof figures->problem, "no figures came back");
}

static json_t *rounded(double cycles) { return json_real(round(cycles * 100) / 100); }

struct lines {
    FILE *file;
    uint32_t number; /* of the line that was read last */
};

/* Line `number` of the file, which is not before the last one, with the figures in it. */
static void print_row(struct lines *lines, uint32_t number, const struct figures *figures)
{
    char *line = NULL;
    size_t capacity = 0;
    for (; lines->number < number; lines->number++) {
        if (getline(&line, &capacity, lines->file) < 0)
            break;
    }
    json_t *row = line != NULL ? json_loads(line, 0, NULL) : NULL;
    if (row != NULL) {
        bool simple = json_object_get(row, "cycles") != NULL;
        json_object_set_new(row, simple ? "cycles" : "median", rounded(figures->median));
        if (!simple)
            json_object_set_new(row, "min", rounded(figures->least));
        json_dumpf(row, stdout, JSON_COMPACT | JSON_REAL_PRECISION(8));
        putchar('\n');
    }
    json_decref(row);
    free(line);
}

static int measure_file(const char *path, const struct wishes *wishes)
{
    struct region region;
    struct diagnostics diagnostics;
    fs_fit_options options = {.size = sizeof options, .iterations = 1000};
    struct fit fit = {.region = &region, .diagnostics = &diagnostics, .options = &options};
    int left_out = 0;
    region_init(&region, 0);
    diagnostics_init(&diagnostics, &region);
    fit_read_loops(&fit, path);
    for (size_t i = 0; i < diagnostics.count; i++) {
        const struct diagnostic *item = &diagnostics.items[i];
        fprintf(stderr, "%s:%u:%u: %s\n", item->file, item->place.line, item->place.column,
                item->message);
    }
    struct lines lines = {diagnostics.count == 0 ? fopen(path, "r") : NULL, 0};
    for (size_t i = 0; lines.file != NULL && i < fit.loops.count; i++) {
        const struct fit_loop *loop = &fit.loops.items[i];
        struct figures figures = {0};
        if (loop->program == NULL)
            snprintf(figures.problem, sizeof figures.problem, "%s", loop->left_out);
        else
            measure_apart(loop->program, wishes, &figures);
        if (figures.problem[0] != 0) {
            fprintf(stderr, "%s: left out: %s\n", loop->name, figures.problem);
            left_out++;
            continue;
        }
        fprintf(stderr, "%-40s %10.2f cycles, at least %.2f, at %.2f GHz\n", loop->name,
                figures.median, figures.least, figures.gigahertz);
        print_row(&lines, loop->place.line, &figures);
    }
    bool read = lines.file != NULL;
    if (read)
        fclose(lines.file);
    region_release(&region);
    bool written = fflush(stdout) == 0 && !ferror(stdout);
    if (!written)
        fprintf(stderr, "measure: standard output: %s\n", strerror(errno));
    return !read || !written ? 2 : left_out > 0;
}

/* A number from `least` to `most`; -1 for anything else. */
static int number_of(const char *text, int least, int most)
{
    char *end;
    long value = strtol(text, &end, 10);
    return end == text || *end != 0 || value < least || value > most ? -1 : (int)value;
}

int main(int count, char **arguments)
{
    struct wishes wishes = {.cpu = 1, .samples = 31, .seconds = 60};
    int option;
    bool good = true;
    while ((option = getopt(count, arguments, "c:n:t:")) != -1) {
        int *wish = option == 'c' ? &wishes.cpu : option == 'n' ? &wishes.samples : &wishes.seconds;
        int most = option == 'c' ? CPU_SETSIZE - 1 : option == 'n' ? SAMPLES_MAX : 3600;
        good = good && option != '?';
        if (option != '?')
            *wish = number_of(optarg, option != 'c', most);
        good = good && *wish >= 0;
    }
    if (!good || optind + 1 != count) {
        fprintf(stderr,
                "usage: measure [-c CPU] [-n SAMPLES] [-t SECONDS] LOOPS.jsonl\n"
                "up to %d samples, up to 3600 seconds\n",
                SAMPLES_MAX);
        return 2;
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)wishes.cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        fprintf(stderr, "measure: CPU %d: %s\n", wishes.cpu, strerror(errno));
        return 2;
    }
    setpriority(PRIO_PROCESS, 0, -20); /* as far as it is allowed */
    return measure_file(arguments[optind], &wishes);
}
