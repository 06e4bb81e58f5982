/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captured code, wherever it came from, and how it is written down as a trace. Readers (ELF
 * files now) fill this, write.c turns it into text; neither knows the other.
 */
#ifndef FENCESIM_SIM_CAPTURE_CAPTURE_H_
#define FENCESIM_SIM_CAPTURE_CAPTURE_H_

#include "sim/base/diagnostics.h"
#include "sim/base/text.h"
#include "sim/program/program.h"

/* A field of the code that holds where something lies; kinds as in the trace format. */
enum reference_kind { REFERENCE_PC32, REFERENCE_ABS32, REFERENCE_ABS32S, REFERENCE_ABS64 };

/* Instead of an object: what is referred to is a number, counted from address 0. */
enum { CAPTURE_ZERO = -2 };

struct capture_reference {
    uint32_t offset; /* of the field, in the CPU's bytes */
    enum reference_kind kind;
    int object; /* NO_INDEX: the start of the CPU's own code; CAPTURE_ZERO */
    int64_t addend;
};

/* A function, or what stands for one, within a CPU's code. */
struct capture_part {
    uint32_t offset, size;
    const char *name;
    const char *note; /* NULL, or what a reader of the trace must know about it */
};

enum { CAPTURE_FS_BASE = 16, CAPTURE_GS_BASE, CAPTURE_REGISTERS };

struct capture_cpu {
    const char *name, *function;
    uint8_t *bytes;
    uint32_t size;
    struct capture_part *parts; /* ascending; the first is where the CPU starts */
    size_t part_count, part_capacity;
    struct capture_reference *references; /* ascending */
    size_t reference_count, reference_capacity;
    struct source_mark *sources; /* ascending */
    size_t source_count, source_capacity;
    const char *registers[CAPTURE_REGISTERS]; /* by the hardware's numbers, what each holds at the
                                                 start ("x+8", "5"); NULL: nothing was said */
    const char **notes;                       /* sentences about this CPU */
    size_t note_count, note_capacity;
};

/* 8 bytes of an object's initial value that hold an address. */
struct capture_pointer {
    uint64_t offset;
    int object;
    int64_t addend;
};

/* A field of an object that depends on where a CPU's code lies. */
struct capture_code_field {
    uint64_t offset;
    enum reference_kind kind;
    size_t cpu;
    int64_t addend;
};

struct capture_object {
    const char *name; /* a plain word, not taken */
    int parent;       /* the object that it is a name inside of, or NO_INDEX */
    uint64_t offset;  /* within the parent */
    uint64_t size;
    uint64_t alignment;
    const uint8_t *init; /* `init_size` bytes, the rest is zero; NULL: all zero */
    uint64_t init_size;
    struct capture_pointer *pointers; /* ascending */
    size_t pointer_count, pointer_capacity;
    struct capture_code_field *code_fields;
    size_t code_field_count;
    bool observed;
    const char *note;
};

struct capture {
    struct region *region;
    const char *name, *about;
    struct capture_cpu *cpus;
    size_t cpu_count, cpu_capacity;
    struct capture_object *objects;
    size_t object_count, object_capacity;
    const char *const *memory; /* lines that the user adds to `memory:` */
    size_t memory_count;
    const char **observe; /* beside the observed objects */
    size_t observe_count, observe_capacity;
    bool observe_given;        /* by the user: objects are not added */
    const char *const *expect; /* "never: P0:eax == 0" */
    size_t expect_count;
};

/* ---- names.c: names that a trace can use ---- */

/*
 * A name for a new object near `wanted`: letters, digits and '_', no register, not one that
 * another object or a line of the user's has.
 */
const char *capture_name(const struct capture *capture, const char *wanted);

/* The object of that name, NO_INDEX when there is none. */
int capture_object_named(const struct capture *capture, const char *name);

/* Adds an object near that name; returns its index. All else is zero, it has no parent. */
int capture_add_object(struct capture *capture, const char *wanted, uint64_t size);

void capture_add_pointer(struct capture *capture, int object, uint64_t offset, int target,
                         int64_t addend);

/* Sets `size` bytes of an object's initial value. */
void capture_set_bytes(struct capture *capture, int object, uint64_t offset, uint64_t size,
                       uint64_t value);

void capture_note(struct capture *capture, struct capture_cpu *cpu, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- write.c ---- */

/*
 * Writes the trace. What the user added (memory, observe, expect) is copied unread: the
 * caller reads the text back to find errors in it.
 */
void capture_write(struct text *out, const struct capture *capture);

/* ---- arguments.c ---- */

/*
 * General registers that code reads before it writes them, as bits. `calls_keep`: what it calls
 * may leave registers as they are; otherwise those that the ABI lets it change are lost.
 */
uint16_t capture_read_first(struct region *region, uint8_t *bytes, uint32_t size, bool calls_keep);

/*
 * Notes about argument registers that the code reads before it writes them and that hold
 * nothing. `parameters`: what the first ones are, NULL where that is not known.
 */
void capture_check_arguments(struct capture *capture, struct capture_cpu *cpu,
                             const char *const *parameters, size_t parameter_count);

#endif
