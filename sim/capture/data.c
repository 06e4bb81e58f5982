/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From places that code refers to, to objects of the trace. What lies near each other in a
 * section stays so, in one object with the symbols as names inside: their distances, and
 * which of them share a cache line, are part of what the code does.
 */
#define _GNU_SOURCE /* qsort_r */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/capture/elf.h"
#include "sim/capture/percpu.h"

enum {
    NEAR = 4096,          /* spans closer than that are one block */
    WHOLE_SECTION = 4096, /* sections up to that size are taken whole */
    SPANS_MAX = 16384,    /* more is not what a trace is made for */
    DATA_BYTES_MAX = 16 << 20,
    WORD = 8
};

/* ---- spans ---- */

static bool add_span(struct elf_capture *elf, const struct span *span)
{
    struct {
        struct binary *binary;
        uint64_t section, start;
    } key = {span->binary, span->section, span->start};
    bool fresh;
    uint32_t id = intern_add(&elf->span_keys, &key, sizeof key, &fresh);
    if (!fresh) {
        if (elf->spans[id].end < span->end)
            elf->spans[id].end = span->end;
        return false;
    }
    elf->data_bytes += span->end - span->start;
    if (elf->span_count == SPANS_MAX || elf->data_bytes > DATA_BYTES_MAX) {
        if (elf->data_bytes != UINT64_MAX / 2)
            elf_error(elf, span->binary->name,
                      "the code refers to more than %d things or %d MiB, the last being '%s'",
                      SPANS_MAX, DATA_BYTES_MAX >> 20, span->symbol ? span->symbol->name : "");
        elf->data_bytes = UINT64_MAX / 2; /* said once */
        elf->span_keys.count--;
        return false;
    }
    elf->spans = region_push(elf->region, elf->spans, elf->span_count, &elf->span_capacity,
                             sizeof *elf->spans);
    elf->spans[elf->span_count++] = *span;
    return true;
}

/* What lies at a place: the symbol there, or the bytes between its neighbours. */
static void need_place(struct elf_capture *elf, const struct location *place)
{
    const struct binary_section *section = &place->binary->sections[place->section];
    if (place->offset >= section->size)
        return;
    struct span span = {.binary = place->binary, .section = place->section};
    span.symbol = binary_symbol_at(place->binary, place->section, place->offset, SYMBOL_DATA);
    if (span.symbol) {
        span.start = span.symbol->value;
        span.end = span.start + span.symbol->size;
    } else if (strncmp(section->name, ".got", 4) == 0) { /* a cell; its neighbours are others' */
        span.start = place->offset & ~(uint64_t)(WORD - 1);
        span.end = section->size - span.start < WORD ? section->size : span.start + WORD;
    } else {
        binary_gap(place->binary, place->section, place->offset, &span.start, &span.end);
    }
    add_span(elf, &span);
}

/* All of a small section: what is counted from its start may mean any part of it. */
static void need_section(struct elf_capture *elf, const struct location *place)
{
    struct binary *binary = place->binary;
    const struct binary_section *section = &binary->sections[place->section];
    for (size_t i = 0; i < section->symbol_count; i++) {
        const struct binary_symbol *symbol = &binary->symbols[section->symbols[i]];
        struct location at = {binary, place->section, symbol->value};
        if (symbol->type == STT_OBJECT && symbol->size)
            need_place(elf, &at);
    }
}

static bool stands_for(const struct loose *loose, const struct location *place)
{
    const struct target *target = &loose->target;
    return !loose->points && target->kind == TARGET_PLACE &&
           target->place.binary == place->binary && target->place.section == place->section &&
           target->place.offset == place->offset;
}

bool code_has_object(const struct elf_capture *elf, const struct location *place)
{
    for (size_t i = 0; i < elf->loose_count; i++)
        if (stands_for(&elf->looses[i], place))
            return true;
    return false;
}

/* Static functions of several files may have one name, but have an address each. */
static size_t loose_for_code(struct elf_capture *elf, const char *name,
                             const struct location *place)
{
    for (;; name = region_printf(elf->region, "%s_", name)) {
        size_t before = elf->loose_count, index = loose_object(elf, name, 1);
        if (index == before)
            elf->looses[index].target =
                (struct target){.kind = TARGET_PLACE, .place = *place, .name = ""};
        if (stands_for(&elf->looses[index], place))
            return index;
    }
}

/* The object that stands for code whose address is only passed on. */
static size_t code_address_object(struct elf_capture *elf, const struct target *target)
{
    struct location place = target->place;
    place.offset += (uint64_t)target->distance;
    const struct binary_symbol *symbol = NULL;
    if (place.offset < place.binary->sections[place.section].size)
        symbol = binary_symbol_at(place.binary, place.section, place.offset, SYMBOL_CODE);
    uint64_t distance = symbol ? place.offset - symbol->value : place.offset;
    const char *of = symbol ? symbol->name : place.binary->sections[place.section].name;
    const char *name = distance ? region_printf(elf->region, "code_%s_%" PRIx64, of, distance)
                                : region_printf(elf->region, "code_%s", of);
    size_t index = loose_for_code(elf, name, &place);
    elf->looses[index].note = "stands for code whose address is only passed on here; running it is "
                              "not modelled";
    return index;
}

static bool is_code_place(const struct target *target)
{
    return target->kind == TARGET_PLACE &&
           section_is_code(&target->place.binary->sections[target->place.section]);
}

