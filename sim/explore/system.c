/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System instructions: fences, serializing instructions, flushes, MSRs, control registers,
 * the clock: what stands in their way. Which write of an MSR is serializing is the vendor's and the
 * edition's matter (Intel SDM vol. 3A, "Serializing Instructions", footnote on WRMSR; AMD APM vol.
 * 2, "Serializing Instructions", note on WRMSR).
 */
#include <inttypes.h>
#include <string.h>

#include "sim/explore/system.h"

static void refuse(struct stopped *stopped, const char *reason)
{
    stopped->stop = STOP_UNMODELLED;
    stopped->reason = reason;
}

static void refuse_unknown(struct components *components, struct stopped *stopped, uint32_t number)
{
    stopped->bad_input = region_printf(
        components->region,
        "MSR 0x%" PRIx32 " is not known; declare it ('msrs: {0x%" PRIx32 ": 0}') to have it as an "
        "ordinary, serializing one",
        number, number);
    refuse(stopped, "an unknown MSR");
}

static void set_stop(struct components *components, uint32_t cpu, const struct node *node,
                     struct stopped *stopped, enum stop stop)
{
    bool may =
        components->cpus[cpu].model->may(&components->context, &node->buffers, &stopped->action);
    stopped->stop = may ? stop : STOP_BLOCKED;
}

static void look_at_ipi(struct components *components, uint32_t cpu, const struct node *node,
                        const struct registers *registers, struct stopped *stopped)
{
    uint32_t target = ipi_target(cpu, registers->gpr);
    const char *refusal = ipi_refusal(registers->gpr);
    if (refusal != NULL) {
        refuse(stopped, refusal);
        return;
    }
    if (target >= components->program->cpu_count) {
        stopped->bad_input = region_printf(
            components->region,
            "the IPI goes to x2APIC ID %" PRIu32 ", which no CPU of the trace has", target);
        refuse(stopped, "an IPI to nobody");
        return;
    }
    set_stop(components, cpu, node, stopped, STOP_SYSTEM);
}

/* An MTRR or the PAT changes while lines may be cached under the old type (Intel SDM vol. 3A,
 * "MTRR Considerations in MP Systems"). */
static bool changes_types_unflushed(const struct components *components, const struct node *node)
{
    struct system_state state;
    uint64_t cr0 = CR0_START, flushed = 0;
    system_get(components, node, &state);
    get_msr(&state, PSEUDO_CR0, &cr0);
    get_msr(&state, PSEUDO_FLUSHED, &flushed);
    return components->profile->order.self_snoop == 0 && !((cr0 & CR0_CD) && flushed);
}

/* Whether stores can be invisible still when an MSR write that tells others of them is made. */
static void observe_overtaking(struct components *components, uint32_t cpu, const struct node *node,
                               const struct stopped *stopped)
{
    struct action drained = {.kind = ACTION_SERIALIZE};
    const struct model *model = components->cpus[cpu].model;
    bool tells_others = stopped->stop == STOP_DEADLINE;
    if (stopped->stop == STOP_SYSTEM) {
        struct registers registers;
        get_registers(components, node, &registers);
        tells_others = ipi_target(cpu, registers.gpr) != cpu;
    }
    if (tells_others && !model->may(&components->context, &node->buffers, &drained))
        components_observe(components, cpu, stopped->plan->insn, "wrmsr-overtakes-stores");
}

static void look_at_wrmsr(struct components *components, uint32_t cpu, const struct node *node,
                          struct stopped *stopped)
{
    struct registers registers;
    get_registers(components, node, &registers);
    uint32_t number = (uint32_t)registers.gpr[1];
    bool weak = is_weak_write(&components->profile->order, number) ||
                stopped->plan->insn->kind == KIND_WRMSRNS;
    stopped->action.kind = weak ? ACTION_MSR : ACTION_SERIALIZE;
    if (!is_known_msr(number) && !declared_msr(components, number)) {
        refuse_unknown(components, stopped, number);
        return;
    }
    if (is_memory_type_msr(number) && changes_types_unflushed(components, node))
        components_observe(components, cpu, stopped->plan->insn, "memory-type-change-unflushed");
    if (number == MSR_ICR || number == MSR_SELF_IPI) {
        look_at_ipi(components, cpu, node, &registers, stopped);
        observe_overtaking(components, cpu, node, stopped);
        return;
    }
    if (number == MSR_DEADLINE && components->program->timer_vector == NO_INDEX) {
        refuse(stopped, "TSC_DEADLINE without a 'timer:' in the trace");
        return;
    }
    bool by_lvt = number == MSR_DEADLINE && components->program->timer_lvt != NO_INDEX;
    set_stop(components, cpu, node, stopped, by_lvt ? STOP_DEADLINE : STOP_LOCAL);
    observe_overtaking(components, cpu, node, stopped);
}

/* Reading an MSR or control register, and SWAPGS: they order nothing. */
static void look_at_read(struct components *components, uint32_t cpu, const struct node *node,
                         struct stopped *stopped)
{
    struct registers registers;
    uint64_t value;
    get_registers(components, node, &registers);
    uint32_t number = (uint32_t)registers.gpr[1];
    stopped->stop = STOP_LOCAL;
    if (stopped->plan->insn->kind == KIND_MOV_DR)
        refuse(stopped, "debug registers have no modelled value");
    if (stopped->plan->insn->kind != KIND_NONE)
        return;
    if (!is_known_msr(number) && !declared_msr(components, number))
        refuse_unknown(components, stopped, number);
    else if (!read_msr(components, cpu, node, number, &value))
        refuse(stopped, "the value of this MSR is not modelled; declare it in 'msrs:'");
}

