/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a state of alike CPUs stands for: all ways to say which of them is where. */
#include <string.h>

#include "sim/explore/explore.h"

struct arranging {
    struct exploration *exploration;
    const uint32_t *tuple; /* in order */
    uint32_t *looks;       /* per CPU: the first one alike whose component looks the same, */
    uint32_t *ends;        /*   or whose component has the same status */
    uint32_t *positions;   /* the CPUs that have others alike; first those that terms speak of */
    uint32_t count, spoken_of;
    uint32_t *arranged;
    bool *used;
    visit_arrangement *visit;
    void *receiver;
    uint64_t done;
};

/* The value that a register which somebody alike shows has in the component of `cpu`. */
static uint64_t value_in(const struct arranging *arranging, uint32_t cpu, const struct term *term)
{
    struct term own = *term;
    own.cpu = cpu;
    return term_value(arranging->exploration, arranging->tuple, &own);
}

static bool end_the_same(const struct arranging *arranging, uint32_t a, uint32_t b)
{
    struct components *components = &arranging->exploration->components;
    return component_of(components, a, arranging->tuple[a])->status ==
           component_of(components, b, arranging->tuple[b])->status;
}

static bool look_the_same(const struct arranging *arranging, uint32_t a, uint32_t b)
{
    struct exploration *exploration = arranging->exploration;
    const uint32_t *alike = exploration->components.symmetry.alike;
    if (arranging->tuple[a] == arranging->tuple[b])
        return true;
    if (!end_the_same(arranging, a, b))
        return false;
    for (size_t i = 0; i < exploration->term_count; i++) {
        const struct term *term = &exploration->terms[i];
        if (!term->is_object && alike[term->cpu] == alike[a] &&
            value_in(arranging, a, term) != value_in(arranging, b, term))
            return false;
    }
    return true;
}

static void group(struct arranging *arranging, uint32_t cpus)
{
    const struct symmetry *symmetry = &arranging->exploration->components.symmetry;
    for (uint32_t cpu = 0; cpu < cpus; cpu++) {
        uint32_t other = symmetry->alike[cpu];
        while (other != cpu && !look_the_same(arranging, other, cpu))
            other = symmetry->next[other];
        arranging->looks[cpu] = other;
        other = symmetry->alike[cpu];
        while (other != cpu && !end_the_same(arranging, other, cpu))
            other = symmetry->next[other];
        arranging->ends[cpu] = other;
    }
}

static bool is_spoken_of(const struct exploration *exploration, uint32_t cpu)
{
    for (size_t i = 0; i < exploration->term_count; i++)
        if (!exploration->terms[i].is_object && exploration->terms[i].cpu == cpu)
            return true;
    return false;
}

static void list_positions(struct arranging *arranging, uint32_t cpus)
{
    const struct exploration *exploration = arranging->exploration;
    const struct symmetry *symmetry = &exploration->components.symmetry;
    for (int spoken_of = 1; spoken_of >= 0; spoken_of--) {
        for (uint32_t cpu = 0; cpu < cpus; cpu++) {
            bool alone = symmetry->previous[cpu] == NOT_ALIKE && symmetry->next[cpu] == NOT_ALIKE;
            if (!alone && is_spoken_of(exploration, cpu) == spoken_of)
                arranging->positions[arranging->count++] = cpu;
        }
        if (spoken_of)
            arranging->spoken_of = arranging->count;
    }
}

/*
 * Gives the CPU in a position each component that makes a difference, then goes on to the next.
 * Where no term speaks of any of the CPUs that are left, only who has ended does.
 */
static void arrange(struct arranging *arranging, uint32_t position)
{
    struct exploration *exploration = arranging->exploration;
    const struct symmetry *symmetry = &exploration->components.symmetry;
    if (position == arranging->count) {
        explore_check(exploration, ++arranging->done);
        arranging->visit(arranging->receiver, arranging->arranged);
        return;
    }
    uint32_t cpu = arranging->positions[position], first = symmetry->alike[cpu];
    const uint32_t *kind = position < arranging->spoken_of ? arranging->looks : arranging->ends;
    for (uint32_t from = first; from != NOT_ALIKE; from = symmetry->next[from]) {
        bool skip = arranging->used[from];
        for (uint32_t other = first; other != from && !skip; other = symmetry->next[other])
            skip = !arranging->used[other] && kind[other] == kind[from];
        if (skip)
            continue;
        arranging->used[from] = true;
        arranging->arranged[cpu] = arranging->tuple[from];
        arrange(arranging, position + 1);
        arranging->used[from] = false;
    }
}

void for_each_arrangement(struct exploration *exploration, const uint32_t *tuple,
                          visit_arrangement *visit, void *receiver)
{
    uint32_t cpus = (uint32_t)exploration->program->cpu_count;
    struct region *region = &exploration->region;
    if (!exploration->components.symmetry.any) {
        visit(receiver, tuple);
        return;
    }
    struct arranging arranging = {
        .exploration = exploration,
        .tuple = tuple,
        .looks = region_array(region, cpus, sizeof(uint32_t)),
        .ends = region_array(region, cpus, sizeof(uint32_t)),
        .positions = region_array(region, cpus, sizeof(uint32_t)),
        .arranged = region_array(region, exploration->tuple_length, sizeof(uint32_t)),
        .used = region_array(region, cpus, sizeof(bool)),
        .visit = visit,
        .receiver = receiver};
    memcpy(arranging.arranged, tuple, exploration->tuple_length * sizeof *tuple);
    group(&arranging, cpus);
    list_positions(&arranging, cpus);
    arrange(&arranging, 0);
}
