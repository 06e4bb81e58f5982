/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a node can do next, and the steps of it that no other CPU can notice. */
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

static void judge_effect(const struct effect *effect, struct stopped *stopped)
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
