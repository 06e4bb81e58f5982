/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/explore/endings.h"

#include <string.h>

#include "sim/explore/ample.h"

void add_image(struct exploration *exploration, uint32_t state, const uint32_t *tuple)
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

void judge_end(struct exploration *exploration, uint32_t state, const uint32_t *tuple)
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

void note_issue(struct exploration *exploration, uint32_t state, uint32_t cpu,
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
