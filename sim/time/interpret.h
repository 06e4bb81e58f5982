/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small interpreter of the commonest integer instructions. A timed run executes millions
 * of instructions of which most are moves, additions and jumps; these run here, everything
 * else goes to the oracle (sim/exec). tests/unit/test_time.c holds the two against each other.
 */
#ifndef FENCESIM_SIM_TIME_INTERPRET_H_
#define FENCESIM_SIM_TIME_INTERPRET_H_

#include "sim/exec/exec.h"

enum operation {
    OPERATION_NONE, /* not for the interpreter */
    OPERATION_ADD,
    OPERATION_OR,
    OPERATION_ADC,
    OPERATION_SBB, /* the order of the opcodes */
    OPERATION_AND,
    OPERATION_SUB,
    OPERATION_XOR,
    OPERATION_CMP,
    OPERATION_TEST,
    OPERATION_MOV,
    OPERATION_MOVZX,
    OPERATION_MOVSX,
    OPERATION_LEA,
    OPERATION_INC,
    OPERATION_DEC,
    OPERATION_NOT,
    OPERATION_NEG,
    OPERATION_IMUL,
    OPERATION_SHL,
    OPERATION_SHR,
    OPERATION_SAR,
    OPERATION_XCHG,
    OPERATION_XADD,
    OPERATION_CMPXCHG,
    OPERATION_PUSH,
    OPERATION_POP,
    OPERATION_CALL,
    OPERATION_RET,
    OPERATION_JUMP,
    OPERATION_JUMP_IF,
    OPERATION_NOTHING
};

enum place_kind { PLACE_NONE, PLACE_REGISTER, PLACE_MEMORY, PLACE_IMMEDIATE };

/* One decoded instruction: what it does with which places. */
struct interpreted {
    enum operation operation;
    enum place_kind target, source; /* target is also the first operand */
    uint8_t target_register, source_register;
    uint8_t size;        /* bytes of the operation */
    uint8_t source_size; /* bytes of the source of movzx, movsx */
    uint8_t condition;   /* of a conditional jump: the low four bits of its opcode */
    bool second_source;  /* imul r, r/m, imm: multiplies the source by `immediate` */
    uint64_t immediate;  /* sign-extended */
    uint64_t jump;       /* where a direct jump or call goes */
};

/* What an instruction asks of memory: at most one load and one store. */
struct transfer {
    uint64_t loaded; /* in: what the load returned */
    uint64_t stored; /* out: what the store writes */
    bool stores;     /* out */
};

/* operation is OPERATION_NONE when the oracle must execute it. */
void interpret_decode(struct interpreted *interpreted, const struct insn *insn);

/* The address of the explicit memory operand. */
uint64_t interpret_address(const struct insn *insn, const struct registers *registers);

/* Executes it on `registers`, rip included. */
void interpret(const struct interpreted *interpreted, const struct insn *insn,
               struct registers *registers, struct transfer *transfer);

#endif
