/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random traces of what the naive machine does not have: alike CPUs, stacks and pointers to them,
 * loops, weak stores, persistent memory, devices, interrupts. With reduction and without they must
 * come to the same final states, stuck CPUs, crash images, and faults.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/explore/explore.h"
#include "tests/property/property.h"

void add_reduction_property_tests(void);

enum { TRACES = 384, STATES_MAX = 20000, TEXT_MAX = 6000 };

/* %1$d: a number of its own, for labels. */
static const char *const statements[] = {
    "mov eax, [x]",
    "mov ebx, [y]",
    "mov rcx, [x]",
    "mov dword ptr [x], 1",
    "mov dword ptr [y], 2",
    "mov [y], eax",
    "mov word ptr [z+63], 513",
    "mov eax, [z+62]",
    "inc dword ptr [x]",
    "lock inc dword ptr [y]",
    "mov eax, 1; lock xadd [x], eax",
    "lock cmpxchg [y], ebx",
    "xchg [x], ebx",
    "lock bts dword ptr [y], 1; setc bl",
    "mfence",
    "sfence",
    "lfence",
    "push 3; pop rbx",
    "push rax; mov eax, [y]; pop rcx",
    "mov [rsp-8], ebx; mov eax, [x]; mov ecx, [rsp-8]",
    "sub rsp, 16; inc dword ptr [rsp]; mov eax, [rsp]",
    "sub rsp, 0x70010000; setc bl; add rsp, 0x70010000",
    "mov [s], rsp",
    "mov rdi, [s]; test rdi, rdi; jz %1$df; mov dword ptr [rdi-8], 5; %1$d:",
    "jmp %1$d1f; %1$d: mov eax, [x]; ret; %1$d1: call %1$db",
    "test eax, eax; jz %1$df; mov dword ptr [y], 3; %1$d:",
    "%1$d: lock bts dword ptr [y], 0; jc %1$db",
    "%1$d: mov eax, [x]; test eax, eax; jz %1$db",
    "mov dword ptr [y], 0",
    "mov edx, 2; movnti [x], edx",
    "movnti [w], eax",
    "mov edx, [w]",
    "mov dword ptr [p], 1",
    "clwb [p]",
    "clflushopt [p]; sfence; mov dword ptr [p+4], 1",
    "mov edi, offset z; mov ecx, 2; rep stosd",
    "mov ecx, 0x830; mov edx, 0; mov eax, 0xf2; wrmsr",
};
enum { STATEMENTS = sizeof statements / sizeof statements[0], SENDS = STATEMENTS - 1 };

struct making {
    char text[TEXT_MAX];
    size_t length;
    uint64_t seed;
    int labels;
};

static uint64_t chance(struct making *making, uint64_t bound)
{
    making->seed += UINT64_C(0x9e3779b97f4a7c15); /* SplitMix64 */
    uint64_t z = making->seed;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) % bound;
}

static void add(struct making *making, const char *text)
{
    size_t length = strlen(text);
    if (making->length + length >= sizeof making->text)
        abort();
    memcpy(making->text + making->length, text, length + 1);
    making->length += length;
}

static void add_cpu(struct making *making, unsigned number, unsigned count, bool interrupts)
{
    char line[300];
    snprintf(line, sizeof line, "  - name: C%u\n    count: %u\n    asm: |\n", number, count);
    add(making, line);
    for (uint64_t left = 1 + chance(making, 3); left > 0; left--) {
        snprintf(line, sizeof line, statements[chance(making, interrupts ? STATEMENTS : SENDS)],
                 ++making->labels);
        add(making, "      ");
        add(making, line);
        add(making, "\n");
    }
}

static void make_trace(struct making *making, uint64_t seed)
{
    *making = (struct making){.seed = seed, .labels = 10};
    bool interrupts = chance(making, 8) == 0;
    unsigned first = 1 + (unsigned)chance(making, 3);
    add(making,
        "trace: 1\nname: t\nmemory: {x: {size: 8}, y: {size: 4}, z: {size: 128}, s: {size: 8},");
    add(making, "  w: {size: 8, type: wc}");
    if (chance(making, 4) == 0)
        add(making, ", p: {size: 8, persistent: true}}\ncpus:\n");
    else
        add(making, ", p: {size: 8}}\ncpus:\n");
    add_cpu(making, 0, first, interrupts);
    if (first < 3)
        add_cpu(making, 1, first == 1 && chance(making, 2) ? 2 : 1, interrupts);
    if (interrupts)
        add(making, "handlers:\n  - {cpu: C0.0, vector: 0xf2, asm: \"mov ebx, [x]; iretq\"}\n");
    add(making, "observe: [C0.0:eax, C0.0:ebx, C0.0:rcx, x, y, p");
    add(making, first > 1 ? ", C0.1:eax, C0.1:ebx]\n" : "]\n");
}

