/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A witness told in a few sentences: what waits where, what gets ahead of it, why that is no
 * interleaving, and which fences forbid it. Only what the execution shows and what was explored.
 */
#include <string.h>

#include "sim/base/text.h"
#include "sim/judge/judge.h"

enum { STORY_MAX = 10 /* events of an interleaving that are named */ };

struct prose {
    struct text text;
    const struct judgement *judgement;
    const struct result *result;
    const struct result_witness *witness;
    const struct relations *relations;
};

static const char *cpu_name(const struct prose *p, uint32_t cpu)
{
    return p->result->program->cpus[cpu].name;
}

static bool is_clock(const struct event *event) { return event->address == TSC_ADDRESS; }

/* An MSR write whose effect depends on what an APIC's register holds. */
static bool looks_at(const struct event *event)
{
    return event->kind == EVENT_READ && event->class == INSN_WRMSR;
}

/* What the event is without whose it is: "store x=1", "load of x (0)". */
static const char *what(struct prose *p, const struct event *event)
{
    struct region *region = p->text.region;
    if (event->size && is_clock(event))
        return "reading of the clock";
    switch (event->kind) {
    case EVENT_READ:
        if (looks_at(event))
            return region_printf(region, "WRMSR that looks at %s (%s)", event->place,
                                 event->value_read);
        return region_printf(region, "load of %s (%s)", event->place, event->value_read);
    case EVENT_WRITE:
        return region_printf(region, "store %s=%s", event->place, event->value_written);
    case EVENT_UPDATE:
        return region_printf(region, "locked access that changes %s from %s to %s", event->place,
                             event->value_read, event->value_written);
    case EVENT_SEND:
        return region_printf(region, "interrupt %s", event->name);
    case EVENT_TAKE:
        return region_printf(region, "taking of vector 0x%x", event->vector);
    default:
        return event->label;
    }
}

/* "P0's store x=1" */
static const char *whose(struct prose *p, uint32_t number)
{
    const struct event *event = &p->relations->events[number];
    return region_printf(p->text.region, "%s's %s", cpu_name(p, event->cpu), what(p, event));
}

/* ---- what was not kept in order ---- */

static bool is_weak(const struct event *event)
{
    return (event->store_flags & STORE_NT) || event->class == INSN_NT_STORE;
}

static const char *weak_kind(const struct event *event)
{
    return event->class == INSN_NT_STORE ? "non-temporal store" : "store to write-combining memory";
}

static void tell_stores_reordered(struct prose *p, const struct event *old,
                                  const struct event *young)
{
    struct text *text = &p->text;
    const char *cpu = cpu_name(p, old->cpu);
    if (is_weak(old))
        text_printf(text,
                    "%s's %s %s=%s waits in a write-combining buffer, and its later store %s=%s "
                    "becomes visible before it. ",
                    cpu, weak_kind(old), old->place, old->value_written, young->place,
                    young->value_written);
    else if (is_weak(young))
        text_printf(text, "%s's %s %s=%s becomes visible before its older store %s=%s does. ", cpu,
                    weak_kind(young), young->place, young->value_written, old->place,
                    old->value_written);
    else if (old->class == INSN_STRING)
        text_printf(text,
                    "%s's store %s=%s by a string instruction is not visible yet when its later "
                    "store %s=%s becomes so. ",
                    cpu, old->place, old->value_written, young->place, young->value_written);
    else
        text_printf(text,
                    "%s's stores become visible out of order, which this profile allows: %s=%s "
                    "before the older %s=%s. ",
                    cpu, young->place, young->value_written, old->place, old->value_written);
}

