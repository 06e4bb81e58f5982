/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the assembler stage share. The way of a snippet:
 *
 *   assemble_scan.c       text of a trace -> clean statements; nothing else ever reaches `as`
 *   assemble_directive.c  which directives there are
 *   assemble_labels.c     labels made local to the snippet
 *   assemble_pieces.c     statements that many snippets have
 *   assemble.c            many snippets -> one input for `as`; its complaints -> diagnostics
 *   assemble_tool.c       runs `as`
 *   assemble_elf.c        its object file -> bytes, marks, relocations
 *   assemble_finish.c     bytes relocated, cut up and handed to the snippets
 */
#ifndef FENCESIM_SIM_PROGRAM_ASSEMBLE_H_
#define FENCESIM_SIM_PROGRAM_ASSEMBLE_H_

#include "sim/base/intern.h"
#include "sim/base/text.h"
#include "sim/program/read.h"

/*
 * One statement, without comments: labels, then at most one instruction or data directive.
 * Its characters were all checked, so it means to `as` what it meant to the scanner.
 */
struct statement {
    const char *text; /* labels first; not yet renamed */
    uint32_t length;
    uint32_t label_length; /* how much of `text` is labels, colons included */
    uint32_t line;         /* index into the source's lines */
    bool bad;              /* was complained about: only its labels are still assembled */
    uint32_t piece;        /* of a unit of pieces: which one it is */
};

/* A snippet on its way. */
struct unit {
    struct source *source;
    uint32_t number;       /* makes its labels unique */
    struct region *region; /* of the statements */
    struct statement *statements;
    size_t count, capacity;
    uint32_t alignment; /* the largest that it asks for, 1 for none */
    uint64_t estimate;  /* an upper bound of the bytes that come out */
    bool has_labels;
    bool of_pieces;              /* each statement means the same anywhere */
    bool skip;                   /* not worth assembling any more */
    size_t first_line, end_line; /* of as's input: of its first statement, after its last */
};

/* ---- tokens of a statement ---- */

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_SPACE, TOKEN_OTHER };

struct token {
    enum token_kind kind;
    const char *start;
    size_t length;
};

/* The token at `at`; TOKEN_OTHER is one character. */
struct token token_at(const char *at, const char *end);

bool is_name_start(char c); /* letter, _ or . */
bool is_name_part(char c);  /* these or a digit */

/* ---- errors ---- */

/* Adds an error at a line of the source and marks the source as failed. */
void unit_error(struct unit *unit, struct diagnostics *diagnostics, uint32_t line,
                const char *format, ...) __attribute__((format(printf, 4, 5)));

/* ---- scanning ---- */

void unit_scan(struct unit *unit, struct region *region, struct diagnostics *diagnostics);

/*
 * Checks a directive (`name` with its dot, `length` letters) and adds to the unit's estimate;
 * NULL when it may be used, otherwise what is wrong. `arguments` ends at `end`.
 */
const char *directive_check(struct unit *unit, struct region *region, const char *name,
                            size_t length, const char *arguments, const char *end);

/* A decimal or hexadecimal number and nothing else but spaces. */
bool parse_count(const char *start, const char *end, uint64_t *value);

/* ---- labels ---- */

/* All labels of all units. */
struct label_table {
    struct intern names;  /* unit number and name */
    struct label *labels; /* by intern number */
    size_t capacity;
};

void label_table_init(struct label_table *table, struct region *region);

/* Finds the unit's labels and checks them and the references to numbered ones. */
void unit_labels(struct unit *unit, struct label_table *table, struct diagnostics *diagnostics);

/* Adds the first `length` characters of a statement to as's input, labels renamed. */
void emit_statement(struct text *out, const struct unit *unit, struct label_table *table,
                    const struct statement *statement, size_t length);

/* Fills in the unit's named labels, at most `capacity`; returns how many. */
size_t unit_label_names(const struct unit *unit, const struct label_table *table,
                        const char **names, size_t capacity);

/* ---- running `as` ---- */

/* A place in the code that the linker would fill in. */
struct relocation {
    uint64_t offset;
    uint32_t type;      /* R_X86_64_... */
    const char *symbol; /* an undefined symbol; NULL: relative to the code's own start */
    bool absolute;      /* NULL symbol: relative to address 0 instead */
    int64_t addend;
};

#define NO_MARK UINT64_MAX

struct as_output {
    int error;              /* errno when `as` could not be run, with `failed_to` set */
    const char *failed_to;  /* "run as", "make a temporary directory", ...; NULL: it ran */
    const char *messages;   /* what it said, NUL-terminated */
    const char *input_name; /* how it calls its input there */
    bool assembled;         /* the rest is valid */
    uint8_t *bytes;
    size_t size;
    uint64_t *marks; /* offset of the symbol L$n, NO_MARK without one; `mark_count` long */
    struct relocation *relocations; /* by offset */
    size_t relocation_count;
};

/*
 * Assembles `input`. Leaves nothing behind: no file, no process, no open descriptor, also
 * when memory runs out.
 */
void as_run(struct region *region, const struct text *input, size_t mark_count,
            struct as_output *output);

/* Reads the object file that `elf` (an Elf *) is open on; false when it is not as expected. */
bool object_read(void *elf, struct region *region, size_t mark_count, struct as_output *output);

/* The first relocation at or after an offset; they are sorted. */
size_t first_relocation(const struct as_output *output, uint64_t offset);

/* ---- finishing ---- */

/*
 * Where a line of as's input came from; `statement` is the unit's count after its last one. Of the
 * unit PIECES: the piece's number.
 */
struct origin {
    uint32_t unit, statement;
};

#define PIECES UINT32_MAX

/* Cuts the unit's part out of the output, relocates it and fills its snippet. */
void unit_finish(struct unit *unit, const struct as_output *output, const struct origin *origins,
                 const struct label_table *table, struct region *region,
                 struct diagnostics *diagnostics);

/* ---- statements that many snippets have ---- */

struct piece {
    size_t line;  /* of as's input, in the run numbered `run` */
    uint64_t run; /* the last that assembled it */
    bool bad;     /* was complained about: who has it is assembled apart, to hear that */
};

struct pieces {
    struct intern names; /* syntax and text */
    struct piece *items; /* by intern number */
    size_t capacity;
    /* One unit's part of the output, put together: kept for the next unit's. */
    struct as_output own;
    struct origin *origins;
    size_t byte_capacity, mark_capacity, relocation_capacity, origin_capacity;
};

void pieces_init(struct pieces *pieces, struct region *region);
void pieces_free(struct pieces *pieces);

/* Finds out whether the unit is made of pieces, after its labels are known, and which. */
void unit_pieces(struct unit *unit, struct pieces *pieces);

/* Whether only its pieces are assembled, instead of the unit itself. */
bool unit_is_shared(const struct unit *unit, const struct pieces *pieces);

/* unit_finish for such a unit. */
void unit_finish_shared(struct unit *unit, const struct as_output *output, struct pieces *pieces,
                        const struct label_table *labels, struct region *region,
                        struct diagnostics *diagnostics);

#endif
