/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The public interface's lists: profiles, and rules of findings. */
#define _GNU_SOURCE /* strdup */
#include <stdlib.h>
#include <string.h>

#include "include/fencesim/fencesim.h"
#include "sim/findings/rules.h"
#include "sim/report/report.h"

/* ---- profiles ---- */

static fs_status profiles_guarded(struct region *region, const char *name, fs_format format,
                                  struct text *out)
{
    if (region_guard(region))
        return FS_NO_MEMORY;
    struct diagnostics diagnostics;
    diagnostics_init(&diagnostics, region);
    text_init(out, region);
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
    if (format == FS_FORMAT_JSON)
        return write_profiles_json(out, profiles, count, name != NULL) ? FS_OK : FS_NO_MEMORY;
    if (name)
        write_profile(out, profiles[0]);
    else
        write_profiles(out, profiles, count);
    return FS_OK;
}

fs_status fs_profiles_text(const char *name, fs_format format, char **text)
{
    struct region region;
    struct text out = {0};
    region_init(&region, 0);
    fs_status status = profiles_guarded(&region, name, format, &out);
    *text = status == FS_NO_MEMORY ? NULL : strdup(out.data);
    region_release(&region);
    return *text ? status : FS_NO_MEMORY;
}

/* ---- rules ---- */

static fs_status rules_guarded(struct region *region, const char *id, fs_format format,
                               struct text *out)
{
    if (region_guard(region))
        return FS_NO_MEMORY;
    text_init(out, region);
    size_t count = 1;
    const struct rule *first = id ? rule_find(id) : rules(&count);
    if (!first) {
        text_printf(out, "no rule '%s'; 'simulate explain' lists them\n", id);
        return FS_BAD_INPUT;
    }
    if (format == FS_FORMAT_JSON)
        return write_rules_json(out, first, count) ? FS_OK : FS_NO_MEMORY;
    write_rules(out, first, count, id != NULL);
    return FS_OK;
}

fs_status fs_rules_text(const char *id, fs_format format, char **text)
{
    struct region region;
    struct text out = {0};
    region_init(&region, 0);
    fs_status status = rules_guarded(&region, id, format, &out);
    *text = status == FS_NO_MEMORY ? NULL : strdup(out.data);
    region_release(&region);
    return *text ? status : FS_NO_MEMORY;
}
