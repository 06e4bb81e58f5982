/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/explore/footprint.h"

enum { WORD_NOBODY = -1, WORD_MANY = -2 };

void footprint_init(struct footprint *footprint, struct region *region,
                    const struct program *program, bool everything_shared)
{
    *footprint = (struct footprint){
        .region = region, .program = program, .everything_shared = everything_shared};
    map_init(&footprint->index_of, region);
    futures_init(&footprint->futures, region);
}

static enum word_class class_now(const struct footprint_byte *byte)
{
    if (byte->forced)
        return WORD_SHARED;
    if (byte->toucher != WORD_MANY)
        return WORD_PRIVATE;
    return byte->writer == WORD_NOBODY ? WORD_CONSTANT : WORD_SHARED;
}

/* The bytes of an access of the first pass, which noted them all. */
static struct footprint_byte *first_byte(const struct footprint *footprint,
                                         const struct first_access *access, unsigned byte)
{
    return &footprint->bytes[map_get(&footprint->index_of, access->address + byte)];
}

/* As footprint_access has it: bytes of different classes all become shared. */
static bool mix(struct footprint *footprint, const struct first_access *access)
{
    bool all_same = true, changed = false;
    enum word_class class = class_now(first_byte(footprint, access, 0));
    for (unsigned i = 1; i < access->size; i++)
        all_same = all_same && class_now(first_byte(footprint, access, i)) == class;
    for (unsigned i = 0; i < access->size && !all_same; i++) {
        struct footprint_byte *byte = first_byte(footprint, access, i);
        changed = changed || !byte->forced;
        byte->forced = true;
    }
    return changed;
}

/* What the first pass knows only when it is over: who shares what, hence what is seen by others. */
static void take_first_accesses(struct footprint *footprint)
{
    struct futures *futures = &footprint->futures;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < footprint->first_count; i++)
            changed = mix(footprint, &footprint->first[i]) || changed;
    }
    for (size_t i = 0; i < footprint->first_count; i++) {
        const struct first_access *access = &footprint->first[i];
        if (class_now(first_byte(footprint, access, 0)) == WORD_SHARED)
            futures_note_access(futures, access->rip,
                                futures_places(futures, access->address, access->size),
                                access->write);
    }
    footprint->first_count = 0;
}

void footprint_begin(struct footprint *footprint)
{
    footprint->broken = false;
    footprint->is_first = footprint->count == 0 && !footprint->everything_shared;
    take_first_accesses(footprint);
    futures_begin(&footprint->futures);
    footprint->early_assumed = footprint->early_count;
    for (size_t i = 0; i < footprint->count; i++) {
        struct footprint_byte *byte = &footprint->bytes[i];
        byte->assumed = (uint8_t)class_now(byte);
        byte->assumed_toucher = byte->toucher;
    }
}

static void note_first(struct footprint *footprint, const struct first_access *access)
{
    for (size_t i = 0; i < footprint->first_count; i++) {
        const struct first_access *old = &footprint->first[i];
        if (old->rip == access->rip && old->address == access->address &&
            old->size == access->size && old->write == access->write)
            return;
    }
    if (footprint->first_count == FIRST_ACCESSES_MAX)
        return;
    footprint->first = region_push(footprint->region, footprint->first, footprint->first_count,
                                   &footprint->first_capacity, sizeof *footprint->first);
    footprint->first[footprint->first_count++] = *access;
}

void footprint_note_future(struct footprint *footprint, enum word_class class, uint64_t rip,
                           uint64_t address, unsigned size, bool write)
{
    if (class == WORD_SHARED)
        futures_note_access(&footprint->futures, rip,
                            futures_places(&footprint->futures, address, size), write);
    else if (footprint->is_first)
        note_first(footprint, &(struct first_access){rip, address, size, write});
}

/* Where order of access, durability or a device decide, every access is visible. */
static bool is_always_shared(const struct program *program, uint64_t address)
{
    int index = program_object_at(program, address, 1);
    if (index == NO_INDEX)
        return false;
    const struct object *object = &program->objects[index];
    return object->type != MEMORY_WB || object->persistent || object->code ||
           index == program->timer_lvt;
}

bool footprint_is_broken(const struct footprint *footprint)
{
    return footprint->broken || (!footprint->everything_shared && footprint->futures.broken);
}

static struct footprint_byte *find_byte(struct footprint *footprint, uint32_t cpu, uint64_t at)
{
    uint32_t index = map_get(&footprint->index_of, at);
    if (index != MAP_NONE)
        return &footprint->bytes[index];
    footprint->bytes = region_push(footprint->region, footprint->bytes, footprint->count,
                                   &footprint->capacity, sizeof *footprint->bytes);
    map_add(&footprint->index_of, at, (uint32_t)footprint->count);
    struct footprint_byte *byte = &footprint->bytes[footprint->count++];
    *byte = (struct footprint_byte){.toucher = (int32_t)cpu,
                                    .writer = WORD_NOBODY,
                                    .assumed = WORD_PRIVATE,
                                    .assumed_toucher = (int32_t)cpu};
    if (is_always_shared(footprint->program, at)) {
        byte->forced = true;
        byte->assumed = WORD_SHARED;
    }
    return byte;
}

