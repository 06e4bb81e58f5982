/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Properties of the explorer on random programs: it finds exactly what the naive machine
 * finds; its witnesses can be replayed, and have a cycle of relations when their outcome is
 * relaxed and none under SC; fences and smaller buffers only take outcomes away;
 * names and the order of the CPUs mean nothing. PROPERTY_COUNT and PROPERTY_SEED in the
 * environment choose how many programs and which.
 */
#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/relations/relations.h"
#include "tests/property/property.h"

void add_property_tests(void);

#ifdef __SANITIZE_ADDRESS__
enum { COUNT = 100 }; /* sanitized, everything takes many times as long */
#else
enum { COUNT = 500 };
#endif
enum { BATCH = 50, NAIVE_STATES_MAX = 100000, FAILURES_SHOWN = 3 };

/* A sample and its relatives, and their numbers in the batch. */
struct family {
    uint64_t seed;
    struct sample sample, fenced;
    unsigned order[THREADS_MAX];
    size_t plain, with_fence, permuted, renamed;
    struct machine machine;
};

static unsigned failures, skipped;

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static void fail(const struct family *family, const char *what, const struct outcomes *expected,
                 const struct outcomes *got)
{
    CU_FAIL("a property does not hold; the program is printed");
    if (failures++ >= FAILURES_SHOWN)
        return;
    char *text = sample_trace(&family->sample, false);
    printf("\n%s (seed %" PRIu64 ", %u entries, %u atomic bytes)\n%s", what, family->seed,
           family->machine.capacity, family->machine.atomic_bytes, text);
    free(text);
    printf("  expected:\n");
    outcomes_print(expected, family->sample.threads);
    printf("  got:\n");
    outcomes_print(got, family->sample.threads);
}

static size_t add(struct batch *batch, const struct sample *sample, bool renamed)
{
    char *text = sample_trace(sample, renamed);
    size_t number = batch_add(batch, text);
    free(text);
    return number;
}

static void family_new(struct family *family, struct batch *batch, uint64_t seed)
{
    static const unsigned capacities[] = {1, 2, 3, 16};
    family->seed = seed;
    family->sample = sample_random(seed);
    if (seed % 3 == 0) /* what is alike is explored as one: all threads, or the first two */
        sample_make_alike(&family->sample, seed % 2 ? 2 : family->sample.threads);
    family->machine = (struct machine){false, capacities[seed % 4], seed / 4 % 2 ? 8 : 64};
    unsigned threads = family->sample.threads;
    for (unsigned i = 0; i < threads; i++)
        family->order[i] = (i + 1 + (unsigned)(seed / 8 % (threads - 1))) % threads;
    struct sample permuted = sample_permuted(&family->sample, family->order);
    sample_with_fence(&family->sample, ~seed, &family->fenced);
    family->plain = add(batch, &family->sample, false);
    family->renamed = add(batch, &family->sample, true);
    family->permuted = add(batch, &permuted, false);
    family->with_fence = add(batch, &family->fenced, false);
}

struct replaying {
    const struct family *family;
    const struct machine *machine;
};

static void check_witness(void *context, const struct witness *witness, uint64_t window,
                          const uint64_t *row)
{
    const struct replaying *replaying = context;
    const char *wrong =
        naive_replay(&replaying->family->sample, replaying->machine, witness, window, row);
    CU_ASSERT_PTR_NULL(wrong);
    if (!wrong)
        return;
    struct outcomes expected = {0}, none = {0};
    outcomes_add(&expected, row);
    fail(replaying->family, wrong, &expected, &none);
    for (size_t i = 0; i < witness->count && failures <= FAILURES_SHOWN; i++)
        printf("  T%u %s %s %s\n", witness->steps[i].cpu, witness->steps[i].event,
               witness->steps[i].text ? witness->steps[i].text : "", witness->steps[i].detail);
    outcomes_free(&expected);
}

