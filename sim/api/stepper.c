/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The public stepper: reads a trace, explores it once to know its outcomes, then follows one
 * execution without reduction, so that each instruction is a step of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "include/fencesim/fencesim.h"
#include "sim/input/load.h"
#include "sim/run/stepping.h"

/* Enough to learn which loads may be made early; the stepper learns on its own beyond. */
enum { LEARN_STATES = 20000 };

/* Whoever wants to step does not want to wait. */
enum { EXPLORED_STATES_MAX = 1000000 };

struct fs_stepper {
    struct region region;
    struct diagnostics diagnostics;
    const char **lines; /* diagnostics as text */
    size_t line_count;
    struct stepping *stepping; /* NULL: the input is bad */
};

static const struct place nowhere = {0, 0};

static int choose_variant(struct fs_stepper *s, const struct program *program,
                          const fs_options *options)
{
    if (options->variant_count == 0)
        return 0;
    int found = program_variant(program, options->variants[0]);
    if (found == NO_INDEX)
        diagnostics_add(&s->diagnostics, "", nowhere, "no trace has a variant '%s'",
                        options->variants[0]);
    return found;
}

/* The profile that was asked for, else the first that the trace names, else x86. */
static const struct profile *choose_profile(struct fs_stepper *s, const struct program *program,
                                            const fs_options *options)
{
    const char *name = options->profile_count ? options->profiles[0] : NULL;
    for (size_t i = 0; !name && i < program->expectation_count; i++) {
        const struct name_list *list = &program->expectations[i].profiles;
        if (list->count && !list->except)
            name = list->names[0];
    }
    return profile_load(&s->region, name ? name : "x86", &s->diagnostics);
}

/* Of two limits, of which 0 is none. */
static uint64_t least(uint64_t a, uint64_t b) { return a && a < b ? a : b; }

static void open_stepping(struct fs_stepper *s, const char *path, const fs_options *options)
{
    struct source_list sources = {.region = &s->region};
    struct program *program = load_one(&s->region, path, "step through", &sources, &s->diagnostics);
    if (!program)
        return;
    int variant = choose_variant(s, program, options);
    const struct profile *profile = choose_profile(s, program, options);
    if (variant == NO_INDEX || !profile || s->diagnostics.count)
        return;
    struct run_options run = {.order = true,
                              .reduce = true,
                              .relaxed = true,
                              .witness = WITNESS_NONE,
                              .findings = FINDINGS_NONE,
                              .max_states = least(options->max_states, EXPLORED_STATES_MAX),
                              .max_seconds = options->max_seconds,
                              .max_memory = options->max_memory,
                              .stop = options->stop};
    s->stepping = stepping_new(&s->region, program, (uint32_t)variant, profile, &run, LEARN_STATES);
    const struct result *result = stepping_result(s->stepping);
    for (size_t i = 0; i < result->bad_input_count; i++)
        diagnostics_add(&s->diagnostics, program->file, result->bad_inputs[i].place, "%s",
                        result->bad_inputs[i].message);
    if (stepping_problem(s->stepping))
        diagnostics_add(&s->diagnostics, program->file, nowhere, "%s",
                        stepping_problem(s->stepping));
}

static fs_status open_guarded(struct fs_stepper *s, const char *path, const fs_options *options)
{
    if (region_guard(&s->region))
        return FS_NO_MEMORY;
    diagnostics_init(&s->diagnostics, &s->region);
    open_stepping(s, path, options);
    s->lines = diagnostics_lines(&s->diagnostics, &s->line_count);
    if (s->line_count)
        s->stepping = NULL;
    return s->line_count ? FS_BAD_INPUT : FS_OK;
}

fs_status fs_stepper_open(const char *path, const fs_options *options, fs_stepper **stepper)
{
    *stepper = calloc(1, sizeof **stepper);
    if (!*stepper)
        return FS_NO_MEMORY;
    region_init(&(*stepper)->region, 0);
    fs_status status = open_guarded(*stepper, path, options);
    if (status == FS_NO_MEMORY) {
        fs_stepper_free(*stepper);
        *stepper = NULL;
    }
    return status;
}

void fs_stepper_free(fs_stepper *stepper)
{
    if (!stepper)
        return;
    region_release(&stepper->region);
    free(stepper);
    exec_thread_close();
}

const char *fs_stepper_diagnostic(const fs_stepper *stepper, size_t index)
{
    return index < stepper->line_count ? stepper->lines[index] : NULL;
}

const char *fs_stepper_title(const fs_stepper *stepper)
{
    return stepper->stepping ? stepping_title(stepper->stepping) : NULL;
}

const char *fs_stepper_state(const fs_stepper *stepper)
{
    return stepper->stepping ? stepping_state(stepper->stepping) : NULL;
}

const char *fs_stepper_choice(const fs_stepper *stepper, size_t index)
{
    return stepper->stepping ? stepping_choice(stepper->stepping, index) : NULL;
}

const char *fs_stepper_step(const fs_stepper *stepper, size_t index)
{
    return stepper->stepping ? stepping_step(stepper->stepping, index) : NULL;
}

/* What is left after an unwinding is not to be looked at. */
static fs_status move(fs_stepper *stepper, void (*how)(struct stepping *, size_t), size_t argument)
{
    struct stepping *stepping = stepper->stepping;
    stepper->stepping = NULL;
    if (region_guard(&stepper->region))
        return FS_NO_MEMORY;
    how(stepping, argument);
    stepper->stepping = stepping;
    return FS_OK;
}

fs_status fs_stepper_take(fs_stepper *stepper, size_t choice)
{
    return fs_stepper_choice(stepper, choice) ? move(stepper, stepping_take, choice) : FS_BAD_INPUT;
}

fs_status fs_stepper_undo(fs_stepper *stepper, size_t count)
{
    return stepper->stepping ? move(stepper, stepping_undo, count) : FS_BAD_INPUT;
}
