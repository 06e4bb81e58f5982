/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/program/layout.h"

#include <string.h>

int program_layout(struct program *program, const uint64_t *alignments)
{
    int first_without_room = NO_INDEX;
    uint64_t next = OBJECT_BASE;
    program->roots = region_array(program->region, program->object_count, sizeof(uint32_t));
    program->root_count = 0;
    for (size_t i = 0; i < program->object_count; i++) {
        struct object *object = &program->objects[i];
        if (object->parent != NO_INDEX)
            continue;
        uint64_t alignment = alignments && alignments[i] > LINE_BYTES ? alignments[i] : LINE_BYTES;
        uint64_t address = (next + alignment - 1) & ~(alignment - 1);
        if (address < next || address > OBJECT_END || object->size > OBJECT_END - address) {
            if (first_without_room == NO_INDEX)
                first_without_room = (int)i;
            object->address = OBJECT_BASE; /* the program is not run, but its text is assembled */
            continue;
        }
        object->address = address;
        next = address + object->size;
        program->roots[program->root_count++] = (uint32_t)i;
    }
    for (size_t i = 0; i < program->object_count; i++)
        if (program->objects[i].parent != NO_INDEX)
            program->objects[i].address += program->objects[program->objects[i].parent].address;
    return first_without_room;
}

void program_place_cpu(struct cpu *cpu, size_t index)
{
    cpu->stack = STACK_BASE + index * STACK_BYTES;
    cpu->gpr[4] = cpu->stack + STACK_TOP_OFFSET;
}

/* A small generator with a fixed seed: the order must not depend on the machine or its libc. */
static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

void layout_chase(struct region *region, uint8_t *bytes, size_t lines, uint64_t address)
{
    uint64_t state = 1;
    uint32_t *next = region_resize(region, NULL, lines * sizeof *next);
    for (size_t i = 0; i < lines; i++)
        next[i] = (uint32_t)i;
    /* Sattolo's shuffle: swapping only with an earlier place leaves a single cycle. */
    for (size_t i = lines - 1; i > 0; i--) {
        size_t other = next_random(&state) % i;
        uint32_t swapped = next[i];
        next[i] = next[other];
        next[other] = swapped;
    }
    for (size_t i = 0; i < lines; i++) {
        uint64_t pointer = address + (uint64_t)next[i] * LINE_BYTES;
        for (unsigned byte = 0; byte < 8; byte++)
            bytes[i * LINE_BYTES + byte] = (uint8_t)(pointer >> 8 * byte);
    }
    region_free(region, next);
}
