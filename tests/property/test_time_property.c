/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A timed run is one execution: what it ends in is among what exploration finds, and it ends
 * unless some execution does not.
 */
#include <stdlib.h>
#include <string.h>

#include "models/profile.h"
#include "sim/base/text.h"
#include "sim/time/time.h"
#include "tests/property/property.h"
#include "tests/unit/exploring.h"

void add_time_property_tests(void);

static const char *const parts[] = {"zen4", "skylake", "haswell", "zen2"};
enum { PARTS = sizeof parts / sizeof parts[0], PROGRAMS = 150 };

static bool is_found(const struct exploration *found, const uint64_t *values)
{
    for (size_t i = 0; i < found->final_count; i++)
        if (memcmp(found->finals[i].values, values, found->term_count * sizeof *values) == 0)
            return true;
    return false;
}

static bool is_interleaving(struct exploring *e, const uint64_t *values)
{
    struct explore_options options = {.reduce = true};
    return is_found(exploring_run(e, "sc", &options), values);
}

/* Counts those that no interleaving explains. */
static unsigned check_program(uint64_t seed, const char *part)
{
    struct exploring e;
    struct explore_options options = {.reduce = true, .max_states = 200000};
    struct sample sample = sample_random(seed);
    char *text = sample_trace(&sample, false);
    unsigned relaxed = 0;
    exploring_open(&e, text, part);
    struct exec *exec = exec_open(&e.reading.region, e.reading.program);
    CU_ASSERT_PTR_NOT_NULL_FATAL(exec);
    struct timed *timed = time_run(&e.reading.region, exec, e.reading.program, 0, e.profile, NULL);
    struct exploration *found = exploring_run(&e, e.profile->model, &options);
    CU_ASSERT_PTR_NOT_NULL(timed->values);
    if (timed->values && found->complete) {
        bool reached = is_found(found, timed->values);
        CU_ASSERT_TRUE(reached);
        if (!reached)
            printf("\na timed run on %s ends where no execution does (seed %llu)\n%s", part,
                   (unsigned long long)seed, text);
        relaxed = !is_interleaving(&e, timed->values);
    }
    exploring_close(&e);
    free(text);
    return relaxed;
}

static void test_timed_outcomes(void)
{
    unsigned relaxed = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
        relaxed += check_program(seed, parts[seed % PARTS]);
    CU_ASSERT_TRUE(relaxed > 0); /* the store buffer shows in time, too */
}

/* ---- CPUs that wait for each other ---- */

enum { WAITING_PROGRAMS = 300, INSTRUCTIONS = 200000 };

static unsigned below(uint64_t *random, unsigned limit)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*random >> 33) % limit;
}

/* One thing that a CPU does; `label` makes its labels its own. */
static void add_step(struct text *out, uint64_t *random, unsigned label)
{
    static const char *const fences[] = {"mfence", "sfence", "lfence",
                                         "lock add dword ptr [rsp-64], 0"};
    char object = "xyz"[below(random, 3)];
    unsigned value = 1 + below(random, 2);
    switch (below(random, 9)) {
    case 0:
    case 1:
        text_printf(out, "      mov dword ptr [%c], %u\n", object, value);
        break;
    case 2:
        text_printf(out, "      mov %s, dword ptr [%c]\n", below(random, 2) ? "eax" : "ebx",
                    object);
        break;
    case 3: /* until it is set; the loop does something else, too */
        text_printf(out, "      w%u: %s\n      mov edx, dword ptr [%c]\n", label,
                    below(random, 2) ? "pause" : "mov dword ptr [rsp-8], ecx", object);
        text_printf(out, "      test edx, edx\n      jz w%u\n", label);
        break;
    case 4:
        text_printf(out, "      w%u: cmp dword ptr [%c], %u\n      jb w%u\n", label, object, value,
                    label);
        break;
    case 5: /* under a lock */
        text_printf(out, "      w%u: mov esi, 1\n      xchg dword ptr [l], esi\n", label);
        text_printf(out, "      test esi, esi\n      jnz w%u\n      inc dword ptr [%c]\n", label,
                    object);
        text_add(out, "      mov dword ptr [l], 0\n");
        break;
    case 6:
        text_printf(out, "      mov eax, dword ptr [%c]\n      w%u: lea ecx, [rax + 1]\n", object,
                    label);
        text_printf(out, "      lock cmpxchg dword ptr [%c], ecx\n      jne w%u\n", object, label);
        break;
    case 7:
        text_printf(out, "      %s\n", fences[below(random, 4)]);
        break;
    default:
        for (unsigned i = below(random, 40); i > 0; i--)
            text_add(out, "      imul r8, r8\n");
    }
}

static const char *waiting_trace(struct region *region, uint64_t seed)
{
    struct text out;
    uint64_t random = seed;
    unsigned apart = below(&random, 2) ? 64 : 4, cpus = 2 + below(&random, 2), label = 0;
    text_init(&out, region);
    text_printf(&out,
                "trace: 1\nname: w\nmemory: {x: {size: 4, align: 64}, y: {size: 4, align: %u},"
                " z: {size: 4, align: 64}, l: {size: 4, align: %u}}\ncpus:\n",
                apart, apart);
    for (unsigned cpu = 0; cpu < cpus; cpu++) {
        text_printf(&out, "  - name: P%u\n    place: c%u\n    asm: |\n", cpu, below(&random, 2));
        for (unsigned i = 2 + below(&random, 4); i > 0; i--)
            add_step(&out, &random, ++label);
    }
    text_add(&out, "observe: [P0:eax, P0:ebx, P1:eax, P1:ebx, x, y, z]\n");
    return out.data;
}

/* Returns whether the program always ends, so that something was checked. */
static bool check_waiting(uint64_t seed, const char *part)
{
    struct region region;
    struct exploring e;
    struct explore_options options = {.reduce = true, .max_states = 200000};
    struct time_options limits = {.max_instructions = INSTRUCTIONS};
    region_init(&region, 0);
    const char *text = waiting_trace(&region, seed);
    exploring_open(&e, text, part);
    struct exec *exec = exec_open(&e.reading.region, e.reading.program);
    struct timed *timed =
        time_run(&e.reading.region, exec, e.reading.program, 0, e.profile, &limits);
    struct exploration *found = exploring_run(&e, e.profile->model, &options);
    bool ends = found->complete && !found->can_stick;
    bool good = !ends || (timed->complete && is_found(found, timed->values));
    CU_ASSERT_TRUE(good);
    if (!good)
        printf("\na timed run on %s: %s (seed %llu)\n%s", part,
               timed->complete ? "ends where no execution does" : timed->reason,
               (unsigned long long)seed, text);
    exploring_close(&e);
    region_release(&region);
    return ends;
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *wish = getenv(name);
    return wish ? strtoull(wish, NULL, 10) : otherwise;
}

static void test_waiting(void)
{
    uint64_t ended = 0, first = from_environment("PROPERTY_SEED", 1);
    uint64_t count = from_environment("PROPERTY_COUNT", WAITING_PROGRAMS);
    for (uint64_t seed = first; seed < first + count; seed++)
        ended += check_waiting(seed, parts[seed % PARTS]);
    CU_ASSERT_TRUE(ended > count / 10);
}

void add_time_property_tests(void)
{
    CU_pSuite suite = CU_add_suite("time properties", NULL, NULL);
    CU_add_test(suite, "a timed run is one of the executions", test_timed_outcomes);
    CU_add_test(suite, "timed CPUs do not wait in vain", test_waiting);
}
