/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE /* strdup */
#include "sim/api/produce.h"

static fs_status produce_guarded(produce *write, const void *request, struct region *region,
                                 struct text *out)
{
    if (region_guard(region))
        return FS_NO_MEMORY;
    text_init(out, region);
    text_add(out, "");
    return write(request, out);
}

fs_status produce_text(produce *write, const void *request, char **text)
{
    struct region region;
    struct text out = {0};
    region_init(&region, 0);
    fs_status status = produce_guarded(write, request, &region, &out);
    *text = status == FS_NO_MEMORY ? NULL : strdup(out.data);
    region_release(&region);
    return *text ? status : FS_NO_MEMORY;
}
