/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/explore/start.h"

#include <inttypes.h>
#include <string.h>

static bool is_stack(const struct program *program, uint64_t address)
{
    return address >= STACK_BASE && address < STACK_BASE + program->cpu_count * STACK_BYTES;
}

/* A stack is zero but for the return address at its top. */
static uint8_t stack_byte(uint64_t address)
{
    uint64_t offset = (address - STACK_BASE) % STACK_BYTES;
    if (offset < STACK_TOP_OFFSET || offset >= STACK_TOP_OFFSET + 8)
        return 0;
    return (uint8_t)(RETURN_SENTINEL >> ((offset - STACK_TOP_OFFSET) * 8));
}

static uint8_t declared_byte(const struct program *program, uint64_t address)
{
    if (is_stack(program, address))
        return stack_byte(address);
    int index = program_object_at(program, address, 1);
    if (index == NO_INDEX)
        return 0;
    const struct object *object = &program->objects[index];
    uint64_t offset = address - object->address;
    return object->init && offset < object->init_size ? object->init[offset] : 0;
}

uint64_t start_word(const struct start *start, uint64_t address)
{
    uint32_t index = map_get(&start->index_of, address >> 3);
    if (index != MAP_NONE)
        return start->values[index];
    uint64_t word = 0;
    for (unsigned byte = 0; byte < 8; byte++)
        word |= (uint64_t)declared_byte(start->program, (address & ~UINT64_C(7)) + byte)
                << (byte * 8);
    return word;
}

static void read_start(void *context, uint64_t address, unsigned size, uint8_t *data)
{
    const struct start *start = context;
    for (unsigned byte = 0; byte < size; byte++) {
        uint64_t word = start_word(start, address + byte);
        data[byte] = (uint8_t)(word >> (((address + byte) & 7) * 8));
    }
}

static void write_byte(struct start *start, uint64_t address, uint8_t value)
{
    uint64_t word = start_word(start, address);
    ((uint8_t *)&word)[address & 7] = value;
    uint32_t index = map_get(&start->index_of, address >> 3);
    if (index != MAP_NONE) {
        start->values[index] = word;
        return;
    }
    start->values = region_push(start->region, start->values, start->count, &start->capacity,
                                sizeof *start->values);
    start->values[start->count] = word;
    map_add(&start->index_of, address >> 3, (uint32_t)start->count++);
}

static void write_all(struct start *start, uint32_t cpu, const struct exec_access *write)
{
    for (unsigned byte = 0; byte < write->size; byte++) {
        uint64_t address = write->address + byte;
        bool own = address - start->program->cpus[cpu].stack < STACK_BYTES;
        start->stacks_differ = start->stacks_differ || (is_stack(start->program, address) && !own);
        write_byte(start, address, write->data[byte]);
    }
}

static void run_setup(struct start *start, struct exec *exec, uint32_t cpu,
                      const struct snippet *setup)
{
    const char *name = start->program->cpus[cpu].name;
    struct registers *registers = &start->registers[cpu];
    struct code *code = region_alloc(start->region, sizeof *code);
    code_init(code, start->region, setup);
    registers->rip = setup->address;
    for (long step = 0;
         registers->rip != setup->address + setup->size && registers->rip != RETURN_SENTINEL;
         step++) {
        const struct insn *insn = code_at(code, registers->rip);
        struct exec_result result;
        if (step == SETUP_STEPS_MAX) {
            start->problem = region_printf(start->region, "the setup of %s does not end", name);
            return;
        }
        if (!insn) {
            start->problem = region_printf(
                start->region, "the setup of %s jumps to 0x%" PRIx64 ", where it has no code", name,
                registers->rip);
            return;
        }
        bool fence = insn->class == INSN_MFENCE || insn->class == INSN_LFENCE ||
                     insn->class == INSN_SFENCE || insn->class == INSN_FLUSH;
        if (fence) { /* alone and drained: nothing to order */
            registers->rip += insn->length;
            continue;
        }
        exec_step(exec, insn, registers, read_start, start, &result);
        if (result.status != EXEC_OK) {
            start->problem = region_printf(
                start->region, "the setup of %s cannot be run: %s %s", name, insn->text,
                result.status == EXEC_FAULT ? "faults" : "is not modelled there");
            return;
        }
        for (unsigned i = 0; i < result.count; i++)
            if (result.accesses[i].write)
                write_all(start, cpu, &result.accesses[i]);
    }
}

struct start *start_new(struct region *region, struct exec *exec, const struct program *program,
                        uint32_t variant)
{
    struct start *start = region_alloc(region, sizeof *start);
    start->region = region;
    start->program = program;
    map_init(&start->index_of, region);
    start->registers = region_array(region, program->cpu_count, sizeof *start->registers);
    for (uint32_t cpu = 0; cpu < program->cpu_count; cpu++) {
        const struct variant *chosen = &program->variants[variant];
        registers_start(&start->registers[cpu], &program->cpus[cpu], chosen->code[cpu]->address);
        if (chosen->setup[cpu] && !start->problem)
            run_setup(start, exec, cpu, chosen->setup[cpu]);
        if (start->registers[cpu].rip ==
            RETURN_SENTINEL) /* it popped the snippet's return address */
            start->registers[cpu].gpr[4] = program->cpus[cpu].gpr[4];
        start->registers[cpu].rip = chosen->code[cpu]->address;
    }
    return start;
}

const char *describe_address(struct region *region, const struct program *program, uint64_t address)
{
    const char *name = program_name_at(program, region, address);
    if (name)
        return name;
    if (is_stack(program, address)) {
        uint64_t cpu = (address - STACK_BASE) / STACK_BYTES;
        int64_t offset = (int64_t)((address - STACK_BASE) % STACK_BYTES - STACK_TOP_OFFSET);
        return region_printf(region, "%s stack%+" PRId64, program->cpus[cpu].name, offset);
    }
    return region_printf(region, "0x%" PRIx64, address);
}
