/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The timed run of one variant: setup, all CPUs in the order of time, the figures. */
#include <string.h>

#include "sim/base/clock.h"
#include "sim/isa/system_registers.h"
#include "sim/time/stages.h"

enum { CHECK_EVERY = 4096 };
static const uint64_t DEFAULT_INSTRUCTIONS = UINT64_C(1) << 26;
static const ticks LONG_AGO = -(INT64_C(1) << 40);

struct budget {
    uint64_t instructions;
    double until;  /* 0: no limit */
    size_t memory; /* how large the region may become; 0: no limit */
    const volatile int *stop;
};

/* ---- preparing ---- */

static void code_of(struct core *core, const struct snippet *snippet)
{
    struct region *region = core->machine->region;
    core->code = region_alloc(region, sizeof *core->code);
    code_init(core->code, region, snippet);
    core->code->program = core->machine->program;
    core->ops = region_array(region, (size_t)snippet->size + 1, sizeof *core->ops);
    core->registers.rip = snippet->address;
    core->ended = false;
    core->previous = NULL;
}

static bool loops(const struct program *program, uint32_t cpu)
{
    for (size_t i = 0; i < program->loop_cpu_count; i++) {
        if (program->loop_cpus[i] == cpu) {
            return true;
        }
    }
    return false;
}

static struct core *make_core(struct machine *machine, uint32_t cpu)
{
    struct core *core = region_alloc(machine->region, sizeof *core);
    core->machine = machine;
    core->timing = &machine->timing;
    core->cpu = cpu;
    core->last_taken = core->multiply_cycle = LONG_AGO;
    core->last_plain_commit = LONG_AGO;
    core->commit = LONG_AGO;
    commits_forget(core);
    core->wc_last_line = UINT64_MAX;
    core->control[0] = CR0_START;
    core->control[4] = CR4_START;
    for (unsigned i = 0; i < WC_MAX; i++) {
        core->wc_sent[i].line = UINT64_MAX;
    }
    for (unsigned i = 0; i < ARRIVALS; i++) {
        core->arrivals[i].line = UINT64_MAX;
    }
    caches_init(core);
    registers_start(&core->registers, &machine->program->cpus[cpu], 0);
    return core;
}

/* Setup code runs to its end without being timed. */
static bool run_setup(struct core *core, const struct snippet *setup, struct budget *budget)
{
    if (setup == NULL || setup->size == 0) {
        return true;
    }
    struct machine *machine = core->machine;
    uint64_t stack = core->registers.gpr[4];
    code_of(core, setup);
    for (uint64_t count = 0;; count++) {
        struct event *event = &core->event;
        memset(event, 0, sizeof *event);
        event->op = core_next_op(core);
        if (event->op == NULL) {
            break;
        }
        if (count >= budget->instructions || (budget->stop != NULL && *budget->stop)) {
            machine->reason = "the setup code does not end";
            return false;
        }
        plan_accesses(core, event);
        if (!execute(core, event)) {
            return false;
        }
        publish(core, 0, true);
    }
    core->registers.gpr[4] =
        core->registers.rip == RETURN_SENTINEL ? stack : core->registers.gpr[4];
    return machine->reason == NULL;
}

static void prepare_code(struct core *core, const struct snippet *snippet)
{
    const struct program *program = core->machine->program;
    code_of(core, snippet);
    core->recording = true;
    if (loops(program, core->cpu)) {
        core->loops = true;
        op_init_loop_end(&core->loop_end, core->timing);
        core->registers.gpr[15] = program->loop_iterations;
        core->half_iteration = program->loop_iterations / 2;
        core->recording = core->half_iteration == 0;
    }
}

static void write_return_addresses(struct machine *machine)
{
    for (size_t i = 0; i < machine->core_count; i++) {
        uint64_t sentinel = RETURN_SENTINEL;
        uint8_t bytes[8];
        memcpy(bytes, &sentinel, sizeof bytes);
        uint64_t address = machine->program->cpus[i].gpr[4];
        if (image_covers(&machine->image, address, 8)) {
            image_write(&machine->image, address, 8, bytes);
        }
    }
}

/* ---- running ---- */

static bool exhausted(struct machine *machine, const struct budget *budget)
{
    if (machine->instructions >= budget->instructions) {
        machine->reason = region_printf(machine->region, "the limit of %llu instructions",
                                        (unsigned long long)budget->instructions);
    } else if (machine->instructions % CHECK_EVERY != 0) {
        return false;
    } else if (budget->stop != NULL && *budget->stop) {
        machine->reason = "it was interrupted";
    } else if (budget->until > 0 && seconds_now() > budget->until) {
        machine->reason = "the limit of time was reached";
    } else if (budget->memory > 0 && machine->region->bytes > budget->memory) {
        machine->reason = "the limit of memory was reached";
    }
    machine->limited = machine->reason != NULL;
    return machine->limited;
}

