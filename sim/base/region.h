/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A region owns every block of memory that one job (a file that is read, a run of a
 * program) allocates, so that one call gives all of it back, whatever happened. Allocation
 * never returns NULL: when memory runs out, or the region's own limit is passed, it unwinds
 * to the guard that the job set, and the job ends with a status instead of a crash.
 */
#ifndef FENCESIM_SIM_BASE_REGION_H_
#define FENCESIM_SIM_BASE_REGION_H_

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct region_block;
struct region_cleanup;

struct region {
    struct region_block *blocks; /* doubly linked, newest first */
    struct region_block *chunk;  /* the block that small allocations are cut from */
    size_t chunk_used;           /* bytes of `chunk` handed out */
    size_t bytes;                /* held in all, without malloc's own overhead */
    size_t limit;                /* 0: none; passing it unwinds like an exhausted machine */
    bool limit_hit;              /* the last unwinding was for `limit` */
    bool guarded;                /* `escape` is valid */
    struct region *parent;       /* whose guard serves when there is no own; NULL */
    jmp_buf escape;
    struct region_cleanup *cleanups; /* newest first */
};

/* Prepares an empty region. `limit` in bytes, 0 for none. */
void region_init(struct region *region, size_t limit);

/*
 * Prepares a region for what is not needed as long as `parent`: it unwinds to the parent's
 * guard, and is released with the parent at the latest.
 */
struct region *region_child(struct region *parent);

/* Whether that much more stays below the limit. */
static inline bool region_has_room(const struct region *region, size_t more)
{
    return !region->limit || (more <= region->limit && region->bytes <= region->limit - more);
}

/* Runs the cleanups, then gives back every block. The region may be used again afterwards. */
void region_release(struct region *region);

/*
 * Sets the guard: evaluates to 0 at first, to 1 when an allocation failed later. Keep the
 * calling function small: locals changed after the guard are indeterminate after a failure
 * unless volatile.
 */
#define region_guard(region) ((region)->guarded = true, setjmp((region)->escape))

/* Unwinds to the guard; for allocations that other libraries failed to make. */
_Noreturn void region_fail(struct region *region);

/*
 * Has `run(argument)` called when the region is released, the newest first, while its blocks
 * are still valid: how memory that another library holds survives an unwinding. Must be
 * called before that library allocates anything; `run` must not allocate from the region.
 */
void region_on_release(struct region *region, void (*run)(void *argument), void *argument);

/* Zeroed memory, 16-byte aligned, valid until the region is released. */
void *region_alloc(struct region *region, size_t size);

/* region_alloc(count * size), unwinding when the product overflows. */
void *region_array(struct region *region, size_t count, size_t size);

/*
 * Memory that can grow and be given back early: NULL for a new block; the added bytes are
 * not initialised. A block from here must not come from region_alloc.
 */
void *region_resize(struct region *region, void *block, size_t size);
void region_free(struct region *region, void *block);

/*
 * An array from region_resize with `*capacity` elements of `size` bytes, made long enough to have
 * one at `index`; those that are added are zero.
 */
void *region_reach(struct region *region, void *array, size_t index, size_t *capacity, size_t size);

/* Makes room for one more element; for `array` from region_resize, `*capacity` in elements. */
void *region_push(struct region *region, void *array, size_t count, size_t *capacity, size_t size);

char *region_strdup(struct region *region, const char *string);
char *region_strndup(struct region *region, const char *string, size_t length);
char *region_printf(struct region *region, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Test hook: the n-th allocation from now on fails (0: none does), in every region of the
 * calling thread.
 */
void region_fail_after(uint64_t allocations);

#endif
