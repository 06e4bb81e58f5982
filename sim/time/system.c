/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What system instructions do to registers, MSRs and control registers during a timed run. */
#include "sim/isa/system_registers.h"
#include "sim/time/stages.h"

static void set_pair(struct registers *registers, uint64_t value)
{
    registers->gpr[0] = value & UINT32_MAX;
    registers->gpr[2] = value >> 32;
}

/* ---- MSRs ---- */

static struct written_msr *written(const struct core *core, uint32_t number)
{
    for (size_t i = 0; i < core->msr_count; i++) {
        if (core->msrs[i].number == number)
            return &core->msrs[i];
    }
    return NULL;
}

static const struct declared_msr *declared(const struct program *program, uint32_t number)
{
    for (size_t i = 0; i < program->msr_count; i++) {
        if (program->msrs[i].number == number)
            return &program->msrs[i];
    }
    return NULL;
}

/* What was written, else what the trace declares, else `otherwise`. */
static uint64_t msr_value(const struct core *core, uint32_t number, uint64_t otherwise)
{
    const struct written_msr *msr = written(core, number);
    const struct declared_msr *by_trace = declared(core->machine->program, number);
    return msr != NULL ? msr->value : by_trace != NULL ? by_trace->value : otherwise;
}

/* False when its value is not modelled, as in exploration. */
static bool read_msr(struct core *core, uint32_t number)
{
    bool is_base = number == MSR_FS_BASE || number == MSR_GS_BASE;
    bool starts = is_base || number == MSR_X2APIC_ID || number == MSR_KERNEL_GS_BASE ||
                  number == MSR_DEADLINE;
    if (!starts && written(core, number) == NULL &&
        declared(core->machine->program, number) == NULL)
        return false;
    uint64_t base = number == MSR_FS_BASE ? core->registers.fs_base : core->registers.gs_base;
    uint64_t value = msr_value(core, number, number == MSR_X2APIC_ID ? core->cpu : 0);
    set_pair(&core->registers, is_base ? base : value);
    return true;
}

static void write_msr(struct core *core, uint32_t number, uint64_t value)
{
    switch (number) {
    case MSR_FS_BASE:
        core->registers.fs_base = value;
        return;
    case MSR_GS_BASE:
        core->registers.gs_base = value;
        return;
    case MSR_ICR:
    case MSR_SELF_IPI:
    case MSR_DEADLINE:
        return; /* interrupts.c knows when what they ask for happens */
    default:
        break;
    }
    struct written_msr *msr = written(core, number);
    if (msr == NULL) {
        core->msrs = region_push(core->machine->region, core->msrs, core->msr_count,
                                 &core->msr_capacity, sizeof *core->msrs);
        msr = &core->msrs[core->msr_count++];
        msr->number = number;
    }
    msr->value = value;
}

static void swap_gs(struct core *core)
{
    uint64_t other = msr_value(core, MSR_KERNEL_GS_BASE, 0);
    write_msr(core, MSR_KERNEL_GS_BASE, core->registers.gs_base);
    core->registers.gs_base = other;
}

/* ---- control registers ---- */

static uint64_t control_register(const struct core *core, const struct insn *insn)
{
    return insn->kind == KIND_MOV_CR ? core->control[system_register_number(insn) & 15] : 0;
}

static void set_control_register(struct core *core, const struct insn *insn)
{
    unsigned number = system_register_number(insn) & 15;
    core->control[number] = core->registers.gpr[system_register_operand(insn)];
    core->uncached = (core->control[0] & CR0_CD) != 0;
}

/* ---- instructions ---- */

static bool read_register(struct core *core, const struct insn *insn)
{
    struct registers *registers = &core->registers;
    if (insn->kind == KIND_SWAPGS)
        swap_gs(core);
    else if (insn->kind == KIND_MOV_CR || insn->kind == KIND_MOV_DR)
        registers->gpr[system_register_operand(insn)] = control_register(core, insn);
    else if (insn->kind == KIND_NONE)
        return read_msr(core, (uint32_t)registers->gpr[1]);
    else
        set_pair(registers, 0);
    return true;
}

static void read_clock(struct core *core, const struct event *event)
{
    set_pair(&core->registers, (uint64_t)(event->dispatch / CYCLE));
    if (event->op->insn->kind == KIND_RDTSCP)
        core->registers.gpr[1] = msr_value(core, MSR_TSC_AUX, core->cpu) & UINT32_MAX;
}

static void serialize(struct core *core, const struct insn *insn)
{
    struct registers *registers = &core->registers;
    if (insn->kind == KIND_MOV_CR)
        set_control_register(core, insn);
    if (insn->kind == KIND_CPUID)
        registers->gpr[0] = registers->gpr[1] = registers->gpr[2] = registers->gpr[3] = 0;
}

bool execute_system(struct core *core, struct event *event)
{
    const struct insn *insn = event->op->insn;
    struct registers *registers = &core->registers;
    bool by_number =
        insn->class == INSN_WRMSR || (insn->class == INSN_RDMSR && insn->kind == KIND_NONE);
    uint32_t number = (uint32_t)registers->gpr[1];
    if (by_number && !is_known_msr(number) && declared(core->machine->program, number) == NULL)
        return stop(core, region_printf(core->machine->region, "MSR 0x%x is not known", number),
                    insn);
    switch (insn->class) {
    case INSN_FLUSH:
        if (!image_covers(&core->machine->image, interpret_address(insn, registers), 1))
            return stop(core, "page fault", insn);
        break;
    case INSN_TSC:
        read_clock(core, event);
        break;
    case INSN_RDMSR:
        if (!read_register(core, insn))
            return stop(core, "the value of this MSR is not modelled; declare it in 'msrs:'", insn);
        break;
    case INSN_WRMSR:
        write_msr(core, (uint32_t)registers->gpr[1],
                  registers->gpr[2] << 32 | (registers->gpr[0] & UINT32_MAX));
        break;
    case INSN_SERIALIZING:
        serialize(core, insn);
        break;
    case INSN_IF:
        registers->rflags = insn->kind == KIND_STI ? registers->rflags | 0x200
                                                   : registers->rflags & ~UINT64_C(0x200);
        break;
    case INSN_HLT:
        core->halted = core->ended = true;
        break;
    case INSN_IRET:
        if (interrupts_return(core))
            return true;
        return stop(core, "iretq outside of a handler", insn);
    case INSN_IO:
    case INSN_UNMODELLED:
        note_unmodelled(core->machine, insn->text);
        return stop(core, "an instruction that is not modelled", insn);
    default:
        break;
    }
    registers->rip = insn->address + insn->length;
    return true;
}
