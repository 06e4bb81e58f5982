/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the steps of a witness to events. The steps are taken at their word: a store enters its
 * CPU's buffer when it is told and becomes visible when its drain is; a load gets each byte from
 * the youngest own store that is not visible so far, else from the last that became visible.
 */
#include <string.h>

#include "sim/explore/pieces.h"
#include "sim/relations/internal.h"

struct early {
    uint32_t cpu, step;
    uint64_t address;
    unsigned size;
    int source[EVENT_BYTES_MAX];
    bool forwarded;
    size_t draft; /* of a reading of the clock */
};

struct collector {
    struct drafts *drafts;
    const struct order_parameters *order;
    uint32_t *position;   /* per CPU */
    bool *stack_is_seen;  /* per CPU: another one accesses its stack */
    struct early *earlys; /* loads made early, the latest last */
    size_t early_count, early_capacity;
    uint32_t step;
};

static bool is_clock(uint64_t address) { return address == TSC_ADDRESS; }

/* The CPU whose stack this is, NO_CPU for any other place. */
static uint32_t stack_owner(const struct program *program, uint64_t address)
{
    if (address < STACK_BASE || address >= STACK_BASE + program->cpu_count * STACK_BYTES)
        return NO_CPU;
    return (uint32_t)((address - STACK_BASE) / STACK_BYTES);
}

/* Traffic with a stack that nobody else touches relates nothing. */
static bool is_unseen(const struct collector *c, uint64_t address)
{
    uint32_t owner = stack_owner(c->drafts->program, address);
    return owner != NO_CPU && !c->stack_is_seen[owner];
}

static void find_seen_stacks(struct collector *c, const struct witness *witness)
{
    for (size_t i = 0; i < witness->count; i++) {
        const struct witness_step *step = &witness->steps[i];
        uint32_t owner = step->size ? stack_owner(c->drafts->program, step->address) : NO_CPU;
        if (owner != NO_CPU && owner != step->cpu)
            c->stack_is_seen[owner] = true;
    }
}

static struct draft *add_draft(struct collector *c, const struct witness_step *step,
                               enum event_kind kind)
{
    struct drafts *drafts = c->drafts;
    drafts->items = region_push(drafts->region, drafts->items, drafts->count, &drafts->capacity,
                                sizeof *drafts->items);
    struct draft *draft = &drafts->items[drafts->count++];
    memset(draft, 0, sizeof *draft);
    draft->event = (struct event){.kind = kind,
                                  .cpu = step->cpu,
                                  .position = c->position[step->cpu],
                                  .offset = step->offset,
                                  .has_insn = step->has_insn,
                                  .text = step->has_insn ? step->text : "",
                                  .class = step->class,
                                  .step = c->step,
                                  .performed = c->step,
                                  .target = NO_CPU};
    return draft;
}

static void set_place(struct collector *c, struct event *event, uint64_t address, unsigned size)
{
    event->address = address;
    event->size = size;
    event->place = is_clock(address)
                       ? "the clock"
                       : describe_address(c->drafts->region, c->drafts->program, address);
}

static bool covers(const struct event *event, uint64_t address)
{
    return event->writes && address - event->address < event->size;
}

/* Where a byte that `cpu` loads now comes from. */
static int source_of(const struct collector *c, uint32_t cpu, uint64_t address, bool *forwarded)
{
    int found = SOURCE_INITIAL;
    for (size_t i = 0; i < c->drafts->count; i++) {
        const struct event *event = &c->drafts->items[i].event;
        if (!covers(event, address))
            continue;
        if (event->performed == NO_STEP) {
            if (event->cpu == cpu) {
                found = (int)i;
                *forwarded = true;
            }
        } else if (found == SOURCE_INITIAL ||
                   (c->drafts->items[found].event.performed != NO_STEP &&
                    c->drafts->items[found].event.performed < event->performed)) {
            found = (int)i;
        }
    }
    return found;
}

