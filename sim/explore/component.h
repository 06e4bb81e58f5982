/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A component is all of one CPU that a global state needs: its local state, the parts of a
 * load that it has so far, its buffers under the ordering model, and the contents of the
 * words that are private to it. Components are interned per CPU; what a component can do
 * next is worked out once and kept with it.
 *
 * Steps that no other CPU can notice (register instructions, entering the store buffer,
 * private and constant memory) are taken at once: a component always stands in front of
 * something that others can see, or has stopped.
 */
#ifndef FENCESIM_SIM_EXPLORE_COMPONENT_H_
#define FENCESIM_SIM_EXPLORE_COMPONENT_H_

#include "models/model.h"
#include "sim/explore/footprint.h"
#include "sim/explore/memory.h"
#include "sim/explore/oracle.h"
#include "sim/explore/start.h"
#include "sim/explore/symmetry.h"

/* A component taken apart. */
struct node {
    uint32_t local;
    uint32_t latched; /* bit n: piece n of the instruction's loads is in `bytes` */
    uint32_t flags;   /* NODE_... */
    uint32_t private_memory;
    uint32_t system; /* number of a struct system_state */
    uint8_t bytes[LOAD_BYTES_MAX];
    struct buffers buffers;
};

enum {
    NODE_REPEATING = 1 /* the last step was an iteration of the same rep instruction */,
    NODE_SPINS = 2 /* it goes round for ever without anything that others could see */,
    NODE_SHADOW = 4, /* STI was the last instruction: no interrupt before the next one */
    /* Four bits from here: rax, rcx, rdx, rbx hold what CPUID, or RDTSCP in rcx, returned. */
    NODE_UNKNOWN_SHIFT = 3,
    NODE_UNKNOWN_RCX = 2 << NODE_UNKNOWN_SHIFT,
    NODE_UNKNOWN = 15 << NODE_UNKNOWN_SHIFT,
    /* Two bits: how many of the fences that were put in front of the instruction are passed. */
    NODE_FENCED_SHIFT = 7,
    NODE_FENCED = 3 << NODE_FENCED_SHIFT
};

/*
 * What a CPU has beside registers and buffers: interrupts on their way, its timer, how many
 * handlers it is in, and the MSRs and control registers that it has written. Interned, the
 * unused tail of `msrs` cut off.
 */
enum { MSRS_MAX = 32 };

struct system_state {
    uint64_t pending[4]; /* a bit per vector */
    uint32_t timer_armed, depth;
    uint32_t msr_count, padding;
    struct msr_value {
        uint64_t number, value;
    } msrs[MSRS_MAX];
};

/* Numbers above any MSR's, for state that is kept in the same list. */
#define PSEUDO_CR0     (UINT64_C(1) << 32)
#define PSEUDO_FLUSHED (PSEUDO_CR0 + 1) /* caches written back since CR0.CD was set */

enum transition_kind {
    TRANSITION_LOAD,
    TRANSITION_LOCKED,
    TRANSITION_EARLY,    /* a load from weakly ordered memory, or of the TSC, ahead of its turn */
    TRANSITION_TSC,      /* RDTSC, RDTSCP: reads the global clock and moves it on */
    TRANSITION_DEADLINE, /* WRMSR to TSC_DEADLINE where the LVT register decides */
    TRANSITION_DRAIN,
    TRANSITION_LOCAL /* a step of this CPU alone, or one with an effect named in the outcome */
};

static inline bool transition_has_value(enum transition_kind kind)
{
    return kind <= TRANSITION_DEADLINE;
}

enum { OUTCOME_STORES_MAX = 4, VALUES_CACHED = 3, NOBODY = -1 };

enum persist { PERSIST_NOTHING, PERSIST_LINE, PERSIST_ALL };

/* Where a transition leads for one loaded value. */
struct outcome {
    uint32_t next; /* component */
    uint32_t store_count;
    uint32_t stores[OUTCOME_STORES_MAX]; /* reach memory with the transition, in order */
    uint64_t line;                       /* PERSIST_LINE: an address in it */
    uint8_t persist;                     /* enum persist */
    uint8_t vector;
    int16_t post_to; /* CPU that is sent `vector`, or NOBODY */
};

struct transition {
    enum transition_kind kind;
    uint32_t number; /* unique within its CPU, for the memo of values */
    /* LOAD, LOCKED: what is read from memory, and what the own buffers supply instead */
    uint64_t address;
    uint32_t size;
    uint32_t piece;
    uint32_t forward_mask;
    uint8_t forwarded[16];
    uint32_t word;   /* index in memory when it lies in one word, MAP_NONE otherwise */
    uint32_t cached; /* values seen first, without hashing: for loads of up to 8 bytes */
    uint64_t cached_value[VALUES_CACHED];
    uint32_t cached_outcome[VALUES_CACHED];
    /* DRAIN, LOCAL */
    struct outcome outcome;
    const char *event; /* NULL for an instruction */
    uint32_t drained;  /* DRAIN: the entry that leaves */
};

