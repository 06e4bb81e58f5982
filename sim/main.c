/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command: options in, report out, exit status. Everything else is libfencesim's. */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/fencesim/fencesim.h"
#include "sim/command/capture.h"
#include "sim/command/check.h"
#include "sim/command/completion.h"
#include "sim/command/options.h"
#include "sim/command/progress.h"
#include "sim/command/step.h"
#include "sim/command/values.h"

enum {
    EXIT_USAGE = 2,
    EXIT_UNKNOWN = 3,
    EXIT_INTERNAL = 70,
    NAMES_MAX = 256,
    GRAPH_STATES = 4000, /* of a run that an HTML report lets its reader explore */
    MAPPED_BYTES = 4 << 20
};
struct command {
    fs_options options;
    fs_fit_options fit;
    fs_format format;
    const char *output, *save_baseline;
    int verbosity;
    bool summary; /* `check` */
    char found_baseline[4096];
    enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;
    const char *profiles[NAMES_MAX], *variants[NAMES_MAX], *free_names[NAMES_MAX];
};

static volatile int interrupted;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

static int usage_error(const char *format, const char *argument)
{
    fprintf(stderr, "simulate: ");
    fprintf(stderr, format, argument);
    fprintf(stderr, "\ntry 'simulate --help'\n");
    return EXIT_USAGE;
}

/* Options of `fit`. */
static int take_fit_option(fs_fit_options *options, const char **free_names, int option)
{
    switch (option) {
    case OPT_BASE:
        options->base = optarg;
        return 0;
    case OPT_FREE:
        if (options->free_count == NAMES_MAX)
            return usage_error("too many free parameters at '%s'", optarg);
        free_names[options->free_count++] = optarg;
        return 0;
    default:
        if (!parse_number(optarg, &options->iterations))
            return usage_error("--iterations wants a number, not '%s'", optarg);
        return 0;
    }
}

static int choose_format(struct command *command, const char *name)
{
    char known[256] = "";
    const char *format;
    for (int i = 0; (format = fs_format_name((fs_format)i)); i++) {
        if (strcmp(format, name) == 0) {
            command->format = (fs_format)i;
            return 0;
        }
        size_t length = strlen(known);
        snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "", format);
    }
    fprintf(stderr, "simulate: no format '%s': one of %s\ntry 'simulate --help'\n", name, known);
    return EXIT_USAGE;
}

/* Options that take one of a few words; `chosen` counts them as the table does. */
static void take_word(struct command *command, int option, int chosen)
{
    static const fs_half halves[] = {FS_ORDER_ONLY, FS_TIME_ONLY};
    static const fs_witness witnesses[] = {FS_WITNESS_NONE, FS_WITNESS_FIRST, FS_WITNESS_ALL};
    static const fs_findings findings[] = {FS_FINDINGS_NONE, FS_FINDINGS_STATIC, FS_FINDINGS_ALL};
    switch (option) {
    case OPT_ONLY:
        command->options.half = halves[chosen];
        break;
    case OPT_WITNESS:
        command->options.witness = witnesses[chosen];
        break;
    case OPT_FINDINGS:
        command->options.findings = findings[chosen];
        break;
    case OPT_COLOR:
        command->color = (enum color)chosen;
        break;
    case OPT_REDUCTION:
        command->options.reduce = chosen == 1;
        break;
    case OPT_LOSS:
        command->fit.loss = (fs_loss)chosen;
        break;
    }
}

