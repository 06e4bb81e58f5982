/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/explore/cells.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/text.h"

struct finder {
    struct region *region;
    struct exploration *exploration;
    struct cells cells;
    size_t capacity;
    bool durable;
};

static bool is_small(const struct object *object)
{
    return object->size == 1 || object->size == 2 || object->size == 4 || object->size == 8;
}

/* Keeps the cells sorted; the same place is added once. */
static void add_cell(struct finder *finder, uint64_t address, unsigned size, size_t first)
{
    struct cells *cells = &finder->cells;
    size_t at = cells->count;
    while (at > first && cells->items[at - 1].address > address)
        at--;
    if (at > first && cells->items[at - 1].address == address)
        return;
    if (cells->count == CELLS_MAX) {
        cells->left_out++;
        return;
    }
    cells->items = region_push(finder->region, cells->items, cells->count, &finder->capacity,
                               sizeof *cells->items);
    memmove(cells->items + at + 1, cells->items + at, (cells->count - at) * sizeof *cells->items);
    cells->count++;
    cells->items[at] = (struct cell){
        .name = describe_address(finder->region, finder->exploration->program, address),
        .address = address,
        .size = size,
        .durable = finder->durable};
}

/* The words of `object` among those that this memory knows. */
static void add_words(struct finder *finder, const struct memory *memory,
                      const struct object *object, size_t first)
{
    for (size_t i = 0; i < memory->word_count; i++) {
        uint64_t start = memory->word_address[i] * 8, end = start + 8;
        uint64_t object_end = object->address + object->size;
        start = start > object->address ? start : object->address;
        end = end < object_end ? end : object_end;
        if (start < end)
            add_cell(finder, start, (unsigned)(end - start), first);
    }
}

static void add_object(struct finder *finder, const struct object *object, size_t first)
{
    const struct components *components = &finder->exploration->components;
    if (is_small(object)) {
        add_cell(finder, object->address, (unsigned)object->size, first);
        return;
    }
    add_words(finder, &components->shared, object, first);
    for (size_t cpu = 0; cpu < components->program->cpu_count; cpu++)
        add_words(finder, &components->cpus[cpu].private_memory, object, first);
}

static void add_objects(struct finder *finder)
{
    const struct program *program = finder->exploration->program;
    size_t first = finder->cells.count;
    for (size_t i = 0; i < program->object_count; i++) {
        const struct object *object = &program->objects[i];
        if (object->parent == NO_INDEX && !object->code && (object->persistent || !finder->durable))
            add_object(finder, object, first);
    }
}

struct cells cells_find(struct region *region, struct exploration *exploration)
{
    struct finder finder = {.region = region, .exploration = exploration};
    add_objects(&finder);
    if (exploration->line_count) {
        finder.durable = true;
        add_objects(&finder);
    }
    return finder.cells;
}

uint64_t cell_value(struct exploration *exploration, const struct cell *cell,
                    const struct cell_view *view)
{
    struct components *components = &exploration->components;
    uint64_t value = 0;
    for (unsigned byte = 0; byte < cell->size; byte++) {
        uint64_t address = cell->address + byte;
        int owner = footprint_owner(components->footprint, address);
        uint8_t data = 0;
        if (cell->durable)
            memory_read(&exploration->durable, view->durable, address, 1, &data);
        else if (owner < 0)
            memory_read(&components->shared, view->memory, address, 1, &data);
        else
            memory_read(&components->cpus[owner].private_memory, view->privates[owner], address, 1,
                        &data);
        value |= (uint64_t)data << (byte * 8);
    }
    return value;
}

/* "7", "0x12345" or, of a pointer into an object, "&x+4". */
static const char *value_of_register(struct region *region, const struct program *program,
                                     uint64_t value)
{
    if (value < 4096)
        return region_printf(region, "%" PRIu64, value);
    if (value >= OBJECT_BASE && program_object_at(program, value, 1) != NO_INDEX)
        return region_printf(region, "&%s", describe_address(region, program, value));
    return region_printf(region, "0x%" PRIx64, value);
}

static const char *const gpr_names[16] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                          "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

static bool vector_differs(const struct registers *a, const struct registers *b, unsigned i)
{
    return memcmp(a->xmm[i], b->xmm[i], sizeof a->xmm[i]) != 0 ||
           memcmp(a->ymm_high[i], b->ymm_high[i], sizeof a->ymm_high[i]) != 0;
}

static const char *vector_text(struct region *region, const struct registers *now, unsigned i)
{
    const uint64_t *high = now->ymm_high[i], *low = now->xmm[i];
    if (high[0] || high[1])
        return region_printf(region, "ymm%u=0x%" PRIx64 "%016" PRIx64 "%016" PRIx64 "%016" PRIx64,
                             i, high[1], high[0], low[1], low[0]);
    return low[1] ? region_printf(region, "xmm%u=0x%" PRIx64 "%016" PRIx64, i, low[1], low[0])
                  : region_printf(region, "xmm%u=0x%" PRIx64, i, low[0]);
}

const char **changed_registers(struct region *region, struct exploration *exploration,
                               const struct registers *from, uint32_t local, size_t *count)
{
    const char **list = region_array(region, 32, sizeof *list);
    struct registers now;
    memset(&now, 0, sizeof now);
    oracle_registers(exploration->components.oracle, local, &now);
    *count = 0;
    for (unsigned i = 0; i < 16; i++)
        if (now.gpr[i] != from->gpr[i])
            list[(*count)++] =
                region_printf(region, "%s=%s", gpr_names[i],
                              value_of_register(region, exploration->program, now.gpr[i]));
    for (unsigned i = 0; i < 16; i++)
        if (vector_differs(from, &now, i))
            list[(*count)++] = vector_text(region, &now, i);
    return list;
}
