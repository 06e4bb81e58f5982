/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loads and stores of an instruction: cut into pieces, with what the memory type makes of them.
 */
#include <string.h>

#include "sim/explore/internal.h"

void cut_loads(const struct components *components, const struct plan *plan,
               struct load_pieces *loads)
{
    uint32_t offset = 0;
    loads->count = 0;
    for (unsigned i = 0; i < plan->read_count; i++) {
        struct piece *pieces = loads->pieces + loads->count;
        unsigned count = cut_access(&components->profile->order, plan->reads[i].address,
                                    plan->reads[i].size, pieces);
        for (unsigned n = 0; n < count; n++)
            pieces[n].offset += offset;
        loads->count += count;
        offset += plan->reads[i].size;
    }
}

uint32_t store_number(struct components *components, const struct exec_access *write,
                      uint64_t address, uint32_t size, uint32_t offset, uint32_t flags)
{
    struct store store;
    memset(&store, 0, sizeof store);
    store.address = address;
    store.size = size;
    store.flags = flags;
    memcpy(store.data, write->data + offset, size);
    return intern_add(&components->stores, &store, sizeof store, NULL);
}

enum memory_type type_at(const struct components *components, uint64_t address)
{
    int index = program_object_at(components->program, address, 1);
    return index == NO_INDEX ? MEMORY_WB : components->program->objects[index].type;
}

/* The memory type has its say: WC memory is weak, UC and WP ignore the non-temporal hint
 * (Intel SDM vol. 2, MOVNTI). */
static uint32_t flags_at(const struct components *components, uint64_t address, uint32_t flags)
{
    switch (type_at(components, address)) {
    case MEMORY_UC:
        return (flags & ~(uint32_t)STORE_NT) | STORE_UC;
    case MEMORY_WP:
        return flags & ~(uint32_t)STORE_NT;
    case MEMORY_WC:
        return flags | STORE_NT;
    default:
        return flags;
    }
}

void store_action(struct components *components, const struct node *node, const struct insn *insn,
                  const struct effect *effect, struct action *action)
{
    const struct order_parameters *order = &components->profile->order;
    uint32_t flags = insn->class == INSN_NT_STORE ? STORE_NT : 0;
    if (insn->class == INSN_STRING)
        flags |= STORE_STRING;
    action->kind = ACTION_STORE;
    action->store_count = 0;
    action->joins_previous = insn->class == INSN_STRING && (node->flags & NODE_REPEATING) &&
                             order->string_stores_unordered != 0;
    for (unsigned i = 0; i < effect->write_count; i++) {
        const struct exec_access *write = &effect->writes[i];
        struct piece pieces[PIECES_MAX];
        unsigned count = cut_access(order, write->address, write->size, pieces);
        for (unsigned n = 0; n < count && action->store_count < ACTION_STORES_MAX; n++)
            action->stores[action->store_count++] =
                store_number(components, write, pieces[n].address, pieces[n].size, pieces[n].offset,
                             flags_at(components, pieces[n].address, flags));
    }
}

void read_unshared(struct components *components, uint32_t cpu, const struct node *node,
                   uint64_t address, unsigned size, uint8_t *data)
{
    struct cpu_components *own = &components->cpus[cpu];
    uint8_t buffered[16];
    memory_read(&own->private_memory, node->private_memory, address, size, data);
    uint32_t mask =
        own->model->forward(&components->context, &node->buffers, address, size, buffered);
    for (unsigned byte = 0; byte < size; byte++)
        if (mask >> byte & 1)
            data[byte] = buffered[byte];
}
