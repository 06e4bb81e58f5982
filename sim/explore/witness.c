/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/explore/witness.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/explore/internal.h"

struct teller {
    struct region *region;
    struct exploration *exploration;
    struct witness *witness;
    uint32_t cpu;
    /* What the steps so far have made of registers and memory; NULL: not followed. */
    struct cell_view view;
    uint32_t *privates;
    struct registers *registers; /* per CPU */
};

const char *bytes_text(struct region *region, const uint8_t *data, unsigned size)
{
    if (size <= 8) {
        uint64_t value = 0;
        memcpy(&value, data, size);
        return region_printf(region, value < 4096 ? "%" PRIu64 : "0x%" PRIx64, value);
    }
    struct text text;
    text_init(&text, region);
    text_add(&text, "0x");
    for (unsigned i = size; i-- > 0;)
        text_printf(&text, "%02x", data[i]);
    return text.data;
}

/* The stack of the first of those alike stands for everybody's. */
static uint64_t own_address(const struct exploration *exploration, uint32_t cpu, uint64_t address)
{
    const struct cpu *cpus = exploration->program->cpus;
    uint64_t first = cpus[exploration->components.symmetry.alike[cpu]].stack;
    bool on_it = address >= first && address - first < STACK_BYTES;
    return on_it ? address - first + cpus[cpu].stack : address;
}

const char *store_text(struct region *region, const struct exploration *exploration, uint32_t cpu,
                       uint32_t number)
{
    const struct store *store = intern_bytes(&exploration->components.stores, number);
    const char *place = describe_address(region, exploration->program,
                                         own_address(exploration, cpu, store->address));
    if (store->flags & (STORE_CLFLUSH | STORE_FLUSH_WEAK))
        return region_printf(region, "flush %s", place);
    return region_printf(region, "%s=%s", place, bytes_text(region, store->data, store->size));
}

const char **buffered_stores(struct region *region, struct exploration *exploration, uint32_t cpu,
                             const struct node *node, size_t *count)
{
    const struct model *model = exploration->components.cpus[cpu].model;
    const char **texts = region_array(region, node->buffers.count + 1, sizeof *texts);
    *count = 0;
    for (uint32_t i = 0; i < node->buffers.count; i++) {
        uint32_t number = model->store_of(node->buffers.words[i]);
        if (number != MODEL_NO_STORE)
            texts[(*count)++] = store_text(region, exploration, cpu, number);
    }
    return texts;
}

/* ", x <- 1" for what an atomic access stores, unless it puts back what it found. */
static const char *stored_text(struct teller *teller, const struct told *told)
{
    const char *text = "";
    for (uint32_t i = 0; i < told->stored->store_count; i++) {
        const struct store *store =
            intern_bytes(&teller->exploration->components.stores, told->stored->stores[i]);
        if (store->address == told->address && store->size == told->size &&
            memcmp(store->data, told->data, told->size) == 0)
            continue;
        uint64_t address = own_address(teller->exploration, teller->cpu, store->address);
        text =
            region_printf(teller->region, "%s, %s <- %s", text,
                          describe_address(teller->region, teller->exploration->program, address),
                          bytes_text(teller->region, store->data, store->size));
    }
    return text;
}

static const char *detail_of(struct teller *teller, const struct told *told)
{
    if (told->size == 0)
        return told->how ? region_strdup(teller->region, told->how) : "";
    if (told->address == TSC_ADDRESS) { /* a reading is one more than the one before */
        uint64_t clock;
        memcpy(&clock, told->data, sizeof clock);
        return region_printf(teller->region, "the clock is %" PRIu64 "%s%s",
                             clock + (told->stored && told->stored->store_count),
                             told->how ? ", " : "", told->how ? told->how : "");
    }
    const char *place =
        describe_address(teller->region, teller->exploration->program,
                         own_address(teller->exploration, teller->cpu, told->address));
    const char *value = bytes_text(teller->region, told->data, told->size);
    return region_printf(teller->region, "%s %s %s%s%s%s", place, told->write ? "<-" : "is", value,
                         told->how ? ", " : "", told->how ? told->how : "",
                         told->stored ? stored_text(teller, told) : "");
}

