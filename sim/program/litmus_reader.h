/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the litmus reader share; only litmus*.c include this. The text is gone
 * through once, section by section; addresses are filled in when all objects are known.
 */
#ifndef FENCESIM_SIM_PROGRAM_LITMUS_READER_H_
#define FENCESIM_SIM_PROGRAM_LITMUS_READER_H_

#include <string.h>

#include "sim/base/text.h"
#include "sim/program/litmus.h"

/* Far more than any test has; below them the plain searches here take no time. */
enum {
    SYMBOLS_MAX = 1024,
    OBJECTS_MAX = 16384, /* with the elements that are looked at */
    LABELS_MAX = 4096,
    CELLS_MAX = 100000,
    SYMBOL_NAME_BYTES = 255
};

enum word_kind { WORD_END, WORD_NAME, WORD_NUMBER, WORD_SIGN };

/* A piece of the text. Numbers are decimal or 0x without a sign; a sign is one character. */
struct word {
    enum word_kind kind;
    const char *start;
    size_t length;
    struct place place;
};

struct value_type {
    uint8_t size; /* bytes: 1, 2, 4, 8 */
    bool is_signed;
};

/* A variable, beside what its object holds; same index as in program->objects. */
struct symbol {
    const char *code_name; /* how the assembler knows it */
    struct value_type type;
    uint32_t elements;            /* of an array, 0 for a single value */
    uint64_t accessed;            /* bytes that code accesses in it, as far as one can see */
    bool declared, typed, valued; /* the init section names it, gives its type, its value */
    bool hidden;                  /* a name for a part of another, or for what is no memory */
};

/* A value that is an address, to be filled in once objects have theirs. */
struct pending {
    uint32_t target; /* symbol */
    int64_t offset;
    uint64_t *number; /* a register or a condition's number, masked to `size`, or: */
    uint32_t object;  /* this object's bytes from `at` on */
    uint64_t at;
    uint8_t size;
};

/* A location before states have their order; `location.first` is the first of its uses. */
struct location_draft {
    struct litmus_location location;
    bool shown;       /* in states, not only in the filter */
    uint32_t cpu;     /* UINT32_MAX for memory */
    uint32_t order;   /* of a register in states */
    const char *name; /* what memory is sorted by */
};

/* A register whose value at the start is given. */
struct typed_register {
    uint32_t cpu;
    uint8_t number; /* of register_order */
    struct value_type type;
    int target; /* symbol whose address it holds, NO_INDEX */
    uint64_t value;
    bool typed, given;
};

struct thread {
    struct source_line *lines;
    size_t count, capacity;
};

struct jump {
    const char *label;
    uint32_t cpu;
    struct place place;
    size_t line; /* of the thread, when it is a jump */
};

struct litmus_reader {
    struct region *region;
    struct diagnostics *diagnostics;
    struct source_list *sources;
    struct program *program;
    struct litmus *litmus;

    const char *at, *end; /* the text that is left, behind `word` */
    const char *line_start;
    uint32_t line;
    struct word word; /* the present one */

    struct symbol *symbols;
    size_t symbol_capacity, object_capacity;
    struct pending *pending;
    size_t pending_count, pending_capacity;
    struct typed_register *registers;
    size_t register_count, register_capacity;
    struct thread *threads;
    size_t thread_count, thread_capacity, cell_count;
    struct jump *labels, *jumps;
    size_t label_count, label_capacity, jump_count, jump_capacity;
    bool stack_used; /* code or the init section names rsp */

    struct term *uses; /* terms, in the order in which they are met */
    size_t use_count, use_capacity;
    struct location_draft *drafts;
    size_t draft_count, draft_capacity;
    struct condition **leaves; /* those with a term, which becomes final at the end */
    size_t leaf_count, leaf_capacity;
    struct text scratch; /* for one instruction */
    struct text normal;  /* the condition as herd prints it */
    unsigned nesting;
    bool in_filter; /* what it names is not shown in states */
    bool stopped;   /* the condition cannot be understood from here on */
};

/* ---- litmus_words.c ---- */

void next_word(struct litmus_reader *reader);

/* Counts a line that ends at `newline`. */
void litmus_new_line(struct litmus_reader *reader, const char *newline);

/* Behind the comment that begins at `at`; comments do not nest. */
const char *litmus_skip_comment(struct litmus_reader *reader, const char *at);

