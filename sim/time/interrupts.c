/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts in time: an inter-processor interrupt or a timer arrives some time after the
 * WRMSR that asked for it, runs the CPU's handler between two instructions, also when the
 * CPU's own code has ended or sleeps, and returns by iretq.
 */
#include <string.h>

#include "sim/isa/system_registers.h"
#include "sim/time/stages.h"

static const uint64_t FLAG_IF = 0x200;

/* The number of the handler of `vector` on this CPU; NO_INDEX when the trace has none. */
static int handler_of(const struct core *core, uint8_t vector)
{
    const struct program *program = core->machine->program;
    for (size_t i = 0; i < program->handler_count; i++) {
        if (program->handlers[i].cpu == core->cpu && program->handlers[i].vector == vector)
            return (int)i;
    }
    return NO_INDEX;
}

/* Its code, which is decoded, and its branches learnt, once and not at every interrupt. */
static void enter_handler(struct core *core, int number)
{
    const struct machine *machine = core->machine;
    const struct program *program = machine->program;
    const struct snippet *snippet = program->variants[machine->variant].handlers[number];
    if (core->handlers == NULL)
        core->handlers =
            region_array(machine->region, program->handler_count, sizeof *core->handlers);
    if (core->handlers[number].ops == NULL) {
        code_init(&core->handlers[number].code, machine->region, snippet);
        core->handlers[number].code.program = program;
        core->handlers[number].ops =
            region_array(machine->region, (size_t)snippet->size + 1, sizeof(struct op *));
    }
    core->code = &core->handlers[number].code;
    core->ops = core->handlers[number].ops;
    core->registers.rip = snippet->address;
}

/* One that is sent while another of its vector is not yet taken becomes one with it, as in
 * exploration; a timer is apart until it runs out. */
static void send_interrupt(struct core *target, uint8_t vector, ticks at, bool timer)
{
    unsigned slot = 0;
    while (slot < target->interrupt_count &&
           (timer || target->interrupts[slot].timer || target->interrupts[slot].vector != vector))
        slot++;
    if (slot < target->interrupt_count && target->interrupts[slot].at <= at)
        return;
    if (slot == target->interrupt_count)
        target->interrupt_count++;
    for (; slot > 0 && target->interrupts[slot - 1].at > at; slot--)
        target->interrupts[slot] = target->interrupts[slot - 1];
    target->interrupts[slot].at = at;
    target->interrupts[slot].vector = vector;
    target->interrupts[slot].timer = timer;
    target->machine->interrupted = true;
    spin_note_interrupt(target, at);
}

static void remove_interrupt(struct core *core, unsigned slot)
{
    core->interrupt_count--;
    memmove(core->interrupts + slot, core->interrupts + slot + 1,
            (core->interrupt_count - slot) * sizeof core->interrupts[0]);
}

/* A timer that has not run out by `now` does no more. */
static void disarm_timer(struct core *core, ticks now)
{
    for (unsigned i = core->interrupt_count; i > 0; i--) {
        if (core->interrupts[i - 1].timer && core->interrupts[i - 1].at > now)
            remove_interrupt(core, i - 1);
    }
}

/* Whether the LVT entry, if the trace has one, is in deadline mode when the write is made. */
static bool in_deadline_mode(struct core *core, ticks now)
{
    const struct program *program = core->machine->program;
    if (program->timer_lvt == NO_INDEX)
        return true;
    const struct object *lvt = &program->objects[program->timer_lvt];
    uint8_t bytes[4] = {0};
    load_bytes(core, lvt->address, lvt->size < 4 ? (unsigned)lvt->size : 4, now, bytes);
    return (bytes[2] >> 1 & 3) == 2; /* Intel SDM vol. 3A, "TSC-Deadline Mode" */
}