static int take_option(struct command *command, int option)
{
    const struct option_row *row = option_by_key(option);
    if (row && row->takes == TAKES_WORD) {
        int word = option_word(option, optarg);
        if (word < 0)
            fprintf(stderr, "simulate: --%s wants %s, not '%s'\ntry 'simulate --help'\n", row->name,
                    row->argument, optarg);
        else
            take_word(command, option, word);
        return word < 0 ? EXIT_USAGE : 0;
    }
    fs_options *options = &command->options;
    uint64_t number;
    switch (option) {
    case 'p':
        if (options->profile_count == NAMES_MAX)
            return usage_error("too many profiles at '%s'", optarg);
        command->profiles[options->profile_count++] = optarg;
        return 0;
    case 'V':
        if (options->variant_count == NAMES_MAX)
            return usage_error("too many variants at '%s'", optarg);
        command->variants[options->variant_count++] = optarg;
        return 0;
    case 'o':
        command->output = optarg;
        return 0;
    case 'q':
        command->verbosity = -1;
        return 0;
    case 'v':
        command->verbosity = 1;
        return 0;
    case 'f':
        return choose_format(command, optarg);
    case OPT_KINDS:
        options->kinds = optarg;
        return 0;
    case OPT_SAVE:
        command->save_baseline = optarg;
        return 0;
    case OPT_BASELINE:
        options->baseline = optarg;
        return 0;
    case OPT_TOLERANCE:
        if (!parse_percent(optarg, &options->tolerance))
            return usage_error("--tolerance wants a percentage such as 5%%, not '%s'", optarg);
        return 0;
    case OPT_TIMELINE:
        options->timeline = true;
        return 0;
    case OPT_BASE:
    case OPT_FREE:
    case OPT_ITERATIONS:
        return take_fit_option(&command->fit, command->free_names, option);
    case OPT_STATES:
        if (!parse_number(optarg, &options->max_states))
            return usage_error("--max-states wants a number, not '%s'", optarg);
        return 0;
    case OPT_SECONDS:
        if (!parse_seconds(optarg, &options->max_seconds))
            return usage_error("--max-seconds wants a number of seconds, not '%s'", optarg);
        return 0;
    case OPT_MEMORY:
        if (!parse_size(optarg, &options->max_memory))
            return usage_error("--max-memory wants a size such as 512MiB, not '%s'", optarg);
        return 0;
    case 'j':
        if (!parse_number(optarg, &number) || number > 1024)
            return usage_error("--jobs wants a number up to 1024, not '%s'", optarg);
        options->jobs = (unsigned)number;
        return 0;
    default: /* getopt has said what is wrong */
        fprintf(stderr, "try 'simulate --help'\n");
        return EXIT_USAGE;
    }
}

static int report_failure(fs_status status)
{
    fprintf(stderr, "simulate: %s\n",
            status == FS_NO_MEMORY ? "memory ran out" : "an internal error");
    return EXIT_INTERNAL;
}

/* Writes everything or says why not; a reader that went away (EPIPE) is no error of ours. */
static int write_out(const char *path, const char *text, size_t length)
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

/* Runs `write` into memory, then writes that out: a reader that goes away is no error. */
static int write_from(bool (*write)(FILE *out, void *argument), void *argument)
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

static bool write_help(FILE *out, void *nothing)
{
    (void)nothing;
    write_usage(out);
    return true;
}

static bool wants_color(const struct command *command)
{
    if (command->color != COLOR_AUTO)
        return command->color == COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return !command->output && isatty(STDOUT_FILENO) && (!no_color || !*no_color) &&
           (!terminal || strcmp(terminal, "dumb") != 0);
}

/* `profiles` and `explain`: a list, or one entry by name. */
typedef fs_status write_list(const char *name, fs_format format, char **text);

static int list(struct command *command, write_list *write, const char *name)
{
    char *text;
    if (command->format != FS_FORMAT_TEXT && command->format != FS_FORMAT_JSON)
        return usage_error("profiles and explain are text or json, not %s",
                           fs_format_name(command->format));
    fs_status status = write(name, command->format, &text);
    if (status == FS_BAD_INPUT) {
        fprintf(stderr, "simulate: %s", text);
        free(text);
        return EXIT_USAGE;
    }
    if (status != FS_OK)
        return report_failure(status);
    int result = write_out(command->output, text, strlen(text));
    free(text);
    return result;
}

/* The first word of each line, with spaces between them; in place. */
static void keep_names(char *lines)
{
    char *out = lines;
    while (*lines) {
        size_t word = strcspn(lines, " \n"), line = strcspn(lines, "\n");
        memmove(out, lines, word);
        lines += line + (lines[line] == '\n');
        out += word;
        *out++ = *lines ? ' ' : '\0';
    }
    *out = '\0';
}

struct completion_request {
    const char *shell;
    struct completion_names names;
};

static bool write_script(FILE *out, void *argument)
{
    const struct completion_request *request = argument;
    return write_completion(out, request->shell, &request->names);
}

static int completion(const char *shell)
{
    char *profiles = NULL, *rules = NULL;
    fs_status status = fs_profiles_text(NULL, FS_FORMAT_TEXT, &profiles);
    if (status == FS_OK)
        status = fs_rules_text(NULL, FS_FORMAT_TEXT, &rules);
    int done = status == FS_OK ? 0 : report_failure(status);
    if (done == 0) {
        keep_names(profiles);
        keep_names(rules);
        struct completion_request request = {shell, {profiles, rules}};
        done = write_from(write_script, &request);
        if (done == EXIT_USAGE)
            usage_error("completion is for bash, zsh and fish, not for '%s'", shell);
    }
    free(profiles);
    free(rules);
    return done;
}

