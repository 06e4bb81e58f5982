/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of capturing from ELF files share. The way of a function:
 *
 *   inputs.c, binary.c  files -> checked tables
 *   entries.c          what the user names -> the functions that CPUs start with
 *   code.c             the functions that a CPU's code needs, what their instructions refer to
 *   stand_in.c         stubs and traps for those that are left out
 *   patches.c          code as a kernel patches it when it starts: alternatives; with paravirt.c,
 *                      static_keys.c and thunks.c
 *   operands*.c        the fields of an instruction -> branches and references
 *   targets.c          a symbol, an address, a cell of a GOT -> the place that it means
 *   tables.c, tls.c    what each CPU has its own of; percpu.c, of a kernel
 *   data.c, blocks.c   those places -> spans that are needed, these -> objects of the trace
 *   place.c            functions put behind each other, their references into the trace's terms
 *   observe.c          which of the data is observed
 *   options.c, elf.c   all of it, by the user's options
 */
#ifndef FENCESIM_SIM_CAPTURE_ELF_H_
#define FENCESIM_SIM_CAPTURE_ELF_H_

#include "include/fencesim/fencesim.h"
#include "sim/capture/capture.h"
#include "sim/capture/inputs.h"
#include "sim/isa/insn.h"

/* ---- what an instruction or a word of data refers to ---- */

enum target_kind {
    TARGET_NONE,   /* an error was added */
    TARGET_NUMBER, /* .distance alone */
    TARGET_PLACE,  /* .distance bytes from .place, which lies in its section */
    TARGET_LOOSE,  /* .distance bytes into an object that no section has */
    TARGET_NAME,   /* of something that no file defines */
    TARGET_TLS,    /* .place in a section of thread-local data */
    TARGET_PERCPU, /* .distance bytes from .place in a section of a kernel's per-CPU data */
    TARGET_TABLE   /* the CPU's jump table number .loose */
};

struct target {
    enum target_kind kind;
    struct location place;
    size_t loose;
    const char *name; /* of the symbol, "" when there is none; TARGET_NAME */
    bool is_section;  /* .place was counted from a section's start, not from a symbol */
    int64_t distance;
};

/* An object that no section holds: common and undefined ones, cells of a GOT, code's addresses. */
struct loose {
    const char *name;
    uint64_t size, alignment;
    bool points; /* its value is the address of `target`, or with TARGET_TLS a distance */
    struct target target;
    struct binary *binary; /* that declares it, NULL: none does */
    bool observed;
    const char *note;
    int object; /* in the capture, once made */
};

/* ---- the code of a CPU ---- */

/* Bytes of a part that are not those of its place. */
struct code_patch {
    uint32_t start, end;  /* in the part */
    struct location from; /* where the bytes at `start` are; no binary: they refer to nothing */
    bool branches;        /* but for a branch at `start` with 32 bits to `target` */
    struct target target;
};

struct code_part {
    struct location place; /* its binary is NULL for a stub */
    const char *name, *note;
    uint8_t *bytes;
    uint32_t size;
    struct code_patch *patches;
    size_t patch_count, patch_capacity;
    bool open_end; /* its last instruction is a call that shall not return */
    size_t group;  /* of parts that must keep their distance: index of another one, or its own */
    uint32_t offset;
};

/* A displacement in one part that leads to another part. */
struct code_edge {
    size_t from, to;     /* parts */
    uint32_t field, end; /* in `from`: where it is, where it counts from */
    uint8_t bytes;       /* 1 or 4 */
    uint64_t at;         /* in `to` */
};

struct code_reference {
    size_t part;
    uint32_t field, end;
    enum reference_kind kind;
    uint8_t access; /* bytes that the instruction reads or writes there, 0 when it does not */
    struct target target;
};

/* Where a `switch` goes: addresses of places in the function, or their distances from the table. */
struct jump_table {
    struct location place;
    uint8_t width; /* bytes of an entry: 4 for distances, 8 for addresses */
    struct jump_entry {
        size_t part;
        uint64_t at; /* in the part */
    } * entries;
    size_t count, capacity;
    int object; /* in the capture, once made */
};

struct cpu_code {
    const char *name, *function;
    struct code_part *parts;
    size_t part_count, part_capacity;
    struct code_edge *edges;
    size_t edge_count, edge_capacity;
    struct code_reference *references;
    size_t reference_count, reference_capacity;
    struct jump_table *tables;
    size_t table_count, table_capacity;
    bool uses_fs;
    unsigned assumed; /* numbers that were taken for addresses */
};

/* ---- data ---- */

/* A symbol's bytes, or bytes without one, that something refers to. */
struct span {
    struct binary *binary;
    uint32_t section;
    uint64_t start, end;
    const struct binary_symbol *symbol; /* NULL: none */
};

/* Neighbouring spans that keep their distance. */
struct block {
    struct binary *binary;
    uint32_t section;
    uint64_t start, end;
    int object;
};

/* An object that is a variable of a file's. */
struct variable {
    int object;
    struct binary *binary;
    const char *name;
};

struct elf_capture {
    struct region *region;
    struct diagnostics *diagnostics;
    const fs_capture_options *options;
    const struct profile *profile; /* whose patches of code are applied; NULL: none */
    struct inputs inputs;
    struct capture capture;
    struct cpu_code *codes; /* one per CPU */
    size_t code_count;
    struct loose *looses;
    size_t loose_count, loose_capacity;
    struct intern span_keys;
    struct span *spans;
    size_t span_count, span_capacity;
    struct block *blocks;
    size_t block_count, block_capacity;
    uint64_t data_bytes;
    struct variable *variables;
    size_t variable_count, variable_capacity;
    int64_t *tls_touched; /* distances from the thread pointer that the code names */
    size_t tls_touched_count, tls_touched_capacity;
    struct percpu_use *percpu_uses; /* percpu.h */
    size_t percpu_use_count, percpu_use_capacity;
    bool *static_key_used; /* of the options: whether some code has the key */
    bool uses_guard;       /* of the stack, at gs:40 */
};

