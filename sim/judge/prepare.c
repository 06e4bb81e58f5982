/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all runs of a variant share, and what is observed when nothing names it. */
#include "sim/judge/judge.h"

static const char *const gpr_names[16] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                          "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

/* Registers that loads of a CPU write: what its code may have seen of others. */
static uint32_t loaded_registers(const struct code *code)
{
    uint32_t registers = 0;
    for (size_t i = 0; i < code->insn_count; i++) {
        const struct insn *insn = code->insns[i];
        if (insn->memory.read || insn->implicit_load)
            registers |= (uint32_t)(insn->writes & 0xffff);
    }
    return registers & ~(UINT32_C(1) << 4); /* rsp moves with every pop */
}

struct term_list {
    struct region *region;
    struct term *items;
    size_t count, capacity;
};

static void add_term(struct term_list *list, const struct term *term)
{
    list->items =
        region_push(list->region, list->items, list->count, &list->capacity, sizeof *list->items);
    list->items[list->count++] = *term;
}

static bool is_integer(const struct object *object)
{
    return object->size == 1 || object->size == 2 || object->size == 4 || object->size == 8;
}

/* Nothing names what to observe: every register that a load writes, every integer object. */
static void choose_terms(struct term_list *list, const struct program *program,
                         const struct oracle *oracle)
{
    for (uint32_t cpu = 0; cpu < program->cpu_count; cpu++)
        for (uint8_t index = 0; index < 16; index++)
            if (loaded_registers(oracle->code[cpu]) >> index & 1)
                add_term(list, &(struct term){.text = region_printf(list->region, "%s:%s",
                                                                    program->cpus[cpu].name,
                                                                    gpr_names[index]),
                                              .cpu = cpu,
                                              .view = {REGISTER_GPR, index, 0, 64}});
    for (uint32_t i = 0; i < program->object_count; i++)
        if (is_integer(&program->objects[i]) && program->objects[i].parent == NO_INDEX)
            add_term(list, &(struct term){
                               .text = program->objects[i].name, .is_object = true, .object = i});
}

static void choose_observed(struct region *region, struct prepared *prepared)
{
    const struct program *program = prepared->program;
    struct term_list list = {.region = region};
    for (size_t i = 0; i < program->term_count; i++)
        add_term(&list, &program->terms[i]);
    size_t first = 0, count = program->observed_count;
    if (count == 0 && !program->observe_given) {
        first = list.count;
        choose_terms(&list, program, prepared->oracle);
        count = list.count - first;
    }
    uint32_t *observed = region_array(region, count + 1, sizeof *observed);
    for (size_t i = 0; i < count; i++)
        observed[i] = (uint32_t)(first + i);
    prepared->terms = list.items;
    prepared->term_count = list.count;
    prepared->observed = observed;
    prepared->observed_count = count;
}

struct prepared *prepare_run(struct region *region, struct region *scratch, struct exec *exec,
                             const struct program *program, uint32_t variant, bool reduce)
{
    struct prepared *prepared = region_alloc(scratch, sizeof *prepared);
    prepared->program = program;
    prepared->variant = variant;
    prepared->oracle = oracle_new(scratch, exec, program, variant);
    prepared->start = start_new(scratch, exec, program, variant);
    footprint_init(&prepared->footprint, scratch, program, !reduce);
    choose_observed(region, prepared);
    return prepared;
}
