/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a node can do next: its next instruction, as far as it goes without other CPUs. */
#include <string.h>

#include "sim/explore/internal.h"

static bool may(const struct components *components, uint32_t cpu, const struct node *node,
                const struct action *action)
{
    return components->cpus[cpu].model->may(&components->context, &node->buffers, action);
}

/* Where execution goes on when `rip` is in code that is taken out; 0 when it is not. */
static uint64_t removed_until(const struct components *components, uint32_t cpu, uint64_t rip)
{
    for (size_t i = 0; i < components->removed_count; i++) {
        const struct removed *removed = &components->removed[i];
        uint64_t base = components->oracle->code[cpu]->snippet->address;
        if (removed->as == INSN_ORDINARY && removed->cpu == cpu && rip - base >= removed->start &&
            rip - base < removed->end)
            return base + removed->end;
    }
    return 0;
}

/* The next fence that was put in front of the instruction, NULL when none is left to pass. */
static const struct removed *put_in_front(const struct components *components, uint32_t cpu,
                                          const struct node *node, uint64_t rip)
{
    uint32_t passed = (node->flags & NODE_FENCED) >> NODE_FENCED_SHIFT;
    if (node->latched || (node->flags & NODE_REPEATING))
        return NULL;
    for (size_t i = 0; i < components->removed_count; i++) {
        const struct removed *fence = &components->removed[i];
        if (fence->as == INSN_ORDINARY || fence->end != fence->start || fence->cpu != cpu ||
            components->oracle->code[cpu]->snippet->address + fence->start != rip)
            continue;
        if (passed-- == 0)
            return fence;
    }
    return NULL;
}

/* Memory types and hints that the CPU's model does not cover. */
static const char *beyond_model(const struct components *components, uint32_t cpu,
                                const struct insn *insn, uint64_t address)
{
    int index = program_object_at(components->program, address, 1);
    enum memory_type type = type_at(components, address);
    if (index != NO_INDEX && components->program->objects[index].code)
        return "writing or reading code is not modelled";
    if (insn->class == INSN_LOCKED && (type == MEMORY_UC || type == MEMORY_WC))
        return "a locked operation on memory that is not cached";
    if (!components->cpus[cpu].model->write_back_only)
        return NULL;
    if (insn->class == INSN_NT_STORE)
        return "non-temporal stores are not modelled by this profile";
    return type == MEMORY_WB ? NULL
                             : "memory that is not write-back is not modelled by this profile";
}

static void unmodelled(struct stopped *stopped, const char *reason)
{
    stopped->stop = STOP_UNMODELLED;
    stopped->reason = reason;
}

static enum word_class access_class(struct components *components, uint32_t cpu, uint64_t address,
                                    unsigned size, bool write)
{
    return footprint_access(components->footprint, cpu, address, size, write);
}

void judge_effect(const struct effect *effect, struct stopped *stopped)
{
    if (effect->status == EXEC_FAULT) {
        stopped->stop = STOP_FAULT;
        stopped->fault = effect->fault;
    } else if (effect->status != EXEC_OK) {
        unmodelled(stopped, "the execution engine does not do it");
    }
}

/* What the instruction in front of the node does to memory. */
static void note_future(struct components *components, const struct node *node,
                        enum word_class class, uint64_t address, unsigned size, bool write)
{
    if (components->reduce)
        footprint_note_future(components->footprint, class,
                              oracle_rip(components->oracle, node->local), address, size, write);
}

enum word_class note_store(struct components *components, uint32_t cpu, const struct store *store)
{
    return access_class(components, cpu, store->address, store->size, true);
}

