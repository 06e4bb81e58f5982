/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From spans of sections that are needed to objects of the trace: what lies near each other is one
 * block, with the symbols as names inside.
 */
#define _GNU_SOURCE /* qsort_r */
#include <stdlib.h>
#include <string.h>

#include "sim/capture/elf.h"
#include "sim/capture/percpu.h"

enum { NEAR = 4096 /* spans closer than that are one block */, WORD = 8 };

/* ---- blocks ---- */

static int by_place(const void *a, const void *b, void *argument)
{
    const struct span *left = a, *right = b;
    const struct inputs *inputs = argument;
    size_t left_binary = 0, right_binary = 0;
    while (inputs->binaries[left_binary] != left->binary)
        left_binary++;
    while (inputs->binaries[right_binary] != right->binary)
        right_binary++;
    if (left_binary != right_binary)
        return left_binary < right_binary ? -1 : 1;
    if (left->section != right->section)
        return left->section < right->section ? -1 : 1;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return (left->end > right->end) - (left->end < right->end);
}

/* Places of a linked file have an address; those of an object file count from their section. */
static uint64_t base_of(const struct binary *binary, uint32_t section)
{
    return binary->linked ? binary->sections[section].address : 0;
}

/* The part of the section's bytes that an object has, which begins at `start`. */
static void set_init(struct elf_capture *elf, struct capture_object *object,
                     const struct block *block)
{
    const struct binary_section *section = &block->binary->sections[block->section];
    uint64_t base = base_of(block->binary, block->section);
    uint64_t pad = block->start < base ? base - block->start : 0, offset = 0;
    if (!section->bytes || pad >= object->size)
        return;
    offset = block->start + pad - base;
    uint64_t size = object->size - pad;
    if (offset >= section->size)
        return;
    size = size < section->size - offset ? size : section->size - offset;
    while (size && !section->bytes[offset + size - 1])
        size--;
    if (!size)
        return;
    uint8_t *bytes = region_alloc(elf->region, pad + size);
    memcpy(bytes + pad, section->bytes + offset, size);
    object->init = bytes;
    object->init_size = pad + size;
}

/* Whether an object can lie at the start of a line instead of where it lies in its section. */
static bool may_move(uint64_t start, uint64_t size)
{
    uint64_t in_line = start % LINE_BYTES;
    bool integer = size <= WORD && (size & (size - 1)) == 0 && start % size == 0;
    return integer || in_line == 0 || (start % 16 == 0 && in_line + size <= LINE_BYTES);
}

static const char *section_word(const char *name)
{
    while (*name == '.')
        name++;
    return *name ? name : "data";
}

static int add_block_object(struct elf_capture *elf, const struct block *block, const char *name)
{
    const struct binary_section *section = &block->binary->sections[block->section];
    int index = capture_add_object(&elf->capture, name, block->end - block->start);
    struct capture_object *object = &elf->capture.objects[index];
    if (section->alignment && section->alignment <= 4096 && block->start % section->alignment == 0)
        object->alignment = section->alignment;
    set_init(elf, object, block);
    return index;
}

/* Symbols become names inside the object that the block is. */
static void make_names(struct elf_capture *elf, struct block *block, const struct span *spans,
                       size_t count, bool observed)
{
    struct capture *capture = &elf->capture;
    const struct binary_section *section = &block->binary->sections[block->section];
    uint64_t base = base_of(block->binary, block->section);
    size_t first = capture->object_count;
    for (size_t i = 0; i < count; i++) {
        if (!spans[i].symbol)
            continue;
        int name =
            capture_add_object(capture, spans[i].symbol->name, spans[i].end - spans[i].start);
        capture->objects[name].offset = base + spans[i].start - block->start;
        capture->objects[name].observed = observed;
        add_variable(elf, name, block->binary, spans[i].symbol->name);
    }
    size_t last = capture->object_count;
    block->object = add_block_object(elf, block, section_word(section->name));
    capture->objects[block->object].note =
        section->note ? section->note
                      : region_printf(elf->region, "%s of %s", section->name, block->binary->name);
    for (size_t i = first; i < last; i++)
        capture->objects[i].parent = block->object;
}

/* A single symbol that may move is an object of its own. Others are names inside the block. */
static void make_block(struct elf_capture *elf, struct block *block, const struct span *spans,
                       size_t count)
{
    const struct binary_section *section = &block->binary->sections[block->section];
    bool observed = section->flags & SHF_WRITE;
    if (count == 1 && may_move(block->start, block->end - block->start)) {
        const char *name = spans->symbol ? spans->symbol->name : section_word(section->name);
        block->object = add_block_object(elf, block, name);
        elf->capture.objects[block->object].observed = observed && spans->symbol;
        elf->capture.objects[block->object].note = section->note;
        if (spans->symbol)
            add_variable(elf, block->object, block->binary, name);
        return;
    }
    block->start &= ~(uint64_t)(LINE_BYTES - 1);
    block->end = (block->end + WORD - 1) & ~(uint64_t)(WORD - 1); /* initial values are words */
    make_names(elf, block, spans, count, observed);
}