static uint64_t *cell_values(const struct teller *teller)
{
    const struct cells *cells = &teller->witness->cells;
    uint64_t *values = region_array(teller->region, cells->count + 1, sizeof *values);
    for (size_t i = 0; i < cells->count; i++)
        values[i] = cell_value(teller->exploration, &cells->items[i], &teller->view);
    return values;
}

/* Keeps what the step made of the CPU's registers and of memory. */
static void follow(struct teller *teller, const struct node *after, struct witness_step *step)
{
    if (!teller->privates)
        return;
    struct registers *registers = &teller->registers[teller->cpu];
    step->registers = changed_registers(teller->region, teller->exploration, registers,
                                        after->local, &step->register_count);
    oracle_registers(teller->exploration->components.oracle, after->local, registers);
    teller->privates[teller->cpu] = after->private_memory;
    step->memory = cell_values(teller);
}

/* What is at the place of an atomic access after it. */
static void keep_stored(const struct teller *teller, const struct told *told,
                        struct witness_step *step)
{
    memcpy(step->stored, step->data, sizeof step->stored);
    step->updates = told->stored->store_count > 0;
    for (uint32_t n = 0; n < told->stored->store_count; n++) {
        const struct store *store =
            intern_bytes(&teller->exploration->components.stores, told->stored->stores[n]);
        for (unsigned byte = 0; byte < store->size; byte++)
            if (store->address + byte - told->address < sizeof step->stored)
                step->stored[store->address + byte - told->address] = store->data[byte];
    }
}

void tell(struct components *components, const struct node *after, const struct told *told)
{
    struct teller *teller = components->teller;
    if (!teller)
        return;
    struct witness *witness = teller->witness;
    witness->steps = region_push(teller->region, witness->steps, witness->count, &witness->capacity,
                                 sizeof *witness->steps);
    struct witness_step *step = &witness->steps[witness->count++];
    memset(step, 0, sizeof *step);
    step->cpu = teller->cpu;
    step->has_insn = told->insn != NULL;
    if (told->insn) {
        uint32_t first = components->symmetry.alike[teller->cpu];
        step->offset =
            (uint32_t)(told->insn->address - components->oracle->code[first]->snippet->address);
        step->text = region_strdup(teller->region, told->insn->text);
    }
    step->event = told->event;
    step->detail = detail_of(teller, told);
    step->address = own_address(teller->exploration, teller->cpu, told->address);
    step->size = told->size;
    step->write = told->write;
    step->same_insn = told->same_insn;
    step->store_flags = told->store_flags;
    step->vector = told->sends ? told->sends->vector : told->vector;
    step->post_to = told->sends ? told->sends->post_to : NOBODY;
    if (told->insn)
        step->class = told->insn->class;
    if (told->size)
        memcpy(step->data, told->data, told->size);
    if (told->stored)
        keep_stored(teller, told, step);
    step->buffer = buffered_stores(teller->region, teller->exploration, teller->cpu, after,
                                   &step->buffer_count);
    follow(teller, after, step);
}

struct matching {
    const uint32_t *wanted;
    size_t length;
    bool matched;
    struct transition *found; /* NULL: memory wrote a line back */
    uint32_t cpu;
};

static void match(void *receiver, uint32_t cpu, struct transition *transition,
                  const uint32_t *tuple)
{
    struct matching *matching = receiver;
    if (matching->matched || memcmp(tuple, matching->wanted, matching->length * sizeof *tuple) != 0)
        return;
    matching->matched = true;
    matching->found = transition;
    matching->cpu = cpu;
}

