/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A capture as the text of a trace. */
#include <inttypes.h>
#include <string.h>

#include "sim/capture/capture.h"
#include "sim/isa/insn.h"
#include "sim/program/layout.h"

enum { COMMENT_COLUMN = 48, WORD = 8 };

static const char *const relocation_kinds[] = {"pc32", "abs32", "abs32s", "abs64"};

static void put_quoted(struct text *out, const char *string)
{
    text_add(out, "'");
    for (; *string; string++)
        text_add_bytes(out, *string == '\'' ? "''" : string, *string == '\'' ? 2 : 1);
    text_add(out, "'");
}

static void put_comment(struct text *out, size_t line_start, const char *comment)
{
    size_t used = out->length - line_start;
    text_pad(out, ' ', used + 2 < COMMENT_COLUMN ? COMMENT_COLUMN - used : 2);
    text_printf(out, "# %s", comment);
}

/* ---- memory ---- */

static uint64_t word_of(const struct capture_object *object, uint64_t at, uint64_t size)
{
    uint64_t word = 0;
    for (uint64_t i = 0; i < size && at + i < object->init_size; i++)
        word |= (uint64_t)object->init[at + i] << 8 * i;
    return word;
}

static void put_address(struct text *out, const struct capture *capture, int object,
                        int64_t distance)
{
    text_add(out, capture->objects[object].name);
    if (distance) /* a negative one wraps */
        text_printf(out, "+%" PRIu64, (uint64_t)distance);
}

static void put_word(struct text *out, const struct capture *capture,
                     const struct capture_object *object, uint64_t at, uint64_t size)
{
    for (size_t i = 0; i < object->pointer_count; i++)
        if (object->pointers[i].offset == at) {
            put_address(out, capture, object->pointers[i].object, object->pointers[i].addend);
            return;
        }
    text_printf(out, "%" PRIu64, word_of(object, at, size));
}

/* How many bytes have to be given: up to the last that is not zero or is a pointer's. */
static uint64_t used_bytes(const struct capture_object *object)
{
    uint64_t used = object->init_size;
    while (used && !object->init[used - 1])
        used--;
    for (size_t i = 0; i < object->pointer_count; i++)
        if (object->pointers[i].offset + WORD > used)
            used = object->pointers[i].offset + WORD;
    return used;
}

static void put_init(struct text *out, const struct capture *capture,
                     const struct capture_object *object)
{
    uint64_t used = used_bytes(object), size = object->size;
    if (!used)
        return;
    text_add(out, ", init: ");
    if (size == 1 || size == 2 || size == 4 || size == 8) {
        put_word(out, capture, object, 0, size);
    } else if (object->pointer_count) {
        for (uint64_t at = 0; at < used; at += WORD) {
            text_add(out, at ? ", " : "[");
            put_word(out, capture, object, at, WORD);
        }
        text_add(out, "]");
    } else {
        for (uint64_t i = 0; i < used; i++)
            text_printf(out, "%s%02x", i ? " " : "\"", object->init[i]);
        text_add(out, "\"");
    }
}

static void put_code_fields(struct text *out, const struct capture *capture,
                            const struct capture_object *object)
{
    for (size_t i = 0; i < object->code_field_count; i++) {
        const struct capture_code_field *field = &object->code_fields[i];
        text_printf(out, "%s\n      {offset: %" PRIu64 ", kind: %s, cpu: %s, addend: %" PRId64 "}",
                    i ? "," : ", relocations: [", field->offset, relocation_kinds[field->kind],
                    capture->cpus[field->cpu].name, field->addend);
    }
    text_add(out, object->code_field_count ? "]" : "");
}

