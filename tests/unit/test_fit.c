/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fitting: loops that the model itself "measured" with known other values must give those
 * values back; whatever is wrong with a file of loops must be said at its place.
 */
#define _GNU_SOURCE /* mkdtemp */
#include <CUnit/CUnit.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/fencesim/fencesim.h"
#include "sim/base/region.h"

struct place_of_work {
    char folder[64], loops[96], profile[96];
};

static struct place_of_work open_place(void)
{
    struct place_of_work place;
    snprintf(place.folder, sizeof place.folder, "/tmp/fencesim-fit-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(place.folder));
    snprintf(place.loops, sizeof place.loops, "%s/loops.jsonl", place.folder);
    snprintf(place.profile, sizeof place.profile, "%s/other.yaml", place.folder);
    return place;
}

static void close_place(const struct place_of_work *place)
{
    unlink(place->loops);
    unlink(place->profile);
    rmdir(place->folder);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT(fputs(text, file) >= 0 && fclose(file) == 0);
}

/* ---- loops that the model measured ---- */

#define LINES "\"memory\": {\"x\": {\"size\": 8192}}"

/* All but their cycles; the first 4 show the sum of mfence's parts, the next their difference. */
static const char *const loops[] = {
    "\"asm\": \"mfence\"",
    "\"asm\": \"mfence; nop; nop; nop; nop; nop; nop; nop; nop\"",
    "\"asm\": \"imul rbx, rbx; mfence\"",
    "\"asm\": \"mfence; mfence; mfence\"",
    "\"asm\": \"imul rbx, rbx; imul rbx, rbx; imul rbx, rbx; imul rbx, rbx; imul rbx, rbx; "
    "imul rbx, rbx; imul rbx, rbx; imul rbx, rbx; mfence\"",
    "\"asm\": \"lock add dword ptr [x], 1\", " LINES,
    "\"asm\": \"lock add dword ptr [x], 1; lock or dword ptr [x+64], 1\", " LINES,
    "\"asm\": \"xchg rax, [x]\", " LINES,
    "\"asm\": \"lock add dword ptr [x], 1; nop; nop; nop\", " LINES,
    "\"asm\": \"add rax, [x]; lfence\", " LINES,
    "\"asm\": \"mov rax, [x]\", " LINES,
    "\"asm\": \"add rax, 1\"",
};
enum { LOOPS = sizeof loops / sizeof *loops };

static void write_loops(const char *path, const double *cycles)
{
    FILE *file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    for (size_t i = 0; i < LOOPS; i++)
        fprintf(file, "{\"name\": \"%zu\", %s, \"cycles\": %.2f}\n", i, loops[i], cycles[i]);
    CU_ASSERT_FATAL(fclose(file) == 0);
}

static fs_fit_result *run(const struct place_of_work *place, const char *base,
                          const char *const *names, size_t count, unsigned jobs)
{
    fs_fit_options options;
    fs_fit_result *result;
    fs_fit_options_init(&options);
    options.base = base;
    options.free_names = names;
    options.free_count = count;
    options.jobs = jobs;
    CU_ASSERT_EQUAL_FATAL(fs_fit(place->loops, &options, &result), FS_OK);
    CU_ASSERT(fs_fit_complete(result));
    return result;
}

static json_t *report_of(fs_fit_result *result)
{
    const char *text;
    size_t length;
    CU_ASSERT_EQUAL_FATAL(fs_fit_write(result, FS_FORMAT_JSON, 0, &text, &length), FS_OK);
    json_t *root = json_loadb(text, length, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(root);
    return root;
}

/* What the loops take on zen4 with these cycles in place of its own, as measurements. */
static void measure(const struct place_of_work *place, const char *cycles_section)
{
    double cycles[LOOPS];
    char profile[1024];
    snprintf(profile, sizeof profile,
             "profile: 1\nname: other\ninherits: zen4\nsources: {T: a test}\ncycles:\n%s",
             cycles_section);
    write_file(place->profile, profile);
    for (size_t i = 0; i < LOOPS; i++)
        cycles[i] = 1;
    write_loops(place->loops, cycles);
    static const char *const one[] = {"cpuid_hold"};
    fs_fit_result *result = run(place, place->profile, one, 1, 1);
    json_t *root = report_of(result);
    for (size_t i = 0; i < LOOPS; i++)
        cycles[i] = json_number_value(
            json_object_get(json_array_get(json_object_get(root, "loops"), i), "before"));
    json_decref(root);
    fs_fit_free(result);
    write_loops(place->loops, cycles);
}

static const json_t *parameter(const json_t *root, const char *name)
{
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(root, "parameters"), i,
                       item) if (strcmp(json_string_value(json_object_get(item, "name")), name) ==
                                 0) return item;
    return NULL;
}

static double fitted(const json_t *root, const char *name)
{
    return json_number_value(json_object_get(parameter(root, name), "fitted"));
}

static double error_of(const json_t *root, const char *when)
{
    return json_number_value(json_object_get(root, when));
}

static void test_one_time(void)
{
    static const char *const names[] = {"lock_interval"};
    struct place_of_work place = open_place();
    measure(&place, "  lock_interval: {value: 9.5, source: \"T: x\"}\n");
    fs_fit_result *result = run(&place, "zen4", names, 1, 1);
    json_t *root = report_of(result);
    CU_ASSERT_DOUBLE_EQUAL(fitted(root, "lock_interval"), 9.5, 1e-9);
    CU_ASSERT(error_of(root, "error_before") > 0.03);
    CU_ASSERT_DOUBLE_EQUAL(error_of(root, "error_after"), 0, 1e-6);
    /* of three loops with locks that add or or, and no others */
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(parameter(root, "lock_interval"), "loops")),
                    3);
    json_decref(root);
    fs_fit_free(result);
    close_place(&place);
}

