/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A CPU's functions put behind each other, with traps between them: what runs off a function
 * shall not get into the next one unseen. Branches and references are set to where things are.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/capture/elf.h"
#include "sim/capture/lines.h"
#include "sim/capture/percpu.h"
#include "sim/program/layout.h"

enum { TRAP = 0xcc, FUNCTION_ALIGNMENT = 16, JUMP_BYTES = 5 };

static size_t group_of(const struct cpu_code *code, size_t part)
{
    while (code->parts[part].group != part)
        part = code->parts[part].group;
    return part;
}

/* The lowest and the end of all parts of a group, in their section. */
static void group_range(const struct cpu_code *code, size_t group, uint64_t *start, uint64_t *end)
{
    *start = code->parts[group].place.offset;
    *end = *start + code->parts[group].size;
    for (size_t i = 0; i < code->part_count; i++) {
        const struct code_part *part = &code->parts[i];
        if (group_of(code, i) != group)
            continue;
        if (part->place.offset < *start)
            *start = part->place.offset;
        if (part->place.offset + part->size + part->open_end > *end)
            *end = part->place.offset + part->size + part->open_end;
    }
}

/* Gives every part its offset; returns the size of all. The first part's group comes first. */
static uint64_t assign_offsets(struct cpu_code *code, bool *entered_by_jump)
{
    uint64_t next = 0;
    *entered_by_jump = false;
    for (size_t i = 0; i < code->part_count; i++) {
        uint64_t start, end;
        if (group_of(code, i) != i)
            continue;
        group_range(code, i, &start, &end);
        if (i == 0 && start < code->parts[0].place.offset) {
            *entered_by_jump = true;
            next = FUNCTION_ALIGNMENT;
        }
        if (i)
            next = (next + FUNCTION_ALIGNMENT) & ~(uint64_t)(FUNCTION_ALIGNMENT - 1);
        for (size_t member = 0; member < code->part_count; member++)
            if (group_of(code, member) == i)
                code->parts[member].offset =
                    (uint32_t)(next + code->parts[member].place.offset - start);
        next += end - start;
        if (next > CODE_BYTES_MAX)
            break;
    }
    return next;
}