static int convert(struct command *command, const char *path)
{
    char *text;
    const char *variant = command->options.variant_count ? command->variants[0] : NULL;
    fs_status status = fs_convert(path, variant, &text);
    if (status != FS_OK && status != FS_BAD_INPUT)
        return report_failure(status);
    if (status == FS_BAD_INPUT)
        fputs(text, stderr);
    int written = status == FS_OK ? write_out(command->output, text, strlen(text)) : EXIT_USAGE;
    free(text);
    return written;
}

/* What bad input or an interruption left out would be missing in it. */
static int save_baseline(const char *path, fs_report *report, int result)
{
    const char *text;
    size_t length;
    if (interrupted || result == EXIT_USAGE || result == EXIT_INTERNAL) {
        fprintf(stderr, "simulate: '%s' was not saved: not everything could be run\n", path);
        return 0;
    }
    fs_status status = fs_report_baseline(report, &text, &length);
    if (status == FS_BAD_INPUT) {
        fprintf(stderr,
                "simulate: '%s' was not saved: no run has cycles; name a profile that has "
                "some, such as -p zen4\n",
                path);
        return EXIT_USAGE;
    }
    return status == FS_OK ? write_out(path, text, length) : report_failure(status);
}

static int save_fitted(const char *path, fs_fit_result *result)
{
    const char *text;
    size_t length;
    fs_status status = fs_fit_profile(result, &text, &length);
    if (status == FS_BAD_INPUT) {
        fprintf(stderr, "simulate: '%s' was not written: nothing was fitted\n", path);
        return fs_fit_complete(result) ? EXIT_USAGE : EXIT_UNKNOWN;
    }
    return status == FS_OK ? write_out(path, text, length) : report_failure(status);
}

static int fit(struct command *command, const char *path)
{
    fs_fit_options *options = &command->fit;
    fs_fit_result *result;
    const char *text, *line;
    size_t length;
    if (command->format != FS_FORMAT_TEXT && command->format != FS_FORMAT_JSON)
        return usage_error("%s", "fit reports as text or json");
    if (command->output && options->free_count == 0)
        return usage_error("-o '%s' takes the fitted profile: name what is --free",
                           command->output);
    options->free_names = command->free_names;
    options->stop = &interrupted;
    options->jobs = command->options.jobs;
    options->max_seconds = command->options.max_seconds;
    options->max_memory = command->options.max_memory;
    fs_status status = fs_fit(path, options, &result);
    if (!result)
        return report_failure(status);
    for (size_t i = 0; (line = fs_fit_diagnostic(result, i)); i++)
        fprintf(stderr, "%s\n", line);
    int done = status == FS_OK ? 0 : EXIT_USAGE;
    if (status == FS_OK) {
        status = fs_fit_write(result, command->format, command->verbosity, &text, &length);
        done = status == FS_OK ? write_out(NULL, text, length) : report_failure(status);
    }
    if (done == 0 && command->output)
        done = save_fitted(command->output, result);
    if (done == 0 && !fs_fit_complete(result))
        done = EXIT_UNKNOWN;
    fs_fit_free(result);
    return done;
}

static int run(struct command *command, const char *const *paths, size_t count)
{
    fs_report *report;
    const char *text, *line;
    size_t length;
    if (command->format == FS_FORMAT_HERD) { /* which has no place for either */
        command->options.relaxed = false;
        command->options.findings = FS_FINDINGS_NONE;
    }
    if (command->format == FS_FORMAT_HTML) {
        command->options.graph_states = GRAPH_STATES;
        command->options.timeline = true;
    }
    bool quiet = command->format == FS_FORMAT_TEXT && (command->verbosity < 0 || command->summary);
    if (command->format == FS_FORMAT_HERD || quiet)
        command->options.explain = false;
    fs_progress progress = {0};
    command->options.progress = &progress;
    progress_start(&progress);
    fs_status status = fs_run(paths, count, &command->options, &report);
    progress_stop();
    if (!report)
        return report_failure(status);
    for (size_t i = 0; (line = fs_report_diagnostic(report, i)); i++)
        fprintf(stderr, "%s\n", line);
    fs_style style = {.color = wants_color(command),
                      .verbosity = command->verbosity,
                      .summary = command->summary};
    int result = fs_report_exit_status(report);
    if (interrupted && result == 0)
        result = EXIT_UNKNOWN; /* what was asked for was not all done */
    status = fs_report_write(report, command->format, &style, &text, &length);
    int written =
        status == FS_OK ? write_out(command->output, text, length) : report_failure(status);
    if (command->format != FS_FORMAT_TEXT && command->format != FS_FORMAT_JSON)
        for (size_t i = 0; (line = fs_report_regression(report, i)); i++)
            fprintf(stderr, "simulate: regression: %s\n", line);
    if (command->save_baseline && !written)
        written = save_baseline(command->save_baseline, report, result);
    if (command->summary && command->options.baseline && !fs_report_compared(report) &&
        result != EXIT_USAGE) {
        fprintf(stderr,
                "simulate: '%s' has no cost of this run; name the profiles (-p) and the files as "
                "when it was saved\n",
                command->options.baseline);
        result = EXIT_USAGE;
    }
    fs_report_free(report);
    return written ? written : result;
}

