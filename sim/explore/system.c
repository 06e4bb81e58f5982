/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System instructions: fences, serializing instructions, flushes, MSRs, control registers,
 * the clock. Which write of an MSR is serializing is the vendor's and the edition's matter
 * (Intel SDM vol. 3A, "Serializing Instructions", footnote on WRMSR; AMD APM vol. 2,
 * "Serializing Instructions", note on WRMSR).
 */
#include <inttypes.h>
#include <string.h>

#include "sim/explore/internal.h"

enum {
    MSR_ICR = 0x830,
    MSR_SELF_IPI = 0x83f,
    MSR_DEADLINE = 0x6e0,
    MSR_X2APIC_ID = 0x802,
    MSR_PAT = 0x277,
    MSR_SPEC_CTRL = 0x48,
    MSR_PRED_CMD = 0x49
};
#define MSR_FS_BASE        0xc0000100u
#define MSR_GS_BASE        0xc0000101u
#define MSR_KERNEL_GS_BASE 0xc0000102u
#define MSR_TSC_AUX        0xc0000103u
#define CR0_CD             (UINT64_C(1) << 30)
#define CR0_START          UINT64_C(0x80050033) /* paging, write protect, numeric errors: as kernels run */
#define CR4_START          UINT64_C(0x000006e0) /* PGE among others */

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

static bool get_msr(const struct system_state *state, uint64_t number, uint64_t *value)
{
    for (uint32_t i = 0; i < state->msr_count; i++)
        if (state->msrs[i].number == number) {
            *value = state->msrs[i].value;
            return true;
        }
    return false;
}

/* Kept sorted, so that equal contents are equal bytes. False when there is no room. */
static bool set_msr(struct system_state *state, uint64_t number, uint64_t value)
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

static void get_registers(const struct components *components, const struct node *node,
                          struct registers *registers)
{
    oracle_registers(components->oracle, node->local, registers);
}

/* ---- which MSRs there are ---- */

struct msr_range {
    uint32_t first, last;
};

static bool in_ranges(const struct msr_range *ranges, size_t count, uint32_t number)
{
    for (size_t i = 0; i < count; i++)
        if (number >= ranges[i].first && number <= ranges[i].last)
            return true;
    return false;
}

/* Architectural MSRs whose write has no effect that a trace could see beyond its order. */
static bool is_known_msr(uint32_t number)
{
    static const struct msr_range known[] = {{0x10, 0x10},
                                             {0x1b, 0x1b},
                                             {0x3a, 0x3b},
                                             {0x48, 0x49},
                                             {0x8b, 0x8b},
                                             {0xe1, 0xe1},
                                             {0xe7, 0xe8},
                                             {0xfe, 0xfe},
                                             {0x10a, 0x10b},
                                             {0x122, 0x122},
                                             {0x174, 0x176},
                                             {0x17a, 0x17a},
                                             {0x186, 0x18d},
                                             {0x198, 0x199},
                                             {0x1a0, 0x1a0},
                                             {0x1d9, 0x1d9},
                                             {0x200, 0x20f},
                                             {0x250, 0x250},
                                             {0x258, 0x259},
                                             {0x268, 0x26f},
                                             {0x277, 0x277},
                                             {0x2ff, 0x2ff},
                                             {0x309, 0x30b},
                                             {0x38d, 0x38f},
                                             {0x570, 0x571},
                                             {0x6e0, 0x6e1},
                                             {0x770, 0x777},
                                             {0x802, 0x83f},
                                             {0xda0, 0xda0},
                                             {0xc0000080, 0xc0000084},
                                             {0xc0000100, 0xc0000103},
                                             {0xc0010010, 0xc0010010},
                                             {0xc001011b, 0xc001011b},
                                             {0xc0011029, 0xc0011029}};
    return in_ranges(known, sizeof known / sizeof known[0], number);
}

static bool is_memory_type_msr(uint32_t number)
{
    static const struct msr_range types[] = {{0x200, 0x20f}, {0x250, 0x250}, {0x258, 0x259},
                                             {0x268, 0x26f}, {0x277, 0x277}, {0x2ff, 0x2ff}};
    return in_ranges(types, sizeof types / sizeof types[0], number);
}

static bool is_x2apic(uint32_t number) { return number >= 0x800 && number <= 0x8ff; }

static const struct declared_msr *declared(const struct components *components, uint32_t number)
{
    const struct program *program = components->program;
    for (size_t i = 0; i < program->msr_count; i++)
        if (program->msrs[i].number == number)
            return &program->msrs[i];
    return NULL;
}

/* Whether a WRMSR of this MSR is not serializing on this profile. */
static bool is_weak_write(const struct order_parameters *order, uint32_t number)
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
        return in_ranges(intel_2026, sizeof intel_2026 / sizeof intel_2026[0], number);
    if (order->weak_wrmsr_list > 1 && order->weak_wrmsr_list < 3)
        return in_ranges(amd, sizeof amd / sizeof amd[0], number);
    return false;
}

/* ---- looking ---- */

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

/* The CPU that a WRMSR of the ICR or of the self-IPI register sends to. */
static uint32_t ipi_target(uint32_t cpu, const struct registers *registers)
{
    bool self =
        (uint32_t)registers->gpr[1] == MSR_SELF_IPI || ((uint32_t)registers->gpr[0] >> 18 & 3) == 1;
    return self ? cpu : (uint32_t)registers->gpr[2];
}

static void look_at_ipi(struct components *components, uint32_t cpu, const struct node *node,
                        const struct registers *registers, struct stopped *stopped)
{
    uint32_t low = (uint32_t)registers->gpr[0], target = ipi_target(cpu, registers);
    bool self = (uint32_t)registers->gpr[1] == MSR_SELF_IPI;
    uint32_t shorthand = low >> 18 & 3;
    if (!self && (low & 0x0f00) != 0) {
        refuse(stopped, "an IPI that is not of fixed delivery to a physical destination");
        return;
    }
    if (!self && shorthand > 1) {
        refuse(stopped, "an IPI to all CPUs at once");
        return;
    }
    if ((low & 0xff) < 16) {
        refuse(stopped, "an IPI with an illegal vector (below 16)");
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
        tells_others = ipi_target(cpu, &registers) != cpu;
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
    if (!is_known_msr(number) && !declared(components, number)) {
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

static bool read_msr(const struct components *components, uint32_t cpu, const struct node *node,
                     uint32_t number, uint64_t *value)
{
    struct system_state state;
    struct registers registers;
    system_get(components, node, &state);
    get_registers(components, node, &registers);
    if (get_msr(&state, number, value))
        return true;
    if (declared(components, number)) {
        *value = declared(components, number)->value;
        return true;
    }
    *value = number == MSR_FS_BASE     ? registers.fs_base
             : number == MSR_GS_BASE   ? registers.gs_base
             : number == MSR_X2APIC_ID ? cpu
                                       : 0;
    return number == MSR_FS_BASE || number == MSR_GS_BASE || number == MSR_X2APIC_ID ||
           number == MSR_KERNEL_GS_BASE || number == MSR_DEADLINE;
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
    if (!is_known_msr(number) && !declared(components, number))
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

/* ---- doing ---- */

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
        outcome->post_to = (int16_t)ipi_target(cpu, registers);
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