/* The explorer's outcomes must be `expected`. */
static void compare_engine(struct batch *batch, const struct family *family, size_t number,
                           const char *model, const struct machine *machine,
                           enum search_kind search, const struct outcomes *expected,
                           const char *what)
{
    struct outcomes got = {0};
    struct replaying replaying = {family, machine};
    bool replay = number == family->plain;
    bool complete = engine_outcomes(batch, number, model, machine, search, &got,
                                    replay ? check_witness : NULL, &replaying);
    CU_ASSERT_TRUE(complete);
    if (!complete || !outcomes_equal(expected, &got))
        fail(family, what, expected, &got);
    outcomes_free(&got);
}

/* The outcomes with the threads in the family's other order. */
static void permute(const struct family *family, const struct outcomes *from,
                    struct outcomes *permuted)
{
    for (size_t n = 0; n < from->count; n++) {
        uint64_t row[VALUES_MAX];
        memcpy(row, from->rows[n], sizeof row);
        for (unsigned thread = 0; thread < family->sample.threads; thread++)
            memcpy(row + thread * REGISTERS, from->rows[n] + family->order[thread] * REGISTERS,
                   REGISTERS * sizeof *row);
        outcomes_add(permuted, row);
    }
    outcomes_sort(permuted);
}

static void check_models(struct batch *batch, const struct family *family,
                         const struct outcomes *expected)
{
    compare_engine(batch, family, family->plain, "tso", &family->machine, SEARCH_REDUCED, expected,
                   "not the naive machine's outcomes");
    compare_engine(batch, family, family->plain, "tso", &family->machine, SEARCH_ALL, expected,
                   "not the naive machine's outcomes, without reduction");
    compare_engine(batch, family, family->plain, "tso", &family->machine, SEARCH_GRAPH, expected,
                   "not the naive machine's outcomes, in the graph that readers explore");
    compare_engine(batch, family, family->plain, "x86", &family->machine, SEARCH_REDUCED, expected,
                   "not the naive machine's outcomes, with the model of all memory types");
}

static void check_relatives(struct batch *batch, const struct family *family,
                            const struct outcomes *expected)
{
    struct outcomes permuted = {0}, fenced = {0};
    permute(family, expected, &permuted);
    compare_engine(batch, family, family->permuted, "tso", &family->machine, SEARCH_REDUCED,
                   &permuted, "other outcomes with the CPUs in another order");
    compare_engine(batch, family, family->renamed, "tso", &family->machine, SEARCH_REDUCED,
                   expected, "other outcomes with other names");
    CU_ASSERT_TRUE(engine_outcomes(batch, family->with_fence, "tso", &family->machine,
                                   SEARCH_REDUCED, &fenced, NULL, NULL));
    if (!outcomes_within(&fenced, expected))
        fail(family, "a fence added an outcome", expected, &fenced);
    outcomes_free(&permuted);
    outcomes_free(&fenced);
}

/* ---- relations of witnesses ---- */

struct relating {
    const struct family *family;
    const struct program *program;
    const struct machine *machine;
    const struct outcomes *sc; /* NULL: the witness itself is sequentially consistent */
};

/* What is wrong with the cycle, or with there being none; NULL: nothing. */
static const char *wrong_cycle(const struct relations *relations, bool relaxed)
{
    if (relations->problem)
        return relations->problem;
    if (relaxed && !relations->cycle_count)
        return "a relaxed outcome whose execution has no cycle";
    if (relations->cycle_count && !relaxed_edge(relations))
        return "a cycle in which everything was kept";
    for (size_t i = 0; i < relations->cycle_count; i++)
        if (relations->cycle[i].to != relations->cycle[(i + 1) % relations->cycle_count].from)
            return "a cycle that does not close";
    return NULL;
}

/* Whether all that comes before an event has been done. */
static bool is_next(const struct relations *relations, const bool *done, size_t number)
{
    for (size_t i = 0; i < relations->edge_count; i++)
        if (relations->edges[i].to == number && !done[relations->edges[i].from])
            return false;
    return !done[number];
}