static void tell_store_overtaken(struct prose *p, const struct event *store,
                                 const struct event *young)
{
    struct text *text = &p->text;
    const char *buffer = is_weak(store) ? "a write-combining buffer" : "its store buffer";
    text_printf(text, "%s's %s %s=%s ", cpu_name(p, store->cpu),
                is_weak(store) ? weak_kind(store) : "store", store->place, store->value_written);
    if (young->kind == EVENT_SEND)
        text_printf(text,
                    "waits in %s while its later WRMSR, which does not wait for it, sends %s. ",
                    buffer, young->name);
    else if (is_clock(young))
        text_printf(text, "still waits in %s when the clock is read behind it. ", buffer);
    else
        text_printf(text, "waits in %s while its later %s %s %s. ", buffer,
                    looks_at(young) ? "WRMSR looks at" : "load of",
                    region_printf(text->region, "%s%s", young->place,
                                  looks_at(young) ? ", which still holds" : " already reads"),
                    young->value_read);
}

static void tell_early_load(struct prose *p, const struct event *old, const struct event *young)
{
    if (young->early && is_clock(young))
        text_printf(&p->text, "%s reads the clock ahead of its turn, before its older %s. ",
                    cpu_name(p, old->cpu), what(p, old));
    else if (young->early)
        text_printf(&p->text,
                    "%s makes its load of %s, which is write-combining memory, ahead of its turn: "
                    "it reads %s before the older %s. ",
                    cpu_name(p, old->cpu), young->place, young->value_read, what(p, old));
    else
        text_printf(&p->text, "%s carries out its %s before its older %s. ", cpu_name(p, old->cpu),
                    what(p, young), what(p, old));
}

/* The CPU's own load that read the store out of the buffer, before others could. */
static void tell_forwarding(struct prose *p, uint32_t store)
{
    const struct relations *r = p->relations;
    for (size_t i = 0; i < r->edge_count; i++) {
        const struct event *load = &r->events[r->edges[i].to];
        if (r->edges[i].relation != RELATION_RF || r->edges[i].from != store ||
            load->cpu != r->events[store].cpu || load->performed >= r->events[store].performed)
            continue;
        text_printf(&p->text,
                    "%s itself reads that store out of its own buffer before any other CPU can: "
                    "its load of %s gets %s. ",
                    cpu_name(p, load->cpu), load->place, load->value_read);
        return;
    }
}

/* A fence between the two that did not keep them in order. */
static void tell_useless_fence(struct prose *p, const struct event *old, const struct event *young)
{
    for (size_t i = 0; i < p->relations->event_count; i++) {
        const struct event *fence = &p->relations->events[i];
        if (fence->kind != EVENT_FENCE || !events_ordered(old, fence) ||
            !events_ordered(fence, young))
            continue;
        text_printf(&p->text, "The %s between them does not prevent it. ", fence->name);
        return;
    }
}

static void tell_relaxed(struct prose *p, const struct edge *edge)
{
    const struct event *old = &p->relations->events[edge->from];
    const struct event *young = &p->relations->events[edge->to];
    if (old->kind == EVENT_WRITE && young->kind == EVENT_WRITE)
        tell_stores_reordered(p, old, young);
    else if (old->kind == EVENT_WRITE)
        tell_store_overtaken(p, old, young);
    else
        tell_early_load(p, old, young);
    tell_useless_fence(p, old, young);
    if (old->kind == EVENT_WRITE)
        tell_forwarding(p, edge->from);
}

/* ---- why that is no interleaving ---- */

static void tell_order(struct prose *p)
{
    const struct relations *r = p->relations;
    bool known = p->witness->outcome != NO_INDEX && p->result->relaxed_known;
    bool relaxed = known && p->result->outcomes[p->witness->outcome].relaxed;
    text_add(&p->text, "In an interleaving each of these would come before the next: ");
    for (size_t i = 0; i < r->cycle_count; i++)
        text_printf(&p->text, "%s, ", whose(p, r->cycle[i].from));
    text_printf(&p->text, "and the first again; %s. ",
                relaxed ? "so none gives this outcome"
                : known ? "so this execution is none, though one with the same outcome is"
                        : "so this execution is none");
}

static void tell_cycle(struct prose *p)
{
    for (size_t i = 0; i < p->relations->cycle_count; i++)
        if (p->relations->cycle[i].relaxed)
            tell_relaxed(p, &p->relations->cycle[i]);
    tell_order(p);
}

/* ---- executions that are interleavings ---- */

