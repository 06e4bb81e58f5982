/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that are timed, for the tests of the cycle model. */
#ifndef FENCESIM_TESTS_UNIT_TIMING_BENCH_H_
#define FENCESIM_TESTS_UNIT_TIMING_BENCH_H_

#include "sim/time/time.h"
#include "tests/unit/reading.h"

enum { TEXT = 16384 };

/* A program with its timed run. */
extern struct timing_bench {
    struct reading reading;
    struct exec *exec;
    const struct profile *profile;
    struct timed *timed;
} timed_bench;

/* Reads and times a trace, of at most `limit` instructions (0: no limit), into `timed_bench`. */
void timed_run(const char *profile, const char *text, uint64_t limit);
void timed_close(void);

/* A trace of one CPU, with memory in each cache; iterations 0: no loop. */
void trace_text(char *text, const char *setup, const char *body, unsigned iterations);

/* Cycles of an iteration; on Zen 4 where no profile is named. */
double loop_on(const char *profile, const char *setup, const char *body, unsigned iterations);
double loop(const char *body);

/* Cycles of the whole, once. */
double straight(const char *body);

/* `piece` n times; a %d in it becomes `step` times its number. Valid for the next three calls. */
const char *times(int n, const char *piece, int step);
const char *join(const char *first, const char *second);

#define CLOSE(actual, expected) CU_ASSERT_DOUBLE_EQUAL(actual, expected, 0.011)

#endif
