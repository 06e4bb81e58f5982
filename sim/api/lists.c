/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The public interface's lists: profiles, and rules of findings. */
#include <string.h>

#include "sim/api/produce.h"
#include "sim/judge/rules.h"
#include "sim/report/problems.h"

struct list_request {
    const char *name; /* of one entry; NULL: all */
    fs_format format;
};

/* ---- profiles ---- */

static fs_status list_profiles(const void *argument, struct text *out)
{
    const struct list_request *request = argument;
    const char *name = request->name;
    struct region *region = out->region;
    struct diagnostics diagnostics;
    diagnostics_init(&diagnostics, region);
    size_t count = 1;
    const char *const *names = name ? &name : profile_names(&count);
    const struct profile **profiles = region_array(region, count, sizeof *profiles);
    for (size_t i = 0; i < count; i++)
        profiles[i] = profile_load(region, names[i], &diagnostics);
    for (size_t i = 0; i < diagnostics.count; i++) {
        const struct diagnostic *item = &diagnostics.items[i];
        if (item->file[0])
            text_printf(out, "%s:%u:%u: ", item->file, item->place.line, item->place.column);
        text_printf(out, "%s\n", item->message);
    }
    if (diagnostics.count)
        return FS_BAD_INPUT;
    if (request->format == FS_FORMAT_JSON)
        return write_profiles_json(out, profiles, count, name != NULL) ? FS_OK : FS_NO_MEMORY;
    if (name)
        write_profile(out, profiles[0]);
    else
        write_profiles(out, profiles, count);
    return FS_OK;
}

fs_status fs_profiles_text(const char *name, fs_format format, char **text)
{
    return produce_text(list_profiles, &(struct list_request){name, format}, text);
}

/* ---- rules ---- */

/* All that can be explained, or the one entry `id`; false when there is none of that name. */
static bool choose_rules(struct region *region, const char *id, struct rule_lists *lists)
{
    struct rule *stalls = region_array(region, STALL_COUNT, sizeof *stalls);
    for (int i = 0; i < STALL_COUNT; i++)
        stalls[i] = stall_rule((enum stall)i);
    *lists = (struct rule_lists){.stalls = stalls, .stall_count = STALL_COUNT};
    lists->rules = rules(&lists->rule_count);
    lists->verdicts = verdict_rules(&lists->verdict_count);
    if (!id)
        return true;
    struct rule_lists one = {
        .rules = rule_find(id), .rule_count = 1, .verdict_count = 1, .stall_count = 1};
    for (size_t i = 0; i < lists->verdict_count; i++)
        if (strcmp(lists->verdicts[i].id, id) == 0)
            one.verdicts = &lists->verdicts[i];
    for (size_t i = 0; i < STALL_COUNT; i++)
        if (strcmp(stalls[i].id, id) == 0)
            one.stalls = &stalls[i];
    *lists = one;
    return one.rules || one.verdicts || one.stalls;
}

static fs_status list_rules(const void *argument, struct text *out)
{
    const struct list_request *request = argument;
    const char *id = request->name;
    struct rule_lists lists;
    if (!choose_rules(out->region, id, &lists)) {
        text_printf(out, "no rule '%s'; 'simulate explain' lists them\n", id);
        return FS_BAD_INPUT;
    }
    if (request->format == FS_FORMAT_JSON)
        return write_rules_json(out, &lists) ? FS_OK : FS_NO_MEMORY;
    if (lists.rules)
        write_rules(out, lists.rules, lists.rule_count, NULL, id != NULL);
    if (lists.verdicts)
        write_rules(out, lists.verdicts, lists.verdict_count, NULL, id != NULL);
    if (lists.stalls)
        write_rules(out, lists.stalls, lists.stall_count, "stall", id != NULL);
    return FS_OK;
}

fs_status fs_rules_text(const char *id, fs_format format, char **text)
{
    return produce_text(list_rules, &(struct list_request){id, format}, text);
}
