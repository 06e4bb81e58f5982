/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data that the code of an snapshot refers to, without anything being known of it but perhaps a
 * name: zeros of the size that is accessed. What lies near each other keeps its distance.
 */
#include "sim/capture/assumed.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    NEAR = 4096,         /* data that is nearer is one section; a name reaches that far */
    UNKNOWN_SIZE = 64,   /* of what is pointed to and not accessed */
    SPANS_MAX = 1 << 20, /* references */
    SECTIONS_MORE = 1024
};

struct assumed_span {
    uint64_t start, end; /* of what is accessed; equal: nothing is known to be */
    uint64_t guess;      /* 0, or where it may end: not within the next one */
    const char *name;
};

struct assumption {
    struct snapshot *snapshot;
    struct binary *binary;
    struct assumed_span *spans;
    size_t count, capacity;
    size_t outside_capacity;
    size_t to_next; /* references with a distance of 0: nobody has filled them in */
};

/* The last name at or before an address, which is not further away than NEAR. */
static const struct snapshot_name *name_before(const struct snapshot *snapshot, uint64_t address)
{
    size_t low = 0, high = snapshot->name_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (snapshot->names[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || address - snapshot->names[low - 1].address >= NEAR)
        return NULL;
    const struct snapshot_name *name = &snapshot->names[low - 1];
    while (name > snapshot->names && name[-1].address == name->address)
        name--;
    return name;
}

/* The lowest section that begins at or behind an address. */
static uint64_t next_section(const struct binary *binary, uint64_t address)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 1; i < binary->section_count; i++)
        if (binary->sections[i].address >= address && binary->sections[i].address < next)
            next = binary->sections[i].address;
    return next;
}

static void assume_data(struct assumption *assumption, const struct snapshot_reference *reference)
{
    struct snapshot *snapshot = assumption->snapshot;
    uint64_t size = reference->access ? reference->access : UNKNOWN_SIZE;
    struct assumed_span span = {.start = reference->address, .end = reference->address};
    const struct snapshot_name *name = name_before(snapshot, reference->address);
    uint64_t limit = next_section(assumption->binary, reference->address);
    size = limit - reference->address < size ? limit - reference->address : size;
    *(reference->access ? &span.end : &span.guess) = reference->address + size;
    if (name && next_section(assumption->binary, name->address) == limit &&
        binary_section_at(assumption->binary, name->address) == SECTION_NONE) {
        span.start = name->address;
        span.name = name->name;
    }
    if (assumption->count == SPANS_MAX)
        return; /* whoever needs it is told that nothing is there */
    assumption->spans = region_push(snapshot->region, assumption->spans, assumption->count,
                                    &assumption->capacity, sizeof span);
    assumption->spans[assumption->count++] = span;
}

static void assume_code(struct assumption *assumption, uint64_t address)
{
    struct binary *binary = assumption->binary;
    struct region *region = assumption->snapshot->region;
    const struct snapshot_name *name = name_before(assumption->snapshot, address);
    const char *text = region_printf(region, "at_%" PRIx64, address);
    for (size_t i = 0; i < binary->outside_count; i++)
        if (binary->outside[i].address == address)
            return;
    if (name && name->address == address)
        text = name->name;
    else if (name)
        text = region_printf(region, "%s+0x%" PRIx64, name->name, address - name->address);
    binary->outside = region_push(region, binary->outside, binary->outside_count,
                                  &assumption->outside_capacity, sizeof *binary->outside);
    binary->outside[binary->outside_count++] = (struct binary_outside){address, text};
}

static void take_reference(void *argument, const struct snapshot_reference *reference)
{
    struct assumption *assumption = argument;
    assumption->to_next += reference->to_next;
    if (reference->thread_local_data ||
        binary_section_at(assumption->binary, reference->address) != SECTION_NONE ||
        reference->address > UINT64_MAX / 2 + (UINT64_MAX / 2 - 2 * NEAR))
        return;
    if (reference->branch)
        assume_code(assumption, reference->address);
    else
        assume_data(assumption, reference);
}

