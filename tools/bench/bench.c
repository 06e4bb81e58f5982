/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures the program and prints a line a figure: its name, the figure, its unit, and its
 * cost relative to a calibration made just before, which bench.sh compares with a baseline.
 *
 *   bench startup SIMULATE TRACE     first and last byte of a run of the program
 *   bench explore NAME TRACE         an exploration, repeated
 *   bench large NAME TRACE STATES    one exploration up to so many states, with its memory
 *   bench time NAME TRACE            timed instructions
 *   bench command NAME N ARGV...     a command that times N instructions
 *   bench many SIMULATE FOLDER N     a run of the program with the N litmus tests of a folder
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/explore/explore.h"
#include "sim/input/files.h"
#include "sim/program/read.h"
#include "sim/time/time.h"
#include "tools/bench/measure.h"

enum { STARTS = 30, RUNS = 5 };
static const double LEAST_SECONDS = 0.05; /* of a measurement: repeated until then */

/* A trace that was read and assembled. */
struct loaded {
    struct region region;
    struct diagnostics diagnostics;
    struct source_list sources;
    struct program *program;
    struct exec *exec;
    struct oracle *oracle;
    struct start *start;
    const struct profile *profile;
};

static void load(struct loaded *loaded, const char *path, const char *profile)
{
    struct region *region = &loaded->region;
    struct input_files files = {0};
    diagnostics_init(&loaded->diagnostics, region);
    loaded->sources.region = region;
    read_path(region, path, &files, &loaded->diagnostics);
    if (files.count == 1)
        loaded->program = trace_parse(region, path, files.items[0].text, files.items[0].length,
                                      &loaded->sources, &loaded->diagnostics);
    if (loaded->program && assemble(&loaded->sources, &loaded->diagnostics))
        trace_finish(loaded->program, &loaded->diagnostics);
    loaded->profile = profile_load(region, profile, &loaded->diagnostics);
    for (size_t i = 0; i < loaded->diagnostics.count; i++)
        fprintf(stderr, "%s: %s\n", path, loaded->diagnostics.items[i].message);
    if (loaded->diagnostics.count || !loaded->program)
        exit(2);
    loaded->exec = exec_open(region, loaded->program);
    loaded->oracle = oracle_new(region, loaded->exec, loaded->program, 0);
    loaded->start = start_new(region, loaded->exec, loaded->program, 0);
}

static struct exploration *explore_once(struct loaded *loaded, uint64_t max_states)
{
    struct explore_options options = {.reduce = true, .max_states = max_states};
    struct footprint *footprint = region_alloc(&loaded->region, sizeof *footprint);
    footprint_init(footprint, &loaded->region, loaded->program, false);
    return explore(&loaded->region, loaded->oracle, loaded->start, loaded->profile,
                   model_find(loaded->profile->model), footprint, loaded->program->terms,
                   loaded->program->term_count, &options);
}

static void figure(const char *name, double value, const char *unit, double cost)
{
    printf("%s\t%.4g\t%s\t%.6g\n", name, value, unit, cost);
    fflush(stdout);
}

static double least(double a, double b) { return a < b ? a : b; }

static int bench_startup(char *simulate, char *trace)
{
    char *const argv[] = {simulate, (char *)"-q", trace, NULL};
    struct command_time time, best = {1e9, 1e9, 1e9};
    double calibration = 1e9;
    for (int i = 0; i < STARTS; i++) {
        calibration = least(calibration, calibrate_cached());
        if (!time_command(argv, &time))
            return 2;
        best.first_byte = least(best.first_byte, time.first_byte);
        best.last_byte = least(best.last_byte, time.last_byte);
        best.processor = least(best.processor, time.processor);
    }
    figure("start to first byte", best.first_byte * 1e3, "ms", best.first_byte / calibration);
    figure("start to last byte", best.last_byte * 1e3, "ms", best.last_byte / calibration);
    return 0;
}

/*
 * The shortest of some runs, each long enough to be measured. What instructions do is known
 * after the first one; the search itself starts anew in each.
 */
static int bench_explore(struct loaded *loaded, const char *name)
{
    double best = 1e9, calibration = 1e9;
    uint64_t states = 0;
    char label[128];
    for (int run = 0; run < RUNS; run++) {
        calibration = least(calibration, calibrate_cached());
        double start = processor_seconds(), spent;
        int repeats = 0;
        do {
            struct exploration *exploration = explore_once(loaded, 0);
            states = exploration->state_count;
            exploration_close(exploration);
            repeats++;
            spent = processor_seconds() - start;
        } while (spent < LEAST_SECONDS);
        best = least(best, spent / repeats);
    }
    snprintf(label, sizeof label, "ms for %" PRIu64 " states", states);
    figure(name, best * 1e3, label, best / calibration);
    snprintf(label, sizeof label, "%s, states", name);
    figure(label, (double)states / best / 1e6, "M/s", best / (double)states / calibration * 1e6);
    return 0;
}

