/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/explore/footprint.h"

enum { WORD_NOBODY = -1, WORD_MANY = -2 };

void footprint_init(struct footprint *footprint, struct region *region,
                    const struct program *program, bool everything_shared)
{
    *footprint = (struct footprint){
        .region = region, .program = program, .everything_shared = everything_shared};
    map_init(&footprint->index_of, region);
}

static enum word_class class_now(const struct footprint_word *word)
{
    if (word->forced)
        return WORD_SHARED;
    if (word->toucher != WORD_MANY)
        return WORD_PRIVATE;
    return word->writer == WORD_NOBODY ? WORD_CONSTANT : WORD_SHARED;
}

void footprint_begin(struct footprint *footprint)
{
    footprint->broken = false;
    footprint->early_assumed = footprint->early_count;
    for (size_t i = 0; i < footprint->count; i++) {
        struct footprint_word *word = &footprint->words[i];
        word->assumed = (uint8_t)class_now(word);
        word->assumed_toucher = word->toucher;
    }
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

static struct footprint_word *find_word(struct footprint *footprint, uint32_t cpu, uint64_t number)
{
    uint32_t index = map_get(&footprint->index_of, number);
    if (index != MAP_NONE)
        return &footprint->words[index];
    footprint->words = region_push(footprint->region, footprint->words, footprint->count,
                                   &footprint->capacity, sizeof *footprint->words);
    map_add(&footprint->index_of, number, (uint32_t)footprint->count);
    struct footprint_word *word = &footprint->words[footprint->count++];
    *word = (struct footprint_word){.toucher = (int32_t)cpu,
                                    .writer = WORD_NOBODY,
                                    .assumed = WORD_PRIVATE,
                                    .assumed_toucher = (int32_t)cpu};
    if (is_always_shared(footprint->program, number * 8)) {
        word->forced = true;
        word->assumed = WORD_SHARED;
    }
    return word;
}

static void note(int32_t *who, uint32_t cpu)
{
    if (*who == WORD_NOBODY)
        *who = (int32_t)cpu;
    else if (*who != (int32_t)cpu)
        *who = WORD_MANY;
}

/* Whether treating the word as assumed is wrong, given who is now known to access it. */
static bool contradicts(const struct footprint_word *word)
{
    enum word_class now = class_now(word);
    if (word->assumed == WORD_SHARED)
        return false; /* never wrong, only more work */
    if (word->assumed == WORD_CONSTANT)
        return word->writer != WORD_NOBODY;
    return now != WORD_PRIVATE || word->toucher != word->assumed_toucher;
}

enum word_class footprint_access(struct footprint *footprint, uint32_t cpu, uint64_t address,
                                 unsigned size, bool write)
{
    if (footprint->everything_shared)
        return WORD_SHARED;
    uint64_t first = address >> 3, last = (address + size - 1) >> 3;
    bool any_shared = false, all_same = true;
    enum word_class class = WORD_SHARED;
    for (uint64_t number = first; number <= last; number++) {
        struct footprint_word *word = find_word(footprint, cpu, number);
        note(&word->toucher, cpu);
        if (write)
            note(&word->writer, cpu);
        footprint->broken = footprint->broken || contradicts(word);
        enum word_class assumed = word->assumed;
        any_shared = any_shared || class_now(word) == WORD_SHARED;
        all_same = all_same && (number == first || assumed == class);
        class = assumed;
    }
    if (first == last || (all_same && class != WORD_SHARED && !any_shared))
        return class;
    if (all_same && class == WORD_SHARED)
        return class;
    /* Words of different classes in one access: all become shared. */
    for (uint64_t number = first; number <= last; number++) {
        struct footprint_word *word = find_word(footprint, cpu, number);
        word->forced = true;
        footprint->broken = footprint->broken || word->assumed != WORD_SHARED;
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
    uint32_t index = map_get(&footprint->index_of, address >> 3);
    if (footprint->everything_shared || index == MAP_NONE)
        return -1;
    const struct footprint_word *word = &footprint->words[index];
    return word->assumed == WORD_PRIVATE ? word->assumed_toucher : -1;
}

bool footprint_is_private(const struct footprint *footprint, uint32_t cpu, uint64_t address)
{
    return footprint_owner(footprint, address) == (int)cpu;
}