/* Events without a cycle, one after the other on plain memory: every load must fit. */
static const char *wrong_interleaving(const struct relations *relations, uint64_t window)
{
    bool done[RELATION_EVENTS_MAX * 2] = {false};
    int memory[WINDOW_BYTES]; /* -1: nothing is known so far */
    for (size_t i = 0; i < WINDOW_BYTES; i++)
        memory[i] = -1;
    for (size_t count = 0; count < relations->event_count; count++) {
        size_t next = 0;
        while (next < relations->event_count && !is_next(relations, done, next))
            next++;
        if (next == relations->event_count)
            return "edges with a cycle, though none was found";
        const struct event *event = &relations->events[next];
        done[next] = true;
        for (unsigned byte = 0; byte < event->size && event->cpu != NO_CPU; byte++) {
            uint64_t at = event->address + byte - window;
            if (at >= WINDOW_BYTES)
                continue;
            if (event->reads && memory[at] >= 0 && memory[at] != event->read[byte])
                return "a load does not fit into the interleaving";
            if (event->reads)
                memory[at] = event->read[byte];
            if (event->writes)
                memory[at] = event->written[byte];
        }
    }
    return NULL;
}

/* The same of an execution that is cut off somewhere, as those of crashes are. */
static const char *wrong_cut(struct region *region, const struct relating *relating,
                             const struct profile *profile, const struct witness *witness,
                             uint64_t window)
{
    for (size_t count = 0; count < witness->count; count += 1 + witness->count / 4) {
        struct witness cut = *witness;
        cut.count = count;
        const struct relations *relations = relations_new(region, relating->program, profile, &cut);
        const char *wrong = wrong_cycle(relations, false);
        if (!wrong && !relations->cycle_count)
            wrong = wrong_interleaving(relations, window);
        if (wrong)
            return wrong;
    }
    return NULL;
}

static void check_relations(void *context, const struct witness *witness, uint64_t window,
                            const uint64_t *row)
{
    const struct relating *relating = context;
    struct region region;
    struct profile profile;
    struct outcomes outcome = {0}, none = {0};
    memset(&profile, 0, sizeof profile);
    profile.order.atomic_bytes = relating->machine->atomic_bytes;
    region_init(&region, 0);
    if (region_guard(&region))
        abort();
    outcomes_add(&outcome, row);
    const struct relations *relations =
        relations_new(&region, relating->program, &profile, witness);
    bool relaxed = relating->sc && !outcomes_within(&outcome, relating->sc);
    const char *wrong = wrong_cycle(relations, relaxed);
    if (!wrong && !relating->sc && relations->cycle_count)
        wrong = "a cycle under SC";
    if (!wrong && !relations->cycle_count)
        wrong = wrong_interleaving(relations, window);
    if (!wrong)
        wrong = wrong_cut(&region, relating, &profile, witness, window);
    if (wrong)
        fail(relating->family, wrong, &outcome, &none);
    outcomes_free(&outcome);
    region_release(&region);
}

static void relate(struct batch *batch, const struct family *family, const char *model,
                   const struct machine *machine, const struct outcomes *sc)
{
    struct outcomes got = {0};
    struct relating relating = {family, batch_program(batch, family->plain), machine, sc};
    CU_ASSERT_TRUE(engine_outcomes(batch, family->plain, model, machine, true, &got,
                                   check_relations, &relating));
    outcomes_free(&got);
}

static void check_sc(struct batch *batch, const struct family *family,
                     const struct outcomes *relaxed)
{
    struct outcomes sc = {0};
    struct machine machine = {true, 0, family->machine.atomic_bytes};
    CU_ASSERT_TRUE(naive_outcomes(&family->sample, &machine, NAIVE_STATES_MAX, &sc));
    compare_engine(batch, family, family->plain, "sc", &machine, SEARCH_REDUCED, &sc,
                   "not the naive machine's outcomes under SC");
    if (!outcomes_within(&sc, relaxed))
        fail(family, "an outcome of SC is missing under TSO", &sc, relaxed);
    relate(batch, family, "tso", &family->machine, &sc);
    relate(batch, family, "sc", &machine, NULL);
    outcomes_free(&sc);
}

