/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stepper by its public interface: every way through small traces is gone. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/fencesim/fencesim.h"
#include "sim/base/region.h"

void add_stepper_tests(void);

enum { ENDS_MAX = 64, LINE_MAX = 160 };

struct walk {
    fs_stepper *stepper;
    char ends[ENDS_MAX][LINE_MAX]; /* different outcomes */
    size_t end_count, violated, paths;
};

static void note_end(struct walk *walk)
{
    const char *state = fs_stepper_state(walk->stepper);
    const char *end = strstr(state, "ends in");
    char line[LINE_MAX];
    walk->paths++;
    walk->violated += strstr(state, "VIOLATED") != NULL;
    snprintf(line, sizeof line, "%.*s", end ? (int)strcspn(end, "\n") : 4, end ? end : "none");
    for (size_t i = 0; i < walk->end_count; i++)
        if (strcmp(walk->ends[i], line) == 0)
            return;
    CU_ASSERT_TRUE_FATAL(walk->end_count < ENDS_MAX);
    memcpy(walk->ends[walk->end_count++], line, sizeof line);
}

static void walk_on(struct walk *walk)
{
    if (!fs_stepper_choice(walk->stepper, 0)) {
        note_end(walk);
        return;
    }
    for (size_t i = 0; fs_stepper_choice(walk->stepper, i); i++) {
        char *before = strdup(fs_stepper_state(walk->stepper));
        CU_ASSERT_EQUAL_FATAL(fs_stepper_take(walk->stepper, i), FS_OK);
        walk_on(walk);
        CU_ASSERT_EQUAL_FATAL(fs_stepper_undo(walk->stepper, 1), FS_OK);
        CU_ASSERT_STRING_EQUAL(fs_stepper_state(walk->stepper), before);
        free(before);
    }
}

/* Outcomes, and how many of them are said to be relaxed, as the reports have them. */
static const struct {
    const char *path, *variant, *profile;
    size_t outcomes, relaxed;
    bool violates;
} rows[] = {
    {"traces/classic/SB.yaml", "none", "x86", 4, 1, false},
    {"traces/classic/SB.yaml", "mfence", "x86", 3, 0, false},
    {"traces/classic/n6.yaml", "none", "x86", 5, 1, false},
    {"traces/classic/MP.yaml", "plain", "x86", 3, 0, false},
    {"tests/golden/sb.yaml", "none", "x86", 4, 1, true},
};

static void test_all_ways(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct walk *walk = calloc(1, sizeof *walk);
        fs_options options;
        size_t relaxed = 0;
        fs_options_init(&options);
        options.variants = &rows[i].variant;
        options.profiles = &rows[i].profile;
        options.variant_count = options.profile_count = 1;
        fs_status status = fs_stepper_open(rows[i].path, &options, &walk->stepper);
        if (status == FS_BAD_INPUT)
            printf("%s\n", fs_stepper_diagnostic(walk->stepper, 0));
        CU_ASSERT_EQUAL_FATAL(status, FS_OK);
        walk_on(walk);
        for (size_t n = 0; n < walk->end_count; n++)
            relaxed += strstr(walk->ends[n], "relaxed") != NULL;
        CU_ASSERT_EQUAL(walk->end_count, rows[i].outcomes);
        CU_ASSERT_EQUAL(relaxed, rows[i].relaxed);
        CU_ASSERT_EQUAL(walk->violated > 0, rows[i].violates);
        CU_ASSERT_TRUE(walk->paths > walk->end_count);
        CU_ASSERT_EQUAL(fs_stepper_take(walk->stepper, 1000), FS_BAD_INPUT);
        fs_stepper_free(walk->stepper);
        free(walk);
    }
}

static void test_bad_input(void)
{
    fs_stepper *stepper;
    fs_options options;
    fs_options_init(&options);
    CU_ASSERT_EQUAL(fs_stepper_open("tests/golden/bad.yaml", &options, &stepper), FS_BAD_INPUT);
    CU_ASSERT_PTR_NOT_NULL(fs_stepper_diagnostic(stepper, 0));
    CU_ASSERT_PTR_NULL(fs_stepper_choice(stepper, 0));
    CU_ASSERT_EQUAL(fs_stepper_take(stepper, 0), FS_BAD_INPUT);
    CU_ASSERT_EQUAL(fs_stepper_undo(stepper, 1), FS_BAD_INPUT);
    fs_stepper_free(stepper);
    CU_ASSERT_EQUAL(fs_stepper_open("traces/classic", &options, &stepper), FS_BAD_INPUT);
    fs_stepper_free(stepper);
    fs_stepper_free(NULL);
}

/* Memory that runs out anywhere ends in a status, and nothing is lost. */
static void test_no_memory(void)
{
    fs_stepper *stepper;
    fs_options options;
    fs_options_init(&options);
    fs_status status = FS_NO_MEMORY;
    for (uint64_t n = 1; status == FS_NO_MEMORY; n += 1 + n / 3) {
        region_fail_after(n);
        status = fs_stepper_open("tests/golden/sb.yaml", &options, &stepper);
        region_fail_after(0);
        CU_ASSERT_EQUAL(status == FS_NO_MEMORY, stepper == NULL);
    }
    CU_ASSERT_EQUAL_FATAL(status, FS_OK);
    region_fail_after(3);
    CU_ASSERT_EQUAL(fs_stepper_take(stepper, 0), FS_NO_MEMORY);
    region_fail_after(0);
    CU_ASSERT_PTR_NULL(fs_stepper_state(stepper));
    CU_ASSERT_EQUAL(fs_stepper_take(stepper, 0), FS_BAD_INPUT);
    fs_stepper_free(stepper);
}

/* The same while a report with witnesses, relations and prose is made. */
static void test_no_memory_for_prose(void)
{
    static const char *const path = "tests/golden/sb.yaml";
    fs_report *report;
    fs_options options;
    fs_options_init(&options);
    options.jobs = 1;
    bool short_of_memory = true;
    for (uint64_t n = 1; short_of_memory; n += 1 + n / 3) {
        region_fail_after(n);
        fs_status status = fs_run(&path, 1, &options, &report);
        region_fail_after(0);
        short_of_memory = status != FS_OK;
        fs_report_free(report);
    }
}

/* The same while a run is timed: what was not finished is in no list. */
static void test_no_memory_for_time(void)
{
    static const char *const path = "tests/golden/sb.yaml";
    static const char *const profile = "zen4";
    fs_report *report;
    fs_options options;
    fs_options_init(&options);
    options.jobs = 1;
    options.half = FS_TIME_ONLY;
    options.profiles = &profile;
    options.profile_count = 1;
    bool short_of_memory = true;
    for (uint64_t n = 1; short_of_memory; n += 1 + n / 50) {
        region_fail_after(n);
        fs_status status = fs_run(&path, 1, &options, &report);
        region_fail_after(0);
        short_of_memory = status != FS_OK;
        fs_report_free(report);
    }
}

void add_stepper_tests(void)
{
    CU_pSuite suite = CU_add_suite("stepper", NULL, NULL);
    CU_add_test(suite, "every way through small traces", test_all_ways);
    CU_add_test(suite, "bad input", test_bad_input);
    CU_add_test(suite, "no memory", test_no_memory);
    CU_add_test(suite, "no memory for prose", test_no_memory_for_prose);
    CU_add_test(suite, "no memory while a run is timed", test_no_memory_for_time);
}
