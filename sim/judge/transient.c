/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions that name `stuck` speak of every state of a loop without end. What a CPU has in its
 * registers, or in memory of its own, changes there in steps that no other CPU can notice; the
 * reduced search takes those at once and does not see the values in between.
 */
#include "sim/judge/judge.h"

static bool can_be_stuck(const struct exploration *exploration, uint32_t cpu)
{
    for (size_t i = 0; i < exploration->final_count; i++)
        if (exploration->finals[i].is_stuck && exploration->finals[i].stuck[cpu])
            return true;
    return false;
}

static bool has_owner(const struct exploration *exploration, uint32_t number)
{
    const struct object *object = &exploration->program->objects[number];
    for (uint64_t byte = 0; byte < object->size; byte++)
        if (footprint_owner(exploration->components.footprint, object->address + byte) >= 0)
            return true;
    return false;
}

static bool is_transient(const struct exploration *exploration, const struct condition *condition)
{
    switch (condition->op) {
    case CONDITION_NUMBER:
    case CONDITION_CRASH:
    case CONDITION_STUCK:
        return false;
    case CONDITION_REGISTER:
        return can_be_stuck(exploration, condition->cpu);
    case CONDITION_OBJECT:
        return has_owner(exploration, condition->object);
    default:
        return is_transient(exploration, condition->left) ||
               (condition->right && is_transient(exploration, condition->right));
    }
}

bool shows_transient_values(const struct judgement *judgement,
                            const struct exploration *exploration)
{
    const struct program *program = exploration->program;
    if (!exploration->complete || !exploration->can_stick)
        return false;
    for (size_t i = 0; i < program->expectation_count; i++) {
        const struct expectation *expectation = &program->expectations[i];
        if (expectation->about_stuck &&
            expectation_applies(expectation, NULL, judgement->profile->name) &&
            is_transient(exploration, expectation->condition))
            return true;
    }
    return false;
}