/* The character behind the present word, blanks skipped; '\0' at the end. */
char peek_character(const struct litmus_reader *reader);

bool word_is(const struct litmus_reader *reader, const char *text);
bool word_is_sign(const struct litmus_reader *reader, char sign);

/* Takes the sign when it is there. */
bool accept_sign(struct litmus_reader *reader, char sign);

/* Takes the sign or complains with what was found; false then. */
bool expect_sign(struct litmus_reader *reader, char sign, const char *after);

/* The present word's text in the region. */
char *word_text(const struct litmus_reader *reader);

/* How a message calls the present word: 'x', the end of the file. */
const char *word_found(const struct litmus_reader *reader);

void litmus_error(struct litmus_reader *reader, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "found ..., expected `expected`" at the present word. */
void litmus_unexpected(struct litmus_reader *reader, const char *expected);

/* A number with an optional sign, as 64 bits. Complains and returns false for anything else. */
bool read_number(struct litmus_reader *reader, uint64_t *number);

/* ---- litmus_names.c ---- */

/*
 * A register by name. `order` is its place in a state: ax bx cx dx si di bp sp r8 .. r15, ip,
 * cs; `number` the hardware's, 16 for ip and 17 for cs. Width in bits, 8 with `high` for ah.
 */
struct litmus_register {
    uint8_t order, number, width;
    bool high;
};

bool litmus_register(const char *name, size_t length, struct litmus_register *found);

/* The name that conditions of an architecture call it by: rax, EAX. */
const char *register_label(uint8_t order, bool is_32_bit);

/* The symbol of that name, which is made (an int) when it is new; NO_INDEX when there are too many.
 */
int symbol_find(const struct litmus_reader *reader, const char *name, size_t length);
int symbol_add(struct litmus_reader *reader, struct word name, struct value_type type);

/* A part of an object under a name of its own. */
uint32_t symbol_part(struct litmus_reader *reader, uint32_t object, const char *name,
                     uint64_t offset, struct value_type type);

/* What is known of a register before the start; NULL when it is not mentioned. */
struct typed_register *register_find(const struct litmus_reader *reader, uint32_t cpu,
                                     uint8_t order);
struct typed_register *register_add(struct litmus_reader *reader, uint32_t cpu, uint8_t order);

void add_pending(struct litmus_reader *reader, const struct pending *pending);

/* "0" or "P0" before a colon; false with a complaint when it is neither. */
bool read_thread_number(struct litmus_reader *reader, uint32_t *cpu);

/* A register behind the colon; only whole ones have a value in conditions. */
bool read_whole_register(struct litmus_reader *reader, struct litmus_register *found);

/* ---- text, without the cost of printf ---- */

enum { DECIMAL_BYTES = 24 };

/* Writes a number into `digits` and returns its first character. */
const char *decimal(char digits[DECIMAL_BYTES], uint64_t number, bool is_signed);

/* The three one after the other, in the region. */
const char *joined(struct litmus_reader *reader, const char *a, const char *b, const char *c);

/* ---- the sections ---- */

/* Up to the init section; false when it is no litmus test. litmus_header.c */
bool read_litmus_header(struct litmus_reader *reader);

void read_init_section(struct litmus_reader *reader);          /* litmus_init.c */
void read_code_section(struct litmus_reader *reader);          /* litmus_code.c */
bool at_condition_section(const struct litmus_reader *reader); /* litmus_code.c */

/* One instruction as AT&T text; NULL when something was wrong. litmus_insn.c */
const char *read_instruction(struct litmus_reader *reader, uint32_t cpu);

/* The type that the present word names, if it names one. litmus_init.c */
bool accept_type(struct litmus_reader *reader, struct value_type *type);

/* Filter, list of locations and condition. litmus_condition.c */
void read_condition_section(struct litmus_reader *reader);

/*
 * Reads a location and returns the index of its draft, NO_INDEX after a complaint.
 * litmus_locations.c
 */
int read_location(struct litmus_reader *reader, bool shown);
void read_locations(struct litmus_reader *reader);

/* The symbol that is named, with [index] as an offset; `make` it when it is new. litmus_init.c */
bool read_symbol_address(struct litmus_reader *reader, bool make, uint32_t *symbol,
                         int64_t *offset);

/* Gives the terms the order in which states list them. */
void finish_locations(struct litmus_reader *reader);

#endif