static void run_one(struct machine *machine, struct core *core, const struct budget *budget)
{
    do {
        while (!core->ended && core_start(core) && core_finish(core)) {
            if (exhausted(machine, budget)) {
                return;
            }
        }
    } while (machine->reason == NULL && interrupts_wake(core));
}

/* Of all CPUs with an instruction in hand, the one that reads memory first; NULL: none. */
static struct core *earliest_core(const struct machine *machine)
{
    size_t first = 0;
    for (size_t i = 1; i < machine->core_count; i++) {
        if (machine->due[i] < machine->due[first]) {
            first = i;
        }
    }
    return machine->due[first] != INT64_MAX ? machine->cores[first] : NULL;
}

/* Takes the next instruction in hand; false when the run must end. */
static bool start(struct core *core)
{
    bool started = core_start(core);
    core_due(core);
    return started || core->machine->reason == NULL;
}

/* False when a woken CPU cannot go on. */
static bool wake_all(struct machine *machine)
{
    machine->interrupted = false;
    for (size_t i = 0; i < machine->core_count; i++) {
        if (interrupts_wake(machine->cores[i]) && !start(machine->cores[i])) {
            return false;
        }
    }
    return true;
}

static void run_all(struct machine *machine, const struct budget *budget)
{
    for (size_t i = 0; i < machine->core_count; i++) {
        if (!start(machine->cores[i])) {
            return;
        }
    }
    for (;;) {
        struct core *core = earliest_core(machine);
        if (core != NULL && lock_transfer(core)) {
            core_due(core);
            continue;
        }
        if (spin_release(machine, core)) {
            continue;
        }
        if (core == NULL || !core_finish(core) || exhausted(machine, budget)) {
            return;
        }
        core_due(core);
        if (!core->ended && !core->waiting && !start(core)) {
            return;
        }
        if ((machine->interrupted || core->ended) && !wake_all(machine)) {
            return;
        }
    }
}

/* ---- the figures ---- */

static void insn_figures(struct timed_insn *out, const struct op *op, uint32_t offset,
                         double divisor)
{
    out->offset = offset;
    out->text = op->insn->text;
    out->cycles = cycles_of(op->cycles) / divisor;
    for (int i = 0; i < STALL_COUNT; i++) {
        out->stall[i] = cycles_of(op->stall[i]) / divisor;
    }
}

static size_t count_ops(struct op *const *ops, uint32_t size)
{
    size_t count = 0;
    for (uint32_t offset = 0; ops != NULL && offset < size; offset++) {
        count += ops[offset] != NULL;
    }
    return count;
}

/* The instructions of a snippet that starts `base` bytes behind the CPU's own code. */
static void snippet_figures(const struct core *core, struct op *const *ops, uint32_t size,
                            uint32_t base, double divisor, struct timed_cpu *out)
{
    for (uint32_t offset = 0; ops != NULL && offset < size; offset++) {
        const struct op *op = ops[offset];
        if (op == NULL) {
            continue;
        }
        struct timed_insn *insn = &out->insns[out->insn_count++];
        insn_figures(insn, op, base + offset, divisor);
        if (op == core->last_store && !core->loops && core->drained > core->retire) {
            /* What remains after the last retirement is the store queue draining. */
            double drain = cycles_of(core->drained - core->retire);
            insn->cycles += drain;
            insn->stall[STALL_STORE_DRAIN] += drain;
        }
    }
}

static void cpu_figures(struct core *core, struct timed_cpu *out)
{
    const struct program *program = core->machine->program;
    const struct snippet *own = core->code->snippet;
    size_t handlers = core->handlers != NULL ? program->handler_count : 0;
    double divisor = 1;
    out->cpu = core->cpu;
    out->cycles = cycles_of(later(core->retire, core->drained));
    uint64_t measured = core->iteration - core->half_iteration;
    if (core->loops && core->iteration > core->half_iteration) {
        out->has_iterations = true;
        out->per_iteration = cycles_of(core->last_time - core->half_time) / (double)measured;
        divisor = (double)measured;
        /* Iterations that were left out are like the measured ones. */
        out->cycles += out->per_iteration * (double)core->steady.left_out;
    }
    size_t count = core->loops + count_ops(core->ops, own->size);
    for (size_t i = 0; i < handlers; i++) {
        count += core->handlers[i].ops == NULL
                     ? 0
                     : count_ops(core->handlers[i].ops, core->handlers[i].code.snippet->size);
    }
    out->insns = region_array(core->machine->region, count, sizeof *out->insns);
    snippet_figures(core, core->ops, own->size, 0, divisor, out);
    if (core->loops) {
        insn_figures(&out->insns[out->insn_count++], &core->loop_end, own->size, divisor);
    }
    for (size_t i = 0; i < handlers; i++) {
        const struct snippet *snippet = core->handlers[i].code.snippet;
        if (core->handlers[i].ops != NULL) {
            snippet_figures(core, core->handlers[i].ops, snippet->size,
                            (uint32_t)(snippet->address - own->address), divisor, out);
        }
    }
}

