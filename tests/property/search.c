/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every state of the naive machine, depth first; every state that was met is kept whole. */
#include <stdlib.h>
#include <string.h>

#include "tests/property/property.h"

struct search {
    const struct sample *sample;
    const struct machine *machine;
    struct outcomes *outcomes;
    struct state *states;
    size_t count, limit;
    uint32_t *table; /* number + 1; twice as many as `limit` and more */
    size_t mask;
    bool too_many;
};

static uint64_t hash(const struct state *state)
{
    const uint8_t *bytes = (const uint8_t *)state;
    uint64_t value = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof *state; i++)
        value = (value ^ bytes[i]) * UINT64_C(0x100000001b3);
    return value ^ value >> 32;
}

/* Whether the state is new. */
static bool meet(struct search *search, const struct state *state)
{
    size_t at = hash(state) & search->mask;
    for (; search->table[at]; at = (at + 1) & search->mask)
        if (memcmp(&search->states[search->table[at] - 1], state, sizeof *state) == 0)
            return false;
    if (search->count == search->limit) {
        search->too_many = true;
        return false;
    }
    memcpy(&search->states[search->count++], state, sizeof *state);
    search->table[at] = (uint32_t)search->count;
    return true;
}

static void visit(struct search *search, const struct state *state)
{
    struct state next;
    bool moved = false;
    if (!meet(search, state) || search->too_many)
        return;
#define TRY(step)                                                                                  \
    do {                                                                                           \
        memcpy(&next, state, sizeof next);                                                         \
        if (step) {                                                                                \
            moved = true;                                                                          \
            visit(search, &next);                                                                  \
        }                                                                                          \
    } while (0)
    for (unsigned thread = 0; thread < search->sample->threads; thread++) {
        for (unsigned i = 0; i < state->threads[thread].count; i++)
            TRY(naive_drain(&next, thread, i));
        for (unsigned piece = 0; piece < 2; piece++)
            TRY(naive_load_piece(search->sample, search->machine, &next, thread, piece));
        TRY(naive_instruction(search->sample, search->machine, &next, thread));
    }
#undef TRY
    if (!moved) {
        uint64_t row[VALUES_MAX];
        state_row(search->sample, state, row);
        outcomes_add(search->outcomes, row);
    }
}

bool naive_outcomes(const struct sample *sample, const struct machine *machine, size_t limit,
                    struct outcomes *outcomes)
{
    struct search search = {
        .sample = sample, .machine = machine, .outcomes = outcomes, .limit = limit};
    for (search.mask = 1; search.mask < 2 * limit;)
        search.mask = search.mask * 2 + 1;
    search.states = malloc(limit * sizeof *search.states);
    search.table = calloc(search.mask + 1, sizeof *search.table);
    if (!search.states || !search.table)
        abort();
    struct state start;
    state_start(sample, &start);
    visit(&search, &start);
    free(search.states);
    free(search.table);
    outcomes_sort(outcomes);
    return !search.too_many;
}
