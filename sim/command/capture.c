/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `simulate capture`: its options, and an output file that appears whole or not at all. */
#define _GNU_SOURCE
#include "sim/command/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "include/fencesim/fencesim.h"
#include "sim/command/output.h"

static const char usage[] =
    "usage: simulate capture [options] FILE:FUNCTION[,FUNCTION...]...\n"
    "       simulate capture [options] SOURCE.c:FUNCTION[,FUNCTION...]... -- COMPILER [OPTION...]\n"
    "       simulate capture [options] --text FILE[:FUNCTION[,FUNCTION...]]...\n"
    "       simulate capture [options] --live FUNCTION[,FUNCTION...] -- PROGRAM [ARGUMENT...]\n"
    "       simulate capture [options] --pid PID --function FUNCTION[,FUNCTION...]\n"
    "\n"
    "Makes a trace of compiled functions, a CPU for each in their order: P0, P1, ... FILE is an\n"
    "ELF object, an archive, a shared library, an executable or a vmlinux. With a compiler, the\n"
    "source is compiled first (-g -c is added). What the functions call and jump to comes along,\n"
    "and the data that they refer to, with its initial values; several files are one program.\n"
    "A FILE without functions only has what the others call.\n"
    "\n"
    "  simulate capture demo.c:P0,P1 -o demo.yaml -- gcc -O2 && simulate demo.yaml\n"
    "  simulate capture libfoo.a:push,pop --arg P0:rdi=stack --arg P0:rsi=node\n"
    "\n"
    "  -o, --output FILE      write the trace there (default: standard output)\n"
    "      --text FILE[:...]  a disassembly (objdump -d or -dr, gdb's x/i or disassemble) or a "
    "dump\n"
    "                         of bytes (xxd, hexdump -C, od -tx1, plain digits); -: standard "
    "input.\n"
    "                         Without functions: those that no other one of the text calls\n"
    "      --raw FILE         a file of machine code; for it --offset N and --length N say which\n"
    "                         part, --address N where it lies when it runs\n"
    "      --live F[,F...]    run the program behind -- until a thread of its own has reached each "
    "of\n"
    "                         the functions; its code, registers and memory become the trace\n"
    "      --pid PID          the same of a running process, with --function; it goes on "
    "afterwards\n"
    "      --function F[,...] the functions for --pid\n"
    "      --max-seconds S    how long --live and --pid wait (default: 10)\n"
    "      --arg CPU:REG=VAL  a register at the start: a number, data of the files (x, x+8), an\n"
    "                         object of --memory\n"
    "      --init NAME=VAL    what data holds at the start (NAME+N: N bytes into it)\n"
    "      --memory LINE      an object more, as in a trace: 'node: {size: 16}'\n"
    "      --stub NAME[=VAL]  calls of that function return at once, with VAL in rax\n"
    "      --trap NAME        reaching that function makes the verdict unknown, and it is left "
    "out;\n"
    "                         '*': every function that none of the files has\n"
    "      --observe TERM     instead of all data that can be written and what functions return\n"
    "      --expect LINE      as in a trace: 'never: P0:eax == 0 && P1:eax == 0'\n"
    "      --name NAME        of the trace\n"
    "      --profile NAME     patch a kernel's code as it does on a CPU of that profile's vendor\n"
    "      --feature N=on|off a feature that decides about a patch, by Linux's number W*32+B\n"
    "      --static-key NAME=on|off\n"
    "                         of a kernel's static keys (default: as compiled)\n"
    "\n"
    "docs/CAPTURE.md says more.\n";

enum long_only {
    OPT_ARG = 256,
    OPT_INIT,
    OPT_MEMORY,
    OPT_STUB,
    OPT_TRAP,
    OPT_OBSERVE,
    OPT_EXPECT,
    OPT_NAME,
    OPT_PROFILE,
    OPT_FEATURE,
    OPT_TEXT,
    OPT_RAW,
    OPT_OFFSET,
    OPT_LENGTH,
    OPT_ADDRESS,
    OPT_PID,
    OPT_FUNCTION,
    OPT_LIVE,
    OPT_SECONDS,
    OPT_STATIC_KEY
};