static void look_at_serializing(struct components *components, uint32_t cpu,
                                const struct node *node, struct stopped *stopped)
{
    const struct insn *insn = stopped->plan->insn;
    bool written_back = insn->kind == KIND_WBINVD || insn->kind == KIND_WBNOINVD;
    if (insn->kind == KIND_INVD) {
        components_observe(components, cpu, insn, "invd-discards-data");
        refuse(stopped, "it throws away what the caches hold and memory does not");
        return;
    }
    bool cr8 = insn->kind == KIND_MOV_CR && system_register_number(insn) == 8;
    if (cr8 && components->profile->order.mov_cr8_serializes == 0) {
        stopped->stop = STOP_LOCAL;
        stopped->action.kind = ACTION_MSR;
        return;
    }
    set_stop(components, cpu, node, stopped,
             written_back && components->persistent ? STOP_SYSTEM : STOP_LOCAL);
}

static void look_at_flush(struct components *components, uint32_t cpu, const struct node *node,
                          struct stopped *stopped)
{
    const struct insn *insn = stopped->plan->insn;
    struct registers registers;
    get_registers(components, node, &registers);
    uint64_t address = operand_address(&insn->memory, &registers);
    if (program_object_at(components->program, address, 1) == NO_INDEX &&
        (address < STACK_BASE ||
         address >= STACK_BASE + components->program->cpu_count * STACK_BYTES)) {
        stopped->stop = STOP_FAULT;
        stopped->fault = (struct fault){14, address};
        return;
    }
    struct store line;
    memset(&line, 0, sizeof line);
    line.address = address / LINE_BYTES * LINE_BYTES;
    line.size = LINE_BYTES;
    line.flags = insn->kind == KIND_CLFLUSH ? STORE_CLFLUSH : STORE_FLUSH_WEAK;
    stopped->action.kind = ACTION_FLUSH;
    stopped->action.store_count = 1;
    stopped->action.stores[0] = intern_add(&components->stores, &line, sizeof line, NULL);
    set_stop(components, cpu, node, stopped, STOP_LOCAL);
}

enum action_kind fence_action(enum insn_class class)
{
    return class == INSN_MFENCE   ? ACTION_MFENCE
           : class == INSN_LFENCE ? ACTION_LFENCE
                                  : ACTION_SFENCE;
}

/* The class of an instruction, or of the fence that stands in for it. */
static enum insn_class acting_class(const struct components *components, uint32_t cpu,
                                    const struct insn *insn)
{
    uint64_t offset = insn->address - components->oracle->code[cpu]->snippet->address;
    for (size_t i = 0; i < components->removed_count; i++) {
        const struct removed *removed = &components->removed[i];
        if (removed->as != INSN_ORDINARY && removed->cpu == cpu && removed->start == offset &&
            removed->end != removed->start)
            return removed->as;
    }
    return insn->class;
}

void look_at_system(struct components *components, uint32_t cpu, const struct node *node,
                    struct stopped *stopped)
{
    const struct insn *insn = stopped->plan->insn;
    memset(&stopped->action, 0, offsetof(struct action, stores));
    stopped->action.joins_previous = false;
    stopped->local = LOCAL_SYSTEM;
    stopped->action.kind = ACTION_SERIALIZE;
    enum insn_class class = acting_class(components, cpu, insn);
    switch (class) {
    case INSN_MFENCE:
    case INSN_LFENCE:
    case INSN_SFENCE:
        stopped->action.kind = fence_action(class);
        set_stop(components, cpu, node, stopped, STOP_LOCAL);
        break;
    case INSN_SERIALIZING:
        look_at_serializing(components, cpu, node, stopped);
        break;
    case INSN_FLUSH:
        look_at_flush(components, cpu, node, stopped);
        break;
    case INSN_WRMSR:
        look_at_wrmsr(components, cpu, node, stopped);
        break;
    case INSN_RDMSR:
        look_at_read(components, cpu, node, stopped);
        break;
    case INSN_TSC: /* RDTSCP waits for older instructions, as LFENCE does; RDTSC for nothing */
        stopped->action.kind = ACTION_LFENCE;
        if (insn->kind == KIND_RDPMC)
            refuse(stopped, "performance counters have no modelled value");
        else if (insn->kind == KIND_RDTSCP)
            set_stop(components, cpu, node, stopped, STOP_TSC);
        else
            stopped->stop = STOP_TSC;
        break;
    case INSN_IF:
        stopped->stop = STOP_LOCAL;
        break;
    case INSN_HLT: /* only an interrupt ends it */
        stopped->stop = STOP_BLOCKED;
        break;
    case INSN_IO:
        if (strncmp(insn->mnemonic, "out", 3) == 0 && !insn->rep && !insn->memory.present)
            set_stop(components, cpu, node, stopped, STOP_LOCAL);
        else
            refuse(stopped, "what a port returns is not modelled");
        break;
    default:
        refuse(stopped, "no model covers it");
        break;
    }
}
