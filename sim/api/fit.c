/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The public interface of fitting: what is done in which order, and who owns what. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/clock.h"
#include "sim/base/text.h"
#include "sim/fit/fit.h"
#include "sim/isa/insn.h"
#include "sim/report/fit.h"

enum { ITERATIONS_LEAST = 100, ITERATIONS_MOST = 1000000, LEFT_OUT_SHOWN = 3 };

struct fs_fit_result {
    struct region region; /* loops, profile, figures */
    struct region output; /* the text written last */
    struct diagnostics diagnostics;
    fs_fit_options options;
    struct fit fit;
    const char **lines; /* diagnostics as text */
    size_t line_count;
};

void fs_fit_options_init(fs_fit_options *options)
{
    *options = (fs_fit_options){
        .size = sizeof *options, .iterations = 4000, .max_memory = UINT64_C(4) << 30};
}

static void complain(struct fit *fit, const char *message)
{
    diagnostics_add(fit->diagnostics, "", (struct place){0}, "%s", message);
}

/* ---- preparing ---- */

static void check_options(struct fit *fit)
{
    uint64_t iterations = fit->options->iterations;
    if (!fit->options->base)
        complain(fit, "name the profile to begin with: --base NAME");
    if (iterations < ITERATIONS_LEAST || iterations > ITERATIONS_MOST)
        complain(fit, "the loops' iterations are from 100 to 1000000");
}

static void load_base(struct fit *fit)
{
    fit->base = profile_load(fit->region, fit->options->base, fit->diagnostics);
    if (fit->base && !fit->base->has_cycles)
        complain(fit, region_printf(fit->region,
                                    "the profile '%s' has no cycles; a part such as zen4 has some",
                                    fit->base->name));
}

/* Groups in the order in which the file has them. */
static void make_groups(struct fit *fit)
{
    fit->groups = region_array(fit->region, fit->timed_count + 1, sizeof *fit->groups);
    for (size_t i = 0; i < fit->timed_count; i++) {
        struct fit_loop *loop = &fit->loops.items[fit->timed[i]];
        size_t at = 0;
        while (at < fit->group_count && strcmp(fit->groups[at].name, loop->group) != 0)
            at++;
        if (at == fit->group_count)
            fit->groups[fit->group_count++].name = loop->group;
        fit->groups[at].count++;
        loop->group_index = at;
    }
}

/* Times all loops with the base; those that cannot be are left out. */
static bool time_before(struct fit *fit)
{
    struct region *region = fit->region;
    double *cycles = region_array(region, fit->loops.count + 1, sizeof *cycles);
    fit->timed = region_array(region, fit->loops.count + 1, sizeof *fit->timed);
    for (uint32_t i = 0; i < fit->loops.count; i++)
        if (!fit->loops.items[i].left_out)
            fit->timed[fit->timed_count++] = i;
    if (!fit_time(fit, &fit->base->cycles, fit->timed, fit->timed_count, cycles))
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < fit->timed_count; i++) {
        struct fit_loop *loop = &fit->loops.items[fit->timed[i]];
        loop->before = loop->after = cycles[i];
        if (cycles[i] <= 0)
            loop->left_out = cycles[i] < 0 ? fit_problem(fit, loop) : "it takes no time";
        else
            fit->timed[kept++] = fit->timed[i];
    }
    fit->timed_count = kept;
    return true;
}

static void refuse_empty(struct fit *fit)
{
    size_t shown = 0;
    if (fit->timed_count > 0)
        return;
    diagnostics_add(fit->diagnostics, fit->file, (struct place){0}, "not one loop can be timed");
    for (size_t i = 0; i < fit->loops.count && shown < LEFT_OUT_SHOWN; i++, shown++)
        diagnostics_add(fit->diagnostics, fit->file, fit->loops.items[i].place, "'%s': %s",
                        fit->loops.items[i].name, fit->loops.items[i].left_out);
}

/* ---- the fit ---- */

static void sum_groups(struct fit *fit)
{
    for (size_t i = 0; i < fit->timed_count; i++) {
        const struct fit_loop *loop = &fit->loops.items[fit->timed[i]];
        struct fit_group *group = &fit->groups[loop->group_index];
        group->before += fit_error(loop, loop->before) / (double)group->count;
        group->after += fit_error(loop, loop->after) / (double)group->count;
    }
}