/* Whether everything that comes before the event has been told. */
static bool is_ready(const struct relations *r, const bool *told, uint32_t number)
{
    for (size_t i = 0; i < r->edge_count; i++)
        if (r->edges[i].to == number && !told[r->edges[i].from] &&
            r->events[r->edges[i].from].cpu != NO_CPU)
            return false;
    return true;
}

/* The next event of the interleaving: the one that was carried out first of those that may be. */
static uint32_t next_event(const struct relations *r, const bool *told)
{
    uint32_t next = NO_STEP;
    for (uint32_t i = 0; i < r->event_count; i++)
        if (!told[i] && r->events[i].cpu != NO_CPU && r->events[i].kind != EVENT_FENCE &&
            is_ready(r, told, i) &&
            (next == NO_STEP || r->events[i].performed < r->events[next].performed))
            next = i;
    return next;
}

static void tell_interleaving(struct prose *p)
{
    const struct relations *r = p->relations;
    bool *told = region_array(p->text.region, r->event_count + 1, sizeof *told);
    size_t count = 0, all = 0;
    for (size_t i = 0; i < r->event_count; i++)
        all += r->events[i].cpu != NO_CPU && r->events[i].kind != EVENT_FENCE;
    text_add(&p->text, "No reordering is needed: it comes about as an interleaving, each access "
                       "taking effect at once in program order.");
    for (uint32_t next; count < STORY_MAX && (next = next_event(r, told)) != NO_STEP; count++) {
        text_printf(&p->text, "%s%s", count ? ", then " : " First ", whose(p, next));
        told[next] = true;
    }
    if (count < all)
        text_printf(&p->text, ", and %zu more", all - count);
    text_add(&p->text, count ? ". " : " ");
}

/* Whether a reading of the clock was made and thrown away, which no interleaving does. */
static bool wastes_a_reading(const struct relations *r)
{
    for (size_t i = 0; i < r->event_count; i++)
        if (r->events[i].cpu != NO_CPU && r->events[i].position == NO_STEP)
            return true;
    return false;
}

static void tell_way(struct prose *p)
{
    const struct result_witness *witness = p->witness;
    bool relaxed = witness->outcome != NO_INDEX && p->result->outcomes[witness->outcome].relaxed;
    if (p->relations->cycle_count)
        tell_cycle(p);
    else if (wastes_a_reading(p->relations))
        text_add(&p->text, "The clock is read ahead of its turn and that reading is thrown away, "
                           "which moves the clock on all the same: no interleaving does that. ");
    else if (!relaxed)
        tell_interleaving(p);
    else
        text_add(&p->text, "No interleaving gives this outcome: all were explored. ");
}

/* ---- how it ends ---- */

static void tell_stuck_cpu(struct prose *p, uint32_t cpu, uint32_t component)
{
    struct components *components = &p->judgement->exploration->components;
    const struct component *at = component_of(components, cpu, component);
    const struct event *last = NULL;
    if (at->insn && at->insn->class == INSN_HLT) {
        text_printf(&p->text, "%s sleeps in HLT and nothing will wake it. ", cpu_name(p, cpu));
        return;
    }
    for (size_t i = 0; i < p->relations->event_count; i++) {
        const struct event *event = &p->relations->events[i];
        if (event->cpu == cpu && event->reads && event->position != NO_STEP)
            last = event;
    }
    text_printf(&p->text, "%s goes round for ever", cpu_name(p, cpu));
    if (last)
        text_printf(&p->text, " (the last it read here is %s, %s)", last->place, last->value_read);
    text_add(&p->text, ". ");
}

static void tell_stuck(struct prose *p)
{
    struct exploration *exploration = p->judgement->exploration;
    text_add(&p->text, "From there no execution comes to an end. ");
    for (size_t i = 0; i < exploration->final_count; i++) {
        const struct final_state *final = &exploration->finals[i];
        if (!final->is_stuck || final->tuple != p->witness->tuple)
            continue;
        for (uint32_t cpu = 0; cpu < p->result->program->cpu_count; cpu++)
            if (final->stuck[cpu])
                tell_stuck_cpu(p, cpu, final->tuple[cpu]);
        return;
    }
}

