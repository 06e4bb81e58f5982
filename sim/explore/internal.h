/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of one component's life: node.c, accesses.c, closure.c, settle.c, system*.c,
 * transitions.c, component.c. */
#ifndef FENCESIM_SIM_EXPLORE_INTERNAL_H_
#define FENCESIM_SIM_EXPLORE_INTERNAL_H_

#include <stddef.h>

#include "sim/exec/native.h"
#include "sim/explore/component.h"
#include "sim/explore/pieces.h"

enum { LOAD_PIECES_MAX = READS_MAX * PIECES_MAX };

/* The loads of an instruction, cut into pieces; offsets count through all reads' bytes. */
struct load_pieces {
    unsigned count;
    struct piece pieces[LOAD_PIECES_MAX];
};

void cut_loads(const struct components *components, const struct plan *plan,
               struct load_pieces *loads);

uint32_t node_intern(struct components *components, uint32_t cpu, const struct node *node);

enum memory_type type_at(const struct components *components, uint64_t address);

/* The number of a store of these bytes. */
uint32_t store_number(struct components *components, const struct exec_access *write,
                      uint64_t address, uint32_t size, uint32_t offset, uint32_t flags);

/* Fills an ACTION_STORE with all stores of an effect, cut into pieces. */
void store_action(struct components *components, const struct node *node, const struct insn *insn,
                  const struct effect *effect, struct action *action);

/* What stands in the way of the closure's next step. */
enum stop {
    STOP_VISIBLE, /* a load or locked instruction that others can notice */
    STOP_BLOCKED, /* waits for a drain */
    STOP_ENDED,
    STOP_SPINS,
    STOP_FAULT,
    STOP_UNMODELLED,
    STOP_LIMIT,
    STOP_LOCAL,   /* a step that no other CPU can notice */
    STOP_SYSTEM,  /* a system instruction with an effect on others: an IPI, durability */
    STOP_TSC,     /* reads the clock that all CPUs share */
    STOP_DEADLINE /* WRMSR to TSC_DEADLINE that looks at the LVT register */
};

struct stopped {
    enum stop stop;
    const struct plan *plan;
    struct fault fault;
    const char *reason, *bad_input;
    /* STOP_LOCAL: which of these it is */
    enum local_kind {
        LOCAL_SKIP,
        LOCAL_LATCH,
        LOCAL_LOCKED,
        LOCAL_SYSTEM,
        LOCAL_FENCE,
        LOCAL_EFFECT
    } local;
    struct piece piece; /* LATCH */
    unsigned piece_number;
    const struct effect *effect; /* EFFECT */
    uint64_t target;             /* SKIP: the address after the removed instructions */
    struct action action;        /* SYSTEM, FENCE, EFFECT */
};

/* Says what the node can do next without taking it. */
void look(struct components *components, uint32_t cpu, const struct node *node,
          struct stopped *stopped);

/* Stops where the instruction, carried out, faulted or could not be. */
void judge_effect(const struct effect *effect, struct stopped *stopped);

/* Takes local steps from `node` until something stops it; with components->reduce off, none. */
void close_node(struct components *components, uint32_t cpu, struct node *node);

/* What MFENCE, LFENCE and SFENCE ask of the buffers. */
enum action_kind fence_action(enum insn_class class);

/* System instructions (sim/explore/system.c): what stands in the way, and their effect. */
void look_at_system(struct components *components, uint32_t cpu, const struct node *node,
                    struct stopped *stopped);
void system_step(struct components *components, uint32_t cpu, struct node *node,
                 const struct stopped *stopped, struct outcome *outcome);

/* RDTSC and RDTSCP with this reading of the clock. */
void tsc_step(struct components *components, uint32_t cpu, struct node *node, uint64_t reading);

/* WRMSR to TSC_DEADLINE when the LVT register holds `lvt`. */
void deadline_step(struct components *components, uint32_t cpu, struct node *node, uint32_t lvt);

void system_get(const struct components *components, const struct node *node,
                struct system_state *state);
void system_set(struct components *components, struct node *node, const struct system_state *state);

/* Interrupts (sim/explore/interrupt.c): whether one can be taken now, and taking it. */
enum { NESTING_MAX = 8 }; /* handlers in handlers; more is taken for a storm without end */
bool can_interrupt(struct components *components, uint32_t cpu, const struct node *node);
bool take_interrupt(struct components *components, uint32_t cpu, struct node *node, uint8_t vector);
void leave_interrupt(struct components *components, struct node *node);

