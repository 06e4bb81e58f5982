/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From places that code refers to, to what of sections is needed. What lies near each other in a
 * section stays so (blocks.c): distances, and what shares a cache line, are part of what the code
 * does.
 */
#include <inttypes.h>
#include <string.h>

#include "sim/capture/elf.h"
#include "sim/capture/percpu.h"

enum {
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
size_t code_address_object(struct elf_capture *elf, const struct target *target)
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

bool is_code_place(const struct target *target)
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
void need_all_pointed_to(struct elf_capture *elf)
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
