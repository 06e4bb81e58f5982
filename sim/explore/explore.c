/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/explore/explore.h"

#include <string.h>

#include "sim/explore/ample.h"
#include "sim/explore/endings.h"

enum { CHECK_EVERY = 1024 };

struct search {
    struct exploration *exploration;
    uint32_t from;
    bool goes_back; /* to a state that has been explored already */
};

static void add_successor(void *receiver, uint32_t cpu, struct transition *transition,
                          const uint32_t *tuple)
{
    (void)cpu, (void)transition;
    struct search *search = receiver;
    states_queue(&search->exploration->states, tuple, search->from);
}

static void look_back(void *receiver, uint32_t cpu, struct transition *transition,
                      const uint32_t *tuple)
{
    (void)cpu, (void)transition;
    struct search *search = receiver;
    uint32_t state = states_find(&search->exploration->states, tuple);
    search->goes_back = search->goes_back || state <= search->from;
}

static void queue_in_order(struct exploration *exploration, uint32_t state, const uint32_t *tuple,
                           uint32_t cpu, uint32_t component, uint32_t memory)
{
    uint32_t *next = exploration->tuple;
    memcpy(next, tuple, exploration->tuple_length * sizeof *next);
    next[cpu] = component;
    next[exploration->program->cpu_count] = memory;
    symmetry_settle(&exploration->components.symmetry, next, cpu);
    states_queue(&exploration->states, next, state);
}

/* The hot path: steps that change one CPU and memory only. */
static unsigned queue_steps(struct exploration *exploration, uint32_t state, const uint32_t *tuple,
                            uint64_t which)
{
    struct components *components = &exploration->components;
    uint32_t cpus = (uint32_t)exploration->program->cpu_count;
    bool symmetric = components->symmetry.any;
    unsigned count = 0;
    for (uint32_t cpu = 0; cpu < cpus; cpu++) {
        if (cpu < 64 && !(which >> cpu & 1))
            continue;
        if (symmetric && symmetry_repeats(&components->symmetry, tuple, cpu, which))
            continue;
        struct component *component = component_of(components, cpu, tuple[cpu]);
        for (uint32_t i = 0; i < component->transition_count; i++) {
            struct transition *transition = &component->transitions[i];
            const struct outcome *outcome =
                transition_has_value(transition->kind)
                    ? transition_outcome(components, cpu, tuple[cpu], transition, tuple[cpus])
                    : &transition->outcome;
            uint32_t memory = tuple[cpus];
            for (uint32_t n = 0; n < outcome->store_count; n++)
                memory = memory_write(&components->shared, memory, outcome->stores[n]);
            if (symmetric)
                queue_in_order(exploration, state, tuple, cpu, outcome->next, memory);
            else
                states_queue_step(&exploration->states, state, cpu, outcome->next, cpus, memory);
            count++;
        }
    }
    return count;
}

/* Explores a state for as few CPUs as will do. */
static unsigned explore_state(struct exploration *exploration, uint32_t state,
                              const uint32_t *tuple)
{
    struct search search = {exploration, state, false};
    uint64_t which = UINT64_MAX;
    if (exploration->ample)
        which = ample_cpus(exploration, tuple);
    if (exploration->ample && exploration->goes_round &&
        which != (UINT64_C(1) << exploration->program->cpu_count) - 1)
        for_each_successor_of(exploration, tuple, which, look_back, &search);
    if (search.goes_back)
        which = UINT64_MAX;
    if (exploration->components.context.msr_writes || exploration->line_count) /* more effects */
        return for_each_successor_of(exploration, tuple, which, add_successor, &search);
    return queue_steps(exploration, state, tuple, which);
}

static void note_issues(struct exploration *exploration, uint32_t state, const uint32_t *tuple)
{
    for (uint32_t cpu = 0; cpu < exploration->program->cpu_count; cpu++) {
        const struct component *component = component_of(&exploration->components, cpu, tuple[cpu]);
        if (component->status >= COMPONENT_FAULTED)
            note_issue(exploration, state, cpu, component, tuple);
    }
}

