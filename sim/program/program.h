/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program: what a trace says, read, checked, laid out in memory and assembled. Readers
 * (YAML now) fill it, every later stage only reads it. It lives in the region that it was
 * read into.
 */
#ifndef FENCESIM_SIM_PROGRAM_PROGRAM_H_
#define FENCESIM_SIM_PROGRAM_PROGRAM_H_

#include "sim/base/diagnostics.h"
#include "sim/base/region.h"

/* ---- where things lie: everything is below 2 GiB so that absolute operands reach it ---- */

#define CODE_BASE        UINT64_C(0x00400000) /* CPU n's code starts at CODE_BASE + n * CODE_STRIDE */
#define CODE_STRIDE      UINT64_C(0x40000)    /* 256 KiB a CPU: */
#define SETUP_OFFSET     UINT64_C(0x20000)    /*   its `setup` code starts here, */
#define HANDLER_OFFSET   UINT64_C(0x30000)    /*   its first handler here, the next ones */
#define HANDLER_STRIDE   UINT64_C(0x1000)     /*   every HANDLER_STRIDE */
#define HANDLERS_PER_CPU 16
#define RETURN_SENTINEL                                                                            \
    UINT64_C(0x003f0000) /* what [rsp] holds at the start: `ret` to it ends a snippet */
#define OBJECT_BASE UINT64_C(0x20000000)
#define OBJECT_END  UINT64_C(0x70000000) /* 1.25 GiB for all objects together */
#define STACK_BASE  UINT64_C(0x70000000) /* CPU n's stack: STACK_BASE + n * STACK_BYTES */
#define STACK_BYTES UINT64_C(0x10000)
#define STACK_TOP_OFFSET                                                                           \
    UINT64_C(0x8008) /* rsp at the start, within the stack; rsp + 8 is 16-byte aligned */
#define LINE_BYTES 64

enum { CPUS_MAX = 1024, VARIANTS_MAX = 256, NAME_MAX_BYTES = 63 };

/* ---- registers ---- */

/* Numbers of the general registers are the hardware's (as in ModRM). */
enum register_file { REGISTER_GPR, REGISTER_FLAG };

/* A register as a condition names it: P0:al is {REGISTER_GPR, 0, 0, 8}, P0:zf {REGISTER_FLAG, 0, 6,
 * 1}. */
struct register_view {
    enum register_file file;
    uint8_t index; /* general register 0..15: rax rcx rdx rbx rsp rbp rsi rdi r8.. */
    uint8_t shift; /* lowest bit within the register, or the bit within RFLAGS */
    uint8_t width; /* bits */
};

/* Parses a register's name in any width ("al", "ah", "eax", "r8d", "r8", "cf"); false when there is
 * none. */
bool register_parse(const char *name, struct register_view *view);

/* ---- memory ---- */

enum memory_type { MEMORY_WB, MEMORY_WT, MEMORY_WP, MEMORY_WC, MEMORY_UC };
enum residency { RESIDENT_L1, RESIDENT_L2, RESIDENT_L3, RESIDENT_DRAM };
enum { NO_INDEX = -1 };

struct object {
    const char *name;
    struct place place;
    uint64_t address;        /* a name inside another object (`at:`) shares the other's bytes */
    uint64_t size;           /* bytes, at least 1 */
    int parent;              /* index of the object that it lies in, or NO_INDEX */
    enum memory_type type;   /* `at:` names have their parent's */
    enum residency resident; /* timing only */
    bool persistent, code;
    uint8_t *init; /* `init_size` bytes, the rest is zero; NULL for all zero or a parent's bytes */
    uint64_t init_size;
};

/* ---- CPUs and their code ---- */

/* The line of the trace that the code at `offset` and after comes from. */
struct code_line {
    uint32_t offset;
    struct place place;
};

/* Where captured code comes from: the instruction at `offset`, and those up to the next mark. */
struct source_mark {
    uint32_t offset;
    const char *text; /* "demo.c:12"; empty when it is not known */
};

/* Machine code, relocated and ready to run at `address`. An empty snippet has size 0. */
struct snippet {
    uint64_t address;
    uint8_t *bytes;
    uint32_t size;
    struct code_line *lines; /* ascending offsets; may be empty (captured `code:`) */
    size_t line_count;
    /* Where a slot's instructions lie, for `redundant:` and for findings. */
    struct slot_range {
        const char *slot;
        uint32_t start, end; /* byte offsets, end exclusive */
    } * slots;
    size_t slot_count;
    /* Those of its assembly: a name, or a number that others may have, too. Ascending offsets. */
    struct code_label {
        uint32_t offset;
        const char *name;
    } * labels;
    size_t label_count;
    struct source_mark *sources; /* ascending offsets; none for assembly */
    size_t source_count;
};

enum agent_kind { AGENT_CPU, AGENT_DEVICE };

struct cpu {
    const char *name;   /* with `count: 3`: "P1.0", "P1.1", "P1.2" */
    const char *family; /* the name before the dot: "P1"; equal to `name` without count */
    uint32_t family_count;
    struct place place;
    enum agent_kind agent;
    const char *cluster; /* `place:`, "" by default; equal strings are one cluster */
    uint64_t gpr[16];    /* at the start, rsp set */
    uint64_t fs_base, gs_base;
    uint64_t stack; /* address of its stack's first byte; STACK_BYTES long */
};

struct handler {
    uint32_t cpu; /* index */
    uint8_t vector;
    struct place place;
};

/* The code of all CPUs in one variant. Snippets may be shared between variants. */
struct variant {
    const char *name;
    struct place place;
    const struct snippet **code;     /* one per CPU */
    const struct snippet **setup;    /* one per CPU, NULL when it has none */
    const struct snippet **handlers; /* one per program->handlers */
};

