/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a component can do next, worked out once, and where each loaded value leads. */
#include "sim/explore/component.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/explore/internal.h"

static void survey_code(struct components *components, const struct code *code)
{
    for (size_t i = 0; i < code->insn_count; i++) {
        const struct insn *insn = code->insns[i];
        if (insn->class == INSN_NT_STORE || insn->class == INSN_FLUSH)
            components->context.weak_stores = true;
        if (insn->class == INSN_WRMSR || insn->class == INSN_TSC)
            components->context.msr_writes = true;
        if (insn->class == INSN_WRMSR || insn->kind == KIND_MOV_CR)
            components->keeps_control = true;
    }
}

/* What the program has that models and reductions must reckon with. */
static void survey(struct components *components)
{
    const struct program *program = components->program;
    components->context.weak_stores = components->profile->order.stores_out_of_order != 0 ||
                                      components->profile->order.string_stores_passed != 0;
    for (size_t cpu = 0; cpu < program->cpu_count; cpu++)
        survey_code(components, components->oracle->code[cpu]);
    for (size_t i = 0; i < program->cpu_count * HANDLERS_PER_CPU; i++)
        if (components->oracle->handlers[i])
            survey_code(components, components->oracle->handlers[i]);
    for (size_t i = 0; i < program->object_count; i++) {
        components->persistent = components->persistent || program->objects[i].persistent;
        if (program->objects[i].type == MEMORY_WC)
            components->context.weak_stores = true;
    }
}

void components_init(struct components *components, struct region *region, struct oracle *oracle,
                     const struct start *start, const struct profile *profile,
                     const struct model *model, struct footprint *footprint, bool reduce)
{
    const struct program *program = oracle->program;
    *components = (struct components){.region = region,
                                      .program = program,
                                      .profile = profile,
                                      .oracle = oracle,
                                      .start = start,
                                      .footprint = footprint,
                                      .reduce = reduce};
    intern_init(&components->stores, region);
    intern_init(&components->systems, region);
    struct system_state nothing;
    memset(&nothing, 0, sizeof nothing);
    intern_add(&components->systems, &nothing, offsetof(struct system_state, msrs), NULL);
    components->context = (struct model_context){.profile = profile, .stores = &components->stores};
    survey(components);
    memory_init(&components->shared, region, start, &components->stores);
    symmetry_none(&components->symmetry, region, (uint32_t)program->cpu_count);
    components->cpus = region_array(region, program->cpu_count, sizeof *components->cpus);
    for (size_t cpu = 0; cpu < program->cpu_count; cpu++) {
        struct cpu_components *own = &components->cpus[cpu];
        intern_init(&own->words, region);
        intern_init(&own->values, region);
        map_init(&own->outcome_of, region);
        memory_init(&own->private_memory, region, start, &components->stores);
        map_init(&own->after_post, region);
        own->model = program->cpus[cpu].agent == AGENT_DEVICE ? &model_sc : model;
        for (size_t i = 0; i < program->handler_count; i++)
            own->interruptible = own->interruptible || program->handlers[i].cpu == cpu;
    }
}

static void observe(struct components *components, uint32_t cpu, const struct insn *insn,
                    const char *rule)
{
    for (size_t i = 0; i < components->observation_count; i++) {
        const struct observation *old = &components->observations[i];
        if (old->cpu == cpu && old->insn == insn && strcmp(old->rule, rule) == 0)
            return;
    }
    components->observations =
        region_push(components->region, components->observations, components->observation_count,
                    &components->observation_capacity, sizeof *components->observations);
    components->observations[components->observation_count++] =
        (struct observation){cpu, insn, rule};
}

const struct insn *insn_of_alike(const struct components *components, const struct insn *insn,
                                 uint32_t cpu)
{
    struct code *const *code = components->oracle->code;
    uint32_t first = components->symmetry.alike[cpu];
    if (!insn || first == cpu)
        return insn;
    return code_at(code[cpu],
                   code[cpu]->snippet->address + (insn->address - code[first]->snippet->address));
}