static void put_memory(struct text *out, const struct capture *capture)
{
    if (capture->object_count || capture->memory_count)
        text_add(out, "memory:\n");
    for (size_t i = 0; i < capture->object_count; i++) {
        const struct capture_object *object = &capture->objects[i];
        size_t start = out->length;
        text_printf(out, "  %s: {", object->name);
        if (object->parent != NO_INDEX)
            text_printf(out, "at: %s+%" PRIu64 ", ", capture->objects[object->parent].name,
                        object->offset);
        text_printf(out, "size: %" PRIu64, object->size);
        if (object->parent == NO_INDEX) {
            put_init(out, capture, object);
            if (object->alignment > LINE_BYTES)
                text_printf(out, ", align: %" PRIu64, object->alignment);
            put_code_fields(out, capture, object);
        }
        text_add(out, "}");
        if (object->note)
            put_comment(out, start, object->note);
        text_add(out, "\n");
    }
    for (size_t i = 0; i < capture->memory_count; i++)
        text_printf(out, "  %s\n", capture->memory[i]);
}

/* ---- code ---- */

/* A program that is only there to decode with: objects where the trace's reader will put them. */
static struct program *laid_out(const struct capture *capture)
{
    struct region *region = capture->region;
    struct program *program = region_alloc(region, sizeof *program);
    uint64_t *alignments = region_array(region, capture->object_count + 1, sizeof *alignments);
    program->region = region;
    program->object_count = capture->object_count;
    program->objects = region_array(region, capture->object_count + 1, sizeof *program->objects);
    for (size_t i = 0; i < capture->object_count; i++) {
        const struct capture_object *from = &capture->objects[i];
        program->objects[i] = (struct object){.name = from->name,
                                              .address = from->offset,
                                              .size = from->size,
                                              .parent = from->parent};
        alignments[i] = from->alignment > LINE_BYTES ? from->alignment : LINE_BYTES;
    }
    program_layout(program, alignments);
    return program;
}

static void relocate(const struct program *program, const struct capture_cpu *cpu, uint64_t address,
                     uint8_t *bytes)
{
    for (size_t i = 0; i < cpu->reference_count; i++) {
        const struct capture_reference *row = &cpu->references[i];
        uint64_t base = row->object == NO_INDEX       ? address
                        : row->object == CAPTURE_ZERO ? 0
                                                      : program->objects[row->object].address;
        uint64_t value = base + (uint64_t)row->addend;
        if (row->kind == REFERENCE_PC32)
            value -= address + row->offset;
        for (unsigned byte = 0; byte < (row->kind == REFERENCE_ABS64 ? 8 : 4); byte++)
            bytes[row->offset + byte] = (uint8_t)(value >> 8 * byte);
    }
}

static void put_part_name(struct text *out, const struct capture_cpu *cpu, uint32_t offset)
{
    for (size_t i = 0; i < cpu->part_count; i++)
        if (cpu->parts[i].offset == offset)
            text_printf(out, "      # %s%s%s\n", cpu->parts[i].name, cpu->parts[i].note ? ": " : "",
                        cpu->parts[i].note ? cpu->parts[i].note : "");
}

static void put_insn(struct text *out, const struct capture_cpu *cpu, const struct insn *insn,
                     uint32_t offset)
{
    size_t start = out->length;
    text_add(out, "      - \"");
    for (unsigned i = 0; i < insn->length; i++)
        text_printf(out, "%s%02x", i ? " " : "", cpu->bytes[offset + i]);
    text_add(out, "\"");
    put_comment(out, start, region_printf(out->region, "+%u %s", offset, insn->text));
    text_add(out, "\n");
}

static void put_code(struct text *out, const struct program *program, const struct capture_cpu *cpu,
                     size_t index)
{
    struct snippet snippet = {.address = code_address(index),
                              .bytes = region_alloc(out->region, cpu->size + 1),
                              .size = cpu->size};
    struct code code;
    memcpy(snippet.bytes, cpu->bytes, cpu->size);
    relocate(program, cpu, snippet.address, snippet.bytes);
    code_init(&code, out->region, &snippet);
    code.program = program;
    text_add(out, "    code:\n");
    for (uint32_t offset = 0; offset < cpu->size;) {
        const struct insn *insn = code_at(&code, snippet.address + offset);
        put_part_name(out, cpu, offset);
        if (insn) {
            put_insn(out, cpu, insn, offset);
            offset += insn->length;
        } else { /* the reader of the trace will say so */
            text_printf(out, "      - \"%02x\"\n", cpu->bytes[offset++]);
        }
    }
}

