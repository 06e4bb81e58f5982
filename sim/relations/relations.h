/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One execution as a graph: its memory events and the relations between them by the names that
 * litmus tools use (herd's cat language): po, rf, co, fr. Events are what becomes visible at once:
 * an access that a profile lets be seen in parts is one event a part, a locked instruction is a
 * single event that reads and writes.
 *
 * An execution whose po, rf, co and fr have no cycle together is one that some interleaving of the
 * CPUs gives as well: put the events in an order that respects all four. So every execution with a
 * relaxed outcome has a cycle, and some po edge of it was not kept by the machine.
 */
#ifndef FENCESIM_SIM_RELATIONS_RELATIONS_H_
#define FENCESIM_SIM_RELATIONS_RELATIONS_H_

#include "models/profile.h"
#include "sim/explore/witness.h"

enum event_kind {
    EVENT_INITIAL, /* what memory held at the start; no CPU's */
    EVENT_READ,
    EVENT_WRITE,
    EVENT_UPDATE, /* a locked instruction: reads and writes at once; also a reading of the clock */
    EVENT_FENCE,
    EVENT_SEND, /* an interrupt is sent ... */
    EVENT_TAKE  /* ... and taken */
};

#define NO_STEP UINT32_MAX /* also: no position, of a load made early and never used */

struct event {
    enum event_kind kind;
    uint32_t cpu;      /* NO_CPU for an initial one */
    uint32_t position; /* program order: number of the instruction within what its CPU executed */
    bool reads, writes;
    uint64_t address;
    unsigned size;     /* bytes; 0 for fences and interrupts */
    const char *place; /* "x", "x+4", "the clock", NULL with size 0 */
    uint8_t read[16], written[16];
    const char *value_read, *value_written; /* as text; NULL: none, or of too many bytes */
    const char *label;                      /* "W x=1", "R x=0", "RMW x=0->1", "mfence" */
    uint32_t offset;                        /* of the instruction in the CPU's code */
    bool has_insn;
    const char *text; /* of the instruction; "" when it has none */
    const char *name; /* FENCE: "mfence", "lock", ...; SEND, TAKE: "vector 0xf2 to P1" */
    enum insn_class class;
    uint32_t step;        /* of the witness in which the instruction was carried out */
    uint32_t performed;   /* in which it took effect: a write becomes visible, a read is made */
    bool pending;         /* a write that is not visible at the witness's end. It is taken to become
                             so right after it: `performed` is larger than any step */
    uint32_t store_flags; /* of a write that became visible: STORE_NT, ... */
    bool forwarded;       /* some byte was read out of the own store buffer */
    bool early;           /* a load made ahead of its turn */
    uint32_t target;      /* SEND: a CPU */
    uint8_t vector;
};

#define NO_CPU UINT32_MAX

enum relation {
    RELATION_NONE,
    RELATION_PO,    /* program order */
    RELATION_RF,    /* reads from */
    RELATION_CO,    /* coherence: the order in which stores to a place become visible */
    RELATION_FR,    /* from read: read before that store */
    RELATION_FENCE, /* program order with a fence in between; which is no claim that it orders */
    RELATION_IPI    /* an interrupt is taken after it was sent, and before it is sent again */
};

struct edge {
    enum relation relation;
    uint32_t from, to; /* events */
    const char *name;  /* of a fence; NULL for the others, see relation_name */
    bool in_cycle;
    bool relaxed; /* po that the execution did not keep: `to` was performed first */
};

/* Witnesses with more events than this have no relations: nobody could look at them. */
enum { RELATION_EVENTS_MAX = 400 };

struct relations {
    const char *problem;  /* why there are none; NULL: they are known */
    struct event *events; /* by CPU and program order; initial ones last */
    size_t event_count;
    /* As one draws them: po and co to the next one only, fr to the next store; and the cycle. */
    struct edge *edges;
    size_t edge_count, edge_capacity;
    /* A shortest cycle of po, rf, co, fr (and ipi): each edge starts where the one before ends. */
    struct edge *cycle;
    size_t cycle_count; /* 0: there is none */
};

/* The relations of a witness that was found on `profile`; in `region`. NULL never. */
struct relations *relations_new(struct region *region, const struct program *program,
                                const struct profile *profile, const struct witness *witness);

/* "po", "rf", "co", "fr", "fence", "ipi". */
const char *relation_name(enum relation relation);

/* "R", "W", "RMW", "F", "init", "IPI". */
const char *event_kind_name(enum event_kind kind);

/* Whether two events access a common byte. */
bool events_overlap(const struct event *a, const struct event *b);

/* Whether `a` comes before `b` in the program order of one CPU. */
bool events_ordered(const struct event *a, const struct event *b);

/* The first edge of the cycle that the execution did not keep, NULL when there is none. */
const struct edge *relaxed_edge(const struct relations *relations);

#endif
