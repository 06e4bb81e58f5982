/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Properties of the x86 machine over random programs with non-temporal stores, flushes and
 * fences, on memory of several types: what is stronger never allows more.
 */
#include <stdlib.h>

#include "sim/judge/judge.h"
#include "tests/unit/exploring.h"
#include "tests/unit/judging.h"

void add_order_property_tests(void);

enum { CPUS = 2, LINES_MAX = 5, LINE_MAX = 48, PROGRAMS = 40, PROGRAMS_SLOW = 1000 };
enum { FENCES_MAX = 16 /* put into a program */ };

/* ---- random programs ---- */

struct listing {
    unsigned count[CPUS];
    char lines[CPUS][LINES_MAX + FENCES_MAX][LINE_MAX];
    const char *type;
};

static uint64_t draw(uint64_t *seed, uint64_t below)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed % below;
}

static const char *random_fence(uint64_t *seed)
{
    static const char *const fences[] = {"mfence", "sfence", "lfence",
                                         "lock or dword ptr [rsp], 0"};
    return fences[draw(seed, 4)];
}

static void random_line(uint64_t *seed, unsigned number, char *line)
{
    static const char *const registers[] = {"eax", "ebx", "ecx", "edx", "esi"};
    char object = "xy"[draw(seed, 2)];
    switch (draw(seed, 8)) {
    case 0:
    case 1:
        snprintf(line, LINE_MAX, "mov dword ptr [%c], %u", object, (unsigned)draw(seed, 2) + 1);
        break;
    case 2:
    case 3:
        snprintf(line, LINE_MAX, "movnti [%c], %s", object, draw(seed, 2) ? "r8d" : "r9d");
        break;
    case 4:
        snprintf(line, LINE_MAX, "%s", random_fence(seed));
        break;
    case 5:
        snprintf(line, LINE_MAX, "clflushopt [%c]", object);
        break;
    default:
        snprintf(line, LINE_MAX, "mov %s, [%c]", registers[number], object);
        break;
    }
}

static struct listing random_listing(uint64_t *seed)
{
    struct listing listing = {.type = "wb"};
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        listing.count[cpu] = 2 + (unsigned)draw(seed, LINES_MAX - 2);
        for (unsigned i = 0; i < listing.count[cpu]; i++)
            random_line(seed, i, listing.lines[cpu][i]);
    }
    return listing;
}

static struct listing with_fence(const struct listing *listing, uint64_t *seed)
{
    struct listing fenced = *listing;
    unsigned cpu = (unsigned)draw(seed, CPUS), at = (unsigned)draw(seed, listing->count[cpu] + 1);
    memmove(fenced.lines[cpu][at + 1], fenced.lines[cpu][at],
            (LINES_MAX - at) * sizeof fenced.lines[cpu][0]);
    snprintf(fenced.lines[cpu][at], LINE_MAX, "%s", random_fence(seed));
    fenced.count[cpu]++;
    return fenced;
}

/* As a trace. The line numbers matter: CPU n's code starts on line first_line(n). */
static void write_listing(const struct listing *listing, char *text, size_t size)
{
    FILE *out = fmemopen(text, size, "w");
    if (!out)
        abort();
    fprintf(
        out,
        "trace: 1\nname: random\nmemory: {x: {size: 4, type: %s}, y: {size: 4, type: %s}}\ncpus:\n",
        listing->type, listing->type);
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        fprintf(out, "  - regs: {r8: 3, r9: 4}\n    asm: |\n");
        for (unsigned i = 0; i < listing->count[cpu]; i++)
            fprintf(out, "      %s\n", listing->lines[cpu][i]);
    }
    fprintf(out, "observe: [x, y");
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        fprintf(out, ", P%u:eax, P%u:ebx, P%u:ecx, P%u:edx, P%u:esi", cpu, cpu, cpu, cpu, cpu);
    fprintf(out, "]\n");
    if (fclose(out))
        abort();
}

/* ---- outcomes ---- */

enum { TERMS = 2 + 5 * CPUS, ROWS_MAX = 4096 };

struct rows {
    size_t count;
    uint64_t values[ROWS_MAX][TERMS];
};