/* ---- conditions ---- */

enum condition_op {
    CONDITION_NUMBER,   /* .number */
    CONDITION_REGISTER, /* .cpu, .view */
    CONDITION_OBJECT,   /* .object: its value at its size, at most 8 bytes */
    CONDITION_CRASH,
    CONDITION_STUCK, /* .cpu */
    CONDITION_EQ,
    CONDITION_NE,
    CONDITION_LT,
    CONDITION_LE,
    CONDITION_GT,
    CONDITION_GE,
    CONDITION_AND,
    CONDITION_OR,
    CONDITION_NOT /* .left */
};

struct condition {
    enum condition_op op;
    const struct condition *left, *right;
    uint64_t number;
    uint32_t cpu, object;
    struct register_view view;
    int term; /* index into program->terms for REGISTER and OBJECT, NO_INDEX otherwise */
};

/* Something with a value in a final state: a register of a CPU, or an object. */
struct term {
    const char *text; /* "P0:eax", "x" */
    bool is_object;
    uint32_t cpu, object;
    struct register_view view;
};

/* ---- expectations ---- */

enum expectation_kind {
    EXPECT_NEVER,
    EXPECT_SOMETIMES,
    EXPECT_ALWAYS,
    EXPECT_CYCLES,
    EXPECT_REDUNDANT,
    EXPECT_FINDING,
    EXPECT_CHEAPER
};

/* A list of names that an expectation is narrowed to (or `except`ed from). */
struct name_list {
    const char **names;
    struct place *places; /* of the names */
    size_t count;
    bool except;
};

struct expectation {
    enum expectation_kind kind;
    struct place place;
    const char *text; /* as the report repeats it: "never P0:eax == 0 && P1:eax == 0" */
    const struct condition *condition;   /* never, sometimes, always */
    bool about_crash, about_stuck;       /* the condition names `crash`, `CPU:stuck` */
    struct name_list variants, profiles; /* empty: all */
    const char *name;                    /* redundant: the slot; finding: the rule id */
    uint32_t cpu;                        /* cycles, cheaper */
    double value, within;       /* cycles: {value, within: 10% -> 0.10}; value < 0: not given */
    double max;                 /* cycles: {max}; < 0: not given */
    const char *variant, *than; /* cheaper */
};

/* A feature of the format that a later stage must honour or call unmodelled. */
struct declared_msr {
    uint32_t number;
    uint64_t value;
    struct place place;
};

struct litmus;

struct program {
    struct region *region;
    const char *file; /* as the user named it */
    const char *name, *about, *source;

    struct object *objects;
    size_t object_count;
    uint32_t *roots; /* those that are no `at:` names, by ascending address; from program_layout */
    size_t root_count;
    struct cpu *cpus;
    size_t cpu_count;
    struct handler *handlers;
    size_t handler_count;
    struct variant *variants; /* at least one: "default" when the trace has no section */
    size_t variant_count;
    struct expectation *expectations;
    size_t expectation_count;

    /* Every register and object that `observe` or a condition names; the observed ones first. */
    struct term *terms;
    size_t term_count;
    size_t observed_count; /* terms[0..observed_count) are what an outcome lists */
    bool observe_given;    /* false: taken from `expect`, or (0 observed) to be chosen by the run */

    uint32_t *loop_cpus; /* `loop:`; none: loop_cpu_count is 0 */
    size_t loop_cpu_count;
    uint64_t loop_iterations;

    int timer_vector; /* NO_INDEX without `timer:` */
    int timer_lvt;    /* object index, NO_INDEX without `lvt:` */
    struct declared_msr *msrs;
    size_t msr_count;

    const char **slots; /* every slot that a snippet has */
    size_t slot_count;

    const struct litmus *litmus; /* what a litmus test says beside; NULL for a trace */
};

/* Whether an expectation speaks of this variant (NULL: any) and profile. */
bool expectation_applies(const struct expectation *expectation, const char *variant,
                         const char *profile);

/* The object that covers [address, address + size), innermost parent (never an `at:` name);
 * NO_INDEX when none does. O(log n). */
int program_object_at(const struct program *program, uint64_t address, uint64_t size);

/* What a reader would call an address in an object: "x", "x+4" or the nearest name inside it;
 * NULL when no object covers it. */
const char *program_name_at(const struct program *program, struct region *region, uint64_t address);

/* The snippet that holds the code at `*offset` from where the CPU's code starts, its own or one
 * of its handlers'; `*offset` becomes that within the snippet, `*handler` the handler's index or
 * NO_INDEX. */
const struct snippet *program_snippet(const struct program *program, uint32_t variant, uint32_t cpu,
                                      uint32_t *offset, int *handler);

/* How an instruction's place is told: "+12" in the CPU's code, "0xf2+8" in its handler of that
 * vector. `offset` as for program_snippet. */
const char *program_offset_text(const struct program *program, struct region *region,
                                uint32_t variant, uint32_t cpu, uint32_t offset);

/* The same with the CPU: "P0+12", "P0 0xf2+8". */
const char *program_insn_name(const struct program *program, struct region *region,
                              uint32_t variant, uint32_t cpu, uint32_t offset);

/* The line of source ("demo.c:12") that an instruction was compiled from, NULL when the trace
 * does not say. `offset` as for program_snippet. */
const char *program_source(const struct program *program, uint32_t variant, uint32_t cpu,
                           uint32_t offset);

/* The same for an offset within the snippet. */
const char *snippet_source(const struct snippet *snippet, uint32_t offset);

/* The index of a CPU, object or variant by name, NO_INDEX when there is none. */
int program_cpu(const struct program *program, const char *name);
int program_object(const struct program *program, const char *name);
int program_variant(const struct program *program, const char *name);

#endif
