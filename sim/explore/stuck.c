/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * States from which no final state can be reached. Which states can reach one is worked out
 * backwards by going through all states, last found first, until nothing changes: successors
 * mostly have higher numbers, so that few rounds are needed and no edge has to be kept.
 * What such an execution comes to is where it goes round for ever; states on the way there,
 * with stores that will still leave the buffer, say nothing.
 */
#include <string.h>

#include "sim/explore/explore.h"
#include "sim/explore/recurrent.h"

bool can_go_round(const struct exploration *exploration)
{
    for (size_t cpu = 0; cpu < exploration->program->cpu_count; cpu++) {
        const struct code *code = exploration->components.oracle->code[cpu];
        for (size_t i = 0; i < code->insn_count; i++) {
            const struct insn *insn = code->insns[i];
            if (insn->is_branch && !insn->is_return &&
                (!insn->has_target || insn->target <= insn->address))
                return true;
            if (insn->is_call)
                return true;
        }
    }
    return exploration->program->handler_count > 0 ||
           exploration->components.oracle->returns_inside;
}

struct round {
    struct exploration *exploration;
    const uint8_t *reaches;
    bool found;
};

static void check_successor(void *receiver, uint32_t cpu, struct transition *transition,
                            const uint32_t *tuple)
{
    (void)cpu, (void)transition;
    struct round *round = receiver;
    if (round->found)
        return;
    uint32_t next = states_find(&round->exploration->states, tuple);
    round->found = next != NO_STATE && round->reaches[next];
}

/* Extends `reaches` backwards. */
static void spread(struct exploration *exploration, uint8_t *reaches, uint32_t *tuple)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t n = exploration->states.count; n-- > 0;) {
            explore_check(exploration, n);
            if (reaches[n])
                continue;
            struct round round = {exploration, reaches, false};
            states_get(&exploration->states, (uint32_t)n, tuple);
            for_each_successor(exploration, tuple, check_successor, &round);
            if (round.found)
                reaches[n] = 1, changed = true;
        }
    }
}

static bool has_ended(struct exploration *exploration, uint32_t cpu, uint32_t component)
{
    return component_of(&exploration->components, cpu, component)->status == COMPONENT_ENDED;
}

static void count_one(void *receiver, uint32_t cpu, struct transition *transition,
                      const uint32_t *tuple)
{
    (void)receiver, (void)cpu, (void)transition, (void)tuple;
}

static uint8_t *reach_final(struct exploration *exploration, uint32_t *tuple)
{
    uint8_t *reaches = region_alloc(&exploration->region, exploration->states.count);
    for (size_t n = 0; n < exploration->states.count; n++) {
        explore_check(exploration, n);
        states_get(&exploration->states, (uint32_t)n, tuple);
        bool ended = true;
        for (uint32_t cpu = 0; cpu < exploration->program->cpu_count && ended; cpu++)
            ended = has_ended(exploration, cpu, tuple[cpu]);
        reaches[n] = ended && for_each_successor(exploration, tuple, count_one, NULL) == 0;
    }
    spread(exploration, reaches, tuple);
    return reaches;
}

/*
 * Whether a CPU is stuck in a trap's state. Who has ended stays so in the absence of interrupts:
 * of those alike, who is who differs from state to state, but each state says who has not ended.
 */
static bool is_stuck(struct exploration *exploration, const bool *stuck, uint32_t cpu,
                     uint32_t component)
{
    const struct symmetry *symmetry = &exploration->components.symmetry;
    bool alone = symmetry->previous[cpu] == NOT_ALIKE && symmetry->next[cpu] == NOT_ALIKE;
    return alone ? stuck[cpu] : !has_ended(exploration, cpu, component);
}

struct trapped {
    struct exploration *exploration;
    uint32_t state;
    bool *stuck;
};

