/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which fences forbid a relaxed outcome: in every cycle that gives it some program order was not
 * kept. A fence is put there, all executions are explored again, and as long as the outcome still
 * comes about in another way, that way's cycle says where the next fence goes. What is left at
 * the end is shown to suffice, and each fence of it to be needed.
 */
#include <string.h>

#include "sim/findings/findings.h"

/* Beyond these it is not looked for. */
enum { BASE_STATES_MAX = 50000, EACH_STATES_MAX = 200000, ALL_STATES_MAX = 1000000 };
enum { PLACES_MAX = 8, ROUNDS_MAX = 16, LEVELS = 3 };

/* What is tried at a place, the weakest first. */
struct remedy {
    enum insn_class fences[2]; /* INSN_ORDINARY: none */
};

struct place_tried {
    uint32_t cpu, members, offset;
    const char *text;
    const struct remedy *remedies; /* LEVELS of them */
    unsigned level;
    bool used;
};

struct forbidding {
    struct judgement *judgement;
    int outcome;
    struct place_tried places[PLACES_MAX];
    size_t place_count;
    uint64_t states_left;
};

static const struct remedy after_store[LEVELS] = {
    {{INSN_SFENCE}}, {{INSN_MFENCE}}, {{INSN_MFENCE, INSN_LFENCE}}};
static const struct remedy after_load[LEVELS] = {
    {{INSN_LFENCE}}, {{INSN_MFENCE}}, {{INSN_MFENCE, INSN_LFENCE}}};
/* Only MFENCE keeps a store before a load. */
static const struct remedy full[LEVELS] = {{{INSN_MFENCE}}, {{INSN_MFENCE, INSN_LFENCE}}, {{0}}};

static const struct remedy *remedies_of(const struct event *from, const struct event *to)
{
    if (from->kind == EVENT_WRITE && to->kind == EVENT_WRITE)
        return after_store;
    bool store_to_load = from->writes && to->kind == EVENT_READ && to->class != INSN_WRMSR;
    return store_to_load ? full : after_load;
}

static bool is_used(const struct remedy *remedy) { return remedy->fences[0] != INSN_ORDINARY; }

/* A fence more, or a stronger one, where program order was not kept; false: nothing is left to
 * try there. */
static bool add_place(struct forbidding *f, const struct relations *relations,
                      const struct edge *edge)
{
    const struct event *from = &relations->events[edge->from], *to = &relations->events[edge->to];
    const struct cpu *cpu = &f->judgement->result->program->cpus[to->cpu];
    uint32_t first = to->cpu;
    while (cpu->family_count && first > 0 &&
           strcmp(f->judgement->result->program->cpus[first - 1].family, cpu->family) == 0)
        first--;
    for (size_t i = 0; i < f->place_count; i++) {
        struct place_tried *place = &f->places[i];
        if (place->cpu != first || place->offset != to->offset)
            continue;
        if (place->level + 1 == LEVELS || !is_used(&place->remedies[place->level + 1]))
            return false;
        place->level++;
        return true;
    }
    if (f->place_count == PLACES_MAX || !to->has_insn)
        return false;
    f->places[f->place_count++] =
        (struct place_tried){.cpu = first,
                             .members = cpu->family_count ? cpu->family_count : 1,
                             .offset = to->offset,
                             .text = to->text,
                             .remedies = remedies_of(from, to),
                             .used = true};
    return true;
}

static bool add_places(struct forbidding *f, const struct relations *relations)
{
    bool added = false;
    for (size_t i = 0; i < relations->cycle_count; i++)
        if (relations->cycle[i].relaxed)
            added = add_place(f, relations, &relations->cycle[i]) || added;
    return added;
}

/* Explores with the fences; NULL when that cannot be finished. */
static struct exploration *explore_fenced(struct forbidding *f)
{
    struct judgement *judgement = f->judgement;
    size_t most = 0, count = 0;
    for (size_t i = 0; i < f->place_count; i++)
        most += 2 * (size_t)f->places[i].members;
    struct removed *fences = region_array(judgement->region, most + 1, sizeof *fences);
    for (size_t i = 0; i < f->place_count; i++) {
        const struct place_tried *place = &f->places[i];
        for (uint32_t n = 0; place->used && n < place->members; n++)
            for (unsigned k = 0; k < 2; k++) {
                enum insn_class class = place->remedies[place->level].fences[k];
                if (class != INSN_ORDINARY)
                    fences[count++] = (struct removed){.cpu = place->cpu + n,
                                                       .start = place->offset,
                                                       .end = place->offset,
                                                       .as = class};
            }
    }
    uint64_t limit = f->states_left < EACH_STATES_MAX ? f->states_left : EACH_STATES_MAX;
    uint64_t wanted = judgement->options->max_states;
    if (limit == 0)
        return NULL;
    struct exploration *found =
        explore_varied(judgement, fences, count, wanted && wanted < limit ? wanted : limit);
    f->states_left -= found->state_count < f->states_left ? found->state_count : f->states_left;
    if (found->complete)
        return found;
    exploration_close(found);
    return NULL;
}

