/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which profiles and variants each program runs with, and whether all names stand for something. */
#include <string.h>

#include "sim/api/session.h"
#include "sim/judge/rules.h"

static const struct place nowhere = {0, 0};

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

void choose_runs(fs_report *report, struct job *job, const fs_options *options)
{
    check_rule_names(report, job->program);
    choose_profiles(report, job, options);
    choose_variants(report, job, options);
}

void check_variant_names(fs_report *report, const fs_options *options)
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
