/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules behind verdicts: what reports for tools call an expectation that fails, input that is
 * wrong, a run without an answer. Traces cannot expect them; `simulate explain` tells them.
 */
#include <string.h>

#include "sim/report/problem_words.h"
#include "sim/report/problems.h"

static const struct rule table[] = {
    {"bad-input", RULE_ERROR, MEANS_READING, "a trace, profile or baseline that is wrong",
     "mend what the message names, at its line and column",
     "The file cannot be judged as it stands: it is no YAML or no litmus test, has a key that does "
     "not exist, names what is not defined, or its code cannot be assembled or decoded. All of a "
     "file's errors are reported in one run, and the exit status is 2."},
    {"cost-regression", RULE_ERROR, MEANS_READING,
     "a run costs more cycles than the baseline allows",
     "look at the instruction that grew most; save the baseline again if the cost is meant",
     "The cycles of this run are compared with those in the file that --baseline names. The one "
     "that grew by more than --tolerance is reported with the instruction and the cause that grew "
     "most. --save-baseline writes a new baseline."},
    {"expectation-failed", RULE_ERROR, MEANS_READING, "an expectation of the trace does not hold",
     "follow the witness; put a fence where it shows a load pass a store, or correct the "
     "expectation",
     "The trace says under `expect` what must hold, and the model shows that it does not. For "
     "`never` and `always` the report has an execution that proves it, step by step; for "
     "`sometimes` no execution of the model does it."},
    {"expectation-unknown", RULE_ERROR, MEANS_READING, "an expectation could not be decided",
     "raise the limit that was hit, or take out what is not modelled",
     "Not every execution could be followed to its end: a limit was hit, or one reached something "
     "that no model covers. What was seen neither proves nor refutes the expectation. The exit "
     "status is 3 unless something else fails."},
    {"incomplete", RULE_ERROR, MEANS_READING, "not all executions were followed to their end",
     "raise the limit that was hit, or make the trace smaller",
     "A run that hits --max-states, --max-seconds or --max-memory, or that is interrupted, says "
     "how far it got. What it has found stands; what it has not found may still exist."},
    {"relaxed-outcome", RULE_ERROR, MEANS_READING,
     "an outcome that no interleaving of the instructions gives",
     "put a fence where the witness shows a load pass a store, or expect it with `sometimes`",
     "A trace without expectations passes only when all its outcomes are those of sequential "
     "consistency. This one has more: on the profile, memory accesses of a CPU become visible to "
     "others in another order than that of the program."},
};

const struct rule *verdict_rules(size_t *count)
{
    *count = sizeof table / sizeof table[0];
    return table;
}

const struct rule *verdict_rule(const char *id)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].id, id) == 0)
            return &table[i];
    return NULL;
}
