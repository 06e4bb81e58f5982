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
};

static const char *bytes_text(struct region *region, const uint8_t *data, unsigned size)
{
    if (size <= 8) {
        uint64_t value = 0;
        memcpy(&value, data, size);
        return value < 4096 ? region_printf(region, "%" PRIu64, value)
                            : region_printf(region, "0x%" PRIx64, value);
    }
    struct text text;
    text_init(&text, region);
    text_add(&text, "0x");
    for (unsigned i = size; i-- > 0;)
        text_printf(&text, "%02x", data[i]);
    return text.data;
}

static const char *store_text(struct teller *teller, uint32_t number)
{
    const struct store *store = intern_bytes(&teller->exploration->components.stores, number);
    return region_printf(
        teller->region, "%s=%s",
        describe_address(teller->region, teller->exploration->program, store->address),
        bytes_text(teller->region, store->data, store->size));
}

static void list_buffer(struct teller *teller, const struct node *node, struct witness_step *step)
{
    const struct model *model = teller->exploration->components.cpus[teller->cpu].model;
    step->buffer = region_array(teller->region, node->buffers.count + 1, sizeof *step->buffer);
    for (uint32_t i = 0; i < node->buffers.count; i++) {
        uint32_t store = model->store_of(node->buffers.words[i]);
        if (store != MODEL_NO_STORE)
            step->buffer[step->buffer_count++] = store_text(teller, store);
    }
}

static const char *detail_of(struct teller *teller, const struct told *told)
{
    if (told->size == 0)
        return told->how ? region_strdup(teller->region, told->how) : "";
    const char *place =
        describe_address(teller->region, teller->exploration->program, told->address);
    const char *value = bytes_text(teller->region, told->data, told->size);
    return region_printf(teller->region, "%s %s %s%s%s", place, told->write ? "<-" : "is", value,
                         told->how ? ", " : "", told->how ? told->how : "");
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
        step->offset = (uint32_t)(told->insn->address -
                                  components->oracle->code[teller->cpu]->snippet->address);
        step->text = region_strdup(teller->region, told->insn->text);
    }
    step->event = told->event;
    step->detail = detail_of(teller, told);
    step->address = told->address;
    step->size = told->size;
    if (told->size)
        memcpy(step->data, told->data, told->size);
    list_buffer(teller, after, step);
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
        .detail = region_printf(teller->region, "the line of %s becomes durable", line)};
}

/* Tells the one transition that leads from one tuple to the next. */
static void tell_transition(struct teller *teller, const uint32_t *from, const uint32_t *to)
{
    struct exploration *exploration = teller->exploration;
    size_t cpus = exploration->program->cpu_count;
    struct matching matching = {.wanted = to, .length = exploration->tuple_length};
    for_each_successor(exploration, from, match, &matching);
    if (!matching.matched)
        return;
    if (!matching.found) {
        tell_write_back(teller, from[cpus + 1], to[cpus + 1]);
        return;
    }
    teller->cpu = matching.cpu;
    exploration->components.teller = teller;
    transition_narrate(&exploration->components, matching.cpu, from[matching.cpu], matching.found,
                       from[cpus]);
    exploration->components.teller = NULL;
}

struct witness *witness_new(struct region *region, struct exploration *exploration, uint32_t state)
{
    struct witness *witness = region_alloc(region, sizeof *witness);
    struct teller teller = {region, exploration, witness, 0};
    size_t cpus = exploration->program->cpu_count, length = 0;
    for (uint32_t at = state; at != NO_STATE; at = exploration->states.parents[at])
        length++;
    uint32_t *path = region_array(region, length, sizeof *path);
    for (uint32_t at = state, i = (uint32_t)length; at != NO_STATE;
         at = exploration->states.parents[at])
        path[--i] = at;
    exploration->components.teller = &teller;
    for (uint32_t cpu = 0; cpu < cpus; cpu++) {
        teller.cpu = cpu;
        component_start(&exploration->components, cpu);
    }
    exploration->components.teller = NULL;
    uint32_t *from = region_array(region, exploration->tuple_length, sizeof *from);
    uint32_t *to = region_array(region, exploration->tuple_length, sizeof *to);
    for (size_t i = 1; i < length; i++) {
        states_get(&exploration->states, path[i - 1], from);
        states_get(&exploration->states, path[i], to);
        tell_transition(&teller, from, to);
    }
    return witness;
}
