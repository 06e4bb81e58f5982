/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of a region form a list; small allocations share chunks that are never moved. */
#include "sim/base/region.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16, FIRST_CHUNK = 2 * 1024, CHUNK_BYTES = 64 * 1024, SMALL_BYTES = 4096 };

struct region_block {
    struct region_block *next, *previous;
    size_t size; /* usable bytes that follow the header */
    size_t reserved;
};

struct region_cleanup {
    struct region_cleanup *next;
    void (*run)(void *argument);
    void *argument;
};

_Static_assert(sizeof(struct region_block) % ALIGNMENT == 0, "blocks stay aligned");

static _Thread_local uint64_t allocations_left;

void region_fail_after(uint64_t allocations) { allocations_left = allocations; }

void region_init(struct region *region, size_t limit)
{
    memset(region, 0, sizeof *region);
    region->limit = limit;
}

void region_on_release(struct region *region, void (*run)(void *argument), void *argument)
{
    struct region_cleanup *cleanup = region_alloc(region, sizeof *cleanup);
    *cleanup = (struct region_cleanup){region->cleanups, run, argument};
    region->cleanups = cleanup;
}

void region_release(struct region *region)
{
    for (struct region_cleanup *c = region->cleanups; c; c = c->next)
        c->run(c->argument);
    region->cleanups = NULL;
    struct region_block *block = region->blocks;
    while (block) {
        struct region_block *next = block->next;
        free(block);
        block = next;
    }
    region->blocks = NULL;
    region->chunk = NULL;
    region->chunk_used = 0;
    region->bytes = 0;
}

static void release_child(void *child) { region_release(child); }

struct region *region_child(struct region *parent)
{
    struct region *child = region_alloc(parent, sizeof *child);
    region_init(child, 0);
    child->parent = parent;
    region_on_release(parent, release_child, child);
    return child;
}

void region_fail(struct region *region)
{
    while (!region->guarded && region->parent)
        region = region->parent;
    assert(region->guarded);
    longjmp(region->escape, 1);
}

static void check_budget(struct region *region, size_t more)
{
    if (allocations_left && --allocations_left == 0)
        region_fail(region);
    if (!region_has_room(region, more)) {
        region->limit_hit = true;
        region_fail(region);
    }
}

static void link_block(struct region *region, struct region_block *block, size_t size)
{
    block->size = size;
    block->previous = NULL;
    block->next = region->blocks;
    if (region->blocks)
        region->blocks->previous = block;
    region->blocks = block;
    region->bytes += size;
}

static struct region_block *new_block(struct region *region, size_t size)
{
    check_budget(region, size);
    if (size > SIZE_MAX - sizeof(struct region_block))
        region_fail(region);
    struct region_block *block = malloc(sizeof *block + size);
    if (!block)
        region_fail(region);
    link_block(region, block, size);
    return block;
}

void *region_alloc(struct region *region, size_t size)
{
    if (size > SIZE_MAX - ALIGNMENT)
        region_fail(region);
    size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (rounded > SMALL_BYTES) {
        void *memory = new_block(region, rounded) + 1;
        return memset(memory, 0, rounded);
    }
    if (!region->chunk || region->chunk->size - region->chunk_used < rounded) {
        /* Most regions stay small: chunks grow with what is in them. */
        size_t chunk = region->bytes < FIRST_CHUNK ? FIRST_CHUNK : region->bytes;
        chunk = chunk < CHUNK_BYTES ? chunk : CHUNK_BYTES;
        region->chunk = new_block(region, chunk > rounded ? chunk : rounded);
        region->chunk_used = 0;
    }
    char *memory = (char *)(region->chunk + 1) + region->chunk_used;
    region->chunk_used += rounded;
    return memset(memory, 0, rounded);
}

void *region_array(struct region *region, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        region_fail(region);
    return region_alloc(region, count * size);
}

void *region_resize(struct region *region, void *memory, size_t size)
{
    if (!memory)
        return new_block(region, size) + 1;
    struct region_block *block = (struct region_block *)memory - 1;
    size_t old = block->size;
    if (size > old)
        check_budget(region, size - old);
    if (size > SIZE_MAX - sizeof *block)
        region_fail(region);
    struct region_block *moved = realloc(block, sizeof *block + size);
    if (!moved)
        region_fail(region);
    if (moved->previous)
        moved->previous->next = moved;
    else
        region->blocks = moved;
    if (moved->next)
        moved->next->previous = moved;
    moved->size = size;
    region->bytes = region->bytes - old + size;
    return moved + 1;
}

void region_free(struct region *region, void *memory)
{
    if (!memory)
        return;
    struct region_block *block = (struct region_block *)memory - 1;
    if (block->previous)
        block->previous->next = block->next;
    else
        region->blocks = block->next;
    if (block->next)
        block->next->previous = block->previous;
    region->bytes -= block->size;
    free(block);
}

void *region_reach(struct region *region, void *array, size_t index, size_t *capacity, size_t size)
{
    if (index < *capacity)
        return array;
    size_t wanted = *capacity ? *capacity : 64;
    while (wanted <= index)
        wanted *= 2;
    if (wanted > SIZE_MAX / size)
        region_fail(region);
    array = region_resize(region, array, wanted * size);
    memset((char *)array + *capacity * size, 0, (wanted - *capacity) * size);
    *capacity = wanted;
    return array;
}

void *region_push(struct region *region, void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    size_t wanted = *capacity ? *capacity * 2 : 8;
    if (wanted < count || wanted > SIZE_MAX / size)
        region_fail(region);
    array = region_resize(region, array, wanted * size);
    *capacity = wanted;
    return array;
}

char *region_strndup(struct region *region, const char *string, size_t length)
{
    char *copy = region_alloc(region, length + 1);
    memcpy(copy, string, length);
    return copy;
}

char *region_strdup(struct region *region, const char *string)
{
    return region_strndup(region, string, strlen(string));
}

char *region_printf(struct region *region, const char *format, ...)
{
    char usual[256]; /* what is longer is printed twice */
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(usual, sizeof usual, format, arguments);
    va_end(arguments);
    if (length < 0)
        region_fail(region);
    if ((size_t)length < sizeof usual)
        return region_strndup(region, usual, (size_t)length);
    char *text = region_alloc(region, (size_t)length + 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}