static const char *out_of_time(const struct explore_options *options, double started)
{
    if (options->stop && *options->stop)
        return LIMIT_STOP;
    if (options->max_seconds > 0 && seconds_now() - started > options->max_seconds)
        return LIMIT_TIME;
    return NULL;
}

static const char *limit_reached(const struct exploration *exploration,
                                 const struct explore_options *options, uint64_t done,
                                 double started)
{
    if (options->max_states && exploration->states.count > options->max_states)
        return LIMIT_STATES;
    if (exploration->components.oracle->locals.count > LOCALS_MAX)
        return LIMIT_REGISTERS;
    return done % CHECK_EVERY ? NULL : out_of_time(options, started);
}

void explore_check(struct exploration *exploration, uint64_t done)
{
    const struct explore_options *options = exploration->options;
    if (done % CHECK_EVERY == 0)
        exploration->abandoned = out_of_time(options, exploration->started);
    if (exploration->abandoned)
        region_fail(&exploration->region);
}

static bool pass_is_void(const struct exploration *exploration)
{
    return footprint_is_broken(exploration->components.footprint) ||
           symmetry_is_broken(exploration) ||
           (exploration->components.oracle->returns_inside && !exploration->goes_round);
}

/* Whether a pass whose assumption is broken has learnt enough to be started again. */
static bool learnt_enough(struct exploration *exploration, uint64_t done)
{
    if (!pass_is_void(exploration))
        return false;
    if (!exploration->discovery)
        exploration->discovery = done + 1;
    return done >= 2 * exploration->discovery + 64;
}

static void search_all(struct exploration *exploration, const struct explore_options *options,
                       double started)
{
    uint32_t cpus = (uint32_t)exploration->program->cpu_count;
    uint32_t *tuple = region_array(&exploration->region, exploration->tuple_length, sizeof *tuple);
    bool fresh;
    for (uint32_t cpu = 0; cpu < cpus; cpu++)
        tuple[cpu] = component_start(&exploration->components, cpu);
    states_add(&exploration->states, tuple, NO_STATE, &fresh);
    for (uint32_t state = 0; states_has(&exploration->states, state); state++) {
        exploration->incomplete = limit_reached(exploration, options, state, started);
        if (exploration->incomplete || learnt_enough(exploration, state))
            break;
        exploration->followed = state;
        if (state % CHECK_EVERY == 0)
            progress_update(options->progress, &exploration->shown, exploration->states.count,
                            exploration->states.count - state);
        states_get(&exploration->states, state, tuple);
        unsigned successors = explore_state(exploration, state, tuple);
        exploration->transition_count += successors;
        note_issues(exploration, state, tuple);
        if (exploration->line_count)
            add_image(exploration, state, tuple);
        if (successors == 0)
            judge_end(exploration, state, tuple);
    }
    if (!exploration->incomplete)
        exploration->followed = exploration->states.count;
    exploration->state_count = exploration->states.count;
}

struct pass {
    struct oracle *oracle;
    const struct start *start;
    const struct profile *profile;
    const struct model *model;
    struct footprint *footprint;
    const struct explore_options *options;
    double started;
};

/* With persistent objects a state has what is durable as one more part. */
static void find_persistent_lines(struct exploration *exploration, const struct start *start)
{
    const struct program *program = exploration->program;
    size_t capacity = 0;
    for (size_t i = 0; i < program->object_count; i++) {
        const struct object *object = &program->objects[i];
        if (!object->persistent || object->parent != NO_INDEX)
            continue;
        for (uint64_t at = 0; at < object->size; at += LINE_BYTES) {
            exploration->lines =
                region_push(&exploration->region, exploration->lines, exploration->line_count,
                            &capacity, sizeof *exploration->lines);
            exploration->lines[exploration->line_count++] = object->address + at;
        }
    }
    if (!exploration->line_count)
        return;
    exploration->tuple_length++;
    memory_init(&exploration->durable, &exploration->region, start,
                &exploration->components.stores);
}

