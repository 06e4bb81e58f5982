/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts between instructions. One that is taken empties the CPU's buffers first (Intel
 * SDM vol. 3A, "Store Buffer" and "Buffering of Write Combining Memory Locations"; AMD APM
 * vol. 2, "Write Buffering"), pushes its frame and clears RFLAGS.IF. Any vector that has
 * been sent may be the next: how long each was on its way is not known.
 */
#include <string.h>

#include "sim/explore/internal.h"

static void pend(struct system_state *state, uint8_t vector)
{
    state->pending[vector / 64] |= UINT64_C(1) << (vector % 64);
}

uint32_t component_post(struct components *components, uint32_t cpu, uint32_t id, uint8_t vector)
{
    struct cpu_components *own = &components->cpus[cpu];
    uint64_t key = (uint64_t)id << 32 | vector;
    uint32_t found = map_get(&own->after_post, key);
    if (found != MAP_NONE)
        return found;
    struct node node;
    struct system_state state;
    component_node(components, cpu, id, &node);
    system_get(components, &node, &state);
    pend(&state, vector);
    system_set(components, &node, &state);
    found = node_intern(components, cpu, &node);
    map_add(&own->after_post, key, found);
    return found;
}

/* HLT is the instruction behind STI that no interrupt comes before; asleep, it takes one. */
static bool is_asleep(struct components *components, const struct node *node)
{
    const struct plan *plan = oracle_plan(components->oracle, node->local);
    return plan->kind == PLAN_SYSTEM && plan->insn->class == INSN_HLT;
}

/* Behind the code's end other code would go on, which the trace does not show. */
static bool has_ended(struct components *components, const struct node *node)
{
    return oracle_plan(components->oracle, node->local)->kind == PLAN_END;
}

bool can_interrupt(struct components *components, uint32_t cpu, const struct node *node)
{
    struct action action = {.kind = ACTION_INTERRUPT};
    bool shadowed =
        (node->flags & NODE_SHADOW) && !is_asleep(components, node) && !has_ended(components, node);
    return (oracle_flags(components->oracle, node->local) & RFLAGS_IF) && !shadowed &&
           node->latched == 0 &&
           components->cpus[cpu].model->may(&components->context, &node->buffers, &action);
}

static void push_frame(struct components *components, uint32_t cpu, struct node *node,
                       struct registers *registers)
{
    uint64_t frame[5] = {registers->rip, FRAME_CS, registers->rflags, registers->gpr[4], FRAME_SS};
    uint64_t base = (registers->gpr[4] & ~UINT64_C(15)) - sizeof frame;
    struct action action = {.kind = ACTION_STORE};
    for (unsigned i = 5; i-- > 0;) { /* ss first, as the processor pushes */
        struct store store;
        memset(&store, 0, sizeof store);
        store.address = base + i * 8;
        store.size = 8;
        memcpy(store.data, &frame[i], 8);
        action.stores[action.store_count++] =
            intern_add(&components->stores, &store, sizeof store, NULL);
        note_store(components, cpu, &store);
    }
    components->cpus[cpu].model->take(&components->context, &node->buffers, &action);
    registers->gpr[4] = base;
}

bool take_interrupt(struct components *components, uint32_t cpu, struct node *node, uint8_t vector)
{
    uint64_t handler = oracle_handler(components->oracle, cpu, vector);
    const struct plan *plan = oracle_plan(components->oracle, node->local);
    struct registers registers;
    struct system_state state;
    struct action action = {.kind = ACTION_INTERRUPT};
    oracle_registers(components->oracle, node->local, &registers);
    uint64_t offset = registers.gpr[4] - STACK_BASE;
    system_get(components, node, &state);
    if (!handler || state.depth >= NESTING_MAX || offset < 64 ||
        offset > components->program->cpu_count * STACK_BYTES)
        return false;
    if (is_asleep(components, node))
        registers.rip += plan->insn->length; /* it wakes and goes on behind */
    components->cpus[cpu].model->take(&components->context, &node->buffers, &action);
    push_frame(components, cpu, node, &registers);
    state.pending[vector / 64] &= ~(UINT64_C(1) << (vector % 64));
    state.depth++;
    system_set(components, node, &state);
    registers.rip = handler;
    registers.rflags &= ~RFLAGS_IF;
    move_on(components, node, oracle_local(components->oracle, &registers));
    node->flags &= ~(uint32_t)NODE_SPINS;
    return true;
}

void leave_interrupt(struct components *components, struct node *node)
{
    struct system_state state;
    system_get(components, node, &state);
    state.depth--;
    system_set(components, node, &state);
}