/* Whether a later store to the same bytes became visible, too. */
static bool is_overwritten(const struct relations *r, const struct event *store)
{
    for (size_t i = 0; i < r->event_count; i++) {
        const struct event *other = &r->events[i];
        if (other != store && other->writes && other->cpu != NO_CPU &&
            events_overlap(other, store) && !other->pending && !store->pending &&
            other->performed > store->performed)
            return true;
    }
    return false;
}

/* What the power cut keeps of a store. */
static void tell_durable(struct prose *p, const struct event *store, uint32_t durable)
{
    uint8_t data[16] = {0};
    memory_read(&p->judgement->exploration->durable, durable, store->address, store->size, data);
    text_printf(&p->text, "%s's store %s=%s ", cpu_name(p, store->cpu), store->place,
                store->value_written);
    if (store->pending)
        text_add(&p->text, "still waits in a buffer and is lost. ");
    else if (memcmp(data, store->written, store->size) == 0)
        text_add(&p->text, "is durable. ");
    else
        text_add(&p->text, "is visible to all CPUs, but its line has not been written back: it is "
                           "lost. ");
}

static void tell_crash(struct prose *p)
{
    struct exploration *exploration = p->judgement->exploration;
    const struct program *program = p->result->program;
    uint32_t *tuple = region_array(p->text.region, exploration->tuple_length, sizeof *tuple);
    states_get(&exploration->states, p->witness->state, tuple);
    text_add(&p->text, "The power fails after these steps. ");
    for (size_t i = 0; i < p->witness->witness->count; i++)
        if (strcmp(p->witness->witness->steps[i].event, "write-back") == 0)
            text_printf(&p->text, "By itself, %s. ", p->witness->witness->steps[i].detail);
    for (size_t i = 0; i < p->relations->event_count; i++) {
        const struct event *event = &p->relations->events[i];
        int object = event->writes ? program_object_at(program, event->address, 1) : NO_INDEX;
        if (event->cpu != NO_CPU && object != NO_INDEX && program->objects[object].persistent &&
            !is_overwritten(p->relations, event))
            tell_durable(p, event, tuple[program->cpu_count + 1]);
    }
}

/* ---- fences ---- */

static void add_place(struct prose *p, const struct fence_place *place)
{
    const struct cpu *cpu = &p->result->program->cpus[place->cpu];
    text_printf(&p->text, "an %s%s%s in front of '%s' on %s", place->fences[0],
                place->fences[1] ? " and an " : "", place->fences[1] ? place->fences[1] : "",
                place->text, cpu->family);
}

static void tell_fences(struct prose *p)
{
    size_t count = p->witness->forbidden_by_count;
    if (count == 0)
        return;
    text_add(&p->text, "With ");
    for (size_t i = 0; i < count; i++) {
        text_add(&p->text, i == 0 ? "" : i + 1 == count ? " and " : ", ");
        add_place(p, &p->witness->forbidden_by[i]);
    }
    text_printf(&p->text, " no execution has this outcome (all were explored)%s.",
                count == 1   ? ""
                : count == 2 ? "; one of the two is not enough"
                             : "; none of these can be left out");
}

static const char *tell_witness(struct judgement *judgement, const struct result_witness *witness)
{
    struct prose p = {.judgement = judgement,
                      .result = judgement->result,
                      .witness = witness,
                      .relations = witness->relations};
    text_init(&p.text, judgement->region);
    text_add(&p.text, "");
    if (p.relations->problem)
        return NULL;
    tell_way(&p);
    if (witness->end == ENDS_STUCK)
        tell_stuck(&p);
    else if (witness->end == ENDS_CRASH)
        tell_crash(&p);
    tell_fences(&p);
    while (p.text.length && p.text.data[p.text.length - 1] == ' ')
        p.text.data[--p.text.length] = '\0';
    return p.text.data;
}

void tell_witnesses(struct judgement *judgement)
{
    struct result *result = judgement->result;
    for (size_t i = 0; i < result->witness_count; i++)
        result->witnesses[i].prose = tell_witness(judgement, &result->witnesses[i]);
}
