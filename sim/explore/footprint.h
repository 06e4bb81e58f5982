/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who accesses which byte. A byte that only one CPU touches is private to it, one that
 * nobody stores to is constant; accesses to both are steps that no other CPU can notice, so
 * the explorer takes them at once instead of interleaving them.
 *
 * Nothing is known beforehand: a pass of the exploration assumes what the passes before it
 * saw, and when an access contradicts the assumption the pass is void and is done again with
 * what was learnt. Sound: take a shortest execution with an access outside the assumption;
 * everything before it was reduced rightly, so the pass reaches the same local state and
 * sees the access. Footprints only grow, so this ends.
 */
#ifndef FENCESIM_SIM_EXPLORE_FOOTPRINT_H_
#define FENCESIM_SIM_EXPLORE_FOOTPRINT_H_

#include "sim/base/map.h"
#include "sim/explore/future.h"
#include "sim/program/program.h"

enum word_class { WORD_CONSTANT, WORD_PRIVATE, WORD_SHARED };

struct footprint_byte {
    int32_t toucher, writer; /* CPU, or WORD_NOBODY, WORD_MANY */
    int32_t assumed_toucher; /* what this pass assumes */
    uint8_t assumed;         /* enum word_class */
    bool forced;             /* accessed together with a shared byte: shared as well */
};

/* A load that may be made ahead of its turn. */
struct early_load {
    uint32_t cpu, size;
    uint64_t address;
};

/* An access of the first pass, which took all memory for private. */
struct first_access {
    uint64_t rip, address;
    unsigned size;
    bool write;
};

enum { FIRST_ACCESSES_MAX = 64 };

struct footprint {
    struct region *region;
    const struct program *program;
    struct map index_of; /* address -> index */
    struct footprint_byte *bytes;
    size_t count, capacity;
    struct early_load *early; /* every weakly ordered load that was seen */
    size_t early_count, early_capacity;
    size_t early_assumed;       /* how many of them this pass may make early */
    struct first_access *first; /* at most FIRST_ACCESSES_MAX */
    size_t first_count, first_capacity;
    bool is_first; /* nothing was known when this pass began */
    struct futures futures;
    uint32_t *alike;        /* symmetry.h: per CPU the first one alike; NULL: not compared so far */
    bool told_apart;        /* an access showed that those alike are not */
    bool everything_shared; /* no reduction */
    bool broken;            /* this pass's assumption was contradicted */
};

void footprint_init(struct footprint *footprint, struct region *region,
                    const struct program *program, bool everything_shared);

/* Starts a pass: assumes what is known now. */
void footprint_begin(struct footprint *footprint);

/* Whether something contradicted what this pass assumes. */
bool footprint_is_broken(const struct footprint *footprint);

/*
 * Notes an access and tells how to treat it in this pass: the class of all its bytes, which
 * for a private byte is private to `cpu`.
 */
enum word_class footprint_access(struct footprint *footprint, uint32_t cpu, uint64_t address,
                                 unsigned size, bool write);

/*
 * What the instruction at `rip` does to memory that `footprint_access` found to be of `class`:
 * noted among the futures when it is shared; in the first pass also when it may turn out to be, so
 * that the second is not void for that alone.
 */
void footprint_note_future(struct footprint *footprint, enum word_class class, uint64_t rip,
                           uint64_t address, unsigned size, bool write);

/* Notes a load of weakly ordered memory; a new one makes the pass void. */
void footprint_early_load(struct footprint *footprint, uint32_t cpu, uint64_t address,
                          unsigned size);

/* Whether `address` is treated as private to `cpu` in this pass, without noting anything. */
bool footprint_is_private(const struct footprint *footprint, uint32_t cpu, uint64_t address);

/* The CPU to which `address` is private in this pass, or -1. */
int footprint_owner(const struct footprint *footprint, uint64_t address);

#endif