static void check_capacities(struct batch *batch, const struct family *family)
{
    struct outcomes small = {0};
    struct machine machine = family->machine;
    for (machine.capacity = 1; machine.capacity <= 3; machine.capacity++) {
        struct outcomes large = {0};
        CU_ASSERT_TRUE(engine_outcomes(batch, family->plain, "tso", &machine, SEARCH_REDUCED,
                                       &large, NULL, NULL));
        if (!outcomes_within(&small, &large))
            fail(family, "a larger buffer removed an outcome", &small, &large);
        outcomes_free(&small);
        small = large;
    }
    outcomes_free(&small);
}

static void check_family(struct batch *batch, const struct family *family)
{
    struct outcomes expected = {0};
    if (naive_outcomes(&family->sample, &family->machine, NAIVE_STATES_MAX, &expected)) {
        check_models(batch, family, &expected);
        check_relatives(batch, family, &expected);
        check_sc(batch, family, &expected);
        check_capacities(batch, family);
    } else {
        skipped++;
    }
    outcomes_free(&expected);
}

static void test_random_programs(void)
{
    uint64_t count = from_environment("PROPERTY_COUNT", COUNT);
    uint64_t seed = from_environment("PROPERTY_SEED", 1);
    static struct family families[BATCH];
    for (uint64_t done = 0; done < count; done += BATCH) {
        struct batch *batch = batch_new();
        size_t size = count - done < BATCH ? (size_t)(count - done) : BATCH;
        for (size_t i = 0; i < size; i++)
            family_new(&families[i], batch, seed + done + i);
        bool assembled = batch_assemble(batch);
        CU_ASSERT_TRUE(assembled);
        for (size_t i = 0; i < size && assembled; i++)
            check_family(batch, &families[i]);
        batch_free(batch);
    }
    CU_ASSERT_TRUE(skipped * 20 <= count); /* else hardly anything was compared */
    CU_ASSERT_EQUAL(failures, 0);
}

/* The naive machine itself, on programs whose outcomes are known. */
static size_t count_where_both_miss(const struct sample *sample, const struct machine *machine)
{
    struct outcomes outcomes = {0};
    size_t found = 0;
    CU_ASSERT_TRUE(naive_outcomes(sample, machine, NAIVE_STATES_MAX, &outcomes));
    for (size_t i = 0; i < outcomes.count; i++)
        found += outcomes.rows[i][1] == 0 && outcomes.rows[i][REGISTERS + 1] == 0;
    outcomes_free(&outcomes);
    return found;
}

static void test_naive_machine(void)
{
    struct sample sb = {.threads = 2, .count = {2, 2}};
    for (unsigned thread = 0; thread < 2; thread++) {
        sb.ops[thread][0] =
            (struct op){.kind = OP_STORE_NUMBER, .offset = thread * 8, .size = 4, .number = 1};
        sb.ops[thread][1] =
            (struct op){.kind = OP_LOAD, .offset = (1 - thread) * 8, .size = 4, .reg = 1};
    }
    CU_ASSERT_EQUAL(count_where_both_miss(&sb, &(struct machine){false, 1, 8}), 1);
    CU_ASSERT_EQUAL(count_where_both_miss(&sb, &(struct machine){true, 0, 8}), 0);
    for (unsigned thread = 0; thread < 2; thread++) {
        sb.ops[thread][2] = sb.ops[thread][1];
        sb.ops[thread][1] = (struct op){.kind = OP_MFENCE};
        sb.count[thread] = 3;
    }
    CU_ASSERT_EQUAL(count_where_both_miss(&sb, &(struct machine){false, 16, 8}), 0);
}

void add_property_tests(void)
{
    CU_pSuite suite = CU_add_suite("properties", NULL, NULL);
    CU_add_test(suite, "the naive machine is right about SB", test_naive_machine);
    CU_add_test(suite, "random programs", test_random_programs);
}
