/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/base/intern.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { FIRST_CHUNK = 256, CHUNK_BYTES = 32 * 1024, FIRST_SLOTS = 32 };

void intern_init(struct intern *intern, struct region *region)
{
    *intern = (struct intern){.region = region};
}

static void rehash(struct intern *intern)
{
    size_t slot_count = intern->slot_count ? intern->slot_count * 2 : FIRST_SLOTS;
    region_free(intern->region, intern->slots);
    intern->slots = NULL;
    intern->slots = region_resize(intern->region, NULL, slot_count * sizeof *intern->slots);
    memset(intern->slots, 0, slot_count * sizeof *intern->slots);
    intern->slot_count = slot_count;
    for (size_t id = 0; id < intern->count; id++) {
        size_t at = intern->entries[id].hash & (slot_count - 1);
        while (intern->slots[at])
            at = (at + 1) & (slot_count - 1);
        intern->slots[at] = (uint32_t)id + 1;
    }
}

static const void *store_bytes(struct intern *intern, const void *bytes, size_t length)
{
    size_t rounded = (length + 15) & ~(size_t)15;
    if (rounded > CHUNK_BYTES / 4) {
        void *copy = region_alloc(intern->region, rounded);
        return memcpy(copy, bytes, length);
    }
    if (intern->chunk_left < rounded || !intern->chunk) {
        /* Most tables stay small: chunks grow with what is in them. */
        size_t size = intern->chunk_size ? intern->chunk_size * 2 : FIRST_CHUNK;
        while (size < rounded)
            size *= 2;
        intern->chunk_size = size < CHUNK_BYTES ? size : CHUNK_BYTES;
        intern->chunk = region_alloc(intern->region, intern->chunk_size);
        intern->chunk_left = intern->chunk_size;
    }
    void *copy = intern->chunk;
    intern->chunk += rounded;
    intern->chunk_left -= rounded;
    if (length)
        memcpy(copy, bytes, length);
    return copy;
}

uint32_t intern_add(struct intern *intern, const void *bytes, size_t length, bool *fresh)
{
    if ((intern->count + 1) * 2 > intern->slot_count)
        rehash(intern);
    uint32_t hash = (uint32_t)XXH3_64bits(bytes, length);
    size_t at = hash & (intern->slot_count - 1);
    for (; intern->slots[at]; at = (at + 1) & (intern->slot_count - 1)) {
        const struct intern_entry *entry = &intern->entries[intern->slots[at] - 1];
        if (entry->hash == hash && entry->length == length &&
            (length == 0 || memcmp(entry->bytes, bytes, length) == 0)) {
            if (fresh)
                *fresh = false;
            return intern->slots[at] - 1;
        }
    }
    if (intern->count >= UINT32_MAX - 1 || length > UINT32_MAX)
        region_fail(intern->region);
    intern->entries = region_push(intern->region, intern->entries, intern->count, &intern->capacity,
                                  sizeof *intern->entries);
    uint32_t id = (uint32_t)intern->count;
    intern->entries[id] = (struct intern_entry){
        .bytes = store_bytes(intern, bytes, length), .length = (uint32_t)length, .hash = hash};
    intern->count++;
    intern->slots[at] = id + 1;
    if (fresh)
        *fresh = true;
    return id;
}
