/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Per-CPU data of a kernel. As the kernel is linked (Linux, arch/x86/kernel/vmlinux.lds.S and
 * include/asm/percpu.h), "addresses" of such data are distances from the start of an area, and
 * gs points to a CPU's own area: so they are numbers here, too. `this_cpu_off` and
 * `__per_cpu_offset` hold the addresses of areas, through which one CPU reaches another's.
 */
#include "sim/capture/percpu.h"

#include <elf.h>
#include <inttypes.h>
#include <string.h>

enum {
    GUARD_END = 64, /* the area begins with the stack's guard, at gs:40 */
    AREA_BYTES_MAX = 1 << 20,
    USES_MAX = 4096,
    UNKNOWN_BYTES_MAX = 4096,
    POINTER = 8,
    CPU_NUMBER_IN_HOT = 12 /* of `pcpu_hot`: behind `current_task` and `preempt_count` */
};

bool is_percpu_section(const struct binary_section *section)
{
    static const char name[] = ".data..percpu";
    return strncmp(section->name, name, sizeof name - 1) == 0 && (section->flags & SHF_ALLOC);
}

bool percpu_at(struct binary *binary, uint64_t address, struct target *target)
{
    for (uint32_t i = 1; binary->linked && i < binary->section_count; i++) {
        const struct binary_section *section = &binary->sections[i];
        if (!is_percpu_section(section) || address < section->address ||
            address - section->address >= section->size)
            continue;
        *target = (struct target){.kind = TARGET_PERCPU,
                                  .place = {binary, i, address - section->address},
                                  .name = "",
                                  .is_section = true};
        return true;
    }
    return false;
}

/* ---- what is used ---- */

static struct percpu_use *declared(const struct elf_capture *elf, const char *name)
{
    for (size_t i = 0; i < elf->percpu_use_count; i++)
        if (!elf->percpu_uses[i].binary && strcmp(elf->percpu_uses[i].name, name) == 0)
            return &elf->percpu_uses[i];
    return NULL;
}

bool is_percpu(const struct elf_capture *elf, const struct target *target)
{
    return target->kind == TARGET_PERCPU ||
           (target->kind == TARGET_NAME && declared(elf, target->name));
}

static void add_use(struct elf_capture *elf, const struct percpu_use *use)
{
    if (elf->percpu_use_count == USES_MAX) {
        elf_error(elf, NULL,
                  "the code refers to more than %d per-CPU variables, the last being '%s'",
                  USES_MAX, use->name);
        return;
    }
    elf->percpu_uses = region_push(elf->region, elf->percpu_uses, elf->percpu_use_count,
                                   &elf->percpu_use_capacity, sizeof *elf->percpu_uses);
    elf->percpu_uses[elf->percpu_use_count++] = *use;
}

void percpu_declare(struct elf_capture *elf, const char *name, uint64_t size)
{
    struct percpu_use *use = declared(elf, name);
    size = size < UNKNOWN_BYTES_MAX ? size : UNKNOWN_BYTES_MAX;
    if (use)
        use->size = use->size > size ? use->size : size;
    else
        add_use(elf, &(struct percpu_use){.name = name, .size = size});
}

void percpu_need(struct elf_capture *elf, const struct target *target)
{
    if (target->kind != TARGET_PERCPU)
        return; /* declared already */
    struct binary *binary = target->place.binary;
    struct percpu_use use = {.binary = binary, .section = target->place.section, .name = ""};
    const struct binary_section *section = &binary->sections[use.section];
    uint64_t end = section->size;
    const struct binary_symbol *symbol =
        binary_symbol_at(binary, use.section, target->place.offset, SYMBOL_DATA);
    if (symbol) {
        use.name = symbol->name;
        use.start = symbol->value;
        end = use.start + symbol->size;
    } else {
        binary_gap(binary, use.section, target->place.offset, &use.start, &end);
    }
    end = end < section->size ? end : section->size;
    use.size = end > use.start ? end - use.start : 0;
    for (size_t i = 0; i < elf->percpu_use_count; i++)
        if (elf->percpu_uses[i].binary == binary && elf->percpu_uses[i].section == use.section &&
            elf->percpu_uses[i].start == use.start)
            return;
    add_use(elf, &use);
}

