/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that Unicorn 2.0.1 refuses or gets wrong, executed here on the registers.
 * native.c has the accesses of memory and what fits nowhere else, native_integer.c base
 * instructions, native_bits.c BMI1 and BMI2; native_vector.c, native_shuffle.c and native_masked.c
 * AVX and AVX2, native_lanes.c what of them Unicorn can do as SSE, native_float.c FMA and
 * comparisons, native_approximate.c what is exact on no CPU. Operands come from the decoder.
 */
#ifndef FENCESIM_SIM_EXEC_NATIVE_H_
#define FENCESIM_SIM_EXEC_NATIVE_H_

#include "sim/exec/exec.h"

enum {
    FLAG_CF = 1u << 0,
    FLAG_PF = 1u << 2,
    FLAG_AF = 1u << 4,
    FLAG_ZF = 1u << 6,
    FLAG_SF = 1u << 7,
    FLAG_OF = 1u << 11,
    STATUS_FLAGS = FLAG_CF | FLAG_PF | FLAG_AF | FLAG_ZF | FLAG_SF | FLAG_OF
};

/* An instruction under way. */
struct native_step {
    const struct insn *insn;
    struct registers *registers; /* a copy, thrown away unless the result is EXEC_OK */
    struct exec *exec;
    exec_read *read;
    void *context;
    struct exec_result *result;
};

/* The address that an explicit memory operand denotes. */
uint64_t operand_address(const struct memory_operand *memory, const struct registers *registers);

/* Executes an instruction that is `native`; rip is moved on by the caller. */
void native_step(struct native_step *step);

/* Whether all of [address, address + size) may be accessed. */
bool exec_is_declared(const struct exec *exec, uint64_t address, unsigned size);

/*
 * Accesses of the explicit memory operand; 32 bytes are two accesses of 16, the lower first.
 * False when it faults: the result says how.
 */
bool native_load(struct native_step *step, unsigned size, void *data);
bool native_store(struct native_step *step, unsigned size, const void *data);

/* The same of a part of it, `offset` bytes on. */
bool native_load_at(struct native_step *step, unsigned offset, unsigned size, void *data);
bool native_store_at(struct native_step *step, unsigned offset, unsigned size, const void *data);

/* A general register or memory as a source, zero-extended; false on a fault. */
bool native_source(struct native_step *step, unsigned operand, uint64_t *value);
void native_write(struct native_step *step, unsigned operand, uint64_t value);

/* The flags of `defined` become those of `set`, the others stay. */
void native_flags(struct native_step *step, uint64_t defined, uint64_t set);

/* Of the files of these names: false when the instruction is none of theirs. */
bool native_integer(struct native_step *step);
bool native_bits(struct native_step *step);
bool native_vector(struct native_step *step);
bool native_shuffle(struct native_step *step);
bool native_masked(struct native_step *step);
bool native_lanes(struct native_step *step);
bool native_float(struct native_step *step);
void native_approximate(struct native_step *step);

/* ---- vectors ---- */

union vector {
    uint8_t b[32];
    uint16_t w[16];
    uint32_t d[8];
    uint64_t q[4];
};

/* A vector or general register or memory, zero-extended; false on a fault. */
bool vector_source(struct native_step *step, unsigned operand, union vector *vector);

/* Writes a vector register; AVX clears what is beyond its size, SSE leaves it alone. */
void vector_write(struct native_step *step, unsigned operand, const union vector *vector);

/*
 * Has the engine execute `bytes`, which access no memory, on `registers`. EXEC_OK, or the status
 * that the step as a whole must end with.
 */
enum exec_status native_engine(struct native_step *step, const uint8_t *bytes, unsigned length,
                               struct registers *registers);

#endif