static void put(uint8_t *bytes, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

static void set_edges(const struct cpu_code *code, struct capture_cpu *cpu)
{
    for (size_t i = 0; i < code->edge_count; i++) {
        const struct code_edge *edge = &code->edges[i];
        const struct code_part *from = &code->parts[edge->from], *to = &code->parts[edge->to];
        int64_t distance =
            (int64_t)(to->offset + edge->at) - (int64_t)((uint64_t)from->offset + edge->end);
        put(cpu->bytes + from->offset + edge->field, (uint64_t)distance, edge->bytes);
    }
}

static void add_capture_reference(struct elf_capture *elf, struct capture_cpu *cpu,
                                  const struct capture_reference *reference)
{
    cpu->references = region_push(elf->region, cpu->references, cpu->reference_count,
                                  &cpu->reference_capacity, sizeof *cpu->references);
    cpu->references[cpu->reference_count++] = *reference;
}

/*
 * A reference to the CPU's own code; false when the place is not in it, or when its address is
 * also known to others: it must be equal for all, and each CPU's code lies elsewhere.
 */
static bool refer_to_code(struct elf_capture *elf, const struct cpu_code *code,
                          const struct code_reference *reference, uint32_t field,
                          struct capture_cpu *cpu)
{
    struct location place = reference->target.place;
    const struct code_part *from = &code->parts[reference->part];
    if (reference->target.kind != TARGET_PLACE)
        return false;
    place.offset += (uint64_t)reference->target.distance;
    int to = code_part_at(code, &place);
    if (to == NO_INDEX || code_has_object(elf, &place))
        return false;
    int64_t at = (int64_t)(code->parts[to].offset + place.offset - code->parts[to].place.offset);
    if (reference->kind == REFERENCE_PC32) {
        put(cpu->bytes + field, (uint64_t)(at - (int64_t)(from->offset + reference->end)), 4);
        return true;
    }
    struct capture_reference own = {field, reference->kind, NO_INDEX, at};
    add_capture_reference(elf, cpu, &own);
    return true;
}

static void refuse(struct elf_capture *elf, const struct code_part *from,
                   const struct code_reference *reference)
{
    elf_error(elf, from->place.binary->name, "%s+%u refers to '%s%s', which cannot be placed",
              from->name, reference->field,
              reference->target.kind == TARGET_PLACE
                  ? reference->target.place.binary->sections[reference->target.place.section].name
                  : "",
              reference->target.name);
}

static void set_reference(struct elf_capture *elf, const struct cpu_code *code,
                          const struct code_reference *reference, struct capture_cpu *cpu)
{
    const struct code_part *from = &code->parts[reference->part];
    uint32_t field = from->offset + reference->field;
    unsigned size = reference->kind == REFERENCE_ABS64 ? 8 : 4;
    struct capture_reference row = {.offset = field, .kind = reference->kind};
    int64_t distance;
    if (reference->target.kind == TARGET_TABLE) {
        row.object = code->tables[reference->target.loose].object;
        if (row.kind == REFERENCE_PC32)
            row.addend = -(int64_t)(reference->end - reference->field);
        put(cpu->bytes + field, 0, size);
        add_capture_reference(elf, cpu, &row);
    } else if (reference->target.kind == TARGET_TLS) {
        if (!tls_distance(elf, &reference->target, &distance))
            return;
        tls_touch(elf, distance);
        put(cpu->bytes + field, (uint64_t)distance, size);
    } else if (is_percpu(elf, &reference->target)) {
        if (!percpu_offset(elf, &reference->target, &distance))
            return;
        put(cpu->bytes + field, (uint64_t)distance, size);
        if (row.kind != REFERENCE_PC32)
            return;
        row.object = CAPTURE_ZERO;
        row.addend = distance - (int64_t)(reference->end - reference->field);
        put(cpu->bytes + field, 0, size);
        add_capture_reference(elf, cpu, &row);
    } else if (reference->target.kind == TARGET_NUMBER && reference->kind != REFERENCE_PC32) {
        put(cpu->bytes + field, (uint64_t)reference->target.distance, size);
    } else if (refer_to_code(elf, code, reference, field, cpu)) {
        return;
    } else if (object_of(elf, &reference->target, &row.object, &row.addend)) {
        if (row.kind == REFERENCE_PC32) /* counts from the field, the target from the end */
            row.addend -= (int64_t)(reference->end - reference->field);
        put(cpu->bytes + field, 0, size);
        add_capture_reference(elf, cpu, &row);
    } else {
        refuse(elf, from, reference);
    }
}

static int by_offset(const void *a, const void *b)
{
    const struct capture_reference *left = a, *right = b;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

static int by_part_offset(const void *a, const void *b)
{
    const struct capture_part *left = a, *right = b;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

static void list_parts(struct elf_capture *elf, const struct cpu_code *code,
                       struct capture_cpu *cpu)
{
    cpu->parts = region_array(elf->region, code->part_count + 1, sizeof *cpu->parts);
    for (size_t i = 0; i < code->part_count; i++)
        cpu->parts[cpu->part_count++] = (struct capture_part){
            code->parts[i].offset, code->parts[i].size, code->parts[i].name, code->parts[i].note};
    qsort(cpu->parts, cpu->part_count, sizeof *cpu->parts, by_part_offset);
}

/* ---- lines of source ---- */

static void add_mark(struct elf_capture *elf, struct capture_cpu *cpu, uint32_t offset,
                     const char *text)
{
    const char *before = cpu->source_count ? cpu->sources[cpu->source_count - 1].text : "";
    bool ascends = !cpu->source_count || cpu->sources[cpu->source_count - 1].offset < offset;
    if (strcmp(text, before) == 0 || !ascends) /* functions may overlap */
        return;
    cpu->sources = region_push(elf->region, cpu->sources, cpu->source_count, &cpu->source_capacity,
                               sizeof *cpu->sources);
    cpu->sources[cpu->source_count++] = (struct source_mark){offset, text};
}

static const struct code_part *part_with_offset(const struct cpu_code *code, uint32_t offset)
{
    for (size_t i = 0; i < code->part_count; i++)
        if (code->parts[i].offset == offset)
            return &code->parts[i];
    return NULL;
}

static void mark_part(struct elf_capture *elf, struct capture_cpu *cpu,
                      const struct code_part *part)
{
    struct snippet snippet = {.address = 0, .bytes = cpu->bytes + part->offset, .size = part->size};
    struct region *scratch = region_child(elf->region);
    struct code code;
    code_init(&code, scratch, &snippet);
    for (uint32_t offset = 0; offset < part->size;) {
        const struct insn *insn = code_at(&code, offset);
        const char *line =
            part->place.binary
                ? lines_at(part->place.binary, part->place.section, part->place.offset + offset)
                : region_printf(elf->region, "%s, left out", part->name);
        add_mark(elf, cpu, part->offset + offset, line ? line : "");
        offset += insn ? insn->length : 1u;
    }
    region_release(scratch);
    if (part->offset + part->size < cpu->size)
        add_mark(elf, cpu, part->offset + part->size, "");
}

/* ---- the whole ---- */

void place_code(struct elf_capture *elf, struct cpu_code *code, struct capture_cpu *cpu)
{
    bool by_jump;
    if (!code->part_count)
        return;
    uint64_t size = assign_offsets(code, &by_jump);
    if (size > CODE_BYTES_MAX) {
        elf_error(elf, NULL, "%s has %" PRIu64 " bytes of code, %d fit", code->name, size,
                  (int)CODE_BYTES_MAX);
        return;
    }
    cpu->size = (uint32_t)size;
    cpu->bytes = region_alloc(elf->region, size + 1);
    memset(cpu->bytes, TRAP, size);
    for (size_t i = 0; i < code->part_count; i++)
        memcpy(cpu->bytes + code->parts[i].offset, code->parts[i].bytes, code->parts[i].size);
    if (by_jump) {
        cpu->bytes[0] = 0xe9;
        put(cpu->bytes + 1, code->parts[0].offset - JUMP_BYTES, 4);
        capture_note(&elf->capture, cpu,
                     "the jump at +0 is not the function's: its code must keep "
                     "its distance to what lies before it");
    }
    set_edges(code, cpu);
    make_tables(elf, code, (size_t)(cpu - elf->capture.cpus));
    for (size_t i = 0; i < code->reference_count; i++)
        set_reference(elf, code, &code->references[i], cpu);
    if (cpu->reference_count)
        qsort(cpu->references, cpu->reference_count, sizeof *cpu->references, by_offset);
    list_parts(elf, code, cpu);
    for (size_t i = 0; i < cpu->part_count; i++)
        mark_part(elf, cpu, part_with_offset(code, cpu->parts[i].offset));
}
