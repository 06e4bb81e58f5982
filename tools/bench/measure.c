/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "tools/bench/measure.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CACHED_WORDS = 1 << 15, CACHED_STEPS = 1 << 23 };

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double processor_seconds(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }

double wall_seconds(void) { return seconds(CLOCK_MONOTONIC); }

size_t resident_bytes(void)
{
    unsigned long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%lu %lu", &total, &resident) != 2)
        resident = 0;
    fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

/* Look-ups that depend on each other, as in a hash table. */
static double look_up(const uint64_t *table, size_t words, size_t steps)
{
    static volatile uint64_t sink;
    double start = processor_seconds();
    uint64_t value = 1;
    for (size_t i = 0; i < steps; i++) {
        value = (value ^ i) * UINT64_C(0x9e3779b97f4a7c15);
        value ^= value >> 29;
        value += table[value & (words - 1)];
    }
    sink = value;
    (void)sink;
    return processor_seconds() - start;
}

static const uint64_t *make_table(size_t words)
{
    uint64_t *table = malloc(words * sizeof *table);
    if (!table)
        abort();
    for (size_t i = 0; i < words; i++)
        table[i] = i * UINT64_C(0xd6e8feb86659fd93);
    return table;
}

double calibrate_cached(void)
{
    static const uint64_t *table;
    if (!table)
        table = make_table(CACHED_WORDS);
    return look_up(table, CACHED_WORDS, CACHED_STEPS);
}

/* Only returns when the command cannot be started. */
static void become(char *const *argv, int output)
{
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDERR_FILENO);
    dup2(output, STDOUT_FILENO);
    execvp(argv[0], argv);
    _exit(127);
}

bool time_command(char *const *argv, struct command_time *time)
{
    int ends[2], status = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    double start = wall_seconds();
    pid_t child = fork();
    if (child == 0)
        become(argv, ends[1]);
    close(ends[1]);
    char buffer[1 << 16];
    memset(time, 0, sizeof *time);
    while (child > 0 && read(ends[0], buffer, sizeof buffer) > 0)
        if (time->first_byte == 0)
            time->first_byte = wall_seconds() - start;
    time->last_byte = wall_seconds() - start;
    close(ends[0]);
    struct rusage usage;
    if (child <= 0 || wait4(child, &status, 0, &usage) != child)
        return false;
    time->processor = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                      (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
    return WIFEXITED(status) && WEXITSTATUS(status) < 2;
}
