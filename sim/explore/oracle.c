/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/explore/oracle.h"

#include <stddef.h>
#include <string.h>

#include <capstone/capstone.h>

#include "sim/explore/symmetry.h"

/* What a local state of this code must hold; registers that it does not use stay zero. */
static size_t register_bytes(struct code *code)
{
    size_t bytes = offsetof(struct registers, xmm);
    code_sweep(code);
    for (size_t i = 0; i < code->insn_count; i++) {
        if (code->insns[i]->uses_ymm)
            return sizeof(struct registers);
        if (code->insns[i]->uses_xmm)
            bytes = offsetof(struct registers, ymm_high);
    }
    return bytes;
}

static void add_code(struct oracle *oracle, struct code *code, const struct snippet *snippet)
{
    code_init(code, oracle->region, snippet);
    code->program = oracle->program;
    size_t bytes = register_bytes(code);
    if (bytes > oracle->local_bytes)
        oracle->local_bytes = bytes;
}

static void decode_handlers(struct oracle *oracle)
{
    const struct program *program = oracle->program;
    oracle->handlers =
        region_array(oracle->region, program->cpu_count * HANDLERS_PER_CPU, sizeof(struct code *));
    for (size_t i = 0; i < program->handler_count; i++) {
        const struct snippet *snippet = program->variants[oracle->variant].handlers[i];
        uint64_t offset = (snippet->address - CODE_BASE) % CODE_STRIDE - HANDLER_OFFSET;
        size_t at = program->handlers[i].cpu * (size_t)HANDLERS_PER_CPU + offset / HANDLER_STRIDE;
        struct code *code = region_alloc(oracle->region, sizeof *code);
        add_code(oracle, code, snippet);
        oracle->handlers[at] = code;
    }
}

uint64_t oracle_handler(const struct oracle *oracle, uint32_t cpu, uint8_t vector)
{
    const struct program *program = oracle->program;
    for (size_t i = 0; i < program->handler_count; i++)
        if (program->handlers[i].cpu == cpu && program->handlers[i].vector == vector)
            return program->variants[oracle->variant].handlers[i]->address;
    return 0;
}

struct oracle *oracle_new(struct region *region, struct exec *exec, const struct program *program,
                          uint32_t variant)
{
    struct oracle *oracle = region_alloc(region, sizeof *oracle);
    oracle->region = region;
    oracle->exec = exec;
    oracle->program = program;
    oracle->variant = variant;
    oracle->code = region_array(region, program->cpu_count, sizeof(struct code *));
    for (size_t i = 0; i < program->cpu_count; i++) {
        oracle->code[i] = region_alloc(region, sizeof(struct code));
        add_code(oracle, oracle->code[i], program->variants[variant].code[i]);
    }
    oracle->tells_apart = region_array(region, program->cpu_count, sizeof(bool));
    decode_handlers(oracle);
    intern_init(&oracle->locals, region);
    intern_init(&oracle->values, region);
    map_init(&oracle->effect_of, region);
    return oracle;
}

uint32_t oracle_local(struct oracle *oracle, const struct registers *registers)
{
    return intern_add(&oracle->locals, registers, oracle->local_bytes, NULL);
}

void oracle_registers(const struct oracle *oracle, uint32_t local, struct registers *registers)
{
    memset(registers, 0, sizeof *registers);
    memcpy(registers, intern_bytes(&oracle->locals, local), oracle->local_bytes);
}

uint32_t oracle_cpu_of(uint64_t rip) { return (uint32_t)((rip - CODE_BASE) / CODE_STRIDE); }

static bool has_ended(const struct oracle *oracle, uint64_t rip)
{
    if (rip == RETURN_SENTINEL)
        return true;
    uint32_t cpu = oracle_cpu_of(rip);
    if (rip < CODE_BASE || cpu >= oracle->program->cpu_count)
        return false;
    const struct snippet *main_code = oracle->code[cpu]->snippet;
    return rip == main_code->address + main_code->size;
}

static struct code *code_with(const struct oracle *oracle, uint64_t rip)
{
    uint32_t cpu = oracle_cpu_of(rip);
    if (rip < CODE_BASE || cpu >= oracle->program->cpu_count)
        return NULL;
    uint64_t offset = (rip - CODE_BASE) % CODE_STRIDE;
    if (offset < HANDLER_OFFSET)
        return oracle->code[cpu];
    return oracle
        ->handlers[cpu * (size_t)HANDLERS_PER_CPU + (offset - HANDLER_OFFSET) / HANDLER_STRIDE];
}

/* While the reads are being found out, every load returns zeros. */
static void read_zeros(void *context, uint64_t address, unsigned size, uint8_t *data)
{
    (void)context, (void)address;
    memset(data, 0, size);
}

struct supply {
    const struct plan *plan;
    const uint8_t *bytes;
};

