/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System instructions: what they do. */
#include <string.h>

#include "sim/explore/system.h"

static void write_system(struct components *components, struct node *node, uint64_t number,
                         uint64_t value)
{
    struct system_state state;
    system_get(components, node, &state);
    if (set_msr(&state, number, value))
        system_set(components, node, &state);
    else
        components->failure = "more MSRs are written than are kept";
}

static void arm_timer(struct components *components, struct node *node, bool armed)
{
    struct system_state state;
    system_get(components, node, &state);
    state.timer_armed = armed;
    system_set(components, node, &state);
}

static void wrmsr(struct components *components, uint32_t cpu, struct node *node,
                  struct registers *registers, struct outcome *outcome)
{
    uint32_t number = (uint32_t)registers->gpr[1];
    uint64_t value = registers->gpr[2] << 32 | (uint32_t)registers->gpr[0];
    if (number == MSR_ICR || number == MSR_SELF_IPI) {
        outcome->post_to = (int16_t)ipi_target(cpu, registers->gpr);
        outcome->vector = (uint8_t)registers->gpr[0];
    } else if (number == MSR_DEADLINE) {
        arm_timer(components, node, value != 0);
    } else if (number == MSR_FS_BASE) {
        registers->fs_base = value;
    } else if (number == MSR_GS_BASE) {
        registers->gs_base = value;
    } else {
        write_system(components, node, number, value);
    }
}

static void mov_to_control(struct components *components, struct node *node,
                           const struct insn *insn, const struct registers *registers)
{
    uint64_t value = registers->gpr[system_register_operand(insn)];
    unsigned number = system_register_number(insn);
    if (insn->kind != KIND_MOV_CR)
        return;
    write_system(components, node, number == 0 ? PSEUDO_CR0 : PSEUDO_CR0 + 16 + number, value);
    if (number == 0) /* what was written back before says nothing about what is cached now */
        write_system(components, node, PSEUDO_FLUSHED, 0);
}

static void read_into_registers(struct components *components, uint32_t cpu, struct node *node,
                                const struct insn *insn, struct registers *registers)
{
    uint64_t value = 0;
    struct system_state state;
    system_get(components, node, &state);
    if (insn->kind == KIND_MOV_CR) {
        unsigned number = system_register_number(insn);
        value = number == 0 ? CR0_START : number == 4 ? CR4_START : 0;
        get_msr(&state, number == 0 ? PSEUDO_CR0 : PSEUDO_CR0 + 16 + number, &value);
        registers->gpr[system_register_operand(insn)] = value;
    } else if (insn->kind == KIND_SWAPGS) {
        get_msr(&state, MSR_KERNEL_GS_BASE, &value);
        write_system(components, node, MSR_KERNEL_GS_BASE, registers->gs_base);
        registers->gs_base = value;
    } else {
        read_msr(components, cpu, node, (uint32_t)registers->gpr[1], &value);
        registers->gpr[0] = (uint32_t)value;
        registers->gpr[2] = value >> 32;
    }
}

void system_step(struct components *components, uint32_t cpu, struct node *node,
                 const struct stopped *stopped, struct outcome *outcome)
{
    const struct insn *insn = stopped->plan->insn;
    struct registers registers;
    uint32_t next = oracle_system_next(components->oracle, node->local);
    bool was_disabled = !(oracle_flags(components->oracle, node->local) & RFLAGS_IF);
    memset(outcome, 0, sizeof *outcome);
    outcome->post_to = NOBODY;
    components->cpus[cpu].model->take(&components->context, &node->buffers, &stopped->action);
    oracle_registers(components->oracle, next, &registers);
    if (insn->class == INSN_WRMSR)
        wrmsr(components, cpu, node, &registers, outcome);
    else if (insn->class == INSN_RDMSR)
        read_into_registers(components, cpu, node, insn, &registers);
    else if (insn->kind == KIND_MOV_CR)
        mov_to_control(components, node, insn, &registers);
    else if (insn->kind == KIND_WBINVD || insn->kind == KIND_WBNOINVD) {
        outcome->persist = components->persistent ? PERSIST_ALL : PERSIST_NOTHING;
        if (components->keeps_control)
            write_system(components, node, PSEUDO_FLUSHED, 1);
    }
    move_on(components, node, oracle_local(components->oracle, &registers));
    make_known(node, insn);
    if (insn->kind == KIND_CPUID)
        node->flags |= NODE_UNKNOWN;
    if (insn->kind == KIND_STI && was_disabled)
        node->flags |= NODE_SHADOW;
}

void tsc_step(struct components *components, uint32_t cpu, struct node *node, uint64_t reading)
{
    struct registers registers;
    const struct insn *insn = oracle_plan(components->oracle, node->local)->insn;
    oracle_registers(components->oracle, oracle_system_next(components->oracle, node->local),
                     &registers);
    registers.gpr[0] = (uint32_t)reading;
    registers.gpr[2] = reading >> 32;
    uint64_t aux = 0;
    bool has_aux = insn->kind == KIND_RDTSCP;
    bool unknown_aux = has_aux && !read_msr(components, cpu, node, MSR_TSC_AUX, &aux);
    if (has_aux)
        registers.gpr[1] = (uint32_t)aux;
    buffers_drop_early_load(&components->context, &node->buffers, TSC_ADDRESS);
    move_on(components, node, oracle_local(components->oracle, &registers));
    make_known(node, insn);
    if (unknown_aux)
        node->flags |= NODE_UNKNOWN_RCX;
}

void deadline_step(struct components *components, uint32_t cpu, struct node *node, uint32_t lvt)
{
    struct registers registers;
    get_registers(components, node, &registers);
    struct action action = {.kind = ACTION_MSR};
    components->cpus[cpu].model->take(&components->context, &node->buffers, &action);
    bool deadline_mode = (lvt >> 17 & 3) == 2; /* Intel SDM vol. 3A, "TSC-Deadline Mode" */
    if (deadline_mode)
        arm_timer(components, node, (registers.gpr[2] << 32 | (uint32_t)registers.gpr[0]) != 0);
    move_on(components, node, oracle_system_next(components->oracle, node->local));
}