/* Their sum is what a fence alone shows: found one after the other they would not be. */
static void test_two_in_a_valley(void)
{
    static const char *const names[] = {"mfence_own", "mfence_restart"};
    struct place_of_work place = open_place();
    measure(&place, "  mfence_own: {value: 17.25, source: \"T: x\"}\n"
                    "  mfence_restart: {value: 41, source: \"T: x\"}\n");
    fs_fit_result *result = run(&place, "zen4", names, 2, 1);
    json_t *root = report_of(result);
    CU_ASSERT_DOUBLE_EQUAL(error_of(root, "error_after"), 0, 1e-6);
    /* The model rounds up to whole cycles, so that a cycle of either is left open. */
    CU_ASSERT_DOUBLE_EQUAL(fitted(root, "mfence_own"), 17.25, 1);
    CU_ASSERT_DOUBLE_EQUAL(fitted(root, "mfence_restart"), 41, 1);
    json_decref(root);
    fs_fit_free(result);
    close_place(&place);
}

/* Whole numbers stay whole, flags are 0 or 1. */
static void test_whole_numbers(void)
{
    static const char *const names[] = {"decoder_width", "mfence_decodes", "multiply_latency"};
    struct place_of_work place = open_place();
    measure(&place, "  decoder_width: {value: 2, source: \"T: x\"}\n"
                    "  multiply_latency: {value: 5, source: \"T: x\"}\n");
    fs_fit_result *result = run(&place, "zen4", names, 3, 1);
    json_t *root = report_of(result);
    CU_ASSERT_DOUBLE_EQUAL(fitted(root, "decoder_width"), 2, 0);
    CU_ASSERT_DOUBLE_EQUAL(fitted(root, "mfence_decodes"), 1, 0);
    /* An operation issues at the start of a cycle: all from 4 to 5 is the same to a chain. */
    CU_ASSERT(fitted(root, "multiply_latency") > 4 && fitted(root, "multiply_latency") <= 5);
    CU_ASSERT_DOUBLE_EQUAL(error_of(root, "error_after"), 0, 2e-3);
    json_decref(root);
    fs_fit_free(result);
    close_place(&place);
}

