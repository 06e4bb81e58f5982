/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts in time: an inter-processor interrupt or a timer arrives some time after the
 * WRMSR that asked for it, runs the CPU's handler between two instructions, also when the
 * CPU's own code has ended or sleeps, and returns by iretq.
 */
#include <string.h>

#include "sim/time/stages.h"

enum { MSR_TSC_DEADLINE = 0x6e0, MSR_SELF_IPI = 0x83f };

static const uint64_t FLAG_IF = 0x200;

/* The snippet that handles `vector` on this CPU; NULL when the trace has none. */
static const struct snippet *handler_of(const struct core *core, uint8_t vector)
{
    const struct program *program = core->machine->program;
    for (size_t i = 0; i < program->handler_count; i++) {
        if (program->handlers[i].cpu == core->cpu && program->handlers[i].vector == vector)
            return program->variants[core->machine->variant].handlers[i];
    }
    return NULL;
}

static void send_interrupt(struct core *target, uint8_t vector, ticks at)
{
    if (handler_of(target, vector) == NULL || target->interrupt_count == INTERRUPTS_MAX)
        return; /* nobody would notice it */
    unsigned slot = target->interrupt_count++;
    while (slot > 0 && target->interrupts[slot - 1].at > at) {
        target->interrupts[slot] = target->interrupts[slot - 1];
        slot--;
    }
    target->interrupts[slot].at = at;
    target->interrupts[slot].vector = vector;
    target->machine->interrupted = true;
    spin_note_interrupt(target, at);
}

void interrupts_wrmsr(struct core *core, const struct event *event)
{
    const struct machine *machine = core->machine;
    const struct timing *t = core->timing;
    const uint64_t *gpr = core->registers.gpr;
    uint8_t vector = (uint8_t)gpr[0];
    uint64_t target = gpr[2] & UINT32_MAX;
    ticks now = event->done;
    core->spin.seen = false; /* whatever it does is an effect */
    switch ((uint32_t)gpr[1]) {
    case MSR_ICR:
        if (target < machine->core_count)
            send_interrupt(machine->cores[target], vector, now + t->ipi_latency);
        break;
    case MSR_SELF_IPI:
        send_interrupt(core, vector, now + t->interrupt_self);
        break;
    case MSR_TSC_DEADLINE: {
        uint64_t deadline = gpr[2] << 32 | (gpr[0] & UINT32_MAX);
        const uint64_t latest = UINT64_C(1) << 40; /* later ones are never */
        if (machine->program->timer_vector >= 0 && deadline != 0 && deadline < latest)
            send_interrupt(core, (uint8_t)machine->program->timer_vector,
                           later(now, (ticks)deadline * CYCLE) + t->interrupt_self);
        break;
    }
    default:
        break;
    }
}

bool interrupts_wake(struct core *core)
{
    if (!core->ended || core->interrupt_count == 0 || !(core->registers.rflags & FLAG_IF))
        return false;
    core->ended = core->halted = false;
    core->slot = later(core->slot, next_cycle(core->interrupts[0].at));
    core->retire = later(core->retire, core->slot); /* it slept until then */
    return true;
}

void interrupts_take(struct core *core)
{
    if (core->interrupt_count == 0 || core->interrupts[0].at > core->slot ||
        !(core->registers.rflags & FLAG_IF) || core->context_depth == CONTEXTS_MAX)
        return;
    const struct snippet *handler = handler_of(core, core->interrupts[0].vector);
    core->interrupt_count--;
    memmove(core->interrupts, core->interrupts + 1,
            core->interrupt_count * sizeof core->interrupts[0]);
    struct context *context = &core->contexts[core->context_depth++];
    context->rip = core->registers.rip;
    context->rsp = core->registers.gpr[4];
    context->rflags = core->registers.rflags;
    context->code = core->code;
    context->ops = core->ops;
    struct region *region = core->machine->region;
    code_init(&core->code, region, handler);
    core->ops = region_array(region, (size_t)handler->size + 1, sizeof(struct op *));
    core->registers.rip = handler->address;
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
