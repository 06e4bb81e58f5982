/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expectations: what the trace says must hold, decided on what was explored and timed. */
#include <math.h>
#include <string.h>

#include "sim/judge/judge.h"
#include "sim/judge/rules.h"

/* Whether a final state is one that the expectation speaks of. */
static bool speaks_of(const struct expectation *expectation, const struct final_state *final)
{
    return !final->is_stuck || expectation->about_stuck;
}

/* The first final state whose condition is `wanted`; NULL when there is none. */
static const struct final_state *find_final(const struct judgement *judgement,
                                            const struct expectation *expectation, bool wanted)
{
    const struct exploration *exploration = judgement->exploration;
    const struct final_state *found = NULL;
    for (size_t i = 0; i < exploration->final_count; i++) {
        const struct final_state *final = &exploration->finals[i];
        const struct condition_state state = {final->values, final->stuck, NULL};
        if (speaks_of(expectation, final) &&
            condition_holds(expectation->condition, &state) == wanted &&
            (!found || final->state < found->state))
            found = final;
    }
    return found;
}

/* The same among what a power cut can leave. */
static const struct crash_image *find_image(const struct judgement *judgement,
                                            const struct expectation *expectation, bool wanted)
{
    const struct exploration *exploration = judgement->exploration;
    bool *durable = region_array(judgement->region, exploration->term_count + 1, sizeof *durable);
    for (size_t i = 0; i < exploration->term_count; i++)
        durable[i] = term_is_durable(exploration->program, &exploration->terms[i]);
    for (size_t i = 0; i < exploration->image_count; i++) {
        const struct condition_state state = {exploration->images[i].values, NULL, durable};
        if (condition_holds(expectation->condition, &state) == wanted)
            return &exploration->images[i];
    }
    return NULL;
}

/* Sets `*final` and `*image` to what decides it, to NULL when nothing was found. */
static enum held condition_held(const struct judgement *judgement,
                                const struct expectation *expectation,
                                const struct final_state **final, const struct crash_image **image)
{
    bool wanted = expectation->kind != EXPECT_ALWAYS;
    *final = find_final(judgement, expectation, wanted);
    *image = expectation->about_crash ? find_image(judgement, expectation, wanted) : NULL;
    if (*final || *image)
        return expectation->kind == EXPECT_SOMETIMES ? HELD_YES : HELD_NO;
    if (!judgement->exploration->complete)
        return HELD_UNKNOWN;
    return expectation->kind == EXPECT_SOMETIMES ? HELD_NO : HELD_YES;
}

/* What the trace asks of any variant is what a variant must do to replace another. */
static enum held keeps_order(const struct judgement *judgement)
{
    const struct result *result = judgement->result;
    const struct program *program = result->program;
    const struct final_state *final;
    const struct crash_image *image;
    enum held all = HELD_YES;
    for (size_t i = 0; i < program->expectation_count; i++) {
        const struct expectation *expectation = &program->expectations[i];
        bool asks = expectation->kind == EXPECT_NEVER || expectation->kind == EXPECT_ALWAYS;
        if (!asks || !expectation_applies(expectation, NULL, judgement->profile->name))
            continue;
        enum held held = condition_held(judgement, expectation, &final, &image);
        all = held == HELD_NO || all == HELD_NO ? HELD_NO : held == HELD_YES ? all : HELD_UNKNOWN;
    }
    for (size_t i = 0; program->expectation_count == 0 && i < result->outcome_count; i++)
        all = result->outcomes[i].relaxed ? HELD_NO : all;
    return all;
}

/* Whether any execution has a final state. */
static bool ends_somewhere(const struct exploration *exploration)
{
    for (size_t i = 0; i < exploration->final_count; i++)
        if (!exploration->finals[i].is_stuck)
            return true;
    return false;
}

static void decide_condition(struct judgement *judgement, struct expect_row *row)
{
    const struct expectation *expectation = row->expectation;
    const struct final_state *found;
    const struct crash_image *image;
    row->held = condition_held(judgement, expectation, &found, &image);
    if (row->held == HELD_YES && !found && !image && !expectation->about_stuck &&
        !expectation->about_crash && !ends_somewhere(judgement->exploration)) {
        row->held = HELD_UNKNOWN;
        row->note = "no execution ends, so that there is nothing to hold it against";
    }
    if (found)
        row->witness =
            add_witness(judgement, found->state, found->tuple, outcome_of(judgement, found),
                        found->is_stuck ? ENDS_STUCK : ENDS_FINAL, expectation->text);
    else if (image)
        row->witness =
            add_witness(judgement, image->state, NULL, NO_INDEX, ENDS_CRASH, expectation->text);
}