enum component_status {
    COMPONENT_RUNS,
    COMPONENT_ENDED, /* no more instructions; its buffers may still drain */
    COMPONENT_SPINS, /* goes round for ever, unseen */
    COMPONENT_FAULTED,
    COMPONENT_UNMODELLED,
    COMPONENT_LIMIT /* ran too long without a visible step */
};

struct component {
    enum component_status status;
    const struct insn *insn; /* what it stands in front of; NULL at the end */
    const char *reason;      /* UNMODELLED, LIMIT */
    const char *bad_input;   /* UNMODELLED because the trace is wrong: an error, not a gap */
    struct fault fault;
    uint32_t transition_count;
    struct transition *transitions;
    /* Places of shared memory (future.h): what its transitions touch, what it may touch ever. */
    uint64_t now_reads, now_writes;
    uint64_t future_reads, future_writes;
};

struct teller; /* explore/witness.c: who is told the steps of a witness */

struct cpu_components {
    struct intern words;         /* component -> node, packed */
    struct component **expanded; /* NULL: not worked out so far */
    size_t expanded_capacity;
    struct memory private_memory;
    struct map outcome_of; /* transition << 32 | value -> outcome */
    struct intern values;
    struct outcome *outcomes;
    size_t outcome_count, outcome_capacity;
    uint32_t transition_numbers;
    const struct model *model; /* a device agent has its own */
    bool interruptible;        /* it has handlers */
    struct map after_post;     /* component << 32 | vector -> component */
};

/*
 * Code that is taken out: execution at an offset inside goes on at `end`. With `as` set to the
 * class of a fence, the fence at `start` stays and acts as that one instead; when `end` is `start`,
 * too, such a fence is put in front of the instruction there (several in the order of the list).
 */
struct removed {
    uint32_t cpu, start, end; /* offsets in the CPU's code */
    enum insn_class as;       /* INSN_ORDINARY: taken out */
};

/* A rule that an instruction breaks in some execution. */
struct observation {
    uint32_t cpu;
    const struct insn *insn;
    const char *rule;
};

struct components {
    struct region *region;
    const struct program *program;
    const struct profile *profile;
    struct oracle *oracle;
    const struct start *start;
    struct footprint *footprint;
    struct model_context context;
    struct intern stores;  /* struct store */
    struct intern systems; /* struct system_state */
    struct memory shared;
    struct cpu_components *cpus;
    struct symmetry symmetry;      /* those alike share what the first one has */
    const struct removed *removed; /* instructions that are skipped, or weakened */
    size_t removed_count;
    struct observation *observations;
    size_t observation_count, observation_capacity;
    bool persistent;            /* the program has persistent objects */
    bool keeps_control;         /* it changes memory types: control registers are followed */
    bool reduce;                /* false: every local step is a transition of its own */
    bool whole_instructions;    /* but for the rest of an instruction, and own stacks */
    const char *failure;        /* the engine itself failed */
    struct teller *teller;      /* set while a witness is told */
    struct transition *scratch; /* while a component is worked out */
    unsigned scratch_count;
};

void components_init(struct components *components, struct region *region, struct oracle *oracle,
                     const struct start *start, const struct profile *profile,
                     const struct model *model, struct footprint *footprint, bool reduce);

/* The instruction of `cpu` in the place of one of those alike; NULL when `insn` is. */
const struct insn *insn_of_alike(const struct components *components, const struct insn *insn,
                                 uint32_t cpu);

/* Notes, once, that an instruction breaks a rule; of all CPUs that are alike. */
void components_observe(struct components *components, uint32_t cpu, const struct insn *insn,
                        const char *rule);

/* The component after an interrupt was sent to it. */
uint32_t component_post(struct components *components, uint32_t cpu, uint32_t id, uint8_t vector);

/* The component in which CPU `cpu` starts. */
uint32_t component_start(struct components *components, uint32_t cpu);

/* Works out what a component can do. */
struct component *component_expand(struct components *components, uint32_t cpu, uint32_t id);

/* What a component can do; worked out on first use. The pointer stays valid. */
static inline struct component *component_of(struct components *components, uint32_t cpu,
                                             uint32_t id)
{
    const struct cpu_components *own = &components->cpus[components->symmetry.alike[cpu]];
    struct component *known = id < own->expanded_capacity ? own->expanded[id] : NULL;
    return known ? known : component_expand(components, cpu, id);
}

/* Where a LOAD or LOCKED transition leads when memory is number `memory`. */
const struct outcome *transition_outcome(struct components *components, uint32_t cpu, uint32_t id,
                                         struct transition *transition, uint32_t memory);

void component_node(const struct components *components, uint32_t cpu, uint32_t id,
                    struct node *node);

/* Takes a transition again, telling its steps to components->teller. */
void transition_narrate(struct components *components, uint32_t cpu, uint32_t id,
                        const struct transition *transition, uint32_t memory);

#endif