/*
 * Against arithmetic too: how long a dependent look-up in memory takes varies more from
 * moment to moment than the search, which asks for many at a time.
 */
static double calibration_before_and_after(double best)
{
    for (int run = 0; run < RUNS; run++)
        best = least(best, calibrate_cached());
    return best;
}

static int bench_large(struct loaded *loaded, const char *name, uint64_t max_states)
{
    char label[128];
    double calibration = calibration_before_and_after(1e9);
    size_t before = resident_bytes();
    double start = processor_seconds();
    struct exploration *exploration = explore_once(loaded, max_states);
    double spent = processor_seconds() - start, states = (double)exploration->state_count;
    size_t bytes = resident_bytes() - before;
    exploration_close(exploration);
    calibration = calibration_before_and_after(calibration);
    snprintf(label, sizeof label, "M/s up to %.3g states", states);
    figure(name, states / spent / 1e6, label, spent / states / calibration * 1e6);
    snprintf(label, sizeof label, "%s, memory", name);
    figure(label, (double)bytes / states, "bytes/state", (double)bytes / states);
    return 0;
}

static int bench_time(struct loaded *loaded, const char *name)
{
    double best = 1e9, calibration = 1e9;
    for (int run = 0; run < RUNS; run++) {
        calibration = least(calibration, calibrate_cached());
        double start = processor_seconds();
        struct timed *timed =
            time_run(&loaded->region, loaded->exec, loaded->program, 0, loaded->profile, NULL);
        best = least(best, (processor_seconds() - start) / (double)timed->instructions);
    }
    figure(name, 1 / best / 1e6, "M/s", best / calibration * 1e6);
    return 0;
}

/* A command's processor time, e.g. of llvm-mca on so many instructions. */
static int bench_command(const char *name, double instructions, char **argv)
{
    struct command_time time;
    double best = 1e9;
    for (int run = 0; run < RUNS; run++) {
        if (!time_command(argv, &time))
            return 2;
        best = least(best, time.processor);
    }
    figure(name, instructions / best / 1e6, "M/s", 0); /* not ours: nothing to compare with */
    return 0;
}

/* The shortest of some runs with so many jobs. */
static bool time_many(char *simulate, char *folder, char *jobs, struct command_time *best)
{
    char *const argv[] = {simulate,
                          (char *)"-f",
                          (char *)"herd",
                          (char *)"--only",
                          (char *)"order",
                          (char *)"-j",
                          jobs,
                          folder,
                          NULL};
    struct command_time time;
    *best = (struct command_time){1e9, 1e9, 1e9};
    for (int run = 0; run < RUNS; run++) {
        if (!time_command(argv, &time))
            return false;
        best->last_byte = least(best->last_byte, time.last_byte);
        best->processor = least(best->processor, time.processor);
    }
    return true;
}

/* Processor time, the assembler's included; and what a second thread is worth. */
static int bench_many(char *simulate, char *folder, double tests)
{
    struct command_time one, two;
    double calibration = calibration_before_and_after(1e9);
    if (!time_many(simulate, folder, (char *)"1", &one) ||
        !time_many(simulate, folder, (char *)"2", &two))
        return 2;
    calibration = calibration_before_and_after(calibration);
    char label[128];
    snprintf(label, sizeof label, "ms a test of %.0f", tests);
    figure("litmus tests", one.processor / tests * 1e3, label,
           one.processor / tests / calibration * 1e3);
    figure("litmus tests, two threads", one.last_byte / two.last_byte, "times as fast", 0);
    return 0;
}

static int run(struct loaded *loaded, int argc, char **argv)
{
    const char *verb = argc > 3 ? argv[1] : "";
    region_init(&loaded->region, 0);
    if (region_guard(&loaded->region)) {
        fprintf(stderr, "bench: memory ran out\n");
        return 2;
    }
    if (strcmp(verb, "startup") == 0)
        return bench_startup(argv[2], argv[3]);
    if (strcmp(verb, "command") == 0 && argc > 4)
        return bench_command(argv[2], atof(argv[3]), argv + 4);
    if (strcmp(verb, "many") == 0 && argc > 4)
        return bench_many(argv[2], argv[3], atof(argv[4]));
    if (strcmp(verb, "explore") == 0 || strcmp(verb, "large") == 0) {
        load(loaded, argv[3], "x86");
        return verb[0] == 'e'
                   ? bench_explore(loaded, argv[2])
                   : bench_large(loaded, argv[2], argc > 4 ? (uint64_t)atoll(argv[4]) : 0);
    }
    if (strcmp(verb, "time") == 0) {
        load(loaded, argv[3], "zen4");
        return bench_time(loaded, argv[2]);
    }
    fprintf(stderr, "usage: see bench.c\n");
    return 2;
}

int main(int argc, char **argv)
{
    static struct loaded loaded;
    int status = run(&loaded, argc, argv);
    if (loaded.exec)
        exec_close(loaded.exec);
    region_release(&loaded.region);
    return status;
}