/* What no loop depends on keeps its value and is not claimed to be fitted. */
static void test_no_loop_depends(void)
{
    static const char *const names[] = {"l3_latency", "lock_interval"};
    const char *text;
    size_t length;
    struct place_of_work place = open_place();
    measure(&place, "  lock_interval: {value: 8, source: \"T: x\"}\n");
    fs_fit_result *result = run(&place, "zen4", names, 1, 1);
    CU_ASSERT_EQUAL(fs_fit_profile(result, &text, &length), FS_BAD_INPUT);
    fs_fit_free(result);
    result = run(&place, "zen4", names, 2, 1);
    CU_ASSERT_EQUAL_FATAL(fs_fit_profile(result, &text, &length), FS_OK);
    CU_ASSERT_PTR_NULL(strstr(text, "l3_latency"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "  lock_interval: {value: 8, source: \"FIT: fitted to 3 "
                                        "loops that depend on it; 7.25 in zen4\"}\n"));
    fs_fit_free(result);
    close_place(&place);
}

static void test_range(void)
{
    static const char *const names[] = {"lock_interval=7:8.5"};
    struct place_of_work place = open_place();
    measure(&place, "  lock_interval: {value: 9.5, source: \"T: x\"}\n");
    fs_fit_result *result = run(&place, "zen4", names, 1, 1);
    json_t *root = report_of(result);
    CU_ASSERT_DOUBLE_EQUAL(fitted(root, "lock_interval"), 8.5, 1e-9);
    json_decref(root);
    fs_fit_free(result);
    close_place(&place);
}

/* A profile that was written is read again, and its cycles are the fitted ones. */
static void test_profile_is_read(void)
{
    static const char *const names[] = {"lock_*", "mfence_own", "mfence_restart"};
    const char *text;
    size_t length;
    struct place_of_work place = open_place();
    measure(&place, "  lock_interval: {value: 9.5, source: \"T: x\"}\n"
                    "  mfence_own: {value: 14, source: \"T: x\"}\n");
    fs_fit_result *result = run(&place, "zen4", names, 3, 1);
    CU_ASSERT_EQUAL_FATAL(fs_fit_profile(result, &text, &length), FS_OK);
    write_file(place.profile, text);
    json_t *root = report_of(result);
    fs_fit_free(result);
    result = run(&place, place.profile, names, 1, 1); /* the second fit names its source FIT2 */
    json_t *again = report_of(result);
    CU_ASSERT_DOUBLE_EQUAL(error_of(again, "error_before"), error_of(root, "error_after"), 1e-9);
    CU_ASSERT_EQUAL_FATAL(fs_fit_profile(result, &text, &length), FS_OK);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "source: \"FIT2: "));
    json_decref(root);
    json_decref(again);
    fs_fit_free(result);
    close_place(&place);
}

static void test_same_with_any_jobs(void)
{
    static const char *const names[] = {"mfence_own", "mfence_restart", "lock_interval"};
    const char *a, *b;
    size_t a_length, b_length;
    struct place_of_work place = open_place();
    measure(&place, "  lock_interval: {value: 9.5, source: \"T: x\"}\n"
                    "  mfence_own: {value: 14, source: \"T: x\"}\n");
    fs_fit_result *one = run(&place, "zen4", names, 3, 1);
    fs_fit_result *three = run(&place, "zen4", names, 3, 3);
    CU_ASSERT_EQUAL_FATAL(fs_fit_write(one, FS_FORMAT_TEXT, 1, &a, &a_length), FS_OK);
    CU_ASSERT_EQUAL_FATAL(fs_fit_write(three, FS_FORMAT_TEXT, 1, &b, &b_length), FS_OK);
    CU_ASSERT(a_length == b_length && memcmp(a, b, a_length) == 0);
    fs_fit_free(one);
    fs_fit_free(three);
    close_place(&place);
}

/*
 * The second loop shows nothing of the multiplication until that takes longer than its loads: half
 * of it more does not. Where the first loop leads, the second depends on it, too.
 */
static void test_loop_joins_late(void)
{
    static const char *const names[] = {"multiply_latency"};
    struct place_of_work place = open_place();
    write_file(place.loops,
               "{\"name\": \"a\", \"asm\": \"imul rax, rax\", \"cycles\": 12}\n"
               "{\"name\": \"b\", \"asm\": \"imul rax, rax; mov rbx, [rbx]; mov rbx, [rbx]\", "
               "\"memory\": {\"x\": {\"size\": 8, \"init\": \"x\"}}, "
               "\"regs\": {\"rbx\": \"x\"}, \"cycles\": 12}\n");
    fs_fit_result *result = run(&place, "zen4", names, 1, 1);
    json_t *root = report_of(result);
    const json_t *late = json_array_get(json_object_get(root, "loops"), 1);
    CU_ASSERT_DOUBLE_EQUAL(json_number_value(json_object_get(late, "before")), 8, 0);
    CU_ASSERT_DOUBLE_EQUAL(json_number_value(json_object_get(late, "after")), 12, 0);
    CU_ASSERT_DOUBLE_EQUAL(fitted(root, "multiply_latency"), 12, 1);
    CU_ASSERT_EQUAL(
        json_integer_value(json_object_get(parameter(root, "multiply_latency"), "loops")), 2);
    json_decref(root);
    fs_fit_free(result);
    close_place(&place);
}

