/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code as text: disassemblies (objdump, gdb) and dumps of bytes (xxd, hexdump, od, plain
 * digits). The bytes are what counts where there are any; text without them is assembled.
 *
 *   dump.c          reads the input, tells which of these it is
 *   dump_listing.c  disassemblies
 *   dump_rows.c     their instructions: those without bytes assembled, none missing
 *   dump_hex.c      dumps of bytes
 */
#ifndef FENCESIM_SIM_CAPTURE_DUMP_H_
#define FENCESIM_SIM_CAPTURE_DUMP_H_

#include "sim/capture/snapshot.h"

/* One line of the input, without its end. */
struct dump_line {
    const char *start;
    size_t length;
    uint32_t number;
};

struct dump {
    struct region *region;
    struct diagnostics *diagnostics;
    const char *path, *name; /* of the file, for messages; of its code where it has no names */
    struct dump_line *lines;
    size_t line_count, line_capacity;
    struct snapshot snapshot;
    size_t filled; /* instructions from text that became shorter, with NOPs behind */
    size_t assembled;
};

/* An instruction of a disassembly, or more bytes of the one before. */
struct dump_row {
    uint64_t address;
    uint8_t *bytes;
    uint32_t size; /* 0: only text */
    const char *text, *section;
    bool begins;        /* does not follow the row before: a new function, a gap that is marked */
    struct place place; /* of the address */
    struct place text_place;
};

/*
 * Reads a file ("-": standard input) and makes a binary of it; NULL with errors. Its code
 * symbols are the functions that the text names, or one named `name` (NULL: by the file).
 */
struct binary *dump_read(struct region *region, struct diagnostics *diagnostics, const char *path,
                         const char *name);

/*
 * All bytes of a file ("-": standard input), at most `most`; false with an error. `offset` and
 * `*size` say which part; *size 0: all from there.
 */
bool dump_read_file(struct region *region, struct diagnostics *diagnostics, const char *path,
                    uint64_t offset, uint64_t *size, uint8_t **bytes);

/* The file's name without folders and what follows a dot, as a name for its code. */
const char *dump_stem(struct region *region, const char *path);

/* Code that came as bytes alone: one function, which ends with a return where it just stops. */
struct binary *dump_bytes(struct region *region, struct diagnostics *diagnostics, const char *path,
                          const char *name, uint64_t address, const uint8_t *bytes, uint64_t size);

/* The binary of an snapshot, with what its readers must be told. */
struct binary *dump_finish(struct dump *dump);

void dump_error(struct dump *dump, uint32_t line, size_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- words of a line; each moves `*at` behind what it found ---- */

bool dump_hex_number(const char **at, const char *end, uint64_t *value); /* 1 to 16 digits */
bool dump_is_hex(char c);
uint8_t dump_hex_digit(char c);
void dump_skip_spaces(const char **at, const char *end);

/* ---- the kinds ---- */

bool dump_is_listing(const struct dump *dump);
void dump_read_listing(struct dump *dump);
void dump_read_hex(struct dump *dump, uint64_t *address, uint8_t **bytes, uint64_t *size);

/* Adds the rows of a listing to the snapshot. */
void dump_add_rows(struct dump *dump, struct dump_row *rows, size_t count);

#endif
