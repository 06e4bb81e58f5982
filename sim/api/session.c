/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The public interface: reads all input, runs each program in a job with a region of its own,
 * keeps the results in the order of the input.
 */
#define _GNU_SOURCE /* qsort_r elsewhere; strdup here */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/fencesim/fencesim.h"
#include "sim/base/parallel.h"
#include "sim/input/load.h"
#include "sim/judge/rules.h"
#include "sim/report/report.h"
#include "sim/run/run.h"

enum { EXIT_INTERNAL = 70, TIMELINE_INSTRUCTIONS = 256 };

struct job {
    struct region region;
    const struct program *program;
    const struct profile **profiles;
    size_t profile_count;
    uint32_t *variants;
    size_t variant_count;
    const struct run_options *options;
    struct result_list results;
    bool failed;
};

struct fs_report {
    struct region region; /* input, programs, profiles, diagnostics */
    struct region output; /* the text written last */
    struct diagnostics diagnostics;
    struct run_options options;
    struct job *jobs;
    size_t job_count;
    unsigned threads; /* that were asked for, 0: one per core */
    struct result_list results;
    const char **lines; /* diagnostics as text */
    size_t line_count;
    bool internal;
    const struct baseline *baseline; /* to compare with, NULL: none */
    const struct baseline_comparison *compared;
    const char **regressions; /* as text */
    size_t regression_count;
    struct loaded_profile {
        const char *name;
        const struct profile *profile; /* NULL: it is broken, and was reported */
    } * profiles;
    size_t profile_count, profile_capacity;
};

static const struct place nowhere = {0, 0};

void fs_options_init(fs_options *options)
{
    *options = (fs_options){.size = sizeof *options,
                            .reduce = true,
                            .relaxed = true,
                            .explain = true,
                            .max_states = UINT64_C(20000000),
                            .tolerance = 0.05,
                            .max_memory = UINT64_C(4) << 30};
}

/* ---- choosing profiles and variants ---- */

static const struct profile *get_profile(fs_report *report, const char *name, const char *file,
                                         struct place place)
{
    for (size_t i = 0; i < report->profile_count; i++)
        if (strcmp(report->profiles[i].name, name) == 0)
            return report->profiles[i].profile; /* NULL: its file's errors have been reported */
    size_t errors = report->diagnostics.count;
    const struct profile *profile = profile_load(&report->region, name, &report->diagnostics);
    bool is_unknown = false;
    for (size_t i = errors; !profile && i < report->diagnostics.count; i++)
        if (report->diagnostics.items[i].file[0] == '\0') {
            is_unknown = true;
            if (file) { /* named in a trace: say where it stands, each time */
                report->diagnostics.items[i].file = file;
                report->diagnostics.items[i].place = place;
            }
        }
    if (is_unknown && file)
        return NULL;
    report->profiles = region_push(&report->region, report->profiles, report->profile_count,
                                   &report->profile_capacity, sizeof *report->profiles);
    report->profiles[report->profile_count++] = (struct loaded_profile){name, profile};
    return profile;
}