/* What must be the same: rows of finals, of who is stuck, of what a power cut leaves. */
static void list(const struct exploration *exploration, struct outcomes *outcomes)
{
    size_t terms = exploration->term_count, cpus = exploration->program->cpu_count;
    for (size_t i = 0; i < exploration->final_count; i++) {
        const struct final_state *final = &exploration->finals[i];
        uint64_t row[VALUES_MAX] = {final->is_stuck ? 1 : 2};
        for (size_t cpu = 0; cpu < cpus && final->is_stuck; cpu++)
            row[1 + cpu] = final->stuck[cpu];
        for (size_t n = 0; n < terms && !final->is_stuck; n++)
            row[1 + n] = final->values[n];
        outcomes_add(outcomes, row);
    }
    for (size_t i = 0; i < exploration->image_count; i++) {
        uint64_t row[VALUES_MAX] = {3};
        memcpy(row + 1, exploration->images[i].values, terms * sizeof *row);
        outcomes_add(outcomes, row);
    }
    outcomes_sort(outcomes);
}

/*
 * Whether reduction makes no difference to what is known of all executions. Takes turns at the
 * profiles, which share what they learn; counts in `skipped` what has too many states.
 */
static bool compare(struct region *region, const struct program *program, size_t *skipped)
{
    static const char *const profiles[] = {"x86", "oostore"};
    struct diagnostics diagnostics;
    struct exec *exec = exec_open(region, program);
    struct oracle *oracle = oracle_new(region, exec, program, 0);
    struct start *start = start_new(region, exec, program, 0);
    struct footprint footprints[2];
    bool same = true;
    diagnostics_init(&diagnostics, region);
    for (int reduce = 0; reduce < 2; reduce++)
        footprint_init(&footprints[reduce], region, program, !reduce);
    for (size_t p = 0; p < 2; p++) {
        const struct profile *profile = profile_load(region, profiles[p], &diagnostics);
        struct outcomes outcomes[2] = {{0}, {0}};
        struct exploration *found[2];
        for (int reduce = 0; reduce < 2; reduce++) {
            struct explore_options options = {.reduce = reduce, .max_states = STATES_MAX};
            found[reduce] =
                explore(region, oracle, start, profile, model_find(profile->model),
                        &footprints[reduce], program->terms, program->term_count, &options);
            list(found[reduce], &outcomes[reduce]);
        }
        bool known = !found[0]->incomplete && !found[1]->incomplete;
        same = same &&
               (!known || (found[0]->complete == found[1]->complete &&
                           (!found[0]->complete || (outcomes_equal(&outcomes[0], &outcomes[1]) &&
                                                    found[0]->can_stick == found[1]->can_stick))));
        for (int reduce = 0; reduce < 2; reduce++) {
            exploration_close(found[reduce]);
            outcomes_free(&outcomes[reduce]);
        }
        *skipped += !known;
    }
    exec_close(exec);
    return same;
}

static bool compare_alone(const struct program *program, size_t *skipped)
{
    struct region region;
    region_init(&region, 0);
    if (region_guard(&region))
        abort(); /* out of memory */
    bool same = compare(&region, program, skipped);
    region_release(&region);
    return same;
}

static void test_random_traces(void)
{
    static struct making makings[TRACES];
    const char *wanted = getenv("PROPERTY_SEED");
    size_t skipped = 0;
    uint64_t seed = wanted ? strtoull(wanted, NULL, 0) : 1;
    struct batch *batch = batch_new();
    for (size_t i = 0; i < TRACES; i++) {
        make_trace(&makings[i], seed + i);
        batch_add(batch, makings[i].text);
    }
    CU_ASSERT_TRUE_FATAL(batch_assemble(batch));
    for (size_t i = 0; i < TRACES; i++) {
        bool same = compare_alone(batch_program(batch, i), &skipped);
        CU_ASSERT_TRUE(same);
        if (!same)
            printf("seed %llu: reduction makes a difference to\n%s\n",
                   (unsigned long long)(seed + i), makings[i].text);
    }
    CU_ASSERT_TRUE(skipped * 4 <= TRACES); /* else too little was compared */
    batch_free(batch);
}

void add_reduction_property_tests(void)
{
    CU_pSuite suite = CU_add_suite("reductions", NULL, NULL);
    CU_add_test(suite, "random traces with everything", test_random_traces);
}
