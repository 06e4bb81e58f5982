/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a term's value is in a state. */
#include "sim/explore/explore.h"

#include <string.h>

static uint64_t object_value(struct exploration *exploration, const uint32_t *tuple,
                             const struct object *object)
{
    struct components *components = &exploration->components;
    uint32_t cpus = (uint32_t)exploration->program->cpu_count;
    uint64_t value = 0;
    for (unsigned byte = 0; byte < object->size && byte < 8; byte++) {
        uint64_t address = object->address + byte;
        int owner = footprint_owner(components->footprint, address);
        uint8_t data = 0;
        if (owner < 0) {
            memory_read(&components->shared, tuple[cpus], address, 1, &data);
        } else {
            struct node node;
            component_node(components, (uint32_t)owner, tuple[owner], &node);
            memory_read(&components->cpus[owner].private_memory, node.private_memory, address, 1,
                        &data);
        }
        value |= (uint64_t)data << (byte * 8);
    }
    return value;
}

uint64_t term_value(struct exploration *exploration, const uint32_t *tuple, const struct term *term)
{
    if (term->is_object)
        return object_value(exploration, tuple, &exploration->program->objects[term->object]);
    struct node node;
    struct registers registers;
    component_node(&exploration->components, term->cpu, tuple[term->cpu], &node);
    oracle_registers(exploration->components.oracle, node.local, &registers);
    return registers_view(&registers, &term->view);
}

bool term_is_durable(const struct program *program, const struct term *term)
{
    return term->is_object && program->objects[term->object].persistent;
}

uint64_t durable_value(struct exploration *exploration, const uint32_t *tuple,
                       const struct term *term)
{
    const struct object *object = &exploration->program->objects[term->object];
    uint8_t data[16] = {0};
    uint64_t value;
    memory_read(&exploration->durable, tuple[exploration->program->cpu_count + 1], object->address,
                object->size < 8 ? (unsigned)object->size : 8, data);
    memcpy(&value, data, sizeof value);
    return value;
}