static void explore_listing(const struct listing *listing, const char *profile, const char *model,
                            struct rows *rows)
{
    char text[2048];
    struct exploring e;
    struct explore_options options = {.reduce = true};
    write_listing(listing, text, sizeof text);
    exploring_open(&e, text, profile);
    struct exploration *found = exploring_run(&e, model, &options);
    CU_ASSERT_TRUE_FATAL(found->complete && found->final_count <= ROWS_MAX);
    CU_ASSERT_EQUAL_FATAL(found->term_count, TERMS);
    rows->count = found->final_count;
    for (size_t i = 0; i < found->final_count; i++)
        memcpy(rows->values[i], found->finals[i].values, sizeof rows->values[i]);
    exploring_close(&e);
}

static bool has_row(const struct rows *rows, const uint64_t *values)
{
    for (size_t i = 0; i < rows->count; i++)
        if (memcmp(rows->values[i], values, sizeof rows->values[i]) == 0)
            return true;
    return false;
}

static void expect_within(const struct rows *part, const struct rows *whole,
                          const struct listing *listing, const char *what)
{
    char text[2048];
    for (size_t i = 0; i < part->count; i++) {
        if (has_row(whole, part->values[i]))
            continue;
        write_listing(listing, text, sizeof text);
        printf("%s: an outcome more\n%s", what, text);
        CU_FAIL("not a subset");
        return;
    }
    CU_ASSERT_TRUE(part->count <= whole->count);
}

static struct rows part, whole;
static uint64_t seed;

static int programs(void) { return getenv("SLOW") ? PROGRAMS_SLOW : PROGRAMS; }

static void test_fence(void)
{
    static const char *const types[] = {"wb", "wb", "wc", "uc"};
    for (int i = 0; i < programs(); i++) {
        struct listing listing = random_listing(&seed);
        listing.type = types[i % 4];
        struct listing fenced = with_fence(&listing, &seed);
        explore_listing(&listing, "x86", "x86", &whole);
        explore_listing(&fenced, "x86", "x86", &part);
        expect_within(&part, &whole, &fenced, "a fence added");
    }
}

static void test_types(void)
{
    for (int i = 0; i < programs(); i++) {
        struct listing listing = random_listing(&seed);
        listing.type = "wc";
        explore_listing(&listing, "x86", "x86", &whole);
        listing.type = "wb";
        explore_listing(&listing, "x86", "x86", &part);
        expect_within(&part, &whole, &listing, "wb for wc");
        whole = part;
        listing.type = "uc";
        explore_listing(&listing, "x86", "x86", &part);
        expect_within(&part, &whole, &listing, "uc for wb");
    }
}

static void test_vendors(void)
{
    static const char *const stronger[] = {"intel", "amd", "zen4", "skylake"};
    static const char *const types[] = {"wb", "wc"};
    for (int i = 0; i < programs(); i++) {
        struct listing listing = random_listing(&seed);
        listing.type = types[i % 2];
        explore_listing(&listing, "x86", "x86", &whole);
        for (size_t n = 0; n < sizeof stronger / sizeof stronger[0]; n++) {
            explore_listing(&listing, stronger[n], "x86", &part);
            expect_within(&part, &whole, &listing, stronger[n]);
        }
    }
}

static void test_models(void)
{
    for (int i = 0; i < programs(); i++) {
        struct listing listing = random_listing(&seed);
        explore_listing(&listing, "x86", "sc", &part);
        explore_listing(&listing, "x86", "x86", &whole);
        expect_within(&part, &whole, &listing, "SC");
        part = whole;
        explore_listing(&listing, "oostore", "x86", &whole);
        expect_within(&part, &whole, &listing, "TSO within out-of-order stores");
    }
}

/* A fence that is found to be redundant is taken out of the text. */
static void test_redundant(void)
{
    struct run_options options = {.order = true, .reduce = true, .witness = WITNESS_NONE};
    size_t confirmed = 0;
    for (int i = 0; i < programs(); i++) {
        struct listing listing = random_listing(&seed);
        struct judging j;
        char text[2048];
        write_listing(&listing, text, sizeof text);
        const struct result *result = judging_open(&j, text, "x86", &options);
        const struct finding *finding = judging_finding(result, "redundant-fence");
        if (finding) {
            unsigned line = finding->place.line - (finding->cpu ? 9 + listing.count[0] : 7);
            struct listing without = listing;
            CU_ASSERT_TRUE_FATAL(line < listing.count[finding->cpu]);
            memmove(without.lines[finding->cpu][line], without.lines[finding->cpu][line + 1],
                    (LINES_MAX - line) * sizeof without.lines[0][0]);
            without.count[finding->cpu]--;
            explore_listing(&listing, "x86", "x86", &part);
            explore_listing(&without, "x86", "x86", &whole);
            expect_within(&part, &whole, &listing, "redundant");
            expect_within(&whole, &part, &listing, "redundant");
            confirmed++;
        }
        judging_close(&j);
    }
    CU_ASSERT_TRUE(confirmed > 0);
}