static uint64_t final_value(struct machine *machine, const struct term *term)
{
    uint64_t value = 0;
    if (!term->is_object) {
        return registers_view(&machine->cores[term->cpu]->registers, &term->view);
    }
    const struct object *object = &machine->program->objects[term->object];
    uint8_t data[8] = {0};
    image_read(&machine->image, object->address, object->size < 8 ? (unsigned)object->size : 8,
               data);
    memcpy(&value, data, sizeof value);
    return value;
}

static uint64_t *final_values(struct machine *machine)
{
    const struct program *program = machine->program;
    uint64_t *values = region_array(machine->region, program->term_count + 1, sizeof *values);
    publish_until(machine, INT64_MAX);
    for (size_t i = 0; i < program->term_count; i++) {
        values[i] = final_value(machine, &program->terms[i]);
    }
    return values;
}

struct timed *time_run(struct region *region, struct exec *exec, const struct program *program,
                       uint32_t variant, const struct profile *profile,
                       const struct time_options *options)
{
    struct machine *machine = region_alloc(region, sizeof *machine);
    struct timed *timed = region_alloc(region, sizeof *timed);
    struct budget budget = {.instructions = DEFAULT_INSTRUCTIONS};
    if (options != NULL) {
        budget.instructions =
            options->max_instructions ? options->max_instructions : DEFAULT_INSTRUCTIONS;
        budget.until = options->max_seconds > 0 ? seconds_now() + options->max_seconds : 0;
        budget.memory = options->max_memory ? region->bytes + options->max_memory : 0;
        budget.stop = options->stop;
    }
    machine->region = region;
    machine->exec = exec;
    machine->program = program;
    machine->variant = variant;
    timing_init(&machine->timing, &profile->cycles);
    image_init(&machine->image, region, program);
    machine->core_count = program->cpu_count;
    machine->cores = region_array(region, program->cpu_count, sizeof *machine->cores);
    machine->due = region_array(region, program->cpu_count, sizeof *machine->due);
    machine->next_change = machine->next_visible = INT64_MAX;
    write_return_addresses(machine);
    const struct variant *code = &program->variants[variant];
    bool ready = true;
    for (uint32_t cpu = 0; cpu < program->cpu_count && ready; cpu++) {
        machine->cores[cpu] = make_core(machine, cpu);
        ready =
            run_setup(machine->cores[cpu], code->setup != NULL ? code->setup[cpu] : NULL, &budget);
        prepare_code(machine->cores[cpu], code->code[cpu]);
        if (options != NULL && options->timeline > 0) {
            machine->cores[cpu]->recorder = recorder_new(region, options->timeline);
        }
    }
    if (ready && machine->core_count == 1) {
        run_one(machine, machine->cores[0], &budget);
    } else if (ready) {
        run_all(machine, &budget);
    }
    for (uint32_t cpu = 0; cpu < program->cpu_count && machine->cores[cpu] != NULL; cpu++) {
        interrupts_leave_all(machine->cores[cpu]);
        if (machine->cores[cpu]->halted && machine->reason == NULL) {
            machine->reason =
                region_printf(region, "%s sleeps and nothing wakes it", program->cpus[cpu].name);
        }
    }
    timed->complete = machine->reason == NULL;
    if (timed->complete && program->loop_cpu_count == 0) {
        timed->values = final_values(machine);
    }
    timed->reason = machine->reason;
    timed->limited = machine->limited;
    timed->unmodelled = machine->unmodelled;
    timed->unmodelled_count = machine->unmodelled_count;
    timed->instructions = machine->instructions;
    timed->cpus = region_array(region, program->cpu_count, sizeof *timed->cpus);
    for (uint32_t cpu = 0; cpu < program->cpu_count && machine->cores[cpu] != NULL; cpu++) {
        struct timed_cpu *figures = &timed->cpus[timed->cpu_count++];
        cpu_figures(machine->cores[cpu], figures);
        if (machine->cores[cpu]->recorder != NULL) {
            recorder_finish(machine->cores[cpu], figures);
        }
    }
    return timed;
}