static void look_at_locked(struct components *components, uint32_t cpu, const struct node *node,
                           struct stopped *stopped)
{
    const struct plan *plan = stopped->plan;
    bool shared = false;
    for (unsigned i = 0; i < plan->read_count; i++) {
        const struct data_access *read = &plan->reads[i];
        const char *reason = beyond_model(components, cpu, plan->insn, read->address);
        if (reason) {
            unmodelled(stopped, reason);
            return;
        }
        shared =
            access_class(components, cpu, read->address, read->size, true) == WORD_SHARED || shared;
    }
    for (unsigned i = 0; i < plan->read_count; i++) {
        const struct data_access *read = &plan->reads[i];
        enum word_class class = shared ? WORD_SHARED : WORD_PRIVATE;
        note_future(components, node, class, read->address, read->size, false);
        note_future(components, node, class, read->address, read->size, true);
    }
    if (plan->read_count != 1 || plan->reads[0].size > 16) {
        unmodelled(stopped, "a locked instruction with more than one memory operand");
        return;
    }
    struct action action = {
        .kind = ACTION_LOCKED, .address = plan->reads[0].address, .size = plan->reads[0].size};
    stopped->local = LOCAL_LOCKED;
    if (!may(components, cpu, node, &action))
        stopped->stop = STOP_BLOCKED;
    else
        stopped->stop = shared ? STOP_VISIBLE : STOP_LOCAL;
    if (stopped->stop == STOP_LOCAL) { /* known already: would it fault? */
        uint8_t bytes[LOAD_BYTES_MAX] = {0};
        read_unshared(components, cpu, node, action.address, action.size, bytes);
        judge_effect(oracle_effect(components->oracle, node->local, bytes), stopped);
    }
}

bool is_weak_load(const struct components *components, uint32_t cpu, uint64_t address)
{
    return components->profile->order.wc_loads_weak != 0 &&
           components->cpus[cpu].model == &model_x86 && type_at(components, address) == MEMORY_WC;
}

/* Loads that are still missing. */
static bool look_at_loads(struct components *components, uint32_t cpu, const struct node *node,
                          struct stopped *stopped)
{
    struct load_pieces loads;
    cut_loads(components, stopped->plan, &loads);
    if (node->latched == (UINT32_C(1) << loads.count) - 1)
        return false;
    struct action action = {.kind = ACTION_LOAD};
    stopped->stop = STOP_BLOCKED;
    for (unsigned n = 0; n < loads.count; n++) {
        const struct piece *piece = &loads.pieces[n];
        if (node->latched >> n & 1)
            continue;
        const char *reason = beyond_model(components, cpu, stopped->plan->insn, piece->address);
        if (reason) {
            unmodelled(stopped, reason);
            return true;
        }
        action.address = piece->address;
        action.size = piece->size;
        action.uncacheable = type_at(components, piece->address) == MEMORY_UC;
        if (is_weak_load(components, cpu, piece->address))
            footprint_early_load(components->footprint, cpu, piece->address, piece->size);
        enum word_class class = access_class(components, cpu, piece->address, piece->size, false);
        note_future(components, node, class, piece->address, piece->size, false);
        if (!may(components, cpu, node, &action))
            continue;
        if (class == WORD_SHARED) {
            stopped->stop = STOP_VISIBLE;
            continue;
        }
        stopped->stop = STOP_LOCAL;
        stopped->local = LOCAL_LATCH;
        stopped->piece = *piece;
        stopped->piece_number = n;
        return true;
    }
    return true;
}

/* IRETQ is serializing, and has something to return from only in a handler. */
static void look_at_return(struct components *components, uint32_t cpu, const struct node *node,
                           struct stopped *stopped)
{
    struct system_state state;
    system_get(components, node, &state);
    stopped->action.kind = ACTION_SERIALIZE;
    stopped->action.store_count = 0;
    if (state.depth == 0)
        unmodelled(stopped, "an IRETQ without an interrupt to return from");
    else if (!may(components, cpu, node, &stopped->action))
        stopped->stop = STOP_BLOCKED;
}