static void run(struct fit *fit, const char *path)
{
    check_options(fit);
    if (fit->diagnostics->count > 0)
        return;
    load_base(fit);
    fit_read_loops(fit, path);
    if (fit->base && fit->base->has_cycles)
        fit_choose_parameters(fit);
    if (fit->diagnostics->count > 0)
        return;
    fit_start_timer(fit);
    fit->is_timed = time_before(fit);
    if (!fit->is_timed) {
        fit->timed_count = 0;
        return;
    }
    refuse_empty(fit);
    if (fit->diagnostics->count > 0)
        return;
    make_groups(fit);
    if (fit->options->free_count == 0) {
        fit_find_effects(fit);
    } else {
        fit_search(fit);
        fit_find_worth(fit);
    }
    sum_groups(fit);
}

static fs_status fit_guarded(fs_fit_result *result, const char *path)
{
    struct fit *fit = &result->fit;
    if (region_guard(&result->region))
        return FS_NO_MEMORY;
    diagnostics_init(&result->diagnostics, &result->region);
    *fit = (struct fit){.region = &result->region,
                        .diagnostics = &result->diagnostics,
                        .options = &result->options};
    if (result->options.base)
        result->options.base = region_strdup(&result->region, result->options.base);
    if (result->options.max_seconds > 0)
        fit->until = seconds_now() + result->options.max_seconds;
    run(fit, path);
    result->lines = diagnostics_lines(&result->diagnostics, &result->line_count);
    return result->line_count ? FS_BAD_INPUT : FS_OK;
}

fs_status fs_fit(const char *path, const fs_fit_options *options, fs_fit_result **result)
{
    *result = NULL;
    fs_fit_result *made = calloc(1, sizeof *made);
    if (!made)
        return FS_NO_MEMORY;
    made->options = *options;
    region_init(&made->region, (size_t)options->max_memory);
    region_init(&made->output, 0);
    fs_status status = fit_guarded(made, path);
    decoder_close();
    if (status == FS_NO_MEMORY) {
        fs_fit_free(made);
        return status;
    }
    *result = made;
    return status;
}

void fs_fit_free(fs_fit_result *result)
{
    if (!result)
        return;
    region_release(&result->region);
    region_release(&result->output);
    free(result);
}

/* ---- what came out ---- */

const char *fs_fit_diagnostic(const fs_fit_result *result, size_t index)
{
    return index < result->line_count ? result->lines[index] : NULL;
}

bool fs_fit_complete(const fs_fit_result *result)
{
    return result->line_count == 0 && result->fit.end == FIT_CONVERGED;
}

enum what { REPORT_TEXT, REPORT_JSON, PROFILE };

static fs_status write_guarded(fs_fit_result *result, enum what what, int verbosity,
                               struct text *out)
{
    region_release(&result->output);
    if (region_guard(&result->output))
        return FS_NO_MEMORY;
    text_init(out, &result->output);
    text_add(out, "");
    if (what == PROFILE)
        return fit_write_profile(out, &result->fit) ? FS_OK : FS_BAD_INPUT;
    if (what == REPORT_JSON)
        return write_fit_json(out, &result->fit, verbosity) ? FS_OK : FS_NO_MEMORY;
    write_fit(out, &result->fit, verbosity);
    return FS_OK;
}

static fs_status hand_out(fs_fit_result *result, enum what what, int verbosity, const char **text,
                          size_t *length)
{
    struct text out = {0};
    fs_status status =
        result->line_count ? FS_BAD_INPUT : write_guarded(result, what, verbosity, &out);
    *text = status == FS_OK ? out.data : "";
    *length = status == FS_OK ? out.length : 0;
    return status;
}

fs_status fs_fit_write(fs_fit_result *result, fs_format format, int verbosity, const char **text,
                       size_t *length)
{
    return hand_out(result, format == FS_FORMAT_JSON ? REPORT_JSON : REPORT_TEXT, verbosity, text,
                    length);
}

fs_status fs_fit_profile(fs_fit_result *result, const char **text, size_t *length)
{
    return hand_out(result, PROFILE, 0, text, length);
}
