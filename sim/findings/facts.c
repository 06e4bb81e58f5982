/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each instruction was seen to access, read off the memo of executions: exact addresses,
 * so that nothing has to be guessed from operands.
 */
#include "sim/exec/native.h"
#include "sim/findings/findings.h"

static uint8_t *fact_at(const struct code *code, uint8_t *facts, const struct insn *insn)
{
    for (size_t i = 0; i < code->insn_count; i++)
        if (code->insns[i] == insn)
            return &facts[i];
    return NULL;
}

static uint8_t facts_of_access(const struct program *program, uint64_t address, bool write)
{
    int index = program_object_at(program, address, 1);
    if (index == NO_INDEX)
        return 0;
    const struct object *object = &program->objects[index];
    uint8_t facts = write ? FACT_STORES : 0;
    if (object->type == MEMORY_UC)
        facts |= FACT_UNCACHEABLE;
    if (object->type == MEMORY_WC && write)
        facts |= FACT_WEAK;
    if (object->persistent && write)
        facts |= FACT_PERSISTENT;
    return facts;
}

/* The non-temporal hint counts on memory that heeds it. */
static uint8_t facts_of_hint(const struct program *program, uint64_t address)
{
    int index = program_object_at(program, address, 1);
    enum memory_type type = index == NO_INDEX ? MEMORY_WB : program->objects[index].type;
    return type == MEMORY_UC || type == MEMORY_WP ? 0 : FACT_WEAK;
}

static void add_effect_facts(const struct program *program, const struct insn *insn,
                             const struct effect *effect, uint8_t *fact)
{
    for (unsigned i = 0; i < effect->write_count; i++) {
        *fact |= facts_of_access(program, effect->writes[i].address, true);
        if (insn->class == INSN_NT_STORE)
            *fact |= facts_of_hint(program, effect->writes[i].address);
    }
}

static void add_plan_facts(const struct oracle *oracle, uint32_t local, const struct plan *plan,
                           uint8_t *fact)
{
    *fact |= FACT_SEEN;
    for (unsigned i = 0; i < plan->read_count; i++)
        *fact |= facts_of_access(oracle->program, plan->reads[i].address, false);
    if (plan->insn->class == INSN_FLUSH) {
        struct registers registers;
        oracle_registers(oracle, local, &registers);
        *fact |= facts_of_access(oracle->program, operand_address(&plan->insn->memory, &registers),
                                 true) &
                 FACT_PERSISTENT;
    }
    if (plan->done)
        add_effect_facts(oracle->program, plan->insn, oracle->effects[plan->effect], fact);
}

uint8_t *access_facts(struct judgement *judgement, uint32_t cpu)
{
    const struct oracle *oracle = judgement->prepared->oracle;
    const struct code *code = oracle->code[cpu];
    uint8_t *facts = region_array(judgement->region, code->insn_count + 1, 1);
    for (uint32_t local = 0; local < oracle->locals.count && local < oracle->plan_capacity;
         local++) {
        const struct plan *plan = oracle->plans[local];
        uint8_t *fact = plan && plan->insn ? fact_at(code, facts, plan->insn) : NULL;
        if (fact)
            add_plan_facts(oracle, local, plan, fact);
    }
    for (size_t i = 0; i < oracle->effect_of.slot_count; i++) {
        const struct map_slot *slot = &oracle->effect_of.slots[i];
        if (slot->value == MAP_NONE)
            continue;
        const struct plan *plan = oracle->plans[slot->key >> 32];
        uint8_t *fact = plan && plan->insn ? fact_at(code, facts, plan->insn) : NULL;
        if (fact)
            add_effect_facts(oracle->program, plan->insn, oracle->effects[slot->value], fact);
    }
    return facts;
}
