/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps of a node that no other CPU can notice. */
#include <string.h>

#include "sim/explore/internal.h"

bool has_parts(const struct node *node) { return node->latched & (node->latched - 1); }

void make_known(struct node *node, const struct insn *insn)
{
    node->flags &= ~((uint32_t)(insn->writes << NODE_UNKNOWN_SHIFT) & NODE_UNKNOWN);
}

void move_on(struct components *components, struct node *node, uint32_t next)
{
    uint64_t from = oracle_rip(components->oracle, node->local);
    uint64_t to = oracle_rip(components->oracle, next);
    bool repeating = from == to;
    const struct insn *insn = oracle_plan(components->oracle, node->local)->insn;
    if (insn && insn->is_return && to != RETURN_SENTINEL)
        components->oracle->returns_inside = true;
    if (components->reduce)
        futures_note_step(&components->footprint->futures, from, to);
    node->local = next;
    node->latched = 0;
    node->flags = (node->flags & (NODE_SPINS | NODE_UNKNOWN)) | (repeating ? NODE_REPEATING : 0);
    memset(node->bytes, 0, sizeof node->bytes);
}

bool finish_locked(struct components *components, uint32_t cpu, struct node *node,
                   const uint8_t *bytes, struct outcome *outcome, struct stopped *stopped)
{
    const struct effect *effect = oracle_effect(components->oracle, node->local, bytes);
    outcome->store_count = 0;
    judge_effect(effect, stopped);
    if (effect->status != EXEC_OK)
        return false;
    for (unsigned i = 0; i < effect->write_count && i < OUTCOME_STORES_MAX; i++) {
        const struct exec_access *write = &effect->writes[i];
        outcome->stores[outcome->store_count++] =
            store_number(components, write, write->address, write->size, 0, 0);
    }
    struct action action = {.kind = ACTION_LOCKED};
    components->cpus[cpu].model->take(&components->context, &node->buffers, &action);
    const struct insn *insn = oracle_plan(components->oracle, node->local)->insn;
    move_on(components, node, effect->next);
    make_known(node, insn);
    return true;
}

static void tell_stores(struct components *components, const struct node *node,
                        const struct insn *insn, const struct effect *effect, bool loads)
{
    struct told told = {.insn = insn, .event = "compute"};
    if (effect->write_count == 0 && !loads) /* a load has been told already */
        tell(components, node, &told);
    for (unsigned i = 0; i < effect->write_count; i++) {
        told.same_insn = loads || i > 0;
        told.event = "store";
        told.how = "buffered";
        told.write = true;
        told.address = effect->writes[i].address;
        told.size = effect->writes[i].size;
        told.data = effect->writes[i].data;
        tell(components, node, &told);
    }
}

static void local_latch(struct components *components, uint32_t cpu, struct node *node,
                        const struct stopped *stopped)
{
    const struct piece *piece = &stopped->piece;
    uint8_t data[16];
    read_unshared(components, cpu, node, piece->address, piece->size, data);
    memcpy(node->bytes + piece->offset, data, piece->size);
    node->latched |= UINT32_C(1) << stopped->piece_number;
    tell(components, node,
         &(struct told){.insn = stopped->plan->insn,
                        .event = "load",
                        .address = piece->address,
                        .size = piece->size,
                        .data = data,
                        .same_insn = has_parts(node)});
}

static void local_locked(struct components *components, uint32_t cpu, struct node *node,
                         struct stopped *stopped)
{
    const struct data_access *read = &stopped->plan->reads[0];
    uint8_t bytes[LOAD_BYTES_MAX] = {0};
    struct outcome outcome;
    read_unshared(components, cpu, node, read->address, read->size, bytes);
    if (!finish_locked(components, cpu, node, bytes, &outcome, stopped))
        return;
    for (unsigned i = 0; i < outcome.store_count; i++)
        node->private_memory = memory_write(&components->cpus[cpu].private_memory,
                                            node->private_memory, outcome.stores[i]);
    tell(components, node,
         &(struct told){.insn = stopped->plan->insn,
                        .event = "locked",
                        .address = read->address,
                        .size = read->size,
                        .data = bytes,
                        .stored = &outcome});
}

static const char *system_event(const struct insn *insn)
{
    switch (insn->class) {
    case INSN_MFENCE:
    case INSN_LFENCE:
    case INSN_SFENCE:
        return "fence";
    case INSN_FLUSH:
        return "flush";
    default:
        return "system";
    }
}

void drop_useless_early_loads(struct components *components, uint32_t cpu, struct node *node)
{
    struct action action = {.kind = ACTION_LFENCE};
    if (components->footprint->early_assumed && !components->cpus[cpu].interruptible &&
        oracle_plan(components->oracle, node->local)->kind == PLAN_END)
        components->cpus[cpu].model->take(&components->context, &node->buffers, &action);
}

bool local_step(struct components *components, uint32_t cpu, struct node *node)
{
    struct stopped stopped;
    struct outcome outcome;
    look(components, cpu, node, &stopped);
    if (stopped.stop != STOP_LOCAL)
        return false;
    const struct model *model = components->cpus[cpu].model;
    switch (stopped.local) {
    case LOCAL_SKIP:
        move_on(components, node, oracle_jump(components->oracle, node->local, stopped.target));
        break;
    case LOCAL_LATCH:
        local_latch(components, cpu, node, &stopped);
        break;
    case LOCAL_LOCKED:
        local_locked(components, cpu, node, &stopped);
        return stopped.stop == STOP_LOCAL;
    case LOCAL_SYSTEM:
        system_step(components, cpu, node, &stopped, &outcome);
        tell(components, node,
             &(struct told){.insn = stopped.plan->insn, .event = system_event(stopped.plan->insn)});
        break;
    case LOCAL_FENCE:
        model->take(&components->context, &node->buffers, &stopped.action);
        node->flags += 1u << NODE_FENCED_SHIFT;
        break;
    case LOCAL_EFFECT: {
        bool returns = stopped.plan->insn->class == INSN_IRET;
        if (stopped.effect->write_count || returns)
            model->take(&components->context, &node->buffers, &stopped.action);
        if (returns)
            leave_interrupt(components, node);
        move_on(components, node, stopped.effect->next);
        make_known(node, stopped.plan->insn);
        tell_stores(components, node, stopped.plan->insn, stopped.effect,
                    stopped.plan->read_count > 0);
        break;
    }
    }
    drop_useless_early_loads(components, cpu, node);
    return true;
}
