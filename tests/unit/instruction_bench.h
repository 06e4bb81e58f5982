/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions that are executed one at a time on random registers and memory. */
#ifndef FENCESIM_TESTS_UNIT_INSTRUCTION_BENCH_H_
#define FENCESIM_TESTS_UNIT_INSTRUCTION_BENCH_H_

#include "sim/exec/exec.h"
#include "tests/unit/instructions.h"
#include "tests/unit/reading.h"

enum { DATA_BYTES = 4096, DATA_MIDDLE = 1024 /* rdi points there, rsi to twice as far */ };
#define DIRECTION UINT64_C(0x400)

struct bench {
    struct reading reading;
    struct exec *exec;
    struct code code;
    uint8_t data[DATA_BYTES], stack[STACK_BYTES];
    unsigned loaded, stored; /* bytes, by the last step */
};

extern struct bench bench;

/* Assembles lines of six spaces and an instruction each, or a group of the table. */
void bench_open(const char *lines);
void bench_open_group(const struct instruction_group *group);
void bench_close(void);

uint64_t random_word(void);

/* Registers and memory on which the instruction makes sense. */
void random_input(const struct insn *insn, struct registers *registers);

/* Executes the instruction, all of its iterations when it repeats; its stores reach the bench. */
enum exec_status bench_step(const struct insn *insn, struct registers *registers);

#endif