static void make_blocks(struct elf_capture *elf)
{
    if (elf->span_count)
        qsort_r(elf->spans, elf->span_count, sizeof *elf->spans, by_place, &elf->inputs);
    for (size_t first = 0; first < elf->span_count;) {
        const struct span *spans = elf->spans + first;
        uint64_t end = spans->end, base = base_of(spans->binary, spans->section);
        size_t count = 1;
        while (first + count < elf->span_count && spans[count].binary == spans->binary &&
               spans[count].section == spans->section && spans[count].start < end + NEAR) {
            end = spans[count].end > end ? spans[count].end : end;
            count++;
        }
        elf->blocks = region_push(elf->region, elf->blocks, elf->block_count, &elf->block_capacity,
                                  sizeof *elf->blocks);
        elf->blocks[elf->block_count] = (struct block){spans->binary, spans->section,
                                                       base + spans->start, base + end, NO_INDEX};
        make_block(elf, &elf->blocks[elf->block_count++], spans, count);
        first += count;
    }
}

/* ---- objects ---- */

static const struct block *block_at(const struct elf_capture *elf, const struct location *place)
{
    uint64_t address = base_of(place->binary, place->section) + place->offset;
    for (size_t i = 0; i < elf->block_count; i++) {
        const struct block *block = &elf->blocks[i];
        if (block->binary == place->binary && block->section == place->section &&
            address >= block->start && address < block->end)
            return block;
    }
    return NULL;
}

/* The name inside a block that a place lies in, with the distance into that. */
static void nearest_inner_name(const struct capture *capture, int *object, int64_t *distance)
{
    for (size_t i = 0; i < capture->object_count; i++) {
        const struct capture_object *inner = &capture->objects[i];
        if (inner->parent == *object && *distance >= (int64_t)inner->offset &&
            *distance - (int64_t)inner->offset < (int64_t)inner->size) {
            *distance -= (int64_t)inner->offset;
            *object = (int)i;
            return;
        }
    }
}

bool object_of(struct elf_capture *elf, const struct target *target, int *object, int64_t *distance)
{
    *distance = target->distance;
    if (target->kind == TARGET_LOOSE || target->kind == TARGET_NAME || is_code_place(target)) {
        size_t index = target->kind == TARGET_LOOSE  ? target->loose
                       : target->kind == TARGET_NAME ? loose_object(elf, target->name, 1)
                                                     : code_address_object(elf, target);
        if (is_code_place(target))
            *distance = 0;
        *object = elf->looses[index].object;
        return *object != NO_INDEX;
    }
    if (target->kind != TARGET_PLACE)
        return false;
    const struct block *block = block_at(elf, &target->place);
    if (!block)
        return false;
    *object = block->object;
    int64_t inside = (int64_t)(base_of(target->place.binary, target->place.section) +
                               target->place.offset - block->start);
    nearest_inner_name(&elf->capture, object, &inside);
    *distance += inside;
    return true;
}

void set_word(struct elf_capture *elf, int owner, uint64_t offset, const struct target *target)
{
    int object;
    int64_t distance;
    if (is_percpu(elf, target)) {
        if (percpu_offset(elf, target, &distance))
            capture_set_bytes(&elf->capture, owner, offset, WORD, (uint64_t)distance);
    } else if (target->kind == TARGET_TLS && tls_distance(elf, target, &distance)) {
        tls_touch(elf, distance);
        capture_set_bytes(&elf->capture, owner, offset, WORD, (uint64_t)distance);
    } else if (object_of(elf, target, &object, &distance)) {
        capture_add_pointer(&elf->capture, owner, offset, object, distance);
    }
}

static void set_pointer(struct elf_capture *elf, void *argument, uint64_t offset,
                        const struct target *target)
{
    const struct block *block = argument;
    set_word(elf, block->object, base_of(block->binary, block->section) + offset - block->start,
             target);
}

static void make_looses(struct elf_capture *elf)
{
    for (size_t i = 0; i < elf->loose_count; i++) {
        struct loose *loose = &elf->looses[i];
        loose->object = capture_add_object(&elf->capture, loose->name, loose->size);
        struct capture_object *object = &elf->capture.objects[loose->object];
        object->alignment = loose->alignment;
        object->observed = loose->observed;
        object->note = loose->note;
        if (loose->binary)
            add_variable(elf, loose->object, loose->binary, loose->name);
    }
}

void make_objects(struct elf_capture *elf)
{
    need_all_pointed_to(elf);
    make_blocks(elf);
    make_looses(elf);
    for (size_t i = 0; i < elf->span_count; i++) {
        const struct span span = elf->spans[i];
        struct location place = {span.binary, span.section, span.start};
        struct block block = *block_at(elf, &place);
        walk_pointers(elf, span.binary, span.section, span.start, span.end, set_pointer, &block);
    }
    for (size_t i = 0; i < elf->loose_count; i++) {
        struct loose loose = elf->looses[i];
        if (loose.points)
            set_word(elf, loose.object, 0, &loose.target);
    }
}
