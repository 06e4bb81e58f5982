/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the trace reader share. Only trace*.c and condition*.c include this. The
 * order of reading is fixed in trace.c: objects, CPUs, handlers, variants, then everything
 * that names them.
 */
#ifndef FENCESIM_SIM_PROGRAM_TRACE_READER_H_
#define FENCESIM_SIM_PROGRAM_TRACE_READER_H_

#include "sim/base/intern.h"
#include "sim/program/fields.h"
#include "sim/program/program.h"
#include "sim/program/read.h"

/* Names of one kind and the index that each stands for. */
struct name_table {
    struct intern intern;
    int *indices; /* by interned number, NO_INDEX for a word that was only asked for */
    size_t index_count, index_capacity;
    const char **names; /* those that were added, for suggestions */
    size_t name_count, name_capacity;
};

void name_table_init(struct name_table *table, struct region *region);
bool name_table_add(struct name_table *table, const char *name, int index);
int name_table_find(struct name_table *table, const char *name);

/* A line of `asm:`, or a slot that stands for what a variant puts there. */
struct body_line {
    const char *text; /* NULL for a slot */
    struct place place;
    int slot; /* index into program->slots, or NO_INDEX */
};

/* A field of `code:` that depends on where things lie. */
struct code_relocation {
    uint32_t offset; /* of the field */
    enum relocation_kind {
        RELOCATION_PC32,
        RELOCATION_ABS32,
        RELOCATION_ABS32S,
        RELOCATION_ABS64
    } kind;
    int object;    /* NO_INDEX: the start of the code itself, or */
    bool absolute; /*   address 0 */
    int64_t addend;
    struct place place;
};

/* What `asm:`, `code:` or `setup:` says, before slots are filled. */
struct body {
    bool given;
    bool no_slots; /* it is itself a slot's value */
    struct body_line *lines;
    size_t line_count;
    bool has_slots;
    uint8_t *bytes; /* of `code:`; NULL for assembly */
    size_t byte_count;
    struct code_line *rows; /* of `code:`, where its bytes stand */
    size_t row_count;
    struct code_relocation *relocations;
    size_t relocation_count;
    struct source_mark *sources;
    size_t source_count;
    struct place place;
};

/* One entry of `cpus:` and the CPUs that it stands for. */
struct cpu_entry {
    uint32_t first, count; /* in program->cpus */
    struct body code, setup;
};

/* One entry of `handlers:` and the handlers that it stands for. */
struct handler_entry {
    uint32_t first, count; /* in program->handlers */
    struct body code;
};

/* What one variant puts into one slot. */
struct slot_value {
    bool given;
    struct body_line *lines;
    size_t line_count;
};

struct trace_reader {
    struct input input;
    struct program *program;
    struct source_list *sources;
    bool att;
    struct name_table objects, cpus, families, slots, variants;
    struct cpu_entry *entries;
    size_t entry_count;
    struct handler_entry *handler_entries;
    size_t handler_entry_count;
    struct slot_value *slot_values; /* variant * slot_count + slot */
    struct place *slot_places;      /* of each slot's first use */
    size_t slot_place_capacity, slot_capacity, cpu_capacity;
    struct intern terms; /* packed terms, numbered like program->terms */
    size_t term_capacity;
    struct object_relocations { /* of `memory:`, for when the CPUs are known */
        int object;
        const struct node *node;
    } * object_relocations;
    size_t object_relocation_count, object_relocation_capacity;
    size_t condition_nodes; /* of all conditions so far */
    size_t source_lines;    /* of all snippets so far */
};

/* trace_memory.c, trace_init.c */
void read_memory(struct trace_reader *reader, const struct node *node);
void read_object_init(struct trace_reader *reader, struct object *object, const struct node *node,
                      uint64_t *budget);

/*
 * "x" or "x+8" (a number may be decimal or 0x) as an address. Errors are at the node's place.
 * `*object` and `*offset` may be NULL.
 */
bool read_address(struct trace_reader *reader, const struct node *node, const char *what,
                  int *object, uint64_t *offset, uint64_t *address);

/* A number of at most `bits` bits (a negative one as two's complement), or an address. */
bool read_value(struct trace_reader *reader, const struct node *node, const char *what,
                unsigned bits, uint64_t *value);

/* trace_cpus.c */
void read_cpus(struct trace_reader *reader, const struct node *node, struct place top);
void read_handlers(struct trace_reader *reader, const struct node *node);

/* A CPU by name; with `several` also a family ("P1" or "P1.*" of `count:`). */
bool read_cpu_name(struct trace_reader *reader, const struct node *node, const char *what,
                   bool several, uint32_t *first, uint32_t *count);

/* trace_body.c */
bool read_assembly(struct trace_reader *reader, const struct node *node, const char *what,
                   struct body *body);

/* trace_code.c */
bool read_code(struct trace_reader *reader, const struct node *node, struct body *body);

/* `relocations:` and `source:` of a body whose code is read; both may be absent. */
void read_code_details(struct trace_reader *reader, const struct field *code,
                       const struct field *relocations, const struct field *source,
                       struct body *body);

/* `relocations:` of objects: addresses in their initial values. */
void read_object_relocations(struct trace_reader *reader);

/* The snippet of a body with `code:` at `address`, with its own relocated bytes. */
struct snippet *captured_snippet(struct trace_reader *reader, const struct body *body,
                                 uint64_t address);

/* trace_variants.c */
void read_variants(struct trace_reader *reader, const struct node *node);

/* trace_snippets.c */
void make_snippets(struct trace_reader *reader);

/* trace_expect.c */
void read_observe(struct trace_reader *reader, const struct node *node);
void read_expect(struct trace_reader *reader, const struct node *node);

/* trace_machine.c: loop, timer, msrs */
void read_loop(struct trace_reader *reader, const struct node *node);
void read_timer(struct trace_reader *reader, const struct node *node);
void read_msrs(struct trace_reader *reader, const struct node *node);

/* condition.c */
const struct condition *read_condition(struct trace_reader *reader, const struct node *node,
                                       bool *about_crash, bool *about_stuck);
/* The terms that one entry of `observe` names, added to program->terms. */
void read_observed(struct trace_reader *reader, const struct node *node);

/* The number of a term in program->terms, where it is added when it is new. */
int term_index(struct trace_reader *reader, const struct term *term, const char *register_name);

#endif