/* ---- what ends it ---- */

static void test_stopped(void)
{
    static const volatile int stop = 1;
    static const char *const names[] = {"lock_interval"};
    const char *text;
    size_t length;
    struct place_of_work place = open_place();
    measure(&place, "  lock_interval: {value: 8, source: \"T: x\"}\n");
    fs_fit_options options;
    fs_fit_result *result;
    fs_fit_options_init(&options);
    options.base = "zen4";
    options.free_names = names;
    options.free_count = 1;
    options.stop = &stop;
    CU_ASSERT_EQUAL(fs_fit(place.loops, &options, &result), FS_OK);
    CU_ASSERT_FALSE(fs_fit_complete(result));
    CU_ASSERT_EQUAL(fs_fit_write(result, FS_FORMAT_TEXT, 0, &text, &length), FS_OK);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "before every loop had been timed once: interrupted\n"));
    CU_ASSERT_EQUAL(fs_fit_write(result, FS_FORMAT_JSON, 0, &text, &length), FS_OK);
    CU_ASSERT_EQUAL(fs_fit_profile(result, &text, &length), FS_BAD_INPUT);
    fs_fit_free(result);
    close_place(&place);
}

/* Whichever allocation fails, the fit ends with a status and nothing leaks. */
static void test_memory_runs_out(void)
{
    static const char *const names[] = {"lock_interval", "mfence_*"};
    struct place_of_work place = open_place();
    write_file(place.loops, "{\"name\": \"a\", \"asm\": \"mfence\", \"cycles\": 70}\n"
                            "{\"name\": \"b\", \"cls\": \"core\", \"median\": 8, \"init\": "
                            "[\"movl $1, %eax\"], \"asm\": \"lock addl $1, (%rdi)\"}\n");
    fs_fit_options options;
    fs_fit_result *result;
    fs_fit_options_init(&options);
    options.base = "zen4";
    options.free_names = names;
    options.free_count = 2;
    options.jobs = 1;
    fs_status status = FS_NO_MEMORY;
    unsigned failed = 0;
    for (uint64_t n = 1; status == FS_NO_MEMORY && n < 1000000; n += 1 + n / 8) {
        const char *text;
        size_t length;
        region_fail_after(n);
        status = fs_fit(place.loops, &options, &result);
        if (status == FS_OK) {
            region_fail_after(1);
            CU_ASSERT_EQUAL(fs_fit_write(result, FS_FORMAT_JSON, 0, &text, &length), FS_NO_MEMORY);
        }
        region_fail_after(0);
        failed += status == FS_NO_MEMORY;
        fs_fit_free(result);
    }
    CU_ASSERT_EQUAL(status, FS_OK);
    CU_ASSERT(failed > 30);
    close_place(&place);
}

void add_fit_tests(void)
{
    CU_pSuite suite = CU_add_suite("fit", NULL, NULL);
    CU_add_test(suite, "one time is found again", test_one_time);
    CU_add_test(suite, "two times whose sum shows", test_two_in_a_valley);
    CU_add_test(suite, "whole numbers", test_whole_numbers);
    CU_add_test(suite, "no loop depends on it", test_no_loop_depends);
    CU_add_test(suite, "a range", test_range);
    CU_add_test(suite, "the profile is read again", test_profile_is_read);
    CU_add_test(suite, "the same with any number of jobs", test_same_with_any_jobs);
    CU_add_test(suite, "a loop that joins late", test_loop_joins_late);
    CU_add_test(suite, "stopped before the start", test_stopped);
    CU_add_test(suite, "memory runs out", test_memory_runs_out);
}
