/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/judge/condition_value.h"

static bool has_value(const struct condition *condition, const struct condition_state *state)
{
    return condition->term == NO_INDEX || !state->durable || state->durable[condition->term];
}

static uint64_t value_of(const struct condition *condition, const struct condition_state *state)
{
    const struct condition *left = condition->left, *right = condition->right;
    switch (condition->op) {
    case CONDITION_NUMBER:
        return condition->number;
    case CONDITION_REGISTER:
    case CONDITION_OBJECT:
        return has_value(condition, state) ? state->values[condition->term] : 0;
    case CONDITION_CRASH:
        return state->durable != NULL;
    case CONDITION_STUCK:
        return state->stuck && state->stuck[condition->cpu];
    case CONDITION_NOT:
        return !value_of(left, state);
    case CONDITION_AND:
        return value_of(left, state) && value_of(right, state);
    case CONDITION_OR:
        return value_of(left, state) || value_of(right, state);
    default:
        break;
    }
    if (!has_value(left, state) || !has_value(right, state))
        return 0; /* after a power cut only persistent objects compare */
    uint64_t a = value_of(left, state), b = value_of(right, state);
    switch (condition->op) {
    case CONDITION_EQ:
        return a == b;
    case CONDITION_NE:
        return a != b;
    case CONDITION_LT:
        return a < b;
    case CONDITION_LE:
        return a <= b;
    case CONDITION_GT:
        return a > b;
    default:
        return a >= b;
    }
}

bool condition_holds(const struct condition *condition, const struct condition_state *state)
{
    return value_of(condition, state) != 0;
}
