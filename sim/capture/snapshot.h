/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code and data at addresses, from whatever told them (a disassembly, a hex dump, a process),
 * made into a `struct binary`, so that capturing goes the way that ELF files go.
 */
#ifndef FENCESIM_SIM_CAPTURE_SNAPSHOT_H_
#define FENCESIM_SIM_CAPTURE_SNAPSHOT_H_

#include "sim/capture/binary.h"

/* Bytes at an address. Pieces may come in any order and may repeat each other. */
struct snapshot_piece {
    const char *section; /* pieces of different sections never meet when `relocatable` */
    uint64_t address;
    const uint8_t *bytes;
    uint64_t size;
    bool code, writable;
    struct place place; /* in the input, for messages */
};

struct snapshot_symbol {
    const char *name, *section;
    uint64_t address;
    uint64_t size; /* 0: to the next one, or to where the bytes end */
    bool code;
};

/* A name that the input has for an address, whether or not it has bytes there. */
struct snapshot_name {
    uint64_t address;
    const char *name;
};

struct snapshot_relocation {
    const char *section, *symbol;
    uint64_t address;
    uint32_t type; /* R_X86_64_... */
    int64_t addend;
};

struct snapshot {
    struct region *region;
    struct diagnostics *diagnostics;
    const char *name; /* for messages and notes; must outlive the binary */
    bool relocatable; /* as in an object file: addresses count from the section's start */
    uint8_t end;      /* put behind code that runs off the end of what is known: RET or INT3 */
    bool ended;       /* ... which snapshot_binary did */
    struct snapshot_piece *pieces;
    size_t piece_count, piece_capacity;
    struct snapshot_symbol *symbols;
    size_t symbol_count, symbol_capacity;
    struct snapshot_name *names;
    size_t name_count, name_capacity;
    struct snapshot_relocation *relocations;
    size_t relocation_count, relocation_capacity;
};

enum { SNAPSHOT_RET = 0xc3, SNAPSHOT_INT3 = 0xcc };

void snapshot_init(struct snapshot *snapshot, struct region *region,
                   struct diagnostics *diagnostics, const char *name);

void snapshot_add_piece(struct snapshot *snapshot, const struct snapshot_piece *piece);
void snapshot_add_symbol(struct snapshot *snapshot, const struct snapshot_symbol *symbol);
void snapshot_add_name(struct snapshot *snapshot, uint64_t address, const char *name);
void snapshot_add_relocation(struct snapshot *snapshot,
                             const struct snapshot_relocation *relocation);

/*
 * Makes the binary. Data that the code refers to and that no piece has is zero, in sections
 * that say so; code that is elsewhere keeps its name. NULL with errors when pieces contradict
 * each other or are too large.
 */
struct binary *snapshot_binary(struct snapshot *snapshot);

/* What an instruction of the snapshot's code refers to by an address that it holds. */
struct snapshot_reference {
    uint64_t address;
    uint8_t access; /* bytes read or written there; 0: the address alone is taken */
    bool branch;
    bool to_next;           /* relative to rip, with a distance of 0 */
    bool thread_local_data; /* `address` is a distance from fs_base */
};

typedef void reference_taker(void *argument, const struct snapshot_reference *reference);

/* Hands over every such reference of a code symbol of a binary that was made of an snapshot. */
void snapshot_references(struct binary *binary, const struct binary_symbol *symbol,
                         reference_taker *take, void *argument);

#endif
