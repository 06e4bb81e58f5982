/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Capturing as a library: memory that runs out at any point leaves nothing behind. */
#define _GNU_SOURCE
#include <CUnit/CUnit.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "include/fencesim/fencesim.h"
#include "sim/base/region.h"

void add_capture_tests(void);

static const char source[] =
    "struct s { long a; struct s *b; };\n"
    "static struct s one;\n"
    "struct s two = {5, &one};\n"
    "_Thread_local int t = 3;\n"
    "__attribute__((noinline)) static long get(int i) { return i ? two.b->a : two.a; }\n"
    "long f(int i) { t++; one.a = i; return get(i) + t; }\n";

/* An object file in a temporary folder; false when there is no compiler. */
static bool compile(char directory[64], char path[80])
{
    char command[256];
    strcpy(directory, "/tmp/fencesim-test-XXXXXX");
    if (!mkdtemp(directory))
        return false;
    snprintf(path, 80, "%s/a.o", directory);
    snprintf(command, sizeof command, "cc -g -O1 -xc -c -o %s -", path);
    FILE *compiler = popen(command, "w");
    if (!compiler)
        return false;
    fputs(source, compiler);
    return pclose(compiler) == 0;
}

static fs_status capture(const char *path, char **text)
{
    char target[128];
    const char *targets[] = {target, target}, *args[] = {"P0:rdi=1", "P1:rdi=0"};
    const char *inits[] = {"two=7"};
    fs_capture_options options;
    snprintf(target, sizeof target, "%s:f", path);
    fs_capture_options_init(&options);
    options.targets = targets;
    options.target_count = 2;
    options.args = args;
    options.arg_count = 2;
    options.inits = inits;
    options.init_count = 1;
    return fs_capture(&options, text);
}

/* Descriptors that are open, to see that none is left behind. */
static int open_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static void test_exhaustion(void)
{
    char directory[64], path[80], *whole, *text;
    if (!compile(directory, path)) {
        CU_FAIL("cc could not be run");
        return;
    }
    CU_ASSERT_EQUAL_FATAL(capture(path, &whole), FS_OK);
    int before = open_descriptors();
    fs_status status = FS_NO_MEMORY;
    for (uint64_t n = 1; status == FS_NO_MEMORY && n < 1000000; n += 1 + n / 16) {
        region_fail_after(n);
        status = capture(path, &text);
        region_fail_after(0);
        if (status == FS_NO_MEMORY)
            CU_ASSERT_PTR_NULL(text);
    }
    CU_ASSERT_EQUAL(status, FS_OK);
    CU_ASSERT_EQUAL(open_descriptors(), before);
    if (status == FS_OK) {
        CU_ASSERT_STRING_EQUAL(text, whole);
        free(text);
    }
    free(whole);
    unlink(path);
    rmdir(directory);
}

/* Fails every allocation in turn, until none is left to fail; the status that it ends with. */
static fs_status exhaust(const fs_capture_options *options)
{
    char *text;
    int before = open_descriptors();
    fs_status status = FS_NO_MEMORY;
    for (uint64_t n = 1; status == FS_NO_MEMORY && n < 1000000; n += 1 + n / 16) {
        region_fail_after(n);
        status = fs_capture(options, &text);
        region_fail_after(0);
        if (status == FS_NO_MEMORY)
            CU_ASSERT_PTR_NULL(text);
    }
    CU_ASSERT_EQUAL(open_descriptors(), before);
    CU_ASSERT_EQUAL(waitpid(-1, NULL, WNOHANG), -1); /* no child either */
    if (status != FS_NO_MEMORY)
        free(text);
    return status;
}

static void test_text_exhaustion(void)
{
    fs_capture_options options;
    const char *texts[] = {"tests/capture/text/sb.gdb", "tests/capture/text/sb.dr"};
    fs_capture_options_init(&options);
    options.texts = texts;
    options.text_count = 2;
    CU_ASSERT_EQUAL(exhaust(&options), FS_OK);
}

/* A program that never gets to the function, or may not be traced: what was started is gone. */
static void test_live_exhaustion(void)
{
    fs_capture_options options;
    const char *command[] = {"sleep", "10"};
    fs_capture_options_init(&options);
    options.live_functions = "no_such_function";
    options.live_command = command;
    options.live_command_count = 2;
    CU_ASSERT_EQUAL(exhaust(&options), FS_BAD_INPUT);
}

void add_capture_tests(void)
{
    CU_pSuite suite = CU_add_suite("capture", NULL, NULL);
    CU_add_test(suite, "memory that runs out", test_exhaustion);
    CU_add_test(suite, "memory that runs out with text", test_text_exhaustion);
    CU_add_test(suite, "memory that runs out with a process", test_live_exhaustion);
}