/* A line of persistent memory was written back by the memory itself. */
static void tell_write_back(struct teller *teller, uint32_t before, uint32_t after)
{
    struct exploration *exploration = teller->exploration;
    struct witness *witness = teller->witness;
    const char *line = "a line";
    for (size_t i = 0; i < exploration->line_count; i++)
        for (uint64_t word = 0; word < LINE_BYTES; word += 8) {
            uint8_t old[16], new[16];
            memory_read(&exploration->durable, before, exploration->lines[i] + word, 8, old);
            memory_read(&exploration->durable, after, exploration->lines[i] + word, 8, new);
            if (memcmp(old, new, 8) != 0)
                line =
                    describe_address(teller->region, exploration->program, exploration->lines[i]);
        }
    witness->steps = region_push(teller->region, witness->steps, witness->count, &witness->capacity,
                                 sizeof *witness->steps);
    witness->steps[witness->count++] = (struct witness_step){
        .cpu = teller->cpu,
        .event = "write-back",
        .post_to = NOBODY,
        .detail = region_printf(teller->region, "the line of %s becomes durable", line),
        .memory = teller->privates ? cell_values(teller) : NULL};
}

/* Tells a transition of the teller's CPU by taking it; NULL: a line is written back. */
static void tell_taken(struct teller *teller, const uint32_t *from, const uint32_t *to,
                       const struct transition *transition)
{
    struct exploration *exploration = teller->exploration;
    size_t cpus = exploration->program->cpu_count;
    teller->view.memory = to[cpus];
    if (exploration->line_count)
        teller->view.durable = to[cpus + 1];
    if (!transition) {
        tell_write_back(teller, from[cpus + 1], to[cpus + 1]);
        return;
    }
    exploration->components.teller = teller;
    transition_narrate(&exploration->components, teller->cpu, from[teller->cpu], transition,
                       from[cpus]);
    exploration->components.teller = NULL;
}

/* Tells the one transition that leads from one tuple to the next. */
static void tell_transition(struct teller *teller, const uint32_t *from, const uint32_t *to)
{
    struct matching matching = {.wanted = to, .length = teller->exploration->tuple_length};
    for_each_successor(teller->exploration, from, match, &matching);
    if (matching.found)
        teller->cpu = matching.cpu;
    if (matching.matched)
        tell_taken(teller, from, to, matching.found);
}

/* Begins to follow registers and memory, as they are before the first step. */
static void follow_start(struct teller *teller)
{
    struct exploration *exploration = teller->exploration;
    size_t cpus = exploration->program->cpu_count;
    struct witness *witness = teller->witness;
    teller->privates = region_array(teller->region, cpus, sizeof *teller->privates);
    teller->registers = region_array(teller->region, cpus, sizeof *teller->registers);
    for (uint32_t cpu = 0; cpu < cpus; cpu++)
        oracle_registers(
            exploration->components.oracle,
            oracle_local(exploration->components.oracle,
                         &exploration->components.start
                              ->registers[exploration->components.symmetry.alike[cpu]]),
            &teller->registers[cpu]);
    teller->view = (struct cell_view){.privates = teller->privates};
    witness->cells = cells_find(teller->region, exploration);
    witness->start = cell_values(teller);
}

/* The states that lead to `state`, one tuple after the other. */
static uint32_t *find_path(struct region *region, const struct exploration *exploration,
                           uint32_t state, size_t *length)
{
    size_t wide = exploration->tuple_length;
    *length = 0;
    for (uint32_t at = state; at != NO_STATE; at = exploration->states.parents[at])
        ++*length;
    uint32_t *path = region_array(region, *length * wide, sizeof *path),
             *to = path + *length * wide;
    for (uint32_t at = state; at != NO_STATE; at = exploration->states.parents[at])
        states_get(&exploration->states, at, to -= wide);
    return path;
}

/* A step that leads to `wanted` when those alike are put in order. */
struct stepping {
    const struct symmetry *symmetry;
    uint32_t cpus;
    const uint32_t *wanted;
    size_t length;
    uint32_t *ordered, *found;
    bool matched;
};

