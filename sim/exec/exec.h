/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The oracle: what one instruction does to registers, given what its loads return. A pure
 * function of (instruction, registers, loaded bytes); it never keeps memory of its own.
 * Unicorn executes ordinary instructions, exec/native.c the few that Unicorn gets wrong or
 * refuses. What orders, times or touches system state never comes here.
 */
#ifndef FENCESIM_SIM_EXEC_EXEC_H_
#define FENCESIM_SIM_EXEC_EXEC_H_

#include "sim/isa/insn.h"
#include "sim/program/program.h"

/* The registers of one CPU. Plain words, no padding: equal registers are equal bytes. */
struct registers {
    uint64_t gpr[16];
    uint64_t rip;
    uint64_t rflags;
    uint64_t fs_base, gs_base;
    uint64_t xmm[16][2];      /* low half first */
    uint64_t ymm_high[16][2]; /* bits 128..255; last, since programs without AVX leave it away */
};

#define RFLAGS_IF UINT64_C(0x200)

/* An interrupt's frame, from low to high addresses: rip, cs, rflags, rsp, ss. */
#define FRAME_CS    UINT64_C(0x10)
#define FRAME_SS    UINT64_C(0x18)
#define FRAME_FLAGS UINT64_C(0xed5) /* the flags that are kept: status flags, DF and IF */

/* The registers of `cpu` when its code at `rip` starts. */
void registers_start(struct registers *registers, const struct cpu *cpu, uint64_t rip);

/* What a condition's name for a register, or a part of one, stands for. */
uint64_t registers_view(const struct registers *registers, const struct register_view *view);

enum exec_status {
    EXEC_OK,
    EXEC_FAULT,      /* an exception: `vector`; registers unchanged */
    EXEC_UNMODELLED, /* not executed here; registers unchanged */
    EXEC_FAILED      /* the engine itself failed (out of memory): treat as an internal error */
};

enum { EXEC_ACCESSES_MAX = 20, EXEC_ACCESS_BYTES = 16 };

/* One access of memory, in the order in which the instruction makes them. */
struct exec_access {
    uint64_t address;
    uint8_t size; /* 1..16 bytes */
    bool write;
    uint8_t data[EXEC_ACCESS_BYTES]; /* what was read or written */
};

struct exec_result {
    enum exec_status status;
    uint8_t vector;         /* EXEC_FAULT: 0 #DE, 6 #UD, 13 #GP, 14 #PF, ... */
    uint64_t fault_address; /* #PF: the address outside every object and stack */
    unsigned count;
    struct exec_access accesses[EXEC_ACCESSES_MAX];
};

/* Supplies the bytes that a load returns. Must not allocate from a region: it is called from inside
 * the engine, which an unwinding must not cross. */
typedef void exec_read(void *context, uint64_t address, unsigned size, uint8_t *data);

struct exec;

/*
 * An oracle for one program. The engine behind it is taken when it is first needed. Not
 * thread-safe: one per thread. It is closed with the region at the latest, so `program` must live
 * as long.
 */
struct exec *exec_open(struct region *region, const struct program *program);
void exec_close(struct exec *exec);

/* Gives back what the calling thread keeps between programs: an engine, remembered answers, its
 * decoder. */
void exec_thread_close(void);

/*
 * Executes `insn` (INSN_ORDINARY, LOCKED, NT_STORE, STRING, NOTHING or NATIVE) on
 * `registers`, which are updated when the status is EXEC_OK (rip included). `read` is called
 * for each load with its address and size; stores are only listed in the result. A rep string
 * instruction does one iteration a call (rip stays until rcx is 0; the last call has no access).
 * An access outside every object and the stacks is #PF.
 */
void exec_step(struct exec *exec, const struct insn *insn, struct registers *registers,
               exec_read *read, void *context, struct exec_result *result);

/* Calls of Unicorn so far, for `make bench` and the tests. */
uint64_t exec_calls(const struct exec *exec);

#endif