/* What looks at an APIC's register is not the CPU, which alone can see its buffer. */
static void find_sources(const struct collector *c, const struct witness_step *step, int *source,
                         bool *forwarded)
{
    uint32_t cpu = step->has_insn && step->class == INSN_WRMSR ? NO_CPU : step->cpu;
    for (unsigned byte = 0; byte < step->size; byte++)
        source[byte] = source_of(c, cpu, step->address + byte, forwarded);
}

static void add_read(struct collector *c, const struct witness_step *step)
{
    int source[EVENT_BYTES_MAX];
    bool forwarded = false;
    find_sources(c, step, source, &forwarded);
    struct draft *draft = add_draft(c, step, step->updates ? EVENT_UPDATE : EVENT_READ);
    draft->event.reads = true;
    draft->event.writes = step->updates;
    draft->event.forwarded = forwarded;
    set_place(c, &draft->event, step->address, step->size);
    memcpy(draft->source, source, sizeof source);
    memcpy(draft->event.read, step->data, step->size);
    if (step->updates)
        memcpy(draft->event.written, step->stored, step->size);
}

static void add_early(struct collector *c, const struct witness_step *step)
{
    c->earlys = region_push(c->drafts->region, c->earlys, c->early_count, &c->early_capacity,
                            sizeof *c->earlys);
    struct early *early = &c->earlys[c->early_count++];
    *early = (struct early){
        .cpu = step->cpu, .step = c->step, .address = step->address, .size = step->size};
    find_sources(c, step, early->source, &early->forwarded);
    if (!is_clock(step->address))
        return;
    early->draft = c->drafts->count; /* it moves the clock even if it is never used */
    add_read(c, step);
    c->drafts->items[early->draft].event.position = NO_STEP;
    c->drafts->items[early->draft].event.early = true;
}

/* The load takes its turn in program order; what it read was read then. */
static void use_early(struct collector *c, const struct witness_step *step)
{
    for (size_t i = c->early_count; i-- > 0;) {
        const struct early *early = &c->earlys[i];
        if (early->cpu != step->cpu || early->address != step->address || early->size != step->size)
            continue;
        struct draft *draft;
        if (is_clock(step->address)) {
            draft = &c->drafts->items[early->draft];
            draft->event.position = c->position[step->cpu];
            draft->event.offset = step->offset;
            draft->event.has_insn = true;
            draft->event.text = step->text;
            draft->event.class = step->class;
        } else {
            add_read(c, step);
            draft = &c->drafts->items[c->drafts->count - 1];
            memcpy(draft->source, early->source, sizeof draft->source);
            draft->event.forwarded = early->forwarded;
        }
        draft->event.performed = early->step;
        draft->event.early = true;
        return;
    }
    add_read(c, step);
}

/* A store that enters the buffer: an event for each part that will be seen at once. */
static void add_writes(struct collector *c, const struct witness_step *step)
{
    struct piece pieces[PIECES_MAX];
    unsigned count = cut_access(c->order, step->address, step->size, pieces);
    for (unsigned n = 0; n < count; n++) {
        struct draft *draft = add_draft(c, step, EVENT_WRITE);
        draft->event.writes = true;
        draft->event.performed = NO_STEP;
        draft->writes_last = true;
        set_place(c, &draft->event, pieces[n].address, pieces[n].size);
        memcpy(draft->event.written, step->data + pieces[n].offset, pieces[n].size);
    }
}

/* A store becomes visible: the oldest like it. An unknown one is of an interrupt's frame. */
static void perform(struct collector *c, const struct witness_step *step)
{
    for (size_t i = 0; i < c->drafts->count; i++) {
        struct event *event = &c->drafts->items[i].event;
        if (event->cpu != step->cpu || event->kind != EVENT_WRITE || event->performed != NO_STEP ||
            event->address != step->address || event->size != step->size ||
            memcmp(event->written, step->data, step->size) != 0)
            continue;
        event->performed = c->step;
        event->store_flags = step->store_flags;
        return;
    }
    struct draft *draft = add_draft(c, step, EVENT_WRITE);
    draft->event.writes = draft->writes_last = true;
    set_place(c, &draft->event, step->address, step->size);
    memcpy(draft->event.written, step->data, step->size);
}

