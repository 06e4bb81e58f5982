/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/explore/explore.h"

#include <string.h>
#include <time.h>

#include "sim/explore/ample.h"

enum { CHECK_EVERY = 1024 };

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* What a transition does beside moving its CPU on. */
static void apply(struct exploration *exploration, const struct outcome *outcome, uint32_t *next)
{
    struct components *components = &exploration->components;
    uint32_t cpus = (uint32_t)exploration->program->cpu_count, *memory = &next[cpus];
    for (uint32_t n = 0; n < outcome->store_count; n++)
        *memory = memory_write(&components->shared, *memory, outcome->stores[n]);
    if (outcome->post_to != NOBODY)
        next[outcome->post_to] = component_post(components, (uint32_t)outcome->post_to,
                                                next[outcome->post_to], outcome->vector);
    if (!exploration->line_count)
        return;
    bool everything =
        outcome->persist == PERSIST_ALL || components->profile->order.persistent_caches != 0;
    for (size_t i = 0; i < exploration->line_count; i++)
        if (everything || (outcome->persist == PERSIST_LINE &&
                           outcome->line / LINE_BYTES == exploration->lines[i] / LINE_BYTES))
            next[cpus + 1] = memory_copy_line(&exploration->durable, next[cpus + 1],
                                              &components->shared, *memory, exploration->lines[i]);
}

/* A dirty line may be written back at any time. */
static unsigned write_backs(struct exploration *exploration, const uint32_t *tuple, uint32_t *next,
                            visit_successor *visit, void *receiver)
{
    uint32_t cpus = (uint32_t)exploration->program->cpu_count;
    unsigned count = 0;
    for (size_t i = 0; i < exploration->line_count; i++) {
        next[cpus + 1] =
            memory_copy_line(&exploration->durable, tuple[cpus + 1],
                             &exploration->components.shared, tuple[cpus], exploration->lines[i]);
        if (next[cpus + 1] == tuple[cpus + 1])
            continue;
        visit(receiver, cpus, NULL, next);
        count++;
    }
    return count;
}

unsigned for_each_successor(struct exploration *exploration, const uint32_t *tuple,
                            visit_successor *visit, void *receiver)
{
    return for_each_successor_of(exploration, tuple, UINT64_MAX, visit, receiver);
}

unsigned for_each_successor_of(struct exploration *exploration, const uint32_t *tuple,
                               uint64_t which, visit_successor *visit, void *receiver)
{
    struct components *components = &exploration->components;
    uint32_t cpus = (uint32_t)exploration->program->cpu_count;
    uint32_t *next = exploration->tuple;
    size_t bytes = exploration->tuple_length * sizeof *next;
    unsigned count = 0;
    memcpy(next, tuple, bytes);
    for (uint32_t cpu = 0; cpu < cpus; cpu++) {
        if (cpu < 64 && !(which >> cpu & 1))
            continue;
        bool ordered = components->symmetry.any && !exploration->keeps_order;
        if (ordered && symmetry_repeats(&components->symmetry, tuple, cpu, which))
            continue;
        struct component *component = component_of(components, cpu, tuple[cpu]);
        for (uint32_t i = 0; i < component->transition_count; i++) {
            struct transition *transition = &component->transitions[i];
            const struct outcome outcome =
                transition_has_value(transition->kind)
                    ? *transition_outcome(components, cpu, tuple[cpu], transition, tuple[cpus])
                    : transition->outcome;
            next[cpu] = outcome.next;
            apply(exploration, &outcome, next);
            if (ordered)
                symmetry_settle(&components->symmetry, next, cpu);
            visit(receiver, cpu, transition, next);
            memcpy(next, tuple, bytes);
            count++;
        }
    }
    if (exploration->line_count)
        count += write_backs(exploration, tuple, next, visit, receiver);
    return count;
}

static uint64_t object_value(struct exploration *exploration, const uint32_t *tuple,
                             const struct object *object)
{
    struct components *components = &exploration->components;
    uint32_t cpus = (uint32_t)exploration->program->cpu_count;
    uint64_t value = 0;
    for (unsigned byte = 0; byte < object->size && byte < 8; byte++) {
        uint64_t address = object->address + byte;
        int owner = footprint_owner(components->footprint, address);
        uint8_t data = 0;
        if (owner < 0) {
            memory_read(&components->shared, tuple[cpus], address, 1, &data);
        } else {
            struct node node;
            component_node(components, (uint32_t)owner, tuple[owner], &node);
            memory_read(&components->cpus[owner].private_memory, node.private_memory, address, 1,
                        &data);
        }
        value |= (uint64_t)data << (byte * 8);
    }
    return value;
}

uint64_t term_value(struct exploration *exploration, const uint32_t *tuple, const struct term *term)
{
    if (term->is_object)
        return object_value(exploration, tuple, &exploration->program->objects[term->object]);
    struct node node;
    struct registers registers;
    component_node(&exploration->components, term->cpu, tuple[term->cpu], &node);
    oracle_registers(exploration->components.oracle, node.local, &registers);
    return registers_view(&registers, &term->view);
}

bool term_is_durable(const struct program *program, const struct term *term)
{
    return term->is_object && program->objects[term->object].persistent;
}

uint64_t durable_value(struct exploration *exploration, const uint32_t *tuple,
                       const struct term *term)
{
    const struct object *object = &exploration->program->objects[term->object];
    uint8_t data[16] = {0};
    uint64_t value;
    memory_read(&exploration->durable, tuple[exploration->program->cpu_count + 1], object->address,
                object->size < 8 ? (unsigned)object->size : 8, data);
    memcpy(&value, data, sizeof value);
    return value;
}

