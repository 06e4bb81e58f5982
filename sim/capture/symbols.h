/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names in a running process, from its files and where they are mapped; libdwfl does both. */
#ifndef FENCESIM_SIM_CAPTURE_SYMBOLS_H_
#define FENCESIM_SIM_CAPTURE_SYMBOLS_H_

#include <sys/types.h>

#include "sim/base/region.h"

struct symbols;

/* A part of the address space. */
struct mapping {
    uint64_t start, end;
    bool read, write, execute;
};

struct process_symbol {
    const char *name;
    uint64_t address, size;
    bool code;
};

/* NULL: the process cannot be looked at. */
struct symbols *symbols_open(struct region *region, pid_t process);

/* A function by name, with a size; that of the program before those of libraries. */
bool symbols_function(const struct symbols *symbols, const char *name,
                      struct process_symbol *found);

/* What covers an address. */
bool symbols_at(const struct symbols *symbols, uint64_t address, struct process_symbol *found);

/* " (did you mean 'x'?)", or that the program has no names. */
const char *symbols_suggest(const struct symbols *symbols, const char *name);

/* The mapping that an address lies in; NULL: none. */
const struct mapping *symbols_mapping(const struct symbols *symbols, uint64_t address);

/* The program's file, without folders. */
const char *symbols_program(const struct symbols *symbols);

/* "demo.c:12", NULL where the file does not say. */
const char *symbols_line(const struct symbols *symbols, uint64_t address);

#endif