static const char *first_word(struct region *region, const char *text)
{
    return region_strndup(region, text, strcspn(text, " "));
}

static void add_fence(struct collector *c, const struct witness_step *step, const char *name)
{
    struct draft *draft = add_draft(c, step, EVENT_FENCE);
    draft->event.name = name ? name : first_word(c->drafts->region, step->text);
}

static void add_interrupt(struct collector *c, const struct witness_step *step,
                          enum event_kind kind, uint32_t target)
{
    struct draft *draft = add_draft(c, step, kind);
    draft->event.vector = step->vector;
    draft->event.target = target;
    draft->event.name =
        region_printf(c->drafts->region, "vector 0x%x %s %s", step->vector,
                      kind == EVENT_SEND ? "to" : "at", c->drafts->program->cpus[target].name);
}

static void add_access(struct collector *c, const struct witness_step *step)
{
    if (strcmp(step->event, "early load") == 0)
        add_early(c, step);
    else if (strncmp(step->event, "early", 5) == 0)
        use_early(c, step);
    else if (!step->has_insn)
        perform(c, step);
    else if (step->write)
        add_writes(c, step);
    else
        add_read(c, step);
}

static void add_step(struct collector *c, const struct witness_step *step)
{
    bool takes = strcmp(step->event, "interrupt") == 0;
    if ((step->has_insn && !step->same_insn) || takes)
        c->position[step->cpu]++;
    bool unseen = step->size && is_unseen(c, step->address);
    if (step->size && !unseen)
        add_access(c, step);
    if (takes)
        add_interrupt(c, step, EVENT_TAKE, step->cpu);
    else if (step->post_to >= 0)
        add_interrupt(c, step, EVENT_SEND, (uint32_t)step->post_to);
    else if (unseen && step->class == INSN_LOCKED && step->has_insn)
        add_fence(c, step, "lock");
    else if (strcmp(step->event, "fence") == 0 ||
             (step->has_insn && !step->size && step->class == INSN_SERIALIZING))
        add_fence(c, step, NULL);
}

/* What is in the buffers at the end becomes visible afterwards, CPU by CPU and oldest first. */
static void perform_rest(struct drafts *drafts, uint32_t steps)
{
    for (uint32_t cpu = 0; cpu < drafts->program->cpu_count; cpu++)
        for (size_t i = 0; i < drafts->count; i++) {
            struct event *event = &drafts->items[i].event;
            if (event->cpu != cpu || event->performed != NO_STEP)
                continue;
            event->performed = steps++;
            event->pending = true;
        }
}

bool collect_events(struct drafts *drafts, const struct profile *profile,
                    const struct witness *witness)
{
    size_t cpus = drafts->program->cpu_count;
    struct collector c = {.drafts = drafts, .order = &profile->order};
    c.position = region_array(drafts->region, cpus, sizeof *c.position);
    c.stack_is_seen = region_array(drafts->region, cpus, sizeof *c.stack_is_seen);
    find_seen_stacks(&c, witness);
    for (size_t i = 0; i < witness->count; i++) {
        c.step = (uint32_t)i;
        add_step(&c, &witness->steps[i]);
        if (drafts->count > RELATION_EVENTS_MAX)
            return false;
    }
    perform_rest(drafts, (uint32_t)witness->count);
    return true;
}

bool sources_agree(const struct drafts *drafts)
{
    for (size_t i = 0; i < drafts->count; i++) {
        const struct draft *reader = &drafts->items[i];
        for (unsigned byte = 0; reader->event.reads && byte < reader->event.size; byte++) {
            if (reader->source[byte] == SOURCE_INITIAL)
                continue;
            const struct event *writer = &drafts->items[reader->source[byte]].event;
            uint64_t at = reader->event.address + byte - writer->address;
            if (writer->written[at] != reader->event.read[byte])
                return false;
        }
    }
    return true;
}