static const struct option long_options[] = {
    {"output", required_argument, NULL, 'o'},
    {"arg", required_argument, NULL, OPT_ARG},
    {"init", required_argument, NULL, OPT_INIT},
    {"memory", required_argument, NULL, OPT_MEMORY},
    {"stub", required_argument, NULL, OPT_STUB},
    {"trap", required_argument, NULL, OPT_TRAP},
    {"observe", required_argument, NULL, OPT_OBSERVE},
    {"expect", required_argument, NULL, OPT_EXPECT},
    {"name", required_argument, NULL, OPT_NAME},
    {"profile", required_argument, NULL, OPT_PROFILE},
    {"feature", required_argument, NULL, OPT_FEATURE},
    {"text", required_argument, NULL, OPT_TEXT},
    {"raw", required_argument, NULL, OPT_RAW},
    {"offset", required_argument, NULL, OPT_OFFSET},
    {"length", required_argument, NULL, OPT_LENGTH},
    {"address", required_argument, NULL, OPT_ADDRESS},
    {"pid", required_argument, NULL, OPT_PID},
    {"function", required_argument, NULL, OPT_FUNCTION},
    {"live", required_argument, NULL, OPT_LIVE},
    {"max-seconds", required_argument, NULL, OPT_SECONDS},
    {"static-key", required_argument, NULL, OPT_STATIC_KEY},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* Options that may be given again and again, each a word more. */
static const struct list_row {
    int option;
    size_t words, count; /* where fs_capture_options has them */
} list_rows[] = {
#define LIST(option, words, count)                                                                 \
    {                                                                                              \
        option, offsetof(fs_capture_options, words), offsetof(fs_capture_options, count)           \
    }
    LIST(OPT_ARG, args, arg_count),         LIST(OPT_INIT, inits, init_count),
    LIST(OPT_MEMORY, memory, memory_count), LIST(OPT_STUB, stubs, stub_count),
    LIST(OPT_TRAP, traps, trap_count),      LIST(OPT_OBSERVE, observe, observe_count),
    LIST(OPT_EXPECT, expect, expect_count), LIST(OPT_FEATURE, features, feature_count),
    LIST(OPT_TEXT, texts, text_count),      LIST(OPT_STATIC_KEY, static_keys, static_key_count),
#undef LIST
};

enum { LIST_COUNT = sizeof list_rows / sizeof *list_rows };

/* As many words as the command line has can be any one option's. */
struct lists {
    const char **words[LIST_COUNT];
    fs_capture_raw *raws;
};

static bool make_lists(struct lists *lists, fs_capture_options *options, int argc)
{
    for (size_t i = 0; i < LIST_COUNT; i++) {
        if (!(lists->words[i] = calloc((size_t)argc + 1, sizeof *lists->words[i])))
            return false;
        memcpy((char *)options + list_rows[i].words, &lists->words[i], sizeof lists->words[i]);
    }
    options->raws = lists->raws = calloc((size_t)argc + 1, sizeof *lists->raws);
    return lists->raws != NULL;
}

static void free_lists(struct lists *lists)
{
    for (size_t i = 0; i < LIST_COUNT; i++)
        free(lists->words[i]);
    free(lists->raws);
}

/* False when the option is none of them. */
static bool add_word(fs_capture_options *options, struct lists *lists, int option, const char *word)
{
    for (size_t i = 0; i < LIST_COUNT; i++)
        if (list_rows[i].option == option) {
            size_t *count = (size_t *)(void *)((char *)options + list_rows[i].count);
            lists->words[i][(*count)++] = word;
            return true;
        }
    return false;
}

/* Next to the file, so that renaming replaces it in one step. */
static int write_file(const char *path, const char *text, size_t length)
{
    char temporary[PATH_MAX];
    int fd = -1;
    if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) < (int)sizeof temporary)
        fd = mkostemp(temporary, O_CLOEXEC);
    else
        errno = ENAMETOOLONG;
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    mode_t mask = umask(0);
    umask(mask);
    bool good = file && fchmod(fd, 0666 & ~mask) == 0 && fwrite(text, 1, length, file) == length;
    int error = errno;
    if (file && fclose(file) != 0 && good) {
        good = false;
        error = errno;
    } else if (!file && fd >= 0) {
        close(fd);
    }
    if (good && rename(temporary, path) != 0) {
        good = false;
        error = errno;
    }
    if (good)
        return 0;
    if (fd >= 0)
        unlink(temporary);
    fprintf(stderr, "simulate: cannot write '%s': %s\n", path, strerror(error));
    return EXIT_USAGE;
}

static int write_trace(const char *path, const char *text)
{
    struct stat status;
    size_t length = strlen(text);
    bool special = path && stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    return path && !special ? write_file(path, text, length) : write_out(path, text, length);
}

static int capture(const fs_capture_options *options, const char *output)
{
    char *text;
    int result = EXIT_USAGE;
    fs_status status = fs_capture(options, &text);
    if (status == FS_OK) {
        result = write_trace(output, text);
    } else if (status == FS_BAD_INPUT) {
        for (char *line = text, *end; *line; line = end + 1) {
            end = line + strcspn(line, "\n");
            bool has_name = strncmp(line, "simulate: ", 10) == 0; /* it is about no file */
            fprintf(stderr, "%s%.*s\n", has_name ? "" : "simulate: ", (int)(end - line), line);
            if (!*end)
                break;
        }
    } else {
        result = report_failure(status);
    }
    free(text);
    return result;
}

/* Words behind `--` are the compiler; getopt shall not see them. */
static int find_compiler(int argc, char **argv, fs_capture_options *options)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0) {
            options->compiler = (const char *const *)argv + i + 1;
            options->compiler_count = (size_t)(argc - i - 1);
            return i;
        }
    return argc;
}