static void need_pointed(struct elf_capture *elf, void *argument, uint64_t offset,
                         const struct target *target)
{
    (void)argument, (void)offset;
    need_data(elf, target, 0);
}

bool percpu_follow(struct elf_capture *elf, size_t index)
{
    if (index >= elf->percpu_use_count)
        return false;
    struct percpu_use use = elf->percpu_uses[index];
    if (use.binary)
        walk_pointers(elf, use.binary, use.section, use.start, use.start + use.size, need_pointed,
                      NULL);
    return true;
}

/* ---- the area ---- */

static uint64_t align_up(uint64_t value, uint64_t alignment)
{
    return alignment > 1 ? (value + alignment - 1) & ~(alignment - 1) : value;
}

/* Where a variable lies in the area (`wanted` NULL: none is asked for); returns the area's size. */
static uint64_t lay_out(const struct elf_capture *elf, const struct percpu_use *wanted,
                        uint64_t *offset)
{
    uint64_t next = GUARD_END;
    *offset = UINT64_MAX;
    for (int linked = 1; linked >= 0; linked--) /* a linked file's addresses stay */
        for (size_t i = 0; i < elf->inputs.binary_count; i++) {
            const struct binary *binary = elf->inputs.binaries[i];
            for (uint32_t n = 1; binary->linked == linked && n < binary->section_count; n++) {
                const struct binary_section *section = &binary->sections[n];
                if (!is_percpu_section(section) || section->size > AREA_BYTES_MAX ||
                    (linked && section->address > AREA_BYTES_MAX))
                    continue;
                uint64_t own = section->alignment <= 4096 ? section->alignment : 4096;
                uint64_t start = linked ? section->address : align_up(next, own);
                if (wanted && wanted->binary == binary && wanted->section == n)
                    *offset = start + wanted->start;
                next = start + section->size > next ? start + section->size : next;
            }
        }
    for (size_t i = 0; i < elf->percpu_use_count; i++) {
        const struct percpu_use *use = &elf->percpu_uses[i];
        if (use->binary)
            continue;
        next = align_up(next, GUARD_END);
        if (wanted && !wanted->binary && strcmp(wanted->name, use->name) == 0)
            *offset = next;
        next += use->size;
    }
    return align_up(next, GUARD_END);
}

bool percpu_offset(struct elf_capture *elf, const struct target *target, int64_t *offset)
{
    struct percpu_use use = {.name = target->name};
    uint64_t start;
    if (target->kind == TARGET_PERCPU)
        use = (struct percpu_use){.binary = target->place.binary,
                                  .section = target->place.section,
                                  .start = target->place.offset};
    if (lay_out(elf, &use, &start) > AREA_BYTES_MAX || start == UINT64_MAX) {
        elf_error(elf, use.binary ? use.binary->name : NULL,
                  "per-CPU data '%s' cannot be placed: all of it has over %d bytes, or the file is "
                  "linked so that it does not begin at address 0",
                  target->name, AREA_BYTES_MAX);
        return false;
    }
    *offset = (int64_t)(start + (uint64_t)target->distance);
    return true;
}

/* ---- objects ---- */

struct area {
    int object;
    size_t cpu;
    uint64_t offset; /* what is added to a section's offsets */
};

static void set_pointer(struct elf_capture *elf, void *argument, uint64_t offset,
                        const struct target *target)
{
    const struct area *area = argument;
    set_word(elf, area->object, area->offset + offset, target);
}

/* What a kernel fills in when it starts its CPUs; false when it is none of that. */
static bool set_known(struct elf_capture *elf, const struct area *area,
                      const struct percpu_use *use, uint64_t at)
{
    struct capture *capture = &elf->capture;
    if (strcmp(use->name, "this_cpu_off") == 0 && use->size >= POINTER)
        capture_add_pointer(capture, area->object, at, area->object, 0);
    else if (strcmp(use->name, "cpu_number") == 0 && use->size >= 4)
        capture_set_bytes(capture, area->object, at, 4, area->cpu);
    else if (strcmp(use->name, "pcpu_hot") == 0 && use->size >= CPU_NUMBER_IN_HOT + 4)
        capture_set_bytes(capture, area->object, at + CPU_NUMBER_IN_HOT, 4, area->cpu);
    else
        return false;
    return true;
}

