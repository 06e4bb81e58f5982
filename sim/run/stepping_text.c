/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of an execution as text, and what its end means. */
#include <inttypes.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/run/stepping.h"

enum { OBJECTS_SHOWN = 24 };

struct describing {
    struct text text;
    struct stepping *stepping;
    const uint32_t *tuple;
};

static void add_value(struct text *text, const char *name, uint64_t value)
{
    text_printf(text, value < 4096 ? " %s=%" PRIu64 : " %s=0x%" PRIx64, name, value);
}

/* Registers that conditions name or outcomes list. */
static void add_registers(struct describing *d, uint32_t cpu)
{
    const struct prepared *prepared = d->stepping->prepared;
    for (size_t i = 0; i < prepared->term_count; i++) {
        const struct term *term = &prepared->terms[i];
        const char *colon = term->is_object ? NULL : strrchr(term->text, ':');
        if (colon && term->cpu == cpu)
            add_value(&d->text, colon + 1, term_value(d->stepping->exploration, d->tuple, term));
    }
}

/* Whether the instruction itself is among what can be done next. */
static bool waits(const struct component *component)
{
    for (uint32_t i = 0; i < component->transition_count; i++) {
        const struct transition *transition = &component->transitions[i];
        bool early = transition->kind == TRANSITION_EARLY || transition->kind == TRANSITION_DRAIN;
        if (!early && (!transition->event || strstr(transition->event, "used")))
            return false;
    }
    return true;
}

static const char *offset_text(struct describing *d, uint32_t cpu, const struct insn *insn)
{
    const struct program *program = d->stepping->prepared->program;
    uint32_t variant = d->stepping->prepared->variant;
    uint64_t offset = insn->address - program->variants[variant].code[cpu]->address;
    return program_offset_text(program, d->stepping->view, variant, cpu, (uint32_t)offset);
}

static void add_next(struct describing *d, uint32_t cpu, const struct component *component)
{
    switch (component->status) {
    case COMPONENT_ENDED:
        text_add(&d->text, "has ended");
        return;
    case COMPONENT_SPINS:
        text_add(&d->text, "goes round for ever");
        return;
    case COMPONENT_UNMODELLED:
    case COMPONENT_LIMIT:
        text_printf(&d->text, "stops: %s", component->reason);
        return;
    case COMPONENT_FAULTED:
        text_printf(&d->text, "stops: exception %u", component->fault.vector);
        return;
    case COMPONENT_RUNS:
        break;
    }
    if (component->insn)
        text_printf(&d->text, "%s %s %s", waits(component) ? "waits in front of" : "next",
                    offset_text(d, cpu, component->insn), component->insn->text);
}

static void add_cpu(struct describing *d, uint32_t cpu)
{
    struct exploration *exploration = d->stepping->exploration;
    struct node node;
    size_t stores;
    component_node(&exploration->components, cpu, d->tuple[cpu], &node);
    const char **buffer = buffered_stores(d->stepping->view, exploration, cpu, &node, &stores);
    text_printf(&d->text, "%s ", d->stepping->prepared->program->cpus[cpu].name);
    add_next(d, cpu, component_of(&exploration->components, cpu, d->tuple[cpu]));
    text_add(&d->text, "\n   ");
    add_registers(d, cpu);
    text_add(&d->text, "  buffer {");
    for (size_t i = 0; i < stores; i++)
        text_printf(&d->text, "%s%s", i ? " " : "", buffer[i]);
    text_add(&d->text, "}\n");
}

static bool is_number(const struct object *object)
{
    return object->size == 1 || object->size == 2 || object->size == 4 || object->size == 8;
}

