/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A node's local steps, taken one after another until something stops it. */
#include <string.h>

#include "sim/explore/internal.h"

enum { LOCAL_STEPS_MAX = 1 << 18 };

struct private_drain {
    struct components *components;
    uint32_t cpu;
    bool stack_only, found;
    struct drain drain;
};

static void pick_private(void *receiver, const struct drain *drain)
{
    struct private_drain *pick = receiver;
    if (pick->found || !drain->writes)
        return;
    const struct store *store = intern_bytes(&pick->components->stores, drain->store);
    uint64_t stack = pick->components->program->cpus[pick->cpu].stack;
    if (pick->stack_only && store->address - stack >= STACK_BYTES)
        return;
    if (footprint_is_private(pick->components->footprint, pick->cpu, store->address)) {
        pick->drain = *drain;
        pick->found = true;
    }
}

/* Drains of stores that nobody else can notice: all of them, or those to the CPU's stack. */
static void drain_unseen(struct components *components, uint32_t cpu, struct node *node,
                         bool stack_only)
{
    struct cpu_components *own = &components->cpus[cpu];
    while (node->buffers.count) {
        struct private_drain pick = {
            .components = components, .cpu = cpu, .stack_only = stack_only};
        own->model->drains(&components->context, &node->buffers, pick_private, &pick);
        if (!pick.found)
            return;
        node->buffers = pick.drain.after;
        node->private_memory =
            memory_write(&own->private_memory, node->private_memory, pick.drain.store);
        const struct store *store = intern_bytes(&components->stores, pick.drain.store);
        tell(components, node,
             &(struct told){.event = pick.drain.event,
                            .how = "visible to all CPUs",
                            .write = true,
                            .address = store->address,
                            .size = store->size,
                            .data = store->data,
                            .store_flags = store->flags});
    }
}

static bool same_node(const struct node *a, const struct node *b)
{
    return a->local == b->local && a->latched == b->latched && a->flags == b->flags &&
           a->private_memory == b->private_memory && a->buffers.count == b->buffers.count &&
           memcmp(a->buffers.words, b->buffers.words, a->buffers.count * sizeof(uint32_t)) == 0;
}

/* Between which steps of a CPU an interrupt comes can matter to it: then none is skipped. */
bool is_eager(const struct components *components, uint32_t cpu, const struct node *node)
{
    if (!components->reduce)
        return false;
    return !components->cpus[cpu].interruptible ||
           !(oracle_flags(components->oracle, node->local) & RFLAGS_IF);
}

static void drain_private(struct components *components, uint32_t cpu, struct node *node)
{
    drain_unseen(components, cpu, node, false);
}

/* What belongs to the step that was just taken, as readers see it. */
static void finish_instruction(struct components *components, uint32_t cpu, struct node *node)
{
    while (node->latched && local_step(components, cpu, node))
        continue;
    drain_unseen(components, cpu, node, true);
}

void close_node(struct components *components, uint32_t cpu, struct node *node)
{
    if (components->whole_instructions && !components->reduce)
        finish_instruction(components, cpu, node);
    drop_useless_early_loads(components, cpu, node);
    if (!is_eager(components, cpu, node))
        return;
    struct node anchor = *node; /* Brent: moved up at every power of two */
    drain_private(components, cpu, node);
    for (uint32_t steps = 1, power = 1;
         is_eager(components, cpu, node) && local_step(components, cpu, node); steps++) {
        drain_private(components, cpu, node);
        if (same_node(node, &anchor)) {
            node->flags |= NODE_SPINS;
            return;
        }
        if (steps == power) {
            anchor = *node;
            power *= 2;
        }
        if (steps == LOCAL_STEPS_MAX || components->oracle->locals.count > LOCALS_MAX)
            return; /* look() finds STOP_LOCAL again: COMPONENT_LIMIT */
    }
}