/* Whether steps that no other CPU can notice are taken at once. */
bool is_eager(const struct components *components, uint32_t cpu, const struct node *node);

/* Whether a load of this place may be made ahead of its turn. */
bool is_weak_load(const struct components *components, uint32_t cpu, uint64_t address);

/* Whether more than one part of the instruction's loads has been made. */
bool has_parts(const struct node *node);

/* After an instruction was executed: what it wrote is known. */
void make_known(struct node *node, const struct insn *insn);

/* Moves the node to another local state: nothing is latched any more. */
void move_on(struct components *components, struct node *node, uint32_t next);

/* Notes the store's bytes in the footprint and tells their class. */
enum word_class note_store(struct components *components, uint32_t cpu, const struct store *store);

/* At its end a CPU loads nothing more, so that what it loaded early is of no use. */
void drop_useless_early_loads(struct components *components, uint32_t cpu, struct node *node);

/* Takes one local step if there is one; tells whether it did. */
bool local_step(struct components *components, uint32_t cpu, struct node *node);

/* Bytes of a private or constant access: memory at the start or own, under the own buffers. */
void read_unshared(struct components *components, uint32_t cpu, const struct node *node,
                   uint64_t address, unsigned size, uint8_t *data);

/*
 * Moves the node past a locked instruction whose loads returned `bytes`; its stores are
 * numbered into `outcome`. False when it faults or is not modelled: then `stopped` says so.
 */
bool finish_locked(struct components *components, uint32_t cpu, struct node *node,
                   const uint8_t *bytes, struct outcome *outcome, struct stopped *stopped);

/* Tells a step to whoever narrates, if anybody does. `access` may be NULL. */
struct told {
    const struct insn *insn;
    const char *event;
    const char *how; /* "buffered", "from its own store buffer", ... or NULL */
    bool write;
    uint64_t address;
    unsigned size; /* 0: no access */
    const uint8_t *data;
    const struct outcome *stored; /* what an atomic access stores beside, or NULL */
    bool same_insn;               /* a further access of the instruction told last */
    uint32_t store_flags;         /* of what leaves a buffer */
    uint8_t vector;
    const struct outcome *sends; /* an interrupt, or NULL */
};
void tell(struct components *components, const struct node *after, const struct told *told);

/* ---- transitions.c: working out what a component can do ---- */

/* Collects drains as transitions; with count_only it only counts them. */
struct drain_sink {
    struct components *components;
    uint32_t cpu;
    const struct node *node;
    struct component *component;
    bool count_only;
    unsigned count;
};
void add_drain(void *receiver, const struct drain *drain);
void add_instruction(struct components *components, uint32_t cpu, const struct node *node,
                     const struct stopped *stopped, struct component *component);
void add_early_loads(struct components *components, uint32_t cpu, const struct node *node,
                     const struct stopped *stopped, struct component *component);
void add_interrupts(struct components *components, uint32_t cpu, const struct node *node,
                    struct component *component);

/* Names of transitions that are no instructions, as a witness tells them. */
#define EVENT_EARLY_USED   "early load used"
#define EVENT_READING_USED "early reading used"
#define EVENT_TIMER        "the timer goes off"
#define EVENT_INTERRUPT    "interrupt"

/* The armed timer sends its interrupt. */
void fire_timer(struct components *components, struct node *node);

/* A store that only this CPU can see reaches its private memory; tells whether it is one. */
bool keep_private(struct components *components, uint32_t cpu, struct node *node, uint32_t number);

/* Reads the clock (in `store`) and moves it on: two readings never agree, later ones are larger. */
void read_clock(struct components *components, struct store *store, struct outcome *outcome);

/* ---- values.c ---- */

/* What a transition loads when memory is number `memory`. */
void loaded_bytes(struct components *components, const struct transition *transition,
                  uint32_t memory, uint8_t *data);

/* Works out where a value leads. */
void take_value(struct components *components, uint32_t cpu, uint32_t id,
                const struct transition *transition, const uint8_t *data, struct outcome *outcome);

/* Keeps a loaded piece until the instruction has all of them. */
void latch(struct components *components, struct node *node, const struct piece *piece,
           unsigned number, const uint8_t *data);

/* ---- places.c ---- */

void set_places(struct components *components, uint32_t cpu, const struct node *node,
                struct component *component);

#endif