/* A profile that is only named must exist, but need not be read. */
static void check_profile_name(fs_report *report, const char *name, const char *file,
                               struct place place)
{
    size_t count;
    const char *const *names = profile_names(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return;
    get_profile(report, name, file, place);
}

static void add_profile(fs_report *report, struct job *job, size_t *capacity, const char *name,
                        const char *file, struct place place)
{
    const struct profile *profile = get_profile(report, name, file, place);
    if (!profile)
        return;
    for (size_t i = 0; i < job->profile_count; i++)
        if (job->profiles[i] == profile)
            return;
    job->profiles = region_push(&report->region, job->profiles, job->profile_count, capacity,
                                sizeof *job->profiles);
    job->profiles[job->profile_count++] = profile;
}

static void choose_profiles(fs_report *report, struct job *job, const fs_options *options)
{
    size_t capacity = 0, name_count;
    const struct program *program = job->program;
    const char *const *names = profile_names(&name_count);
    for (size_t i = 0; i < options->profile_count; i++) {
        if (strcmp(options->profiles[i], "all") != 0)
            add_profile(report, job, &capacity, options->profiles[i], NULL, nowhere);
        else
            for (size_t n = 0; n < name_count; n++)
                add_profile(report, job, &capacity, names[n], NULL, nowhere);
    }
    for (size_t i = 0; i < program->expectation_count; i++) {
        const struct expectation *expectation = &program->expectations[i];
        for (size_t n = 0; n < expectation->profiles.count; n++) {
            const char *name = expectation->profiles.names[n];
            if (options->profile_count || expectation->profiles.except)
                check_profile_name(report, name, program->file, expectation->profiles.places[n]);
            else
                add_profile(report, job, &capacity, name, program->file,
                            expectation->profiles.places[n]);
        }
    }
    if (job->profile_count == 0 && options->profile_count == 0)
        add_profile(report, job, &capacity, "x86", NULL, nowhere);
}

/* `expect: finding:` names rules of this program. */
static void check_rule_names(fs_report *report, const struct program *program)
{
    size_t count;
    const struct rule *all = rules(&count);
    const char **ids = region_array(&report->region, count, sizeof *ids);
    for (size_t i = 0; i < count; i++)
        ids[i] = all[i].id;
    for (size_t i = 0; i < program->expectation_count; i++) {
        const struct expectation *expectation = &program->expectations[i];
        if (expectation->kind != EXPECT_FINDING || rule_find(expectation->name))
            continue;
        const char *near = nearest_name(expectation->name, ids, count);
        diagnostics_add(&report->diagnostics, program->file, expectation->place,
                        near ? "no rule '%s' (did you mean '%s'?); 'simulate explain' lists them"
                             : "no rule '%s'; 'simulate explain' lists them",
                        expectation->name, near);
    }
}

static void choose_variants(fs_report *report, struct job *job, const fs_options *options)
{
    const struct program *program = job->program;
    job->variants = region_array(&report->region, program->variant_count, sizeof *job->variants);
    for (uint32_t v = 0; v < program->variant_count; v++) {
        bool wanted = options->variant_count == 0;
        for (size_t i = 0; i < options->variant_count; i++)
            wanted = wanted || strcmp(options->variants[i], program->variants[v].name) == 0;
        if (wanted)
            job->variants[job->variant_count++] = v;
    }
}

static void check_variant_names(fs_report *report, const fs_options *options)
{
    for (size_t i = 0; i < options->variant_count; i++) {
        bool known = false;
        for (size_t j = 0; j < report->job_count; j++)
            known = known || program_variant(report->jobs[j].program, options->variants[i]) >= 0;
        if (!known)
            diagnostics_add(&report->diagnostics, "", nowhere, "no trace has a variant '%s'",
                            options->variants[i]);
    }
}

/* ---- reading ---- */

static void read_input(fs_report *report, const char *const *paths, size_t path_count,
                       const fs_options *options)
{
    struct loaded loaded;
    if (!load(&report->region, paths, path_count, options->kinds, options->jobs, &loaded,
              &report->diagnostics))
        return;
    report->jobs = region_array(&report->region, loaded.count, sizeof *report->jobs);
    for (size_t i = 0; i < loaded.count; i++) {
        struct job *job = &report->jobs[report->job_count++];
        job->program = loaded.items[i];
        job->options = &report->options;
        check_rule_names(report, job->program);
        choose_profiles(report, job, options);
        choose_variants(report, job, options);
    }
    check_variant_names(report, options);
}

/* ---- running ---- */

static void run_job(struct job *job)
{
    region_init(&job->region, 0);
    if (region_guard(&job->region)) {
        job->failed = true;
        return;
    }
    run_program(&job->region, job->program, job->profiles, job->profile_count, job->variants,
                job->variant_count, job->options, &job->results);
}

static void run_one(void *context, unsigned worker, size_t index)
{
    fs_report *report = context;
    (void)worker;
    run_job(&report->jobs[index]);
    if (report->options.progress)
        progress_count(&report->options.progress->files_done, 1);
}

static void leave_thread(void)
{
    decoder_close();
    exec_thread_close();
}

static void run_jobs(fs_report *report, unsigned jobs)
{
    struct parallel parallel = {.run = run_one, .leave = leave_thread, .context = report};
    if (report->options.progress)
        progress_count(&report->options.progress->files, report->job_count);
    parallel_run(&parallel, parallel_threads(jobs, report->job_count), report->job_count);
}

static void gather(fs_report *report)
{
    struct region *region = &report->region;
    for (size_t i = 0; i < report->job_count; i++) {
        const struct job *job = &report->jobs[i];
        if (job->failed) {
            report->internal = true;
            diagnostics_add(&report->diagnostics, job->program->file, nowhere,
                            "memory ran out while it was judged");
        }
        for (size_t n = 0; n < job->results.count; n++) {
            const struct result *result = job->results.items[n];
            for (size_t k = 0; k < result->bad_input_count; k++)
                diagnostics_add(&report->diagnostics, job->program->file,
                                result->bad_inputs[k].place, "%s", result->bad_inputs[k].message);
            report->results.items =
                region_push(region, report->results.items, report->results.count,
                            &report->results.capacity, sizeof *report->results.items);
            report->results.items[report->results.count++] = job->results.items[n];
        }
    }
}

static void compare_with_baseline(fs_report *report, const fs_options *options)
{
    struct region *region = &report->region;
    if (!report->baseline)
        return;
    report->compared =
        baseline_compare(region, report->baseline, &report->results, options->tolerance);
    report->regressions =
        region_array(region, report->compared->regressions + 1, sizeof *report->regressions);
    for (size_t i = 0; i < report->compared->count; i++)
        if (report->compared->changes[i].change == CHANGE_REGRESSION)
            report->regressions[report->regression_count++] =
                regression_line(region, &report->compared->changes[i]);
}

static fs_status run_guarded(fs_report *report, const char *const *paths, size_t path_count,
                             const fs_options *options)
{
    if (region_guard(&report->region))
        return FS_NO_MEMORY;
    diagnostics_init(&report->diagnostics, &report->region);
    report->options =
        (struct run_options){.order = options->half != FS_TIME_ONLY,
                             .time = options->half != FS_ORDER_ONLY,
                             .reduce = options->reduce,
                             .relaxed = options->relaxed,
                             .explain = options->explain,
                             .witness = options->witness == FS_WITNESS_NONE  ? WITNESS_NONE
                                        : options->witness == FS_WITNESS_ALL ? WITNESS_ALL
                                                                             : WITNESS_FIRST,
                             .findings = options->findings == FS_FINDINGS_NONE     ? FINDINGS_NONE
                                         : options->findings == FS_FINDINGS_STATIC ? FINDINGS_STATIC
                                                                                   : FINDINGS_ALL,
                             .max_states = options->max_states,
                             .max_seconds = options->max_seconds,
                             .max_memory = options->max_memory,
                             .stop = options->stop,
                             .progress = options->progress,
                             .graph_states = options->graph_states,
                             .timeline = options->timeline ? TIMELINE_INSTRUCTIONS : 0};
    if (options->baseline)
        report->baseline = baseline_read(&report->region, options->baseline, &report->diagnostics);
    read_input(report, paths, path_count, options);
    report->threads = options->jobs;
    run_jobs(report, options->jobs);
    gather(report);
    compare_with_baseline(report, options);
    report->lines = diagnostics_lines(&report->diagnostics, &report->line_count);
    return report->internal ? FS_INTERNAL : report->line_count ? FS_BAD_INPUT : FS_OK;
}

fs_status fs_run(const char *const *paths, size_t path_count, const fs_options *options,
                 fs_report **report)
{
    *report = NULL;
    fs_report *made = calloc(1, sizeof *made);
    if (!made)
        return FS_NO_MEMORY;
    region_init(&made->region, 0);
    region_init(&made->output, 0);
    fs_status status = run_guarded(made, paths, path_count, options);
    leave_thread();
    if (status == FS_NO_MEMORY) {
        fs_report_free(made);
        return status;
    }
    *report = made;
    return status;
}

void fs_report_free(fs_report *report)
{
    if (!report)
        return;
    for (size_t i = 0; i < report->job_count; i++)
        region_release(&report->jobs[i].region);
    region_release(&report->region);
    region_release(&report->output);
    free(report);
}

const char *fs_report_diagnostic(const fs_report *report, size_t index)
{
    return index < report->line_count ? report->lines[index] : NULL;
}

int fs_report_exit_status(const fs_report *report)
{
    if (report->internal)
        return EXIT_INTERNAL;
    bool violation = false, unknown = false;
    for (size_t i = 0; i < report->results.count; i++) {
        violation = violation || report->results.items[i]->verdict == VERDICT_VIOLATION;
        unknown = unknown || report->results.items[i]->verdict == VERDICT_UNKNOWN;
    }
    violation = violation || (report->compared && report->compared->regressions);
    return report->line_count ? 2 : violation ? 1 : unknown ? 3 : 0;
}

/* ---- formats ---- */

static void write_as_text(struct text *out, const struct report_view *view)
{
    if (view->style && view->style->summary) {
        write_summary(out, view);
        return;
    }
    write_text(out, view->results, view->style);
    if (view->compared)
        write_baseline(out, view->compared, view->style && view->style->color);
}

static void write_as_json(struct text *out, const struct report_view *view)
{
    if (!write_json(out, view->results, view->compared))
        region_fail(out->region);
}

static void write_as_herd(struct text *out, const struct report_view *view)
{
    write_herd(out, view->results, view->threads);
}

static void write_as_dot(struct text *out, const struct report_view *view)
{
    write_dot(out, view->results);
}

static void write_as_svg(struct text *out, const struct report_view *view)
{
    write_svg(out, view->results);
}

static void write_as_html(struct text *out, const struct report_view *view)
{
    write_html(out, view->results, view->compared);
}

/* A writer unwinds when memory runs out. */
static const struct format {
    const char *name;
    void (*write)(struct text *out, const struct report_view *view);
} formats[] = {
    [FS_FORMAT_TEXT] = {"text", write_as_text}, [FS_FORMAT_JSON] = {"json", write_as_json},
    [FS_FORMAT_HERD] = {"herd", write_as_herd}, [FS_FORMAT_JUNIT] = {"junit", write_junit},
    [FS_FORMAT_SARIF] = {"sarif", write_sarif}, [FS_FORMAT_TAP] = {"tap", write_tap},
    [FS_FORMAT_GCC] = {"gcc", write_gcc},       [FS_FORMAT_GITHUB] = {"github", write_github},
    [FS_FORMAT_DOT] = {"dot", write_as_dot},    [FS_FORMAT_SVG] = {"svg", write_as_svg},
    [FS_FORMAT_HTML] = {"html", write_as_html},
};

static const size_t format_count = sizeof formats / sizeof formats[0];

const char *fs_format_name(fs_format format)
{
    return (size_t)format < format_count ? formats[format].name : NULL;
}

static fs_status write_guarded(fs_report *report, fs_format format, const fs_style *style,
                               struct text *out)
{
    const struct report_view view = {.results = &report->results,
                                     .diagnostics = &report->diagnostics,
                                     .compared = report->compared,
                                     .style = style,
                                     .threads = report->threads};
    region_release(&report->output);
    if (region_guard(&report->output))
        return FS_NO_MEMORY;
    text_init(out, &report->output);
    formats[format].write(out, &view);
    return FS_OK;
}

fs_status fs_report_write(fs_report *report, fs_format format, const fs_style *style,
                          const char **text, size_t *length)
{
    struct text out = {0};
    fs_status status =
        fs_format_name(format) ? write_guarded(report, format, style, &out) : FS_BAD_INPUT;
    decoder_close(); /* a page lists code */
    *text = status == FS_OK ? out.data : "";
    *length = status == FS_OK ? out.length : 0;
    return status;
}

/* ---- baselines ---- */

static bool has_cycles(const fs_report *report)
{
    for (size_t i = 0; i < report->results.count; i++)
        if (report->results.items[i]->timed && report->results.items[i]->timed->complete)
            return true;
    return false;
}

static fs_status baseline_guarded(fs_report *report, struct text *out)
{
    if (!has_cycles(report))
        return FS_BAD_INPUT;
    region_release(&report->output);
    if (region_guard(&report->output))
        return FS_NO_MEMORY;
    text_init(out, &report->output);
    return write_baseline_file(out, &report->results) ? FS_OK : FS_NO_MEMORY;
}

fs_status fs_report_baseline(fs_report *report, const char **text, size_t *length)
{
    struct text out = {0};
    fs_status status = baseline_guarded(report, &out);
    *text = status == FS_OK ? out.data : "";
    *length = status == FS_OK ? out.length : 0;
    return status;
}

size_t fs_report_compared(const fs_report *report)
{
    return report->compared ? report->compared->compared : 0;
}

const char *fs_report_regression(const fs_report *report, size_t index)
{
    return index < report->regression_count ? report->regressions[index] : NULL;
}
