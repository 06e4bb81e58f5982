/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From files to programs. Reading is in three steps, so that one call of the assembler serves all
 * files: parse each file, assemble all snippets of all files, finish each program (isa/insn.h).
 */
#ifndef FENCESIM_SIM_PROGRAM_READ_H_
#define FENCESIM_SIM_PROGRAM_READ_H_

#include "sim/program/program.h"

/* A piece of assembly text to be assembled as one snippet. */
struct source_line {
    const char *text;   /* without newline; one line, possibly several statements by ';' */
    struct place place; /* of the text's first character in the trace */
    const char *slot;   /* the slot that this line came out of, or NULL */
};

struct source {
    const char *file;
    bool att; /* AT&T syntax */
    struct source_line *lines;
    size_t line_count;
    const struct program *program;   /* whose objects are its symbols */
    struct snippet *snippet;         /* filled by `assemble`; `address` is set before */
    uint32_t limit;                  /* bytes that fit at its address */
    struct diagnostics *diagnostics; /* for its errors; NULL: the list given to `assemble` */
    const struct unit *scanned;      /* what source_scan found out; NULL: not done */
    bool failed;                     /* set by `assemble` when diagnostics were added for it */
};

struct source_list {
    struct region *region;
    struct source **items;
    size_t count, capacity;
};

void source_list_add(struct source_list *list, struct source *source);

/*
 * The part of assembling that needs no other source, for threads to share; what was not done
 * before, `assemble` does.
 */
void source_scan(struct source *source, struct region *region, struct diagnostics *diagnostics);

/*
 * Assembles every source: GNU as, in as few processes as possible; relocates against the
 * program's objects; fills snippet bytes, line table and slot ranges. Errors go to
 * `diagnostics` at the trace's own line (as's complaints, undefined symbols, directives that
 * a snippet may not use, code too large), all of them in one run; a bad snippet does not
 * spoil the others. Returns false when `as` could not be run at all (then the diagnostics
 * say so and how to install it).
 */
bool assemble(struct source_list *sources, struct diagnostics *diagnostics);

/*
 * The same for threads that share the sources of one call among themselves: when `as` could not
 * be run it says why (in the region of `sources`), NULL when it could. Somebody then says so once,
 * with assemble_failed, at the first source of all.
 */
const char *assemble_sources(struct source_list *sources, struct diagnostics *diagnostics);
void assemble_failed(struct source *first, struct diagnostics *diagnostics, const char *failure);

/*
 * Parses and checks one trace given as text (`name` for messages). Returns a program, or NULL
 * when it is so broken that nothing can be said; errors are in `diagnostics` in either case.
 * Snippets given as `asm:` are added to `sources` and are filled in by `assemble`; those
 * given as `code:` are complete. Everything lives in `region`.
 */
struct program *trace_parse(struct region *region, const char *name, const char *text,
                            size_t length, struct source_list *sources,
                            struct diagnostics *diagnostics);

#endif