static void add_stuck(void *receiver, const uint32_t *tuple)
{
    const struct trapped *trapped = receiver;
    struct exploration *exploration = trapped->exploration;
    struct region *region = &exploration->region;
    size_t cpus = exploration->program->cpu_count;
    size_t value_bytes = exploration->term_count * sizeof(uint64_t);
    uint8_t *key = region_alloc(region, value_bytes + cpus + 1);
    uint64_t *values = region_array(region, exploration->term_count + 1, sizeof *values);
    for (size_t i = 0; i < exploration->term_count; i++)
        values[i] = term_value(exploration, tuple, &exploration->terms[i]);
    bool *stuck = region_array(region, cpus, sizeof *stuck);
    for (uint32_t cpu = 0; cpu < cpus; cpu++)
        stuck[cpu] = is_stuck(exploration, trapped->stuck, cpu, tuple[cpu]);
    memcpy(key, values, value_bytes);
    memcpy(key + value_bytes, stuck, cpus);
    bool fresh;
    intern_add(&exploration->seen, key, value_bytes + cpus, &fresh);
    if (!fresh)
        return;
    exploration->finals = region_push(region, exploration->finals, exploration->final_count,
                                      &exploration->final_capacity, sizeof *exploration->finals);
    exploration->finals[exploration->final_count++] =
        (struct final_state){.state = trapped->state,
                             .is_stuck = true,
                             .tuple = copy_tuple(exploration, tuple),
                             .values = values,
                             .stuck = stuck};
}

struct collecting {
    struct exploration *exploration;
    uint32_t *tuple;
    bool *stuck;
};

/* Adds the states of a trap in which every CPU that ever ends there has ended. */
static void collect_trap(void *receiver, const uint32_t *states, size_t count)
{
    struct collecting *collecting = receiver;
    struct exploration *exploration = collecting->exploration;
    uint32_t cpus = (uint32_t)exploration->program->cpu_count;
    bool *stuck = collecting->stuck, any = false;
    for (uint32_t cpu = 0; cpu < cpus; cpu++)
        stuck[cpu] = true;
    for (size_t i = 0; i < count; i++) {
        states_get(&exploration->states, states[i], collecting->tuple);
        for (uint32_t cpu = 0; cpu < cpus; cpu++)
            stuck[cpu] = stuck[cpu] && !has_ended(exploration, cpu, collecting->tuple[cpu]);
    }
    for (uint32_t cpu = 0; cpu < cpus; cpu++) /* the tuple is that of the last one */
        any = any || is_stuck(exploration, stuck, cpu, collecting->tuple[cpu]);
    for (size_t i = 0; i < count && any; i++) {
        bool settled = true;
        states_get(&exploration->states, states[i], collecting->tuple);
        for (uint32_t cpu = 0; cpu < cpus && settled; cpu++)
            settled = is_stuck(exploration, stuck, cpu, collecting->tuple[cpu]) ||
                      has_ended(exploration, cpu, collecting->tuple[cpu]);
        if (settled)
            for_each_arrangement(exploration, collecting->tuple, add_stuck,
                                 &(struct trapped){exploration, states[i], stuck});
    }
}

void find_stuck(struct exploration *exploration)
{
    if (!exploration->dead_end && !exploration->goes_round)
        return;
    size_t count = exploration->states.count;
    uint32_t *tuple = region_array(&exploration->region, exploration->tuple_length, sizeof *tuple);
    uint8_t *reaches = reach_final(exploration, tuple);
    uint8_t *lost = region_alloc(&exploration->region, count);
    for (size_t n = 0; n < count; n++) {
        lost[n] = !reaches[n];
        exploration->can_stick = exploration->can_stick || lost[n];
    }
    bool *stuck =
        region_array(&exploration->region, exploration->program->cpu_count, sizeof *stuck);
    if (exploration->can_stick)
        for_each_trap(exploration, lost, collect_trap,
                      &(struct collecting){exploration, tuple, stuck});
}
