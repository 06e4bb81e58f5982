/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the engine answered before, whoever asked: the same instruction on the same inputs has
 * the same effect, wherever it stands and in whichever program. A cache of one thread, of
 * fixed size; what collides is forgotten.
 */
#ifndef FENCESIM_SIM_EXEC_MEMO_H_
#define FENCESIM_SIM_EXEC_MEMO_H_

#include "sim/exec/exec.h"

enum { MEMO_INPUTS = 6, MEMO_OUTPUTS = 4 };

/* Everything that the effect of a memorable instruction depends on. No padding. */
struct memo_key {
    uint8_t bytes[15];
    uint8_t length;
    uint64_t address; /* of its memory operand, 0 without */
    uint64_t loaded;  /* what it loads there, 0 when nothing */
    uint64_t flags;
    uint64_t inputs[MEMO_INPUTS]; /* registers that it reads or writes, by number */
};

struct memo_entry {
    struct memo_key key;
    bool used, stores;
    uint8_t size; /* of the store */
    uint64_t stored, flags;
    int64_t step; /* what is added to rip */
    uint64_t outputs[MEMO_OUTPUTS];
};

struct memo;

/* The calling thread's memo; NULL when memory is short. */
struct memo *memo_get(void);
void memo_close(void);

/* Whether the memo takes this instruction: integer, at most one explicit memory operand. */
bool memo_takes(const struct insn *insn);

void memo_make_key(const struct insn *insn, const struct registers *registers, uint64_t address,
                   uint64_t loaded, struct memo_key *key);

/* Where the key's entry is or would be; compare with memo_matches. */
struct memo_entry *memo_slot(struct memo *memo, const struct memo_key *key);
bool memo_matches(const struct memo_entry *entry, const struct memo_key *key);

/* Applies an entry to the registers. */
void memo_apply(const struct memo_entry *entry, const struct insn *insn,
                struct registers *registers);

/*
 * Remembers what `insn` did. Not when it did more than the entry holds, or than its read and
 * write sets admit: then the entry stays free.
 */
void memo_remember(struct memo_entry *entry, const struct memo_key *key, const struct insn *insn,
                   const struct registers *before, const struct registers *after,
                   const struct exec_result *result);

#endif