static void look_at_effect(struct components *components, uint32_t cpu, const struct node *node,
                           struct stopped *stopped)
{
    stopped->effect = oracle_effect(components->oracle, node->local, node->bytes);
    stopped->local = LOCAL_EFFECT;
    stopped->stop = STOP_LOCAL;
    if (stopped->effect->status != EXEC_OK) {
        judge_effect(stopped->effect, stopped);
        return;
    }
    if (stopped->plan->insn->class == INSN_IRET) {
        look_at_return(components, cpu, node, stopped);
        return;
    }
    if (stopped->effect->write_count == 0)
        return;
    for (unsigned i = 0; i < stopped->effect->write_count; i++) {
        const char *reason =
            beyond_model(components, cpu, stopped->plan->insn, stopped->effect->writes[i].address);
        if (reason) {
            unmodelled(stopped, reason);
            return;
        }
    }
    store_action(components, node, stopped->plan->insn, stopped->effect, &stopped->action);
    for (unsigned i = 0; i < stopped->action.store_count; i++) {
        const struct store *store = intern_bytes(&components->stores, stopped->action.stores[i]);
        note_future(components, node, note_store(components, cpu, store), store->address,
                    store->size, true);
    }
    if (!may(components, cpu, node, &stopped->action))
        stopped->stop = STOP_BLOCKED;
}

/* Whether the instruction depends on a register whose value is not modelled. */
static bool uses_unknown(const struct node *node, const struct insn *insn)
{
    return insn && !insn->zero_idiom && insn->kind != KIND_CPUID &&
           ((insn->reads << NODE_UNKNOWN_SHIFT) & node->flags & NODE_UNKNOWN);
}

void look(struct components *components, uint32_t cpu, const struct node *node,
          struct stopped *stopped)
{
    const struct plan *plan = oracle_plan(components->oracle, node->local);
    stopped->plan = plan;
    stopped->reason = stopped->bad_input = NULL;
    uint64_t rip = oracle_rip(components->oracle, node->local);
    if (plan->insn && oracle_cpu_of(rip) != cpu) /* to the others alike it is code of another one */
        components->oracle->tells_apart[cpu] = true;
    if (node->flags & NODE_SPINS) {
        stopped->stop = STOP_SPINS;
        return;
    }
    stopped->target = removed_until(components, cpu, rip);
    if (stopped->target) {
        stopped->stop = STOP_LOCAL;
        stopped->local = LOCAL_SKIP;
        return;
    }
    const struct removed *fence = put_in_front(components, cpu, node, rip);
    if (fence) {
        stopped->local = LOCAL_FENCE;
        stopped->action.kind = fence_action(fence->as);
        stopped->action.store_count = 0;
        stopped->stop = may(components, cpu, node, &stopped->action) ? STOP_LOCAL : STOP_BLOCKED;
        return;
    }
    if (plan->kind != PLAN_END && uses_unknown(node, plan->insn)) {
        unmodelled(stopped, "it uses what CPUID or RDTSCP returned, which is not modelled");
        return;
    }
    if (plan->kind != PLAN_END && plan->insn && plan->insn->kind == KIND_RDPID) {
        unmodelled(stopped, "what it returns, IA32_TSC_AUX, is not modelled");
        return;
    }
    if (plan->kind != PLAN_END && plan->insn && plan->insn->kind == KIND_APPROXIMATION) {
        unmodelled(stopped, "it approximates: each CPU has its own result");
        return;
    }
    switch (plan->kind) {
    case PLAN_END:
        stopped->stop = STOP_ENDED;
        return;
    case PLAN_FAULT:
        stopped->stop = STOP_FAULT;
        stopped->fault = plan->fault;
        return;
    case PLAN_UNMODELLED:
        unmodelled(stopped, plan->reason);
        return;
    case PLAN_FAILED:
        components->failure = "the execution engine failed";
        unmodelled(stopped, components->failure);
        return;
    case PLAN_SYSTEM:
        look_at_system(components, cpu, node, stopped);
        return;
    case PLAN_STEP:
        break;
    }
    if (plan->insn->class == INSN_LOCKED)
        look_at_locked(components, cpu, node, stopped);
    else if (!look_at_loads(components, cpu, node, stopped))
        look_at_effect(components, cpu, node, stopped);
}