static bool has_alike(const struct footprint *footprint, uint32_t cpu)
{
    if (!footprint->alike)
        return false;
    for (size_t i = 0; i < footprint->program->cpu_count; i++)
        if (i != cpu && footprint->alike[i] == footprint->alike[cpu])
            return true;
    return false;
}

/*
 * Whether the access stands for one by each of several CPUs: all but those to the own stack do.
 * Getting at the stack of a CPU that has others alike takes knowing which one it is.
 */
static bool is_by_many(struct footprint *footprint, uint32_t cpu, uint64_t first, uint64_t last)
{
    size_t cpus = footprint->program->cpu_count;
    if (!footprint->alike)
        return false;
    for (uint64_t at = first; at <= last; at++) {
        uint64_t owner = (at - STACK_BASE) / STACK_BYTES;
        if (at >= STACK_BASE && owner < cpus && owner != cpu &&
            (has_alike(footprint, (uint32_t)owner) || has_alike(footprint, cpu))) {
            footprint->broken = footprint->broken || !footprint->told_apart;
            footprint->told_apart = true;
        }
    }
    return has_alike(footprint, cpu) && (first - STACK_BASE) / STACK_BYTES != cpu;
}

static void note(int32_t *who, uint32_t cpu)
{
    if (*who == WORD_NOBODY)
        *who = (int32_t)cpu;
    else if (*who != (int32_t)cpu)
        *who = WORD_MANY;
}

/* Whether treating the word as assumed is wrong, given who is now known to access it. */
static bool contradicts(const struct footprint_byte *byte)
{
    enum word_class now = class_now(byte);
    if (byte->assumed == WORD_SHARED)
        return false; /* never wrong, only more work */
    if (byte->assumed == WORD_CONSTANT)
        return byte->writer != WORD_NOBODY;
    return now != WORD_PRIVATE || byte->toucher != byte->assumed_toucher;
}

enum word_class footprint_access(struct footprint *footprint, uint32_t cpu, uint64_t address,
                                 unsigned size, bool write)
{
    if (footprint->everything_shared)
        return WORD_SHARED;
    uint64_t first = address, last = address + size - 1;
    bool any_shared = false, all_same = true;
    enum word_class class = WORD_SHARED;
    bool by_many = is_by_many(footprint, cpu, first, last);
    for (uint64_t at = first; at <= last; at++) {
        struct footprint_byte *byte = find_byte(footprint, cpu, at);
        note(&byte->toucher, cpu);
        if (write)
            note(&byte->writer, cpu);
        if (by_many)
            byte->toucher = WORD_MANY;
        if (by_many && write)
            byte->writer = WORD_MANY;
        footprint->broken = footprint->broken || contradicts(byte);
        enum word_class assumed = byte->assumed;
        any_shared = any_shared || class_now(byte) == WORD_SHARED;
        all_same = all_same && (at == first || assumed == class);
        class = assumed;
    }
    if (first == last || (all_same && class != WORD_SHARED && !any_shared))
        return class;
    if (all_same && class == WORD_SHARED)
        return class;
    /* Bytes of different classes in one access: all become shared. */
    for (uint64_t at = first; at <= last; at++) {
        struct footprint_byte *byte = find_byte(footprint, cpu, at);
        byte->forced = true;
        footprint->broken = footprint->broken || byte->assumed != WORD_SHARED;
    }
    return WORD_SHARED;
}

void footprint_early_load(struct footprint *footprint, uint32_t cpu, uint64_t address,
                          unsigned size)
{
    for (size_t i = 0; i < footprint->early_count; i++)
        if (footprint->early[i].cpu == cpu && footprint->early[i].address == address &&
            footprint->early[i].size == size)
            return;
    footprint->early = region_push(footprint->region, footprint->early, footprint->early_count,
                                   &footprint->early_capacity, sizeof *footprint->early);
    footprint->early[footprint->early_count++] = (struct early_load){cpu, size, address};
    footprint->broken = true;
}

int footprint_owner(const struct footprint *footprint, uint64_t address)
{
    uint32_t index = map_get(&footprint->index_of, address);
    if (footprint->everything_shared || index == MAP_NONE)
        return -1;
    const struct footprint_byte *byte = &footprint->bytes[index];
    return byte->assumed == WORD_PRIVATE ? byte->assumed_toucher : -1;
}

bool footprint_is_private(const struct footprint *footprint, uint32_t cpu, uint64_t address)
{
    return footprint_owner(footprint, address) == (int)cpu;
}