static void write_deadline(struct core *core, ticks now)
{
    const uint64_t latest = UINT64_C(1) << 40; /* later ones are never */
    const uint64_t *gpr = core->registers.gpr;
    uint64_t deadline = gpr[2] << 32 | (gpr[0] & UINT32_MAX);
    int vector = core->machine->program->timer_vector;
    if (vector < 0 || !in_deadline_mode(core, now))
        return;
    disarm_timer(core, now);
    if (deadline != 0 && deadline < latest)
        send_interrupt(core, (uint8_t)vector,
                       later(now, (ticks)deadline * CYCLE) + core->timing->interrupt_self, true);
}

static bool send_ipi(struct core *core, const struct event *event)
{
    const struct machine *machine = core->machine;
    const struct timing *t = core->timing;
    const uint64_t *gpr = core->registers.gpr;
    uint32_t target = ipi_target(core->cpu, gpr);
    const char *refusal = ipi_refusal(gpr);
    if (refusal == NULL && target >= machine->core_count)
        refusal = "an IPI to nobody";
    if (refusal != NULL)
        return stop(core, refusal, event->op->insn);
    ticks way = target == core->cpu ? t->interrupt_self : t->ipi_latency;
    send_interrupt(machine->cores[target], (uint8_t)gpr[0], event->done + way, false);
    return true;
}

bool interrupts_wrmsr(struct core *core, const struct event *event)
{
    core->spin.seen = false; /* whatever it does is an effect */
    switch ((uint32_t)core->registers.gpr[1]) {
    case MSR_ICR:
    case MSR_SELF_IPI:
        return send_ipi(core, event);
    case MSR_DEADLINE:
        write_deadline(core, event->done);
        return true;
    default:
        return true;
    }
}

bool interrupts_wake(struct core *core)
{
    if (!core->ended || core->interrupt_count == 0 || !(core->registers.rflags & FLAG_IF))
        return false;
    core->woken = true;
    core->sleeper = core->halted ? core->event.op : NULL;
    core->ended = core->halted = false;
    core->slot = later(core->slot, next_cycle(core->interrupts[0].at));
    return true;
}

/* A timer that ran out meanwhile, and an IPI of its vector, are one: the IRR has a bit each. */
static void take_first(struct core *core)
{
    uint8_t vector = core->interrupts[0].vector;
    remove_interrupt(core, 0);
    for (unsigned i = core->interrupt_count; i > 0; i--) {
        if (core->interrupts[i - 1].vector == vector && core->interrupts[i - 1].at <= core->slot)
            remove_interrupt(core, i - 1);
    }
}

void interrupts_take(struct core *core)
{
    if (core->interrupt_count == 0 || core->interrupts[0].at > core->slot ||
        !(core->registers.rflags & FLAG_IF) || core->context_depth == CONTEXTS_MAX)
        return;
    uint8_t vector = core->interrupts[0].vector;
    int handler = handler_of(core, vector);
    if (handler == NO_INDEX) {
        core->machine->reason =
            region_printf(core->machine->region, "vector 0x%x arrives, for which %s has no handler",
                          vector, core->machine->program->cpus[core->cpu].name);
        return;
    }
    take_first(core);
    struct context *context = &core->contexts[core->context_depth++];
    context->rip = core->registers.rip;
    context->rsp = core->registers.gpr[4];
    context->rflags = core->registers.rflags;
    context->code = core->code;
    context->ops = core->ops;
    enter_handler(core, handler);
    core->registers.rflags &= ~FLAG_IF;
    core->previous = NULL;
}

bool interrupts_return(struct core *core)
{
    if (core->context_depth == 0)
        return false;
    const struct context *context = &core->contexts[--core->context_depth];
    core->registers.rip = context->rip;
    core->registers.gpr[4] = context->rsp;
    core->registers.rflags = context->rflags;
    core->code = context->code;
    core->ops = context->ops;
    return true;
}

void interrupts_leave_all(struct core *core)
{
    while (interrupts_return(core))
        ;
}