static int by_start(const void *a, const void *b)
{
    const struct assumed_span *left = a, *right = b;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return (left->end > right->end) - (left->end < right->end);
}

/* One span for each start; guessed ends do not reach into the next. */
static void merge_spans(struct assumption *assumption)
{
    size_t kept = 0;
    qsort(assumption->spans, assumption->count, sizeof *assumption->spans, by_start);
    for (size_t i = 0; i < assumption->count; i++) {
        struct assumed_span span = assumption->spans[i];
        struct assumed_span *last = kept ? &assumption->spans[kept - 1] : NULL;
        if (!last || last->start != span.start) {
            assumption->spans[kept++] = span;
            continue;
        }
        last->end = span.end > last->end ? span.end : last->end;
        last->guess = span.guess > last->guess ? span.guess : last->guess;
        last->name = last->name ? last->name : span.name;
    }
    assumption->count = kept;
    for (size_t i = 0; i < kept; i++) {
        struct assumed_span *span = &assumption->spans[i];
        if (i + 1 < kept && span->guess > span[1].start)
            span->guess = span[1].start;
        if (span->guess > span->end)
            span->end = span->guess;
    }
}

/* A section for the spans from `first` on that are near each other; returns their count. */
static size_t add_section(struct assumption *assumption, size_t first)
{
    struct binary *binary = assumption->binary;
    const struct assumed_span *spans = assumption->spans + first;
    uint64_t start = spans->start, end = spans->end, limit = next_section(binary, start);
    uint32_t index = (uint32_t)binary->section_count++;
    size_t count = 0;
    for (; first + count < assumption->count && spans[count].start < end + NEAR &&
           spans[count].start < limit;
         count++) {
        const struct assumed_span *span = &spans[count];
        end = span->end > end ? span->end : end;
        const char *name =
            span->name ? span->name : region_printf(binary->region, "data_%" PRIx64, span->start);
        binary->symbols[binary->symbol_count++] =
            (struct binary_symbol){.name = name,
                                   .value = span->start - start,
                                   .size = span->end - span->start,
                                   .section = index,
                                   .type = STT_OBJECT,
                                   .bind = STB_GLOBAL};
    }
    binary->sections[index] = (struct binary_section){
        .name = "data",
        .note = region_printf(binary->region, "not in %s: size and that it is 0 are assumed",
                              binary->name),
        .type = SHT_NOBITS,
        .flags = SHF_ALLOC | SHF_WRITE,
        .address = start,
        .size = end - start,
        .alignment = 1};
    return count;
}

/* The arrays of the binary, longer. */
static void make_room(struct binary *binary, size_t more)
{
    struct binary_section *sections =
        region_array(binary->region, binary->section_count + more, sizeof *sections);
    struct binary_symbol *symbols =
        region_array(binary->region, binary->symbol_count + more, sizeof *symbols);
    memcpy(sections, binary->sections, binary->section_count * sizeof *sections);
    memcpy(symbols, binary->symbols, binary->symbol_count * sizeof *symbols);
    binary->sections = sections;
    binary->symbols = symbols;
}

void assume_rest(struct snapshot *snapshot, struct binary *binary)
{
    struct assumption assumption = {.snapshot = snapshot, .binary = binary};
    for (size_t i = 1; i < binary->symbol_count; i++)
        if (binary->symbols[i].type == STT_FUNC)
            snapshot_references(binary, &binary->symbols[i], take_reference, &assumption);
    if (assumption.to_next && !binary->fixed) {
        static const struct place nowhere = {0, 0};
        diagnostics_add(snapshot->diagnostics, snapshot->name, nowhere,
                        "the code refers to what follows it: it is an object file's, where a "
                        "linker has not filled in its references (use objdump -dr, or the file)");
        return;
    }
    if (!assumption.count)
        return;
    merge_spans(&assumption);
    make_room(binary, assumption.count);
    size_t most = binary->section_count + SECTIONS_MORE;
    for (size_t i = 0; i < assumption.count && binary->section_count < most;)
        i += add_section(&assumption, i); /* what is left out is refused when it is needed */
}