static void read_supplied(void *context, uint64_t address, unsigned size, uint8_t *data)
{
    const struct supply *supply = context;
    uint32_t offset = 0;
    memset(data, 0, size);
    for (unsigned i = 0; i < supply->plan->read_count; i++) {
        const struct data_access *read = &supply->plan->reads[i];
        if (address >= read->address && address + size <= read->address + read->size) {
            memcpy(data, supply->bytes + offset + (address - read->address), size);
            return;
        }
        offset += read->size;
    }
}

static uint32_t add_effect(struct oracle *oracle, const struct exec_result *result,
                           const struct registers *after)
{
    struct effect *effect = region_alloc(oracle->region, sizeof *effect);
    effect->status = result->status;
    effect->fault = (struct fault){result->vector, result->fault_address};
    if (result->status == EXEC_OK)
        effect->next = oracle_local(oracle, after);
    for (unsigned i = 0; i < result->count; i++)
        effect->write_count += result->accesses[i].write;
    struct exec_access *writes =
        effect->write_count ? region_array(oracle->region, effect->write_count, sizeof *writes)
                            : NULL;
    for (unsigned i = 0, n = 0; i < result->count; i++)
        if (result->accesses[i].write)
            writes[n++] = result->accesses[i];
    effect->writes = writes;
    oracle->effects = region_push(oracle->region, oracle->effects, oracle->effect_count,
                                  &oracle->effect_capacity, sizeof *oracle->effects);
    oracle->effects[oracle->effect_count] = effect;
    return (uint32_t)oracle->effect_count++;
}

/* Reads that the dry run saw; false when there are more than the planner holds. */
static bool take_reads(const struct exec_result *result, struct plan *plan)
{
    uint32_t bytes = 0;
    for (unsigned i = 0; i < result->count; i++) {
        const struct exec_access *access = &result->accesses[i];
        plan->writes = plan->writes || access->write;
        if (access->write)
            continue;
        struct data_access *last = plan->read_count ? &plan->reads[plan->read_count - 1] : NULL;
        bytes += access->size;
        if (bytes > LOAD_BYTES_MAX)
            return false;
        if (last && last->address + last->size == access->address && last->size == 8 &&
            access->size == 8) { /* the halves of cmpxchg16b */
            last->size = 16;
            continue;
        }
        if (plan->read_count == READS_MAX)
            return false;
        plan->reads[plan->read_count++] = (struct data_access){access->address, access->size};
    }
    return true;
}

static void plan_step(struct oracle *oracle, const struct registers *registers, struct plan *plan)
{
    struct registers after = *registers;
    struct exec_result result;
    exec_step(oracle->exec, plan->insn, &after, read_zeros, NULL, &result);
    oracle->steps++;
    plan->kind = PLAN_STEP;
    if (result.status == EXEC_FAILED) {
        plan->kind = PLAN_FAILED;
        return;
    }
    bool page_fault = result.status == EXEC_FAULT && result.vector == 14;
    if (!take_reads(&result, plan)) {
        plan->kind = PLAN_UNMODELLED;
        plan->reason = "it makes more accesses than are modelled";
    } else if (page_fault || (result.status == EXEC_FAULT && plan->read_count == 0)) {
        plan->kind = PLAN_FAULT;
        plan->fault = (struct fault){result.vector, result.fault_address};
    } else if (result.status == EXEC_UNMODELLED && plan->read_count == 0) {
        plan->kind = PLAN_UNMODELLED;
        plan->reason = "the execution engine does not know it";
    } else if (plan->read_count == 0) {
        plan->done = true;
        plan->effect = add_effect(oracle, &result, &after);
    }
}

/* IRETQ: the frame that an interrupt pushed is loaded, then rip, rflags and rsp are set. */
static void plan_iret(const struct oracle *oracle, const struct registers *registers,
                      struct plan *plan)
{
    uint64_t stacks = oracle->program->cpu_count * STACK_BYTES, rsp = registers->gpr[4];
    plan->kind = PLAN_STEP;
    if (rsp < STACK_BASE || rsp - STACK_BASE > stacks - 40) {
        plan->kind = PLAN_FAULT;
        plan->fault = (struct fault){14, rsp};
        return;
    }
    plan->read_count = 3;
    plan->reads[0] = (struct data_access){registers->gpr[4], 16};
    plan->reads[1] = (struct data_access){registers->gpr[4] + 16, 16};
    plan->reads[2] = (struct data_access){registers->gpr[4] + 32, 8};
}

static uint32_t iret_effect(struct oracle *oracle, const uint8_t *bytes,
                            struct registers *registers)
{
    uint64_t frame[5];
    struct exec_result result = {.status = EXEC_OK};
    memcpy(frame, bytes, sizeof frame);
    if (frame[1] != FRAME_CS || frame[4] != FRAME_SS) {
        result.status = EXEC_FAULT; /* not a frame that an interrupt pushed */
        result.vector = 13;
    }
    registers->rip = frame[0];
    registers->rflags = (frame[2] & FRAME_FLAGS) | 2;
    registers->gpr[4] = frame[3];
    return add_effect(oracle, &result, registers);
}