static void add_memory(struct describing *d)
{
    const struct program *program = d->stepping->prepared->program;
    size_t shown = 0, durable = 0;
    text_add(&d->text, "memory");
    for (uint32_t i = 0; i < program->object_count; i++) {
        const struct object *object = &program->objects[i];
        struct term term = {.text = object->name, .is_object = true, .object = i};
        durable += is_number(object) && term_is_durable(program, &term);
        if (is_number(object) && shown++ < OBJECTS_SHOWN)
            add_value(&d->text, object->name,
                      term_value(d->stepping->exploration, d->tuple, &term));
    }
    text_add(&d->text, shown > OBJECTS_SHOWN ? " ...\n" : "\n");
    if (durable)
        text_add(&d->text, "durable");
    for (uint32_t i = 0; durable && i < program->object_count; i++) {
        struct term term = {.text = program->objects[i].name, .is_object = true, .object = i};
        if (is_number(&program->objects[i]) && term_is_durable(program, &term))
            add_value(&d->text, term.text,
                      durable_value(d->stepping->exploration, d->tuple, &term));
    }
    if (durable)
        text_add(&d->text, "\n");
}

/* ---- the end ---- */

static bool all_have_ended(struct describing *d)
{
    struct exploration *exploration = d->stepping->exploration;
    for (uint32_t cpu = 0; cpu < d->stepping->prepared->program->cpu_count; cpu++)
        if (component_of(&exploration->components, cpu, d->tuple[cpu])->status != COMPONENT_ENDED)
            return false;
    return true;
}

static uint64_t *values_now(struct describing *d)
{
    const struct prepared *prepared = d->stepping->prepared;
    uint64_t *values = region_array(d->stepping->view, prepared->term_count + 1, sizeof *values);
    for (size_t i = 0; i < prepared->term_count; i++)
        values[i] = term_value(d->stepping->exploration, d->tuple, &prepared->terms[i]);
    return values;
}

/* Whether the run knows this outcome to be relaxed. */
static bool is_relaxed(const struct stepping *s, const uint64_t *values)
{
    const struct result *result = s->result;
    for (size_t i = 0; i < result->outcome_count; i++) {
        bool same = true;
        for (size_t n = 0; n < result->observed_count; n++)
            same = same && result->outcomes[i].values[n] == values[s->prepared->observed[n]];
        if (same)
            return result->outcomes[i].relaxed;
    }
    return false;
}

static void add_expectation(struct describing *d, const struct expectation *expectation,
                            const uint64_t *values)
{
    struct condition_state state = {.values = values};
    if (!expectation->condition || expectation->about_crash)
        return;
    bool holds = condition_holds(expectation->condition, &state);
    const char *verdict = expectation->kind == EXPECT_SOMETIMES ? (holds ? "met" : "not met here")
                          : (expectation->kind == EXPECT_NEVER) != holds ? "held"
                                                                         : "VIOLATED";
    text_printf(&d->text, "  %s: %s  [line %u]\n", verdict, expectation->text,
                expectation->place.line);
}

static void add_outcome(struct describing *d)
{
    const struct stepping *s = d->stepping;
    const struct prepared *prepared = s->prepared;
    const struct program *program = prepared->program;
    const uint64_t *values = values_now(d);
    text_add(&d->text, "ends in");
    for (size_t i = 0; i < prepared->observed_count; i++)
        add_value(&d->text, prepared->terms[prepared->observed[i]].text,
                  values[prepared->observed[i]]);
    if (s->result->relaxed_known && is_relaxed(s, values))
        text_add(&d->text, "   relaxed: no interleaving gives it");
    text_add(&d->text, "\n");
    for (size_t i = 0; i < program->expectation_count; i++)
        if (expectation_applies(&program->expectations[i],
                                program->variants[prepared->variant].name, s->profile->name))
            add_expectation(d, &program->expectations[i], values);
}

const char *stepping_describe(struct stepping *s)
{
    struct describing d = {.stepping = s, .tuple = s->path[s->count]};
    text_init(&d.text, s->view);
    for (uint32_t cpu = 0; cpu < s->prepared->program->cpu_count; cpu++)
        add_cpu(&d, cpu);
    add_memory(&d);
    if (s->choice_count == 0 && all_have_ended(&d))
        add_outcome(&d);
    else if (s->choice_count == 0)
        text_add(&d.text, "nobody can go on: this execution does not end\n");
    return d.text.data;
}
