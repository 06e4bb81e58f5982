/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Static instructions: what one is to the cycle model, whatever its operands are.
 */
#ifndef FENCESIM_SIM_TIME_OP_H_
#define FENCESIM_SIM_TIME_OP_H_

#include "sim/time/interpret.h"
#include "sim/time/time.h"
#include "sim/time/timing.h"

enum op_kind {
    OP_PLAIN, /* loads, computes, stores */
    OP_NOP,
    OP_PREFETCH,
    OP_MOVE, /* done by renaming: register moves, zero idioms */
    OP_LOCK, /* atomic read-modify-write, or timed like one */
    OP_LFENCE,
    OP_MFENCE,
    OP_SFENCE,
    OP_FLUSH,
    OP_HOLD /* system instruction: holds up dispatch for a time */
};

enum lock_kind {
    LOCK_ARITHMETIC,
    LOCK_XCHG,
    LOCK_XADD,
    LOCK_BIT,
    LOCK_CMPXCHG,
    LOCK_CMPXCHG8B,
    LOCK_CMPXCHG16B
};

/* Ports of which the profile gives a number. */
enum port { PORT_ADDRESS, PORT_LOAD, PORT_VECTOR_LOAD, PORT_STORE_DATA, PORT_COUNT };

/* What computes: pipes, or a unit that is busy for an interval. */
enum unit {
    UNIT_NONE,
    UNIT_PIPES,
    UNIT_DIVIDE,
    UNIT_FP_DIVIDE /* and square roots */
};

/* Pipes with the same number are different ones, unless the profile says that vectors share them.
 */
enum bank { BANK_INTEGER, BANK_VECTOR, BANK_COUNT };

enum { LOADS_MAX = 2, TIMED_REGISTERS = 48, WANTED_WHOLE = 60 };

/* In an op's sets of registers; REGISTER_BIT_FLAGS are the other flags. */
#define REGISTER_BIT_CARRY (UINT64_C(1) << 19)

struct predictor;

struct op {
    const struct insn *insn;
    struct interpreted interpreted;
    enum op_kind kind;
    enum lock_kind lock;
    uint8_t unit; /* of the computation, UNIT_NONE when there is none */
    uint8_t bank;
    uint8_t operations; /* so many take a pipe; the result is the first one's */
    bool multiplies;    /* of the integer multipliers' queue */
    ticks low_early;    /* rax is ready that much before the other results */
    bool early_done;    /* may retire one cycle after issue */
    bool known;         /* false: no timing rule, timed as one cycle */
    bool is_branch, is_conditional;
    bool repeats;   /* rep string instruction: one step at a time */
    bool may_fault; /* by the values of its operands */
    bool fuses;     /* with a conditional jump after it */
    bool indexed;   /* index and displacement */
    bool vector_load, vector_store, writes_integer, nt;
    uint8_t load_count;
    bool stores;
    int64_t pipes, then_pipes; /* then_pipes: of an operation with the result; 0: none */
    ticks latency, then_latency;
    ticks interval; /* of a unit that is not pipelined */
    ticks slots;    /* dispatch cost */
    ticks hold;     /* OP_HOLD */
    uint64_t address_reads, data_reads, writes;
    /* what the run learns about it */
    uint64_t store_distance;     /* stores between the last one that its load met and the load */
    struct predictor *predictor; /* of a conditional jump */
    ticks cycles;
    ticks stall[STALL_COUNT];
};

/* What executes an instruction, by its name without prefixes (costs.c). */
void cost_integer(struct op *op, const char *name, const struct timing *timing);
void cost_vector(struct op *op, const char *name, const struct timing *timing);
static inline enum bank vector_bank(const struct timing *timing)
{
    return timing->vector_shares_pipes ? BANK_INTEGER : BANK_VECTOR;
}

/* Fills in everything but `insn`'s dynamic part. */
void op_init(struct op *op, const struct insn *insn, const struct timing *timing);

/* The conditional jump after it is fused with it. */
void op_fuse(struct op *op, const struct timing *timing);

/* The `dec r15; jnz` that the loop puts behind the snippet, as one operation. */
void op_init_loop_end(struct op *op, const struct timing *timing);

#endif