static void put_references(struct text *out, const struct capture *capture,
                           const struct capture_cpu *cpu)
{
    if (cpu->reference_count)
        text_add(out, "    relocations:\n");
    for (size_t i = 0; i < cpu->reference_count; i++) {
        const struct capture_reference *row = &cpu->references[i];
        text_printf(out, "      - {offset: %u, kind: %s", row->offset, relocation_kinds[row->kind]);
        if (row->object == CAPTURE_ZERO)
            text_add(out, ", object: 0");
        else if (row->object != NO_INDEX)
            text_printf(out, ", object: %s", capture->objects[row->object].name);
        if (row->addend)
            text_printf(out, ", addend: %" PRId64, row->addend);
        text_add(out, "}\n");
    }
}

static void put_sources(struct text *out, const struct capture_cpu *cpu)
{
    if (cpu->source_count)
        text_add(out, "    source:\n");
    for (size_t i = 0; i < cpu->source_count; i++) {
        text_printf(out, "      %u: ", cpu->sources[i].offset);
        put_quoted(out, cpu->sources[i].text);
        text_add(out, "\n");
    }
}

static void put_registers(struct text *out, const struct capture_cpu *cpu)
{
    static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "rsp",     "rbp",
                                        "rsi", "rdi", "r8",  "r9",  "r10",     "r11",
                                        "r12", "r13", "r14", "r15", "fs_base", "gs_base"};
    bool any = false;
    for (size_t i = 0; i < CAPTURE_REGISTERS; i++) {
        if (!cpu->registers[i])
            continue;
        text_printf(out, "%s%s: %s", any ? ", " : "    regs: {", names[i], cpu->registers[i]);
        any = true;
    }
    if (any)
        text_add(out, "}\n");
}

static void put_cpu(struct text *out, const struct capture *capture, const struct program *program,
                    size_t index)
{
    const struct capture_cpu *cpu = &capture->cpus[index];
    size_t start = out->length;
    text_printf(out, "  - name: %s", cpu->name);
    put_comment(out, start, cpu->function);
    text_add(out, "\n");
    for (size_t i = 0; i < cpu->note_count; i++)
        text_printf(out, "    # %s\n", cpu->notes[i]);
    put_registers(out, cpu);
    put_code(out, program, cpu, index);
    put_references(out, capture, cpu);
    put_sources(out, cpu);
}

/* ---- the rest ---- */

static void put_observe(struct text *out, const struct capture *capture)
{
    size_t count = 0;
    for (size_t i = 0; i < capture->observe_count; i++)
        text_printf(out, "%s%s", count++ ? ", " : "observe: [", capture->observe[i]);
    for (size_t i = 0; i < capture->object_count && !capture->observe_given; i++)
        if (capture->objects[i].observed)
            text_printf(out, "%s%s", count++ ? ", " : "observe: [", capture->objects[i].name);
    text_add(out, count ? "]\n" : "");
}

/* A condition is quoted: it may begin with '!'. What else there is to expect is YAML. */
static void put_expectation(struct text *out, const char *expectation)
{
    static const char *const kinds[] = {"never:", "sometimes:", "always:"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i]);
        if (strncmp(expectation, kinds[i], length) != 0)
            continue;
        text_printf(out, "  - %s ", kinds[i]);
        put_quoted(out, expectation + length + strspn(expectation + length, " "));
        text_add(out, "\n");
        return;
    }
    text_printf(out, "  - %s\n", expectation);
}

void capture_write(struct text *out, const struct capture *capture)
{
    const struct program *program = laid_out(capture);
    text_add(out, "trace: 1\nname: ");
    put_quoted(out, capture->name);
    text_add(out, "\n");
    if (capture->about) {
        text_add(out, "about: ");
        put_quoted(out, capture->about);
        text_add(out, "\n");
    }
    put_memory(out, capture);
    text_add(out, "cpus:\n");
    for (size_t i = 0; i < capture->cpu_count; i++)
        put_cpu(out, capture, program, i);
    put_observe(out, capture);
    text_add(out, capture->expect_count ? "expect:\n" : "");
    for (size_t i = 0; i < capture->expect_count; i++)
        put_expectation(out, capture->expect[i]);
}