/* ---- fences that are said to forbid an outcome ---- */

/* Puts the fences of all places but one (`without`) into the text; false when there are too many.
 */
static bool put_fences(const struct listing *listing, const struct result *result,
                       const struct result_witness *witness, size_t without, struct listing *fenced)
{
    *fenced = *listing;
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        for (unsigned line = listing->count[cpu]; line-- > 0;)
            for (size_t i = 0; i < witness->forbidden_by_count; i++) {
                const struct fence_place *place = &witness->forbidden_by[i];
                unsigned at = insn_place(result->program, 0, place->cpu, place->offset).line -
                              (place->cpu ? 9 + listing->count[0] : 7);
                if (i == without || place->cpu != cpu || at != line)
                    continue;
                for (int n = 1; n >= 0; n--) {
                    if (!place->fences[n])
                        continue;
                    if (fenced->count[cpu] == LINES_MAX + FENCES_MAX)
                        return false;
                    memmove(fenced->lines[cpu][line + 1], fenced->lines[cpu][line],
                            (fenced->count[cpu]++ - line) * sizeof fenced->lines[0][0]);
                    snprintf(fenced->lines[cpu][line], LINE_MAX, "%s", place->fences[n]);
                }
            }
    return true;
}

static bool listing_reaches(const struct listing *listing, const uint64_t *values)
{
    explore_listing(listing, "x86", "x86", &part);
    return has_row(&part, values);
}

/* Whether the outcome is unreachable with the fences, and reachable without any one of them. */
static bool is_forbidden(const struct listing *listing, const struct result *result,
                         const struct result_witness *witness)
{
    struct listing fenced;
    const uint64_t *values = result->outcomes[witness->outcome].values;
    if (!put_fences(listing, result, witness, SIZE_MAX, &fenced))
        return true;
    bool good = !listing_reaches(&fenced, values);
    for (size_t i = 0; i < witness->forbidden_by_count; i++) {
        put_fences(listing, result, witness, i, &fenced);
        good = good && listing_reaches(&fenced, values);
    }
    return good;
}

static void test_forbidding(void)
{
    struct run_options options = {.order = true, .reduce = true, .relaxed = true, .explain = true};
    size_t confirmed = 0;
    for (int i = 0; i < programs(); i++) {
        static const char *const types[] = {"wb", "wc"};
        struct listing listing = random_listing(&seed);
        struct judging j;
        char text[2048];
        listing.type = types[i % 2];
        write_listing(&listing, text, sizeof text);
        const struct result *result = judging_open(&j, text, "x86", &options);
        for (size_t n = 0; n < result->witness_count; n++) {
            const struct result_witness *witness = &result->witnesses[n];
            CU_ASSERT_TRUE(!result->outcomes[witness->outcome].relaxed ||
                           witness->relations->cycle_count > 0);
            if (!witness->forbidden_by_count)
                continue;
            bool good = is_forbidden(&listing, result, witness);
            CU_ASSERT_TRUE(good);
            if (!good)
                printf("%s%s\n", text, witness->prose);
            confirmed++;
        }
        judging_close(&j);
    }
    CU_ASSERT_TRUE(confirmed > 0);
}

void add_order_property_tests(void)
{
    seed = UINT64_C(0x9e3779b97f4a7c15);
    CU_pSuite suite = CU_add_suite("properties of the x86 machine", NULL, NULL);
    CU_add_test(suite, "a fence never adds an outcome", test_fence);
    CU_add_test(suite, "a stronger memory type never adds one", test_types);
    CU_add_test(suite, "x86 allows what vendors and parts allow", test_vendors);
    CU_add_test(suite, "SC within TSO within out-of-order stores", test_models);
    CU_add_test(suite, "a redundant fence may go", test_redundant);
    CU_add_test(suite, "fences that forbid an outcome do, and all are needed", test_forbidding);
}
