/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memoised execution: the registers of a CPU are a number (a local state), and for each local
 * state the next instruction's accesses, and its effect for each tuple of loaded bytes, are
 * asked of Unicorn once. Independent of profile and ordering model.
 */
#ifndef FENCESIM_SIM_EXPLORE_ORACLE_H_
#define FENCESIM_SIM_EXPLORE_ORACLE_H_

#include "sim/base/intern.h"
#include "sim/base/map.h"
#include "sim/exec/exec.h"

enum { READS_MAX = 3, LOAD_BYTES_MAX = 48, LOCALS_MAX = 1 << 21 /* some 400 bytes each */ };

/* What a CPU in a local state is about to do. */
enum plan_kind {
    PLAN_END,        /* it has run off its end or returned to its caller */
    PLAN_STEP,       /* an instruction that the oracle executes */
    PLAN_SYSTEM,     /* an instruction that the models execute: look at insn->class */
    PLAN_FAULT,      /* an exception whatever the loads return: see `fault` */
    PLAN_UNMODELLED, /* no model covers it: `reason` */
    PLAN_FAILED      /* the engine failed */
};

struct data_access {
    uint64_t address;
    uint32_t size;
};

struct fault {
    uint8_t vector;
    uint64_t address; /* of a page fault */
};

struct plan {
    enum plan_kind kind;
    const struct insn *insn; /* NULL at the end, and when nothing could be fetched */
    const char *reason;
    struct fault fault;
    unsigned read_count;
    struct data_access reads[READS_MAX];
    bool writes; /* it may store */
    bool done;   /* no reads: `effect` is known already */
    uint32_t effect;
};

/* The outcome of an instruction for one tuple of loaded bytes. */
struct effect {
    enum exec_status status;
    struct fault fault;
    uint32_t next; /* local state */
    unsigned write_count;
    const struct exec_access *writes;
};

struct oracle {
    struct region *region;
    struct exec *exec;
    const struct program *program;
    uint32_t variant;
    size_t local_bytes;     /* of struct registers: without vectors, with xmm, with ymm */
    struct code **code;     /* main code, one per CPU */
    struct code **handlers; /* HANDLERS_PER_CPU a CPU, NULL where it has none */
    struct intern locals;   /* the first local_bytes of registers */
    struct plan **plans;    /* per local state, NULL: not made so far */
    size_t plan_capacity;
    struct intern values; /* tuples of loaded bytes */
    struct map effect_of; /* local state << 32 | values -> effect */
    struct effect **effects;
    size_t effect_count, effect_capacity;
    bool *tells_apart;   /* per CPU: it has met an instruction by which it is not like others */
    bool returns_inside; /* a RET led elsewhere than to the end: it may be a jump backwards */
    uint64_t steps;      /* instructions executed, memo hits not counted */
};

/* Decodes the variant's code. `exec` must be of the same program. */
struct oracle *oracle_new(struct region *region, struct exec *exec, const struct program *program,
                          uint32_t variant);

/* The local state of these registers, and back. */
uint32_t oracle_local(struct oracle *oracle, const struct registers *registers);
void oracle_registers(const struct oracle *oracle, uint32_t local, struct registers *registers);

const struct plan *oracle_plan(struct oracle *oracle, uint32_t local);

/* The effect of the planned instruction when its reads return `bytes` (all reads' bytes one
 * after the other). */
const struct effect *oracle_effect(struct oracle *oracle, uint32_t local, const uint8_t *bytes);

/*
 * The local state after an instruction that the models execute: rip moved on, and what CPUID,
 * CLI and STI write.
 */
uint32_t oracle_system_next(struct oracle *oracle, uint32_t local);

uint64_t oracle_rip(const struct oracle *oracle, uint32_t local);
uint64_t oracle_flags(const struct oracle *oracle, uint32_t local);

/* The address of the handler of a vector on a CPU, 0 when it has none. */
uint64_t oracle_handler(const struct oracle *oracle, uint32_t cpu, uint8_t vector);

/* The same local state with another rip. */
uint32_t oracle_jump(struct oracle *oracle, uint32_t local, uint64_t rip);

/* The CPU whose code `rip` is in, by address. */
uint32_t oracle_cpu_of(uint64_t rip);

#endif