/* The final state that has the outcome, NULL when none has. */
static const struct final_state *reaches(const struct forbidding *f,
                                         const struct exploration *exploration)
{
    for (size_t i = 0; i < exploration->final_count; i++)
        if (outcome_of(f->judgement, &exploration->finals[i]) == f->outcome)
            return &exploration->finals[i];
    return NULL;
}

/* What a try came to. */
enum tried { TRIED_FORBIDS, TRIED_ALLOWS, TRIED_UNKNOWN };

/* Explores; when the outcome is still reachable, `relations` are those of a way to it. */
static enum tried try_fences(struct forbidding *f, const struct relations **relations)
{
    struct judgement *judgement = f->judgement;
    struct exploration *found = explore_fenced(f);
    if (!found)
        return TRIED_UNKNOWN;
    const struct final_state *final = reaches(f, found);
    if (final && relations)
        *relations =
            relations_new(judgement->region, judgement->result->program, judgement->profile,
                          witness_new(judgement->region, found, final->state, final->tuple));
    exploration_close(found);
    return final ? TRIED_ALLOWS : TRIED_FORBIDS;
}

/* Leaves out what is not needed; false when that could not be found out. */
static bool prune(struct forbidding *f)
{
    for (size_t i = 0; i < f->place_count; i++) {
        f->places[i].used = false;
        enum tried tried = try_fences(f, NULL);
        if (tried == TRIED_UNKNOWN)
            return false;
        f->places[i].used = tried == TRIED_ALLOWS;
    }
    return true;
}

static const char *fence_name(enum insn_class class)
{
    return class == INSN_MFENCE   ? "mfence"
           : class == INSN_LFENCE ? "lfence"
           : class == INSN_SFENCE ? "sfence"
                                  : NULL;
}

static void report_places(const struct forbidding *f, struct result_witness *witness)
{
    struct region *region = f->judgement->region;
    struct fence_place *places = region_array(region, f->place_count + 1, sizeof *places);
    for (size_t i = 0; i < f->place_count; i++) {
        const struct place_tried *place = &f->places[i];
        if (!place->used)
            continue;
        const enum insn_class *fences = place->remedies[place->level].fences;
        places[witness->forbidden_by_count++] =
            (struct fence_place){.cpu = place->cpu,
                                 .offset = place->offset,
                                 .text = place->text,
                                 .fences = {fence_name(fences[0]), fence_name(fences[1])}};
    }
    witness->forbidden_by = places;
}

static void forbid(struct forbidding *f, struct result_witness *witness)
{
    const struct relations *relations = witness->relations;
    for (unsigned round = 0; round < ROUNDS_MAX; round++) {
        if (relations->problem || !add_places(f, relations))
            return;
        enum tried tried = try_fences(f, &relations);
        if (tried == TRIED_UNKNOWN)
            return;
        if (tried == TRIED_FORBIDS) {
            if (prune(f))
                report_places(f, witness);
            return;
        }
    }
}

/* A trial of another witness of the same outcome found the same. */
static bool known_already(const struct result *result, struct result_witness *witness)
{
    for (const struct result_witness *old = result->witnesses; old < witness; old++)
        if (old->outcome == witness->outcome) {
            witness->forbidden_by = old->forbidden_by;
            witness->forbidden_by_count = old->forbidden_by_count;
            return true;
        }
    return false;
}

void find_forbidding_fences(struct judgement *judgement)
{
    struct result *result = judgement->result;
    uint64_t states_left = ALL_STATES_MAX;
    if (judgement->options->findings != FINDINGS_ALL || !judgement->exploration->complete ||
        judgement->exploration->state_count > BASE_STATES_MAX || !result->relaxed_known)
        return;
    for (size_t i = 0; i < result->witness_count; i++) {
        struct result_witness *witness = &result->witnesses[i];
        if (witness->outcome == NO_INDEX || !result->outcomes[witness->outcome].relaxed ||
            known_already(result, witness))
            continue;
        struct forbidding *f = region_alloc(judgement->region, sizeof *f);
        *f = (struct forbidding){
            .judgement = judgement, .outcome = witness->outcome, .states_left = states_left};
        forbid(f, witness);
        states_left = f->states_left;
    }
}