static void need_loose(struct elf_capture *elf, const struct target *target, uint8_t access)
{
    size_t index = target->loose;
    if (target->kind == TARGET_NAME) {
        index = loose_object(elf, target->name, 1);
        elf->looses[index].observed = true;
        elf->looses[index].alignment = WORD;
        elf->looses[index].note = "in none of the files: its size and that it is 0 are assumed";
        uint64_t reach = target->distance < 0 ? 0 : (uint64_t)target->distance;
        reach += access ? access : WORD;
        if (strcmp(target->name, PERCPU_TABLE) == 0)
            reach = (uint64_t)WORD * elf->code_count;
        if (reach <= WHOLE_SECTION && elf->looses[index].size < reach)
            elf->looses[index].size = reach;
    }
    if (elf->looses[index].points) {
        struct target behind = elf->looses[index].target;
        need_data(elf, &behind, 0);
    }
}

void need_data(struct elf_capture *elf, const struct target *target, uint8_t access)
{
    if (is_percpu(elf, target)) {
        percpu_need(elf, target);
    } else if (target->kind == TARGET_LOOSE || target->kind == TARGET_NAME) {
        need_loose(elf, target, access);
    } else if (is_code_place(target)) {
        code_address_object(elf, target);
    } else if (target->kind == TARGET_PLACE) {
        const struct binary_section *section =
            &target->place.binary->sections[target->place.section];
        if (target->is_section && !target->place.binary->linked && section->size <= WHOLE_SECTION)
            need_section(elf, &target->place);
        need_place(elf, &target->place);
    }
}

/* ---- pointers in data ---- */

static uint64_t word_at(const struct binary_section *section, uint64_t offset)
{
    uint64_t word = 0;
    for (unsigned i = 0; section->bytes && i < WORD && offset + i < section->size; i++)
        word |= (uint64_t)section->bytes[offset + i] << 8 * i;
    return word;
}

/*
 * Data that an executable has a copy of and a library refers to by itself: both mean the copy, and
 * it starts as the library has it.
 */
static void refuse_copy(struct elf_capture *elf, const struct binary *binary,
                        const struct binary_relocation *relocation)
{
    const char *name = binary->symbols[relocation->symbol].name;
    for (size_t i = 0; i < elf->inputs.binary_count; i++) {
        const struct binary *other = elf->inputs.binaries[i];
        const struct binary_symbol *symbol = other == binary ? NULL : binary_find(other, name);
        if (!symbol || !symbol_is_defined(symbol) || symbol->bind == STB_LOCAL)
            continue;
        elf_error(
            elf, binary->name,
            "has a copy of '%s' of %s (a COPY relocation), which is not supported; compile it "
            "with -fPIC, or name the object files instead",
            name, other->name);
        return;
    }
}

static bool relocated_word(struct elf_capture *elf, struct binary *binary,
                           const struct binary_section *section,
                           const struct binary_relocation *relocation, struct target *target)
{
    switch (relocation->type) {
    case R_X86_64_NONE:
        return false;
    case R_X86_64_64:
    case R_X86_64_GLOB_DAT:
    case R_X86_64_JUMP_SLOT:
        *target = target_of_symbol(elf, binary, relocation->symbol, relocation->addend);
        return true;
    case R_X86_64_RELATIVE:
        *target = target_of_address(binary, (uint64_t)relocation->addend);
        return true;
    case R_X86_64_TPOFF64:
        *target = relocation->symbol
                      ? target_of_symbol(elf, binary, relocation->symbol, relocation->addend)
                      : target_of_tls(binary, (uint64_t)relocation->addend);
        return true;
    case R_X86_64_COPY: /* the linked file has the bytes' place, a library their value */
        refuse_copy(elf, binary, relocation);
        return false;
    default:
        elf_error(elf, binary->name,
                  "%s+0x%" PRIx64
                  " holds a relocation of type %u, which is not supported in data%s",
                  section->name, relocation->offset, relocation->type,
                  relocation->type == R_X86_64_PC32 ? " (a jump table? compile with "
                                                      "-fno-jump-tables)"
                                                    : "");
        return false;
    }
}

void walk_pointers(struct elf_capture *elf, struct binary *binary, uint32_t index, uint64_t start,
                   uint64_t end, pointer_taker *take, void *argument)
{
    const struct binary_section *section = &binary->sections[index];
    struct target target;
    size_t first = binary_relocation_from(section, start);
    for (size_t i = first; i < section->relocation_count && section->relocations[i].offset < end;
         i++) {
        const struct binary_relocation *relocation = &section->relocations[i];
        bool again = i > first && section->relocations[i - 1].offset == relocation->offset;
        if (!again && relocated_word(elf, binary, section, relocation, &target))
            take(elf, argument, relocation->offset, &target);
    }
    if (!binary->pointers_unmarked || !section->bytes || section->relocation_count)
        return;
    for (uint64_t at = (start + 7) & ~UINT64_C(7); at + WORD <= end; at += WORD) {
        target = target_of_address(binary, word_at(section, at));
        if (target.kind == TARGET_PLACE)
            take(elf, argument, at, &target);
    }
}

static void take_needed(struct elf_capture *elf, void *argument, uint64_t offset,
                        const struct target *target)
{
    (void)argument, (void)offset;
    need_data(elf, target, 0);
}

/* The list grows meanwhile. */
static void follow_pointers(struct elf_capture *elf)
{
    size_t spans = 0, percpu = 0;
    while (!elf->diagnostics->dropped) {
        if (spans < elf->span_count) {
            struct span span = elf->spans[spans++];
            walk_pointers(elf, span.binary, span.section, span.start, span.end, take_needed, NULL);
        } else if (!percpu_follow(elf, percpu++)) {
            return;
        }
    }
}

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
    follow_pointers(elf);
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