static void make_plan(struct oracle *oracle, uint32_t local, struct plan *plan)
{
    struct registers registers;
    oracle_registers(oracle, local, &registers);
    if (has_ended(oracle, registers.rip)) {
        plan->kind = PLAN_END;
        return;
    }
    struct code *code = code_with(oracle, registers.rip);
    plan->insn = code ? code_at(code, registers.rip) : NULL;
    if (!plan->insn) {
        plan->kind = PLAN_FAULT;
        plan->fault = (struct fault){14, registers.rip};
        return;
    }
    if (!code_was_swept(code, registers.rip)) { /* models and reductions did not reckon with it */
        plan->kind = PLAN_UNMODELLED;
        plan->reason = "an indirect jump leads into the middle of an instruction";
        return;
    }
    uint32_t cpu = oracle_cpu_of(registers.rip);
    if (insn_tells_cpus_apart(plan->insn) ||
        leaves_own_stack(plan->insn, &registers, oracle->program->cpus[cpu].stack))
        oracle->tells_apart[cpu] = true;
    switch (plan->insn->class) {
    case INSN_ORDINARY:
    case INSN_LOCKED:
    case INSN_NT_STORE:
    case INSN_STRING:
    case INSN_NOTHING:
    case INSN_NATIVE:
        plan_step(oracle, &registers, plan);
        break;
    case INSN_IRET:
        plan_iret(oracle, &registers, plan);
        break;
    case INSN_UNMODELLED:
        plan->kind = PLAN_UNMODELLED;
        plan->reason = "no model covers it";
        break;
    default:
        plan->kind = PLAN_SYSTEM;
        break;
    }
}

const struct plan *oracle_plan(struct oracle *oracle, uint32_t local)
{
    oracle->plans = region_reach(oracle->region, oracle->plans, local, &oracle->plan_capacity,
                                 sizeof *oracle->plans);
    if (oracle->plans[local])
        return oracle->plans[local];
    struct plan *plan = region_alloc(oracle->region, sizeof *plan);
    make_plan(oracle, local, plan);
    return oracle->plans[local] = plan;
}

static uint32_t read_bytes(const struct plan *plan)
{
    uint32_t bytes = 0;
    for (unsigned i = 0; i < plan->read_count; i++)
        bytes += plan->reads[i].size;
    return bytes;
}

const struct effect *oracle_effect(struct oracle *oracle, uint32_t local, const uint8_t *bytes)
{
    const struct plan *plan = oracle_plan(oracle, local);
    if (plan->done)
        return oracle->effects[plan->effect];
    uint32_t values = intern_add(&oracle->values, bytes, read_bytes(plan), NULL);
    uint64_t key = (uint64_t)local << 32 | values;
    uint32_t found = map_get(&oracle->effect_of, key);
    if (found == MAP_NONE) {
        struct registers registers;
        struct exec_result result;
        struct supply supply = {plan, bytes};
        oracle_registers(oracle, local, &registers);
        oracle->steps++;
        if (plan->insn->class == INSN_IRET) {
            found = iret_effect(oracle, bytes, &registers);
        } else {
            exec_step(oracle->exec, plan->insn, &registers, read_supplied, &supply, &result);
            found = add_effect(oracle, &result, &registers);
        }
        map_add(&oracle->effect_of, key, found);
    }
    return oracle->effects[found];
}

uint64_t oracle_rip(const struct oracle *oracle, uint32_t local)
{
    const struct registers *registers = intern_bytes(&oracle->locals, local);
    return registers->rip;
}

uint64_t oracle_flags(const struct oracle *oracle, uint32_t local)
{
    const struct registers *registers = intern_bytes(&oracle->locals, local);
    return registers->rflags;
}

uint32_t oracle_jump(struct oracle *oracle, uint32_t local, uint64_t rip)
{
    struct registers registers;
    oracle_registers(oracle, local, &registers);
    registers.rip = rip;
    return oracle_local(oracle, &registers);
}

uint32_t oracle_system_next(struct oracle *oracle, uint32_t local)
{
    const struct plan *plan = oracle_plan(oracle, local);
    struct registers registers;
    oracle_registers(oracle, local, &registers);
    registers.rip += plan->insn->length;
    if (plan->insn->kind == KIND_CPUID) /* what a leaf says is not modelled: all zero */
        registers.gpr[0] = registers.gpr[1] = registers.gpr[2] = registers.gpr[3] = 0;
    if (plan->insn->kind == KIND_CLI)
        registers.rflags &= ~RFLAGS_IF;
    if (plan->insn->kind == KIND_STI)
        registers.rflags |= RFLAGS_IF;
    return oracle_local(oracle, &registers);
}