void components_observe(struct components *components, uint32_t cpu, const struct insn *insn,
                        const char *rule)
{
    for (; cpu != NOT_ALIKE; cpu = components->symmetry.next[cpu])
        observe(components, cpu, insn_of_alike(components, insn, cpu), rule);
}

uint32_t component_start(struct components *components, uint32_t cpu)
{
    struct node node;
    memset(&node, 0, sizeof node);
    cpu = components->symmetry.alike[cpu];
    node.local = oracle_local(components->oracle, &components->start->registers[cpu]);
    close_node(components, cpu, &node);
    return node_intern(components, cpu, &node);
}

static void set_status(bool eager, const struct stopped *stopped, struct component *component)
{
    switch (stopped->stop) {
    case STOP_VISIBLE:
    case STOP_BLOCKED:
    case STOP_SYSTEM:
    case STOP_TSC:
    case STOP_DEADLINE:
        component->status = COMPONENT_RUNS;
        break;
    case STOP_LOCAL:
        component->status = eager ? COMPONENT_LIMIT : COMPONENT_RUNS;
        component->reason =
            "it runs for too many instructions without anything that another CPU could notice";
        break;
    case STOP_ENDED:
        component->status = COMPONENT_ENDED;
        break;
    case STOP_SPINS:
        component->status = COMPONENT_SPINS;
        break;
    case STOP_FAULT:
        component->status = COMPONENT_FAULTED;
        break;
    case STOP_UNMODELLED:
        component->status = COMPONENT_UNMODELLED;
        component->reason = stopped->reason;
        break;
    case STOP_LIMIT:
        component->status = COMPONENT_LIMIT;
        break;
    }
    component->insn = stopped->plan->insn;
    component->fault = stopped->fault;
}

/* Room to collect the transitions of one component in; they are copied when they are counted. */
static struct transition *scratch_transitions(struct components *components, unsigned count)
{
    if (count > components->scratch_count) {
        region_free(components->region, components->scratch);
        components->scratch = NULL;
        count += count / 2; /* buffers fill up one by one */
        components->scratch =
            region_resize(components->region, NULL, count * sizeof *components->scratch);
        components->scratch_count = count;
    }
    return components->scratch;
}

/* More transitions than a component can have beside its drains. */
static unsigned transitions_max(const struct components *components)
{
    return 2 * LOAD_PIECES_MAX + 4 + 257 + (unsigned)components->footprint->early_assumed;
}

static struct component *expand(struct components *components, uint32_t cpu, uint32_t id)
{
    struct node node;
    struct stopped stopped;
    struct component *component = region_alloc(components->region, sizeof *component);
    component_node(components, cpu, id, &node);
    memset(&stopped.fault, 0, sizeof stopped.fault);
    look(components, cpu, &node, &stopped);
    set_status(is_eager(components, cpu, &node), &stopped, component);
    component->bad_input = stopped.bad_input;
    const struct model *model = components->cpus[cpu].model;
    struct drain_sink sink = {components, cpu, &node, component, true, 0};
    model->drains(&components->context, &node.buffers, add_drain, &sink);
    unsigned most = sink.count + transitions_max(components);
    component->transitions = scratch_transitions(components, most);
    add_instruction(components, cpu, &node, &stopped, component);
    add_early_loads(components, cpu, &node, &stopped, component);
    add_interrupts(components, cpu, &node, component);
    sink.count_only = false;
    model->drains(&components->context, &node.buffers, add_drain, &sink);
    size_t bytes = component->transition_count * sizeof(struct transition);
    component->transitions =
        memcpy(region_alloc(components->region, bytes), component->transitions, bytes);
    set_places(components, cpu, &node, component);
    return component;
}

struct component *component_expand(struct components *components, uint32_t cpu, uint32_t id)
{
    cpu = components->symmetry.alike[cpu];
    struct cpu_components *own = &components->cpus[cpu];
    own->expanded = region_reach(components->region, own->expanded, id, &own->expanded_capacity,
                                 sizeof *own->expanded);
    if (!own->expanded[id]) {
        struct component *component = expand(components, cpu, id);
        own->expanded[id] = component;
    }
    return own->expanded[id];
}