void elf_error(struct elf_capture *elf, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- targets.c ---- */

/* What a symbol stands for, `distance` bytes on. */
struct target target_of_symbol(struct elf_capture *elf, struct binary *binary, uint32_t symbol,
                               int64_t distance);

/* What an address of a linked file stands for; TARGET_NUMBER when nothing lies there. */
struct target target_of_address(struct binary *binary, uint64_t address);

/* Thread-local data of a linked file by its offset in the file's TLS segment. */
struct target target_of_tls(struct binary *binary, uint64_t offset);

/* What the word at a place of a linked file's GOT holds; TARGET_NUMBER when it is not known. */
struct target target_of_cell(struct elf_capture *elf, struct binary *binary, uint64_t address);

/* The loose object of that name, made when there is none. */
size_t loose_object(struct elf_capture *elf, const char *name, uint64_t size);

/* A cell that holds the address of a target, as a GOT has. */
size_t loose_cell(struct elf_capture *elf, const struct target *target);

/* ---- operands.c ---- */

/*
 * Takes all references of an instruction at `offset` of a part: fields of `code->references`
 * and edges. The part's bytes may be changed as a linker would.
 */
void take_operands_of(struct elf_capture *elf, struct cpu_code *code, size_t part,
                      const struct insn *insn, uint32_t offset);

/* ---- code.c ---- */

/* A part more, empty, at the end of the list. */
struct code_part *new_part(struct elf_capture *elf, struct cpu_code *code);

/* Collects all code of a CPU that starts with a function. */
void collect_code(struct elf_capture *elf, struct cpu_code *code, struct binary *binary,
                  const struct binary_symbol *symbol);

/* Adds a branch from a part to a target; the part there is made when it is new. */
void add_branch(struct elf_capture *elf, struct cpu_code *code, struct code_edge edge,
                const struct target *target);

void add_reference(struct elf_capture *elf, struct cpu_code *code,
                   const struct code_reference *reference);

/* The part that a place lies in, made when it is new; `*at` is the distance into it. */
int reach_part(struct elf_capture *elf, struct cpu_code *code, const struct location *place,
               uint64_t *at);

/* Whether nothing behind it is executed after it. A call at a function's end does not return. */
bool insn_ends_path(const struct insn *insn);

/* Whether it is what assemblers fill gaps between functions with. */
bool insn_is_padding(const struct insn *insn);

/* The part of a CPU's code that a place lies in, -1 when none. */
int code_part_at(const struct cpu_code *code, const struct location *place);

/* ---- tables.c ---- */

/* Whether a target is a jump table of a part, which becomes the CPU's own; `*target` is that then.
 */
bool take_table(struct elf_capture *elf, struct cpu_code *code, size_t part, struct target *target);

/* Makes objects of a CPU's jump tables, once its code is placed. */
void make_tables(struct elf_capture *elf, const struct cpu_code *code, size_t cpu);

/* ---- data.c ---- */

/* Makes the place of a target, and all that it points to, part of the trace. */
void need_data(struct elf_capture *elf, const struct target *target, uint8_t access);

typedef void pointer_taker(struct elf_capture *elf, void *argument, uint64_t offset,
                           const struct target *target);

/* Hands over every address in a range of a section. */
void walk_pointers(struct elf_capture *elf, struct binary *binary, uint32_t section, uint64_t start,
                   uint64_t end, pointer_taker *take, void *argument);

/* Sets a word of an object that is no number: an address, or how far data is from fs or gs. */
void set_word(struct elf_capture *elf, int object, uint64_t offset, const struct target *target);

/* Whether a target is code; the number of the loose object that stands for its address. */
bool is_code_place(const struct target *target);
size_t code_address_object(struct elf_capture *elf, const struct target *target);

/* Whether an object stands for code whose address is passed on. */
bool code_has_object(const struct elf_capture *elf, const struct location *place);

/* Makes all that needed data points to needed, too. */
void need_all_pointed_to(struct elf_capture *elf);

/* Makes objects of all that is needed. */
void make_objects(struct elf_capture *elf);

/* Notes which variable an object of the capture is. */
void add_variable(struct elf_capture *elf, int object, struct binary *binary, const char *name);

/* Observed objects that are no integers become their fields, or words where none are known. */
void observe_fields(struct elf_capture *elf);

/* The object of a target and the distance into it; false: it has none (a number). */
bool object_of(struct elf_capture *elf, const struct target *target, int *object,
               int64_t *distance);

/* ---- tls.c ---- */

/* A CPU's own copy of all thread-local data; sets the CPU's fs base. */
void make_tls(struct elf_capture *elf, struct cpu_code *code, struct capture_cpu *cpu);

/* The distance of thread-local data from the thread pointer. */
bool tls_distance(struct elf_capture *elf, const struct target *target, int64_t *distance);

/* Notes that thread-local data at a distance is used, so that it is given a name. */
void tls_touch(struct elf_capture *elf, int64_t distance);

/* ---- place.c ---- */

/* Puts a CPU's parts behind each other and fills the CPU of the capture. */
void place_code(struct elf_capture *elf, struct cpu_code *code, struct capture_cpu *cpu);

#endif