static void match_ordered(void *receiver, uint32_t cpu, struct transition *transition,
                          const uint32_t *tuple)
{
    (void)cpu, (void)transition;
    struct stepping *stepping = receiver;
    size_t bytes = stepping->length * sizeof *tuple;
    if (stepping->matched)
        return;
    memcpy(stepping->ordered, tuple, bytes);
    symmetry_sort(stepping->symmetry, stepping->cpus, stepping->ordered);
    if (memcmp(stepping->ordered, stepping->wanted, bytes) != 0)
        return;
    stepping->matched = true;
    memcpy(stepping->found, tuple, bytes);
}

/* Who each CPU of the path has to be so that the last tuple becomes `wanted`. */
static uint32_t *find_roles(struct region *region, const struct symmetry *symmetry, uint32_t cpus,
                            const uint32_t *last, const uint32_t *wanted)
{
    uint32_t *roles = region_array(region, cpus, sizeof *roles);
    bool *taken = region_array(region, cpus, sizeof *taken);
    for (uint32_t cpu = 0; cpu < cpus; cpu++) {
        uint32_t role = symmetry->alike[cpu];
        while (taken[role] || wanted[role] != last[cpu])
            role = symmetry->next[role];
        taken[role] = true;
        roles[cpu] = role;
    }
    return roles;
}

/* Turns the path's tuples, in which those alike are in order, into those of one execution. */
static void assign_roles(struct region *region, struct exploration *exploration, uint32_t *path,
                         size_t length, const uint32_t *wanted)
{
    const struct symmetry *symmetry = &exploration->components.symmetry;
    size_t wide = exploration->tuple_length;
    uint32_t cpus = (uint32_t)exploration->program->cpu_count;
    uint32_t *ordered = region_array(region, wide, sizeof *ordered);
    uint32_t *found = region_array(region, wide, sizeof *found);
    for (size_t i = 1; i < length; i++) {
        struct stepping stepping = {symmetry, cpus, path + i * wide, wide, ordered, found, false};
        for_each_successor(exploration, path + (i - 1) * wide, match_ordered, &stepping);
        if (stepping.matched)
            memcpy(path + i * wide, found, wide * sizeof *found);
    }
    if (!wanted)
        return;
    uint32_t *roles = find_roles(region, symmetry, cpus, path + (length - 1) * wide, wanted);
    for (size_t i = 0; i < length; i++) {
        uint32_t *tuple = path + i * wide;
        memcpy(ordered, tuple, wide * sizeof *ordered);
        for (uint32_t cpu = 0; cpu < cpus; cpu++)
            tuple[roles[cpu]] = ordered[cpu];
    }
}

struct witness *witness_of_transition(struct region *region, struct exploration *exploration,
                                      const uint32_t *from, const uint32_t *to, uint32_t cpu,
                                      const struct transition *transition)
{
    struct witness *witness = region_alloc(region, sizeof *witness);
    struct teller teller = {
        .region = region, .exploration = exploration, .witness = witness, .cpu = cpu};
    tell_taken(&teller, from, to, transition);
    return witness;
}

struct witness *witness_new(struct region *region, struct exploration *exploration, uint32_t state,
                            const uint32_t *tuple)
{
    struct witness *witness = region_alloc(region, sizeof *witness);
    struct teller teller = {.region = region, .exploration = exploration, .witness = witness};
    size_t wide = exploration->tuple_length, length;
    uint32_t *path = find_path(region, exploration, state, &length);
    exploration->keeps_order = true;
    if (exploration->components.symmetry.any)
        assign_roles(region, exploration, path, length, tuple);
    follow_start(&teller);
    exploration->components.teller = &teller;
    for (uint32_t cpu = 0; cpu < exploration->program->cpu_count; cpu++) {
        teller.cpu = cpu;
        component_start(&exploration->components, cpu);
    }
    exploration->components.teller = NULL;
    for (size_t i = 1; i < length; i++)
        tell_transition(&teller, path + (i - 1) * wide, path + i * wide);
    exploration->keeps_order = false;
    return witness;
}
