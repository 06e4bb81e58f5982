/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From options and their arguments to what they ask for. */
#include <string.h>

#include "sim/command/command.h"
#include "sim/command/options.h"
#include "sim/command/values.h"

static int add_name(const char **names, size_t *count, const char *complaint)
{
    if (*count == NAMES_MAX)
        return usage_error(complaint, optarg);
    names[(*count)++] = optarg;
    return 0;
}

/* Options of `fit`. */
static int take_fit_option(fs_fit_options *options, const char **free_names, int option)
{
    switch (option) {
    case OPT_BASE:
        options->base = optarg;
        return 0;
    case OPT_FREE:
        return add_name(free_names, &options->free_count, "too many free parameters at '%s'");
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

static int choose_word(struct command *command, const struct option_row *row)
{
    int word = option_word(row->key, optarg);
    if (word < 0) {
        fprintf(stderr, "simulate: --%s wants %s, not '%s'\ntry 'simulate --help'\n", row->name,
                row->argument, optarg);
        return EXIT_USAGE;
    }
    take_word(command, row->key, word);
    return 0;
}

/* Options that take a number with a unit. */
static int take_amount(fs_options *options, int option)
{
    uint64_t number;
    switch (option) {
    case OPT_TOLERANCE:
        if (!parse_percent(optarg, &options->tolerance))
            return usage_error("--tolerance wants a percentage such as 5%%, not '%s'", optarg);
        return 0;
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
    default:
        if (!parse_number(optarg, &number) || number > 1024)
            return usage_error("--jobs wants a number up to 1024, not '%s'", optarg);
        options->jobs = (unsigned)number;
        return 0;
    }
}

int take_option(struct command *command, int option)
{
    const struct option_row *row = option_by_key(option);
    if (row)
        command->given |= UINT64_C(1) << (row - option_rows);
    if (row && row->takes == TAKES_WORD)
        return choose_word(command, row);
    fs_options *options = &command->options;
    switch (option) {
    case 'p':
        return add_name(command->profiles, &options->profile_count, "too many profiles at '%s'");
    case 'V':
        return add_name(command->variants, &options->variant_count, "too many variants at '%s'");
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
    case OPT_TIMELINE:
        options->timeline = true;
        return 0;
    case OPT_BASE:
    case OPT_FREE:
    case OPT_ITERATIONS:
        return take_fit_option(&command->fit, command->free_names, option);
    case OPT_TOLERANCE:
    case OPT_STATES:
    case OPT_SECONDS:
    case OPT_MEMORY:
    case 'j':
        return take_amount(options, option);
    default: /* getopt has said what is wrong */
        fprintf(stderr, "try 'simulate --help'\n");
        return EXIT_USAGE;
    }
}
