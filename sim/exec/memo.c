/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/exec/memo.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { ENTRIES = 1 << 15 /* some 8 MiB */ };
#define GENERAL UINT64_C(0xffff)

struct memo {
    struct memo_entry entries[ENTRIES];
};

static _Thread_local struct memo *memo;

struct memo *memo_get(void)
{
    if (!memo)
        memo = calloc(1, sizeof *memo);
    return memo;
}

void memo_close(void)
{
    free(memo);
    memo = NULL;
}

bool memo_takes(const struct insn *insn)
{
    if ((insn->class != INSN_ORDINARY && insn->class != INSN_LOCKED) || insn->uses_xmm ||
        insn->implicit_load || insn->implicit_store || insn->memory.segment ||
        insn->memory.size > 8)
        return false;
    if (insn->is_branch && !insn->has_target)
        return false;
    if ((insn->reads | insn->writes) & (REGISTER_BIT_FS | REGISTER_BIT_GS))
        return false;
    return __builtin_popcountll((insn->reads | insn->writes) & GENERAL) <= MEMO_INPUTS &&
           __builtin_popcountll(insn->writes & GENERAL) <= MEMO_OUTPUTS;
}

void memo_make_key(const struct insn *insn, const struct registers *registers, uint64_t address,
                   uint64_t loaded, struct memo_key *key)
{
    memset(key, 0, sizeof *key);
    memcpy(key->bytes, insn->bytes, sizeof key->bytes);
    key->length = insn->length;
    key->address = address;
    key->loaded = loaded;
    key->flags = registers->rflags;
    unsigned count = 0;
    for (uint64_t left = (insn->reads | insn->writes) & GENERAL; left; left &= left - 1)
        key->inputs[count++] = registers->gpr[__builtin_ctzll(left)];
}

struct memo_entry *memo_slot(struct memo *table, const struct memo_key *key)
{
    return &table->entries[XXH3_64bits(key, sizeof *key) % ENTRIES];
}

bool memo_matches(const struct memo_entry *entry, const struct memo_key *key)
{
    return entry->used && memcmp(&entry->key, key, sizeof *key) == 0;
}

void memo_apply(const struct memo_entry *entry, const struct insn *insn,
                struct registers *registers)
{
    unsigned count = 0;
    for (uint64_t left = insn->writes & GENERAL; left; left &= left - 1)
        registers->gpr[__builtin_ctzll(left)] = entry->outputs[count++];
    registers->rflags = entry->flags;
    registers->rip += (uint64_t)entry->step;
}

/* Whether nothing changed but what the instruction is said to write. */
static bool keeps_the_rest(const struct insn *insn, const struct registers *before,
                           const struct registers *after)
{
    for (unsigned i = 0; i < 16; i++)
        if (!(insn->writes >> i & 1) && before->gpr[i] != after->gpr[i])
            return false;
    return true;
}

void memo_remember(struct memo_entry *entry, const struct memo_key *key, const struct insn *insn,
                   const struct registers *before, const struct registers *after,
                   const struct exec_result *result)
{
    unsigned count = 0, reads = 0;
    entry->used = false;
    entry->stores = false;
    for (unsigned i = 0; i < result->count; i++) {
        const struct exec_access *access = &result->accesses[i];
        if (access->address != key->address || access->size != insn->memory.size ||
            (access->write ? entry->stores : reads++ > 0))
            return;
        if (!access->write)
            continue;
        entry->stores = true;
        entry->stored = 0;
        entry->size = access->size;
        memcpy(&entry->stored, access->data, access->size);
    }
    if ((reads > 0) != insn->memory.read || !keeps_the_rest(insn, before, after))
        return;
    for (uint64_t left = insn->writes & GENERAL; left; left &= left - 1)
        entry->outputs[count++] = after->gpr[__builtin_ctzll(left)];
    entry->key = *key;
    entry->flags = after->rflags;
    entry->step = (int64_t)(after->rip - before->rip);
    entry->used = true;
}