static void decide_redundant(struct judgement *judgement, struct expect_row *row)
{
    const struct program *program = judgement->result->program;
    const struct variant *variant = &program->variants[judgement->result->variant];
    struct removed *removed = NULL;
    size_t count = 0, capacity = 0;
    for (uint32_t cpu = 0; cpu < program->cpu_count; cpu++)
        for (size_t i = 0; i < variant->code[cpu]->slot_count; i++) {
            const struct slot_range *range = &variant->code[cpu]->slots[i];
            if (strcmp(range->slot, row->expectation->name) != 0 || range->start == range->end)
                continue;
            removed = region_push(judgement->region, removed, count, &capacity, sizeof *removed);
            removed[count++] = (struct removed){cpu, range->start, range->end, INSN_ORDINARY};
        }
    struct exploration *without = explore_without(judgement, removed, count);
    if (!judgement->exploration->complete || !without->complete) {
        row->held = HELD_UNKNOWN;
        row->note = "not every execution could be followed";
    } else {
        row->held = same_outcomes(judgement, judgement->exploration, without) ? HELD_YES : HELD_NO;
        if (row->held == HELD_NO)
            row->note = "without it the outcomes are others";
    }
    exploration_close(without);
}

static const struct timed_cpu *timed_cpu_of(const struct timed *timed, uint32_t cpu)
{
    for (size_t i = 0; timed && i < timed->cpu_count; i++)
        if (timed->cpus[i].cpu == cpu)
            return &timed->cpus[i];
    return NULL;
}

static double cycles_of(const struct timed_cpu *cpu)
{
    return cpu->has_iterations ? cpu->per_iteration : cpu->cycles;
}

static void decide_cycles(struct judgement *judgement, struct expect_row *row)
{
    const struct expectation *expectation = row->expectation;
    const struct timed *timed = judgement->result->timed;
    const struct timed_cpu *cpu = timed_cpu_of(timed, expectation->cpu);
    row->held = HELD_UNKNOWN;
    if (!cpu || !timed->complete || timed->unmodelled_count) {
        row->note = !judgement->profile->has_cycles ? "the profile has no cycles"
                    : timed && timed->reason        ? timed->reason
                                                    : "it could not be timed";
        return;
    }
    double cycles = cycles_of(cpu);
    bool held = true;
    if (expectation->max >= 0)
        held = cycles <= expectation->max;
    if (expectation->value >= 0)
        held = held &&
               fabs(cycles - expectation->value) <= expectation->value * expectation->within + 1e-9;
    row->held = held ? HELD_YES : HELD_NO;
    row->note = region_printf(judgement->region, "%.2f cycles", cycles);
}

static void decide_finding(struct judgement *judgement, struct expect_row *row)
{
    const struct result *result = judgement->result;
    row->held = HELD_NO;
    for (size_t i = 0; i < result->finding_count; i++)
        if (strcmp(result->findings[i].rule, row->expectation->name) == 0)
            row->held = HELD_YES;
    bool partly =
        rule_find(row->expectation->name)->means == MEANS_EXPLORING && result->findings_incomplete;
    if (row->held == HELD_NO && ((result->ordered && !result->complete) || partly))
        row->held = HELD_UNKNOWN;
}

/* Whether findings of this rule were to be looked for at all. */
static bool is_looked_for(const struct run_options *options, const char *id)
{
    const struct rule *rule = rule_find(id);
    return rule && options->findings != FINDINGS_NONE &&
           (options->findings == FINDINGS_ALL || rule->means != MEANS_EXPLORING);
}

static bool is_about_time(const struct expectation *expectation)
{
    return expectation->kind == EXPECT_CYCLES || expectation->kind == EXPECT_CHEAPER;
}

