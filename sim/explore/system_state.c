/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which MSRs there are, what they hold, and which writes of them are serializing. */
#include <string.h>

#include "sim/explore/system.h"

/* ---- what a CPU has beside its registers ---- */

static size_t state_bytes(const struct system_state *state)
{
    return sizeof *state - (MSRS_MAX - state->msr_count) * sizeof state->msrs[0];
}

void system_get(const struct components *components, const struct node *node,
                struct system_state *state)
{
    memset(state, 0, sizeof *state);
    memcpy(state, intern_bytes(&components->systems, node->system),
           intern_length(&components->systems, node->system));
}

void system_set(struct components *components, struct node *node, const struct system_state *state)
{
    node->system = intern_add(&components->systems, state, state_bytes(state), NULL);
}

bool get_msr(const struct system_state *state, uint64_t number, uint64_t *value)
{
    for (uint32_t i = 0; i < state->msr_count; i++)
        if (state->msrs[i].number == number) {
            *value = state->msrs[i].value;
            return true;
        }
    return false;
}

bool set_msr(struct system_state *state, uint64_t number, uint64_t value)
{
    uint32_t at = 0;
    while (at < state->msr_count && state->msrs[at].number < number)
        at++;
    if (at == state->msr_count || state->msrs[at].number != number) {
        if (state->msr_count == MSRS_MAX)
            return false;
        memmove(&state->msrs[at + 1], &state->msrs[at],
                (state->msr_count - at) * sizeof state->msrs[0]);
        state->msr_count++;
    }
    state->msrs[at] = (struct msr_value){number, value};
    return true;
}

void get_registers(const struct components *components, const struct node *node,
                   struct registers *registers)
{
    oracle_registers(components->oracle, node->local, registers);
}

/* ---- which MSRs there are ---- */

bool is_memory_type_msr(uint32_t number)
{
    static const struct msr_range types[] = {{0x200, 0x20f}, {0x250, 0x250}, {0x258, 0x259},
                                             {0x268, 0x26f}, {0x277, 0x277}, {0x2ff, 0x2ff}};
    return msr_in_ranges(types, sizeof types / sizeof types[0], number);
}

static bool is_x2apic(uint32_t number) { return number >= 0x800 && number <= 0x8ff; }

const struct declared_msr *declared_msr(const struct components *components, uint32_t number)
{
    const struct program *program = components->program;
    for (size_t i = 0; i < program->msr_count; i++)
        if (program->msrs[i].number == number)
            return &program->msrs[i];
    return NULL;
}

bool is_weak_write(const struct order_parameters *order, uint32_t number)
{
    static const struct msr_range intel_2026[] = {
        {0x48, 0x49}, {0x122, 0x122}, {0x6e1, 0x6e1}, {0x774, 0x774}};
    static const struct msr_range amd[] = {
        {0x48, 0x49}, {0xc0000100, 0xc0000102}, {0xc001011b, 0xc001011b}};
    if (number == MSR_DEADLINE)
        return order->deadline_wrmsr_serializes == 0;
    if (is_x2apic(number))
        return order->apic_wrmsr_serializes == 0;
    if (order->weak_wrmsr_list >= 2026)
        return msr_in_ranges(intel_2026, sizeof intel_2026 / sizeof intel_2026[0], number);
    if (order->weak_wrmsr_list > 1 && order->weak_wrmsr_list < 3)
        return msr_in_ranges(amd, sizeof amd / sizeof amd[0], number);
    return false;
}

bool read_msr(const struct components *components, uint32_t cpu, const struct node *node,
              uint32_t number, uint64_t *value)
{
    struct system_state state;
    struct registers registers;
    system_get(components, node, &state);
    get_registers(components, node, &registers);
    if (get_msr(&state, number, value))
        return true;
    if (declared_msr(components, number)) {
        *value = declared_msr(components, number)->value;
        return true;
    }
    *value = number == MSR_FS_BASE     ? registers.fs_base
             : number == MSR_GS_BASE   ? registers.gs_base
             : number == MSR_X2APIC_ID ? cpu
                                       : 0;
    return number == MSR_FS_BASE || number == MSR_GS_BASE || number == MSR_X2APIC_ID ||
           number == MSR_KERNEL_GS_BASE || number == MSR_DEADLINE;
}