/* `check DIR` compares with the baseline in DIR, unless one is named or saved. */
static int check(struct command *command, const char *const *paths, size_t count)
{
    fs_options *options = &command->options;
    command->summary = true;
    if (!options->baseline && !command->save_baseline) {
        if (!check_find_baseline(paths, count, command->found_baseline,
                                 sizeof command->found_baseline))
            return usage_error("a second baseline is '%s'; name one with --baseline",
                               command->found_baseline);
        if (command->found_baseline[0])
            options->baseline = command->found_baseline;
    }
    return run(command, paths, count);
}

/*
 * Large tables grow in place then, and give their memory back: with the C library's growing
 * threshold they are copied within the heap, where the old ones stay.
 */
static void keep_memory_close(void)
{
    mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
    mallopt(M_TRIM_THRESHOLD, MAPPED_BYTES); /* the next program needs it again */
    mallopt(M_TOP_PAD, MAPPED_BYTES / 4);
}

static void catch_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    action.sa_flags = (int)SA_RESETHAND; /* a second one kills */
    sigaction(SIGINT, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int main(int argc, char **argv)
{
    struct command command = {0};
    struct option long_options[OPTIONS_MAX];
    char letters[2 * OPTIONS_MAX];
    int option, problem;
    fs_options_init(&command.options);
    fs_fit_options_init(&command.fit);
    command.options.profiles = command.profiles;
    command.options.variants = command.variants;
    command.options.stop = &interrupted;
    keep_memory_close();
    if (argc > 1 && strcmp(argv[1], "capture") == 0)
        return command_capture(argc - 1, argv + 1);
    catch_signals();
    options_for_getopt(long_options, letters);
    while ((option = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
        if (option == 'h')
            return write_from(write_help, NULL);
        if (option == OPT_VERSION)
            return write_out(NULL, "simulate " FS_VERSION "\n",
                             strlen("simulate " FS_VERSION "\n"));
        if ((problem = take_option(&command, option)))
            return problem;
    }
    if (optind == argc)
        return usage_error("%s", "no trace given");
    if (strcmp(argv[optind], "completion") == 0) {
        if (argc - optind != 2)
            return usage_error("%s", "completion takes a shell: bash, zsh or fish");
        return completion(argv[optind + 1]);
    }
    if (strcmp(argv[optind], "convert") == 0) {
        if (argc - optind != 2)
            return usage_error("%s", "convert takes one file");
        return convert(&command, argv[optind + 1]);
    }
    if (strcmp(argv[optind], "fit") == 0) {
        if (argc - optind != 2)
            return usage_error("%s", "fit takes one file of measured loops");
        return fit(&command, argv[optind + 1]);
    }
    if (strcmp(argv[optind], "step") == 0) {
        if (argc - optind != 2)
            return usage_error("%s", "step takes one file");
        return step(&command.options, argv[optind + 1]);
    }
    bool profiles = strcmp(argv[optind], "profiles") == 0;
    if (profiles || strcmp(argv[optind], "explain") == 0) {
        if (argc - optind > 2)
            return usage_error("one name is enough, not also '%s'", argv[optind + 2]);
        return list(&command, profiles ? fs_profiles_text : fs_rules_text, argv[optind + 1]);
    }
    if (strcmp(argv[optind], "check") == 0 && argc - optind == 1)
        return usage_error("%s", "check takes files or folders");
    if (strcmp(argv[optind], "check") == 0)
        return check(&command, (const char *const *)argv + optind + 1, (size_t)(argc - optind - 1));
    return run(&command, (const char *const *)argv + optind, (size_t)(argc - optind));
}
