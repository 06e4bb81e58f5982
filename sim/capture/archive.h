/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Archives: their table of names, which says which member defines what, and their members. */
#ifndef FENCESIM_SIM_CAPTURE_ARCHIVE_H_
#define FENCESIM_SIM_CAPTURE_ARCHIVE_H_

#include "sim/base/region.h"

struct archive_name {
    const char *name;
    uint64_t member; /* offset of its header in the archive */
};

struct archive_index {
    struct archive_name *names;
    size_t count;
    const char *long_names; /* of members, NULL: none; `long_size` bytes, then a NUL */
    size_t long_size;
};

/* Reads the table from an open archive; empty when there is none, or it is damaged. */
void archive_read_index(struct region *region, int fd, struct archive_index *index);

/* A member of an archive: where its file lies. */
struct archive_member {
    const char *name;
    uint64_t start;
    size_t size;
};

/* The member whose header is at an offset; false when none can be there. */
bool archive_member_at(struct region *region, int fd, const struct archive_index *index,
                       uint64_t offset, struct archive_member *member);

#endif