/* What was found rests on a wrong assumption. */
static void forget(struct exploration *exploration)
{
    exploration->final_count = exploration->image_count = exploration->issue_count = 0;
}

/* One pass in the exploration's own region; small, since it sets the guard. */
static void run_pass(struct exploration *exploration, const struct pass *pass)
{
    struct region *region = &exploration->region;
    if (region_guard(region)) {
        exploration->complete = false;
        exploration->incomplete = exploration->abandoned ? exploration->abandoned
                                  : region->limit_hit    ? LIMIT_MEMORY
                                                         : "memory ran out";
        exploration->state_count = exploration->states.count;
        if (pass_is_void(exploration))
            forget(exploration);
        return;
    }
    components_init(&exploration->components, region, pass->oracle, pass->start, pass->profile,
                    pass->model, pass->footprint, pass->options->reduce);
    exploration->components.whole_instructions = pass->options->whole_instructions;
    exploration->components.removed = pass->options->removed;
    exploration->components.removed_count = pass->options->removed_count;
    symmetry_find(exploration, pass->start);
    exploration->tuple_length = (unsigned)exploration->program->cpu_count + 1;
    find_persistent_lines(exploration, pass->start);
    states_init(&exploration->states, region, exploration->tuple_length);
    intern_init(&exploration->seen, region);
    intern_init(&exploration->seen_images, region);
    exploration->tuple = region_array(region, exploration->tuple_length, sizeof(uint32_t));
    exploration->options = pass->options;
    exploration->started = pass->started;
    exploration->ample = ample_applies(exploration);
    exploration->goes_round = can_go_round(exploration);
    search_all(exploration, pass->options, pass->started);
    exploration->is_void = pass_is_void(exploration);
    if (exploration->is_void) {
        forget(exploration);
        return;
    }
    exploration->complete = !exploration->incomplete && exploration->issue_count == 0 &&
                            !exploration->components.failure;
    if (exploration->components.failure)
        exploration->incomplete = exploration->components.failure;
    if (exploration->complete)
        find_stuck(exploration);
}

static void reset(struct exploration *exploration, const struct oracle *oracle,
                  const struct term *terms, size_t term_count, size_t max_memory)
{
    memset(exploration, 0, sizeof *exploration);
    region_init(&exploration->region, max_memory);
    exploration->program = oracle->program;
    exploration->terms = terms;
    exploration->term_count = term_count;
}

static void close_exploration(void *exploration) { exploration_close(exploration); }

struct exploration *explore(struct region *region, struct oracle *oracle, const struct start *start,
                            const struct profile *profile, const struct model *model,
                            struct footprint *footprint, const struct term *terms,
                            size_t term_count, const struct explore_options *options)
{
    struct exploration *exploration = region_alloc(region, sizeof *exploration);
    struct pass pass = {oracle, start, profile, model, footprint, options, seconds_now()};
    reset(exploration, oracle, terms, term_count, options->max_memory);
    region_on_release(region, close_exploration, exploration);
    for (;;) {
        footprint_begin(footprint);
        run_pass(exploration, &pass);
        progress_update(options->progress, &exploration->shown, exploration->states.count, 0);
        if (exploration->incomplete || !exploration->is_void)
            break;
        region_release(&exploration->region);
        reset(exploration, oracle, terms, term_count, options->max_memory);
    }
    /* The passes' guard is gone: telling a witness unwinds to the caller's, and is not limited. */
    exploration->region.guarded = false;
    exploration->region.parent = region;
    exploration->region.limit = 0;
    return exploration;
}

void exploration_close(struct exploration *exploration) { region_release(&exploration->region); }