/* --offset, --length and --address are about the last --raw. */
static bool set_raw(const fs_capture_options *options, struct lists *lists, int option,
                    const char *text)
{
    char *end;
    static const char *const names[] = {"--offset", "--length", "--address"};
    const char *name = names[option - OPT_OFFSET];
    if (!options->raw_count) {
        fprintf(stderr, "simulate: %s %s: expected --raw FILE before it\n", name, text);
        return false;
    }
    fs_capture_raw *raw = &lists->raws[options->raw_count - 1];
    errno = 0;
    unsigned long long number = strtoull(text, &end, 0);
    if (errno || end == text || *end || strchr(text, '-') ||
        (option == OPT_LENGTH && number == 0)) {
        fprintf(stderr, "simulate: %s: found '%s', expected a number\n", name, text);
        return false;
    }
    *(option == OPT_OFFSET   ? &raw->offset
      : option == OPT_LENGTH ? &raw->length
                             : &raw->address) = number;
    return true;
}

/* How a running process is found. */
static bool set_live(fs_capture_options *options, int option, const char *text)
{
    char *end;
    errno = 0;
    if (option == OPT_PID) {
        options->live_pid = strtol(text, &end, 10);
        if (!errno && end != text && !*end && options->live_pid > 0 && options->live_pid < INT_MAX)
            return true;
        fprintf(stderr, "simulate: --pid: found '%s', expected the number of a process\n", text);
        return false;
    }
    options->live_seconds = strtod(text, &end);
    if (!errno && end != text && !*end && options->live_seconds > 0 && options->live_seconds < 1e6)
        return true;
    fprintf(stderr, "simulate: --max-seconds: found '%s', expected a number of seconds\n", text);
    return false;
}

/* Words behind `--` are a compiler, or with --live the program that is run. */
static bool check_live(fs_capture_options *options, bool runs)
{
    const char *wrong = NULL;
    if (runs && options->live_pid)
        wrong = "--live runs a program; it cannot be given with --pid";
    else if (runs && !options->compiler_count)
        wrong = "--live: expected the program to run behind --";
    else if (!runs && !options->live_pid != !options->live_functions)
        wrong = "--pid and --function belong together";
    if (wrong)
        fprintf(stderr, "simulate: %s\n", wrong);
    if (runs) {
        options->live_command = options->compiler;
        options->live_command_count = options->compiler_count;
        options->compiler = NULL;
        options->compiler_count = 0;
    }
    return !wrong;
}

static int take_options(int argc, char **argv, fs_capture_options *options, struct lists *lists,
                        const char **output)
{
    int option;
    bool runs = false;
    optind = 1;
    while ((option = getopt_long(argc, argv, "o:h", long_options, NULL)) != -1) {
        switch (option) {
        case 'h':
            return fputs(usage, stdout) < 0 || fflush(stdout) != 0 ? EXIT_INTERNAL : 0;
        case 'o':
            *output = optarg;
            break;
        case OPT_NAME:
            options->name = optarg;
            break;
        case OPT_PROFILE:
            options->profile = optarg;
            break;
        case OPT_RAW:
            lists->raws[options->raw_count++].path = optarg;
            break;
        case OPT_OFFSET:
        case OPT_LENGTH:
        case OPT_ADDRESS:
            if (!set_raw(options, lists, option, optarg))
                return EXIT_USAGE;
            break;
        case OPT_PID:
        case OPT_SECONDS:
            if (!set_live(options, option, optarg))
                return EXIT_USAGE;
            break;
        case OPT_LIVE:
            runs = true;
            /* fall through */
        case OPT_FUNCTION:
            options->live_functions = optarg;
            break;
        default:
            if (add_word(options, lists, option, optarg))
                break;
            fprintf(stderr, "try 'simulate capture --help'\n");
            return EXIT_USAGE;
        }
    }
    return check_live(options, runs) ? -1 : EXIT_USAGE;
}

int command_capture(int argc, char **argv)
{
    fs_capture_options options;
    struct lists lists = {0};
    const char *output = NULL;
    signal(SIGPIPE, SIG_IGN);
    fs_capture_options_init(&options);
    if (!make_lists(&lists, &options, argc)) {
        free_lists(&lists);
        return capture(&options, NULL);
    }
    int own = find_compiler(argc, argv, &options);
    int result = own < argc && !options.compiler_count ? EXIT_USAGE : -1;
    if (result >= 0)
        fprintf(stderr, "simulate: found nothing behind --, expected a compiler or a program\n");
    else
        result = take_options(own, argv, &options, &lists, &output);
    if (result < 0) {
        options.targets = (const char *const *)argv + optind;
        options.target_count = (size_t)(own - optind);
        result = capture(&options, output);
    }
    free_lists(&lists);
    return result;
}