/* What would be left if the power failed in this state. */
static void add_image(struct exploration *exploration, uint32_t state, const uint32_t *tuple)
{
    struct region *region = &exploration->region;
    uint64_t *values = region_array(region, exploration->term_count + 1, sizeof *values);
    bool fresh;
    for (size_t i = 0; i < exploration->term_count; i++)
        if (term_is_durable(exploration->program, &exploration->terms[i]))
            values[i] = durable_value(exploration, tuple, &exploration->terms[i]);
    intern_add(&exploration->seen_images, values, exploration->term_count * sizeof *values, &fresh);
    if (!fresh)
        return;
    exploration->images = region_push(region, exploration->images, exploration->image_count,
                                      &exploration->image_capacity, sizeof *exploration->images);
    exploration->images[exploration->image_count++] = (struct crash_image){state, values};
}

const uint32_t *copy_tuple(struct exploration *exploration, const uint32_t *tuple)
{
    size_t bytes = exploration->tuple_length * sizeof *tuple;
    return memcpy(region_alloc(&exploration->region, bytes), tuple, bytes);
}

struct ending {
    struct exploration *exploration;
    uint32_t state;
};

static void add_final(void *receiver, const uint32_t *tuple)
{
    const struct ending *ending = receiver;
    struct exploration *exploration = ending->exploration;
    struct region *region = &exploration->region;
    uint64_t *values = region_array(region, exploration->term_count + 1, sizeof *values);
    for (size_t i = 0; i < exploration->term_count; i++)
        values[i] = term_value(exploration, tuple, &exploration->terms[i]);
    bool fresh;
    intern_add(&exploration->seen, values, exploration->term_count * sizeof *values, &fresh);
    if (!fresh)
        return;
    exploration->finals = region_push(region, exploration->finals, exploration->final_count,
                                      &exploration->final_capacity, sizeof *exploration->finals);
    exploration->finals[exploration->final_count++] = (struct final_state){
        .state = ending->state, .tuple = copy_tuple(exploration, tuple), .values = values};
}

static void add_issue(struct exploration *exploration, uint32_t state, uint32_t cpu,
                      const struct component *component, const uint32_t *tuple)
{
    const struct insn *insn = insn_of_alike(&exploration->components, component->insn, cpu);
    enum issue_kind kind = component->status == COMPONENT_FAULTED      ? ISSUE_FAULT
                           : component->status == COMPONENT_UNMODELLED ? ISSUE_UNMODELLED
                                                                       : ISSUE_LIMIT;
    for (size_t i = 0; i < exploration->issue_count; i++) {
        const struct issue *old = &exploration->issues[i];
        if (old->cpu == cpu && old->insn == insn && old->kind == kind &&
            old->fault.vector == component->fault.vector)
            return;
    }
    exploration->issues =
        region_push(&exploration->region, exploration->issues, exploration->issue_count,
                    &exploration->issue_capacity, sizeof *exploration->issues);
    exploration->issues[exploration->issue_count++] =
        (struct issue){kind,
                       cpu,
                       state,
                       insn,
                       component->reason,
                       component->bad_input,
                       component->fault,
                       copy_tuple(exploration, tuple)};
}

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

/* Whether a term is a register that holds what CPUID or RDTSCP returned, which is not modelled. */
static bool shows_unknown(struct exploration *exploration, uint32_t state, const uint32_t *tuple)
{
    static const struct component seen = {.status = COMPONENT_UNMODELLED,
                                          .reason = "a register is observed that holds what CPUID "
                                                    "or RDTSCP returned, which is not modelled"};
    for (size_t i = 0; i < exploration->term_count; i++) {
        const struct term *term = &exploration->terms[i];
        struct node node;
        if (term->is_object || term->view.file != REGISTER_GPR || term->view.index > 3)
            continue;
        component_node(&exploration->components, term->cpu, tuple[term->cpu], &node);
        if (node.flags >> NODE_UNKNOWN_SHIFT >> term->view.index & 1) {
            add_issue(exploration, state, term->cpu, &seen, tuple);
            return true;
        }
    }
    return false;
}

/* A state without successors: final, stuck, or the end of what can be followed. */
static void judge_end(struct exploration *exploration, uint32_t state, const uint32_t *tuple)
{
    bool all_ended = true, broken = false;
    for (uint32_t cpu = 0; cpu < exploration->program->cpu_count; cpu++) {
        enum component_status status =
            component_of(&exploration->components, cpu, tuple[cpu])->status;
        all_ended = all_ended && status == COMPONENT_ENDED;
        broken = broken || status >= COMPONENT_FAULTED;
    }
    if (all_ended && !shows_unknown(exploration, state, tuple))
        for_each_arrangement(exploration, tuple, add_final, &(struct ending){exploration, state});
    else if (all_ended)
        return;
    else if (!broken)
        exploration->dead_end = true;
}

/* What happens to one CPU happens to each of those alike in some execution. */
static void note_issue(struct exploration *exploration, uint32_t state, uint32_t cpu,
                       const struct component *component, const uint32_t *tuple)
{
    const struct symmetry *symmetry = &exploration->components.symmetry;
    uint32_t *exchanged = exploration->tuple;
    for (uint32_t other = symmetry->alike[cpu]; other != NOT_ALIKE; other = symmetry->next[other]) {
        memcpy(exchanged, tuple, exploration->tuple_length * sizeof *tuple);
        exchanged[cpu] = tuple[other];
        exchanged[other] = tuple[cpu];
        add_issue(exploration, state, other, component, exchanged);
    }
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
