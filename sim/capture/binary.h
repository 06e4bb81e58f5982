/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file (or a member of an archive) as sections, symbols and relocations that were
 * checked: every index is in range, every name is a string, every range lies in its section.
 */
#ifndef FENCESIM_SIM_CAPTURE_BINARY_H_
#define FENCESIM_SIM_CAPTURE_BINARY_H_

#include <libelf.h>

#include "sim/base/diagnostics.h"
#include "sim/base/intern.h"
#include "sim/base/region.h"

enum { SECTION_NONE = 0, SECTION_COMMON = 0xffffff00, SECTION_ABSOLUTE };

struct binary_relocation {
    uint64_t offset; /* in the section */
    uint32_t type;   /* R_X86_64_... */
    uint32_t symbol; /* index, 0: none */
    int64_t addend;
};

struct binary_symbol {
    const char *name; /* "" for sections and files */
    uint64_t value;   /* offset in its section; absolute value; alignment of a common one */
    uint64_t size;
    uint32_t section; /* index, or SECTION_... */
    uint8_t type, bind;
};

struct binary_section {
    const char *name;
    uint32_t type;
    uint64_t flags, address, size, alignment;
    const uint8_t *bytes; /* `size` of them; NULL: all zero */
    const char *note;     /* what a reader of the trace must know of its data, or NULL */
    struct binary_relocation *relocations; /* ascending offsets */
    size_t relocation_count, relocation_capacity;
    uint32_t *symbols; /* named ones with a place in it, ascending by value */
    size_t symbol_count;
};

/* Code that is not in the binary, but whose name is known. */
struct binary_outside {
    uint64_t address;
    const char *name;
};

/* The line of source of an address, "demo.c:12"; NULL: none. */
struct binary_line {
    uint64_t address;
    const char *text;
};

struct binary {
    struct region *region;
    const char *name; /* for messages: "libx.a(member.o)" */
    Elf *elf;
    int fd;                 /* of the file, -1 for a member of an archive */
    const void *archive;    /* that it is a member of; NULL: none */
    uint64_t member;        /* where in it */
    bool linked;            /* an executable or a shared library: symbols have addresses */
    bool fixed;             /* not position-independent: numbers may be addresses */
    bool pointers_unmarked; /* data holds addresses that no relocation marks */
    struct binary_section *sections;
    size_t section_count;
    struct binary_symbol *symbols;
    size_t symbol_count;
    uint64_t tls_address, tls_size, tls_alignment; /* PT_TLS of a linked file; size 0: none */
    struct intern *names;                          /* of symbols, without @version */
    uint32_t *symbol_of;                           /* by number in `names` */
    const char *note, *end_note;    /* what a reader of traces of its code must know, or NULL */
    uint8_t end_byte;               /* that `end_note` is about */
    struct binary_outside *outside; /* of a linked one */
    size_t outside_count;
    struct binary_line *own_lines; /* ascending, instead of what its file says */
    size_t own_line_count;
    struct lines *lines; /* lines.c; NULL: not opened so far */
};

/* A place in a binary. */
struct location {
    struct binary *binary;
    uint32_t section;
    uint64_t offset; /* may lie outside of the section */
};

/* Reads an ELF handle; errors are added and NULL is returned. `name` must outlive it. */
struct binary *binary_read(struct region *region, Elf *elf, int fd, const char *name,
                           struct diagnostics *diagnostics);

/* The allocated section that holds an address of a linked file; SECTION_NONE: none. */
uint32_t binary_section_at(const struct binary *binary, uint64_t address);

/* The symbol of one kind that covers a place, the nearest before it; NULL: none. */
enum symbol_kind { SYMBOL_CODE, SYMBOL_DATA };
const struct binary_symbol *binary_symbol_at(const struct binary *binary, uint32_t section,
                                             uint64_t offset, enum symbol_kind kind);

/* How many of a section's symbols begin before an offset. */
size_t binary_symbols_before(const struct binary *binary, const struct binary_section *section,
                             uint64_t offset);

/* How far a symbol reaches: its size, or to the next one when it has none. */
uint64_t binary_symbol_end(const struct binary *binary, const struct binary_symbol *symbol);

/* The end of the symbol before a place that none covers, and the start of the next one. */
void binary_gap(const struct binary *binary, uint32_t section, uint64_t offset, uint64_t *start,
                uint64_t *end);

/* A symbol by name, NULL when there is none: a defined one before others, a global before a
 * local one. */
const struct binary_symbol *binary_find(const struct binary *binary, const char *name);
void binary_index_names(struct binary *binary);

/* Fills in the sections' lists of symbols, which have none yet. */
void binary_sort_symbols(struct binary *binary);

/* Whether it has a place or is common, so that others can refer to it. */
bool symbol_is_defined(const struct binary_symbol *symbol);

bool section_is_code(const struct binary_section *section);
bool symbol_is_code(const struct binary *binary, const struct binary_symbol *symbol);

/* The first relocation at or after an offset; relocation_count when there is none. */
size_t binary_relocation_from(const struct binary_section *section, uint64_t offset);

#endif