/* Code of a linked file may refer to any of it by numbers. */
static void copy_linked(struct elf_capture *elf, int area)
{
    for (size_t i = 0; i < elf->inputs.binary_count; i++) {
        const struct binary *binary = elf->inputs.binaries[i];
        for (uint32_t n = 1; binary->linked && n < binary->section_count; n++) {
            const struct binary_section *section = &binary->sections[n];
            if (!is_percpu_section(section) || section->address > AREA_BYTES_MAX)
                continue;
            for (uint64_t at = 0; section->bytes && at < section->size; at++)
                if (section->bytes[at])
                    capture_set_bytes(&elf->capture, area, section->address + at, 1,
                                      section->bytes[at]);
        }
    }
}

/* A variable in the area of a CPU: "P0_counter". */
static void make_variable(struct elf_capture *elf, struct area area, const struct percpu_use *use)
{
    struct capture *capture = &elf->capture;
    uint64_t at;
    lay_out(elf, use, &at);
    if (use->binary) {
        const struct binary_section *section = &use->binary->sections[use->section];
        for (uint64_t i = 0; section->bytes && i < use->size; i++)
            if (section->bytes[use->start + i])
                capture_set_bytes(capture, area.object, at + i, 1, section->bytes[use->start + i]);
        area.offset = at - use->start;
        walk_pointers(elf, use->binary, use->section, use->start, use->start + use->size,
                      set_pointer, &area);
    }
    bool known = set_known(elf, &area, use, at);
    if (!*use->name || !use->size)
        return;
    int name = capture_add_object(
        capture, region_printf(elf->region, "%s_%s", capture->cpus[area.cpu].name, use->name),
        use->size);
    capture->objects[name].parent = area.object;
    capture->objects[name].offset = at;
    capture->objects[name].observed = strcmp(use->name, "this_cpu_off") != 0;
    if (!use->binary)
        capture->objects[name].note =
            known ? "in none of the files: as a kernel sets it"
                  : "in none of the files: its size and that it is 0 are assumed";
    else
        add_variable(elf, name, use->binary, use->name);
}

/* The table of all areas, for reaching another CPU's. */
static void fill_offsets(struct elf_capture *elf, int first_area)
{
    struct capture *capture = &elf->capture;
    int table = capture_object_named(capture, PERCPU_TABLE);
    if (table == NO_INDEX)
        return;
    const struct capture_object *object = &capture->objects[table];
    uint64_t offset = object->parent == NO_INDEX ? 0 : object->offset, size = object->size;
    int owner = object->parent == NO_INDEX ? table : object->parent;
    for (size_t i = 0; i < elf->code_count && (i + 1) * POINTER <= size; i++)
        capture_add_pointer(capture, owner, offset + i * POINTER, first_area + (int)i, 0);
    capture->objects[table].observed = false;
    capture->objects[table].note = "where each CPU's per-CPU data is";
}

void make_percpu(struct elf_capture *elf)
{
    struct capture *capture = &elf->capture;
    uint64_t unused, size = lay_out(elf, NULL, &unused);
    int first = (int)capture->object_count;
    if (!elf->uses_guard && !elf->percpu_use_count)
        return;
    if (size > AREA_BYTES_MAX) {
        elf_error(elf, NULL, "per-CPU data has %" PRIu64 " bytes, %d fit", size, AREA_BYTES_MAX);
        return;
    }
    for (size_t i = 0; i < elf->code_count; i++) {
        int area = capture_add_object(
            capture, region_printf(elf->region, "percpu_%s", capture->cpus[i].name), size);
        capture->objects[area].note = "per-CPU data, with the stack's guard at 40";
        capture->objects[area].alignment = 4096;
        copy_linked(elf, area);
        capture->cpus[i].registers[CAPTURE_GS_BASE] = capture->objects[area].name;
    }
    for (size_t i = 0; i < elf->code_count; i++)
        for (size_t n = 0; n < elf->percpu_use_count; n++)
            make_variable(elf, (struct area){first + (int)i, i, 0}, &elf->percpu_uses[n]);
    fill_offsets(elf, first);
}
