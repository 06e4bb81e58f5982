/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/run/run.h"

static uint64_t value_of(const struct condition *condition, const uint64_t *values,
                         const bool *stuck)
{
    uint64_t left, right;
    switch (condition->op) {
    case CONDITION_NUMBER:
        return condition->number;
    case CONDITION_REGISTER:
    case CONDITION_OBJECT:
        return values[condition->term];
    case CONDITION_CRASH:
        return 0;
    case CONDITION_STUCK:
        return stuck && stuck[condition->cpu];
    case CONDITION_NOT:
        return !value_of(condition->left, values, stuck);
    case CONDITION_AND:
        return value_of(condition->left, values, stuck) &&
               value_of(condition->right, values, stuck);
    case CONDITION_OR:
        return value_of(condition->left, values, stuck) ||
               value_of(condition->right, values, stuck);
    default:
        break;
    }
    left = value_of(condition->left, values, stuck);
    right = value_of(condition->right, values, stuck);
    switch (condition->op) {
    case CONDITION_EQ:
        return left == right;
    case CONDITION_NE:
        return left != right;
    case CONDITION_LT:
        return left < right;
    case CONDITION_LE:
        return left <= right;
    case CONDITION_GT:
        return left > right;
    default:
        return left >= right;
    }
}

bool condition_holds(const struct condition *condition, const uint64_t *values, const bool *stuck)
{
    return value_of(condition, values, stuck) != 0;
}
