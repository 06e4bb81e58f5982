/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ordering model decides, for one CPU, what its buffers hold, when an instruction may
 * take its turn, what a load sees of the CPU's own stores, and what leaves the buffers when.
 * Memory itself, the registers and the interleaving of CPUs are the explorer's.
 *
 * A model is one constant struct of functions, found by name. It has no state of its own and
 * does no I/O; buffers are words that it alone interprets.
 */
#ifndef FENCESIM_MODELS_MODEL_H_
#define FENCESIM_MODELS_MODEL_H_

#include "models/profile.h"
#include "sim/base/intern.h"

/* What the next step of a CPU's instruction stream wants to do. */
enum action_kind {
    ACTION_LOAD,   /* one piece of a load: address, size */
    ACTION_STORE,  /* all stores of one instruction: `stores` */
    ACTION_LOCKED, /* an atomic read-modify-write */
    ACTION_MFENCE,
    ACTION_LFENCE,
    ACTION_SFENCE,
    ACTION_SERIALIZE, /* a fully serializing instruction */
    ACTION_FLUSH,     /* clflush, clflushopt, clwb: `stores` holds the line, flagged STORE_... */
    ACTION_MSR,       /* a write of an MSR that is not serializing: neither load nor store */
    ACTION_INTERRUPT, /* an interrupt is taken */
};

/* One store as the memory sees it: a piece that becomes visible at once. Interned: no padding. */
struct store {
    uint64_t address;
    uint8_t data[16];
    uint32_t size;  /* bytes, 1..16 */
    uint32_t flags; /* STORE_... */
};

enum store_flag {
    STORE_NT = 1,         /* non-temporal, or to write-combining memory */
    STORE_STRING = 2,     /* by a rep string instruction */
    STORE_UC = 4,         /* to uncacheable memory */
    STORE_CLFLUSH = 8,    /* no store: the line at `address` is flushed, in order */
    STORE_FLUSH_WEAK = 16 /* the same by clflushopt or clwb */
};

static inline bool stores_overlap(const struct store *a, const struct store *b)
{
    return a->address < b->address + b->size && b->address < a->address + a->size;
}

/* Sets the bytes of [address, address + size) that the store has and that were not `found` (a bit
 * each) before; returns which are found then. */
static inline uint32_t store_supply(const struct store *store, uint64_t address, unsigned size,
                                    uint8_t *data, uint32_t found)
{
    for (unsigned byte = 0; byte < size; byte++) {
        uint64_t offset = address + byte - store->address;
        if (found >> byte & 1 || offset >= store->size)
            continue;
        data[byte] = store->data[offset];
        found |= UINT32_C(1) << byte;
    }
    return found;
}

enum { ACTION_STORES_MAX = 24 };

/* The clock that RDTSC reads: a count of its readings, at an address that no program has. A
 * reading that is made early is an early load of it; fences of memory do not hold it back. */
#define TSC_ADDRESS UINT64_C(0xfffffffffffff000)

struct action {
    enum action_kind kind;
    uint64_t address; /* LOAD, LOCKED */
    unsigned size;    /* LOAD, LOCKED */
    bool uncacheable; /* LOAD from uc memory */
    unsigned store_count;
    uint32_t stores[ACTION_STORES_MAX]; /* numbers in the store table, oldest first */
    bool joins_previous; /* STORE: may become visible in any order with the group before (fast
                            strings) */
};

enum { BUFFER_WORDS_MAX = 320 };

/* A CPU's buffers: words that the model defines; equal words are equal buffers. */
struct buffers {
    uint32_t count;
    uint32_t words[BUFFER_WORDS_MAX];
};

/* Something that a buffer does by itself. */
struct drain {
    struct buffers after;
    bool writes;   /* `store` reaches memory */
    bool persists; /* the line of `store` becomes durable */
    uint32_t store;
    const char *event; /* for the witness: "drain", "flush" */
};

struct model_context {
    const struct profile *profile;
    const struct intern *stores; /* struct store by number */
    bool weak_stores; /* the program has NT stores, WC memory or flushes: fences must be kept in the
                         buffer */
    bool msr_writes;  /* the program has instructions that MFENCE does not hold back */
};

typedef void model_emit(void *receiver, const struct drain *drain);

struct model {
    const char *name, *about;
    bool write_back_only; /* other memory types, NT stores and persistence are not modelled */

    /* Whether the action can be taken with these buffers; when not, it waits for a drain. */
    bool (*may)(const struct model_context *context, const struct buffers *buffers,
                const struct action *action);

    /* Takes an action for which `may` is true: adds to the buffers what it leaves there. */
    void (*take)(const struct model_context *context, struct buffers *buffers,
                 const struct action *action);

    /* The bytes of [address, address + size) that this CPU's own buffers supply: bit n of the
     * result says that data[n] was set. size <= 16. */
    uint32_t (*forward)(const struct model_context *context, const struct buffers *buffers,
                        uint64_t address, unsigned size, uint8_t *data);

    /* Every spontaneous step that the buffers can do now. */
    void (*drains)(const struct model_context *context, const struct buffers *buffers,
                   model_emit *emit, void *receiver);

    /* One line for a witness: what a buffer word holds, e.g. "x=1". Appended to `out`. */
    uint32_t (*store_of)(
        uint32_t word); /* the store that a word stands for, MODEL_NO_STORE if none */

    /* What a word that is no store is called, and (else MODEL_NO_STORE) what it has loaded early.
     * NULL: all words are stores. */
    const char *(*name_of)(uint32_t word, uint32_t *early);
};

#define MODEL_NO_STORE UINT32_MAX

/* The model of this name, NULL when there is none. */
const struct model *model_find(const char *name);

/* A load from weakly ordered memory that was made early: kept among the buffers' words. */
bool buffers_early_load(const struct model_context *context, const struct buffers *buffers,
                        uint64_t address, unsigned size, uint8_t *data);
void buffers_add_early_load(struct buffers *buffers, uint32_t store);
void buffers_drop_early_load(const struct model_context *context, struct buffers *buffers,
                             uint64_t address);

extern const struct model model_sc, model_tso, model_x86;

#endif
