/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The public interface: reads all input, runs each program in a job with a region of its own,
 * keeps the results in the order of the input.
 */
#include <stdlib.h>

#include "sim/api/session.h"
#include "sim/base/parallel.h"
#include "sim/input/load.h"
#include "sim/report/report.h"

enum { EXIT_INTERNAL = 70, TIMELINE_INSTRUCTIONS = 256 };

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
        choose_runs(report, job, options);
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

static void run_jobs(fs_report *report, unsigned jobs)
{
    struct parallel parallel = {.run = run_one, .leave = exec_thread_close, .context = report};
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

static struct run_options run_options(const fs_options *options)
{
    return (struct run_options){.order = options->half != FS_TIME_ONLY,
                                .time = options->half != FS_ORDER_ONLY,
                                .reduce = options->reduce,
                                .relaxed = options->relaxed,
                                .explain = options->explain,
                                .witness = options->witness == FS_WITNESS_NONE  ? WITNESS_NONE
                                           : options->witness == FS_WITNESS_ALL ? WITNESS_ALL
                                                                                : WITNESS_FIRST,
                                .findings = options->findings == FS_FINDINGS_NONE ? FINDINGS_NONE
                                            : options->findings == FS_FINDINGS_STATIC
                                                ? FINDINGS_STATIC
                                                : FINDINGS_ALL,
                                .max_states = options->max_states,
                                .max_seconds = options->max_seconds,
                                .max_memory = options->max_memory,
                                .stop = options->stop,
                                .progress = options->progress,
                                .graph_states = options->graph_states,
                                .timeline = options->timeline ? TIMELINE_INSTRUCTIONS : 0};
}

static fs_status run_guarded(fs_report *report, const char *const *paths, size_t path_count,
                             const fs_options *options)
{
    if (region_guard(&report->region))
        return FS_NO_MEMORY;
    diagnostics_init(&report->diagnostics, &report->region);
    report->options = run_options(options);
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
    exec_thread_close();
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