void judge_expectations(struct judgement *judgement)
{
    struct result *result = judgement->result;
    const struct program *program = result->program;
    const char *variant = program->variants[result->variant].name;
    result->keeps_order = judgement->exploration ? keeps_order(judgement) : HELD_UNKNOWN;
    result->expects =
        region_array(judgement->region, program->expectation_count + 1, sizeof *result->expects);
    for (size_t i = 0; i < program->expectation_count; i++) {
        const struct expectation *expectation = &program->expectations[i];
        if (!expectation_applies(expectation, variant, judgement->profile->name))
            continue;
        if (is_about_time(expectation) ? !judgement->options->time : !judgement->options->order)
            continue;
        if (expectation->kind == EXPECT_FINDING &&
            !is_looked_for(judgement->options, expectation->name))
            continue;
        if (expectation->kind == EXPECT_CHEAPER && strcmp(expectation->variant, variant) != 0)
            continue;
        struct expect_row *row = &result->expects[result->expect_count++];
        *row = (struct expect_row){expectation, HELD_UNKNOWN, NO_INDEX, NULL};
        switch (expectation->kind) {
        case EXPECT_NEVER:
        case EXPECT_SOMETIMES:
        case EXPECT_ALWAYS:
            decide_condition(judgement, row);
            break;
        case EXPECT_REDUNDANT:
            decide_redundant(judgement, row);
            break;
        case EXPECT_CYCLES:
            decide_cycles(judgement, row);
            break;
        case EXPECT_FINDING:
            decide_finding(judgement, row);
            break;
        case EXPECT_CHEAPER: /* needs the other variant: judge_cheaper */
            break;
        }
    }
}

static const struct result *sibling(const struct result_list *results, const struct result *of,
                                    const char *variant)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct result *other = results->items[i];
        if (other->program == of->program && other->profile == of->profile &&
            strcmp(other->program->variants[other->variant].name, variant) == 0)
            return other;
    }
    return NULL;
}

void judge_cheaper(struct region *region, struct result_list *results)
{
    for (size_t i = 0; i < results->count; i++) {
        struct result *result = results->items[i];
        for (size_t n = 0; n < result->expect_count; n++) {
            struct expect_row *row = &result->expects[n];
            if (row->expectation->kind != EXPECT_CHEAPER)
                continue;
            const struct result *than = sibling(results, result, row->expectation->than);
            const struct timed_cpu *mine = timed_cpu_of(result->timed, row->expectation->cpu);
            const struct timed_cpu *other =
                than ? timed_cpu_of(than->timed, row->expectation->cpu) : NULL;
            bool known = mine && other && result->timed->complete && than->timed->complete;
            if (!known) {
                row->note = "both variants must be timed for this";
                continue;
            }
            row->held = cycles_of(mine) < cycles_of(other) ? HELD_YES : HELD_NO;
            row->note = region_printf(region, "%.2f against %.2f cycles", cycles_of(mine),
                                      cycles_of(other));
        }
    }
}

bool finding_is_expected(const struct result *result, size_t finding)
{
    for (size_t i = 0; i < result->expect_count; i++)
        if (result->expects[i].expectation->kind == EXPECT_FINDING &&
            strcmp(result->expects[i].expectation->name, result->findings[finding].rule) == 0)
            return true;
    return false;
}

bool result_lacks_cycles(const struct result *result)
{
    const struct timed *timed = result->timed;
    return timed && (timed->limited || (!result->ordered && !timed->complete));
}

void judge_verdict(struct result *result)
{
    bool violated = false, unknown = result->unmodelled_count > 0;
    for (size_t i = 0; i < result->expect_count; i++) {
        violated = violated || result->expects[i].held == HELD_NO;
        unknown = unknown || result->expects[i].held == HELD_UNKNOWN;
    }
    if ((result->ordered && !result->complete) || result_lacks_cycles(result))
        unknown = true;
    for (size_t i = 0; i < result->finding_count; i++)
        violated = violated || (result->findings[i].is_error && !finding_is_expected(result, i));
    if (result->ordered && result->program->expectation_count == 0 && !result->program->litmus) {
        for (size_t i = 0; i < result->outcome_count; i++)
            violated = violated || result->outcomes[i].relaxed;
        unknown = unknown || !result->relaxed_known;
    }
    result->verdict = violated ? VERDICT_VIOLATION : unknown ? VERDICT_UNKNOWN : VERDICT_PASS;
}

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {"pass", "violation", "unknown"};
    return names[verdict];
}
