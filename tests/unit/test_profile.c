/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles: the built-in ones are whole, and what a broken one is told. */
#include <CUnit/CUnit.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/profile.h"

void add_profile_tests(void);

static struct region region;
static struct diagnostics diagnostics;

static const struct profile *load(const char *name)
{
    region_init(&region, 0);
    if (region_guard(&region))
        abort();
    diagnostics_init(&diagnostics, &region);
    return profile_load(&region, name, &diagnostics);
}

static bool said(uint32_t line, uint32_t column, const char *words)
{
    for (size_t i = 0; i < diagnostics.count; i++) {
        const struct diagnostic *item = &diagnostics.items[i];
        if (item->place.line == line && item->place.column == column &&
            strstr(item->message, words))
            return true;
    }
    return false;
}

static const struct parameter_row *row(const struct profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->row_count; i++)
        if (strcmp(profile->rows[i].name, name) == 0)
            return &profile->rows[i];
    return NULL;
}

static void test_built_in(void)
{
    size_t count;
    const char *const *names = profile_names(&count);
    CU_ASSERT_TRUE(count >= 6);
    for (size_t i = 0; i < count; i++) {
        CU_ASSERT_TRUE(i == 0 || strcmp(names[i - 1], names[i]) < 0);
        const struct profile *profile = load(names[i]);
        for (size_t k = 0; k < diagnostics.count; k++)
            printf("%s:%u: %s\n", diagnostics.items[k].file, diagnostics.items[k].place.line,
                   diagnostics.items[k].message);
        CU_ASSERT_PTR_NOT_NULL_FATAL(profile);
        CU_ASSERT_STRING_EQUAL(profile->name, names[i]);
        CU_ASSERT_TRUE(*profile->about && *profile->model && *profile->vendor);
        for (size_t k = 0; k < profile->row_count; k++)
            CU_ASSERT_TRUE(!profile->rows[k].given || *profile->rows[k].source);
        region_release(&region);
    }
}

static void test_inheritance(void)
{
    const struct profile *zen4 = load("zen4");
    CU_ASSERT_PTR_NOT_NULL_FATAL(zen4);
    CU_ASSERT_STRING_EQUAL(zen4->vendor, "amd");
    CU_ASSERT_EQUAL(zen4->order.store_buffer_entries, 64);
    CU_ASSERT_EQUAL(zen4->order.atomic_bytes, 8);
    CU_ASSERT_STRING_EQUAL(row(zen4, "atomic_bytes")->profile, "amd");
    CU_ASSERT_STRING_EQUAL(row(zen4, "store_buffer_entries")->profile, "zen4");
    region_release(&region);
    const struct profile *x86 = load("x86");
    CU_ASSERT_PTR_NOT_NULL_FATAL(x86);
    CU_ASSERT_FALSE(x86->has_cycles);
    double entries = x86->order.store_buffer_entries;
    CU_ASSERT_TRUE(entries == 0 || entries >= 64); /* a guarantee is not tighter than a part */
    region_release(&region);
}

static void test_unknown(void)
{
    CU_ASSERT_PTR_NULL(load("zen44"));
    CU_ASSERT_EQUAL_FATAL(diagnostics.count, 1);
    CU_ASSERT_STRING_EQUAL(diagnostics.items[0].file, "");
    CU_ASSERT_TRUE(said(0, 0, "did you mean 'zen4'?"));
    region_release(&region);
    CU_ASSERT_PTR_NULL(load("/no/such/profile.yaml"));
    CU_ASSERT_TRUE(said(0, 0, "cannot be opened"));
    region_release(&region);
}

/* Loads a profile from a file with that text. */
static const struct profile *load_text(const char *text)
{
    char path[] = "/tmp/fencesim-profile-XXXXXX";
    int descriptor = mkstemp(path);
    CU_ASSERT_TRUE_FATAL(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    fputs(text, file);
    fclose(file);
    const struct profile *profile = load(path);
    unlink(path);
    return profile;
}

/* Another part's cycles are estimates here; what the file gives itself is not. */
static void test_cycles_from(void)
{
    const struct profile *profile =
        load_text("profile: 1\n"
                  "name: mine\n"
                  "inherits: amd\n"
                  "cycles_from: {profile: zen4, estimate: as Zen 4}\n"
                  "sources: {K: a book}\n"
                  "cycles: {mfence_restart: {value: 3, source: 'K: p. 1'}}\n");
    CU_ASSERT_PTR_NOT_NULL_FATAL(profile);
    CU_ASSERT_TRUE(profile->has_cycles);
    CU_ASSERT_EQUAL(profile->cycles.lfence_bare, 17);
    CU_ASSERT_TRUE(row(profile, "lfence_bare")->estimate);
    CU_ASSERT_STRING_EQUAL(row(profile, "lfence_bare")->profile, "zen4");
    CU_ASSERT_PTR_NOT_NULL(strstr(row(profile, "lfence_bare")->source, "as Zen 4 (there: Z4:"));
    CU_ASSERT_EQUAL(profile->cycles.mfence_restart, 3);
    CU_ASSERT_FALSE(row(profile, "mfence_restart")->estimate);
    CU_ASSERT_STRING_EQUAL(row(profile, "store_buffer_entries")->profile, "amd");
    region_release(&region);
    CU_ASSERT_PTR_NULL(load_text("profile: 1\nname: m\ninherits: amd\n"
                                 "cycles_from: {profile: zen44, estimate: x}\n"));
    CU_ASSERT_TRUE(said(4, 24, "did you mean 'zen4'?"));
    region_release(&region);
    CU_ASSERT_PTR_NULL(load_text("profile: 1\nname: m\ninherits: amd\n"
                                 "cycles_from: {profile: zen4}\n"));
    CU_ASSERT_TRUE(said(4, 14, "needs a 'profile' and an 'estimate'"));
    region_release(&region);
}

static void test_own_file(void)
{
    const struct profile *profile =
        load_text("profile: 1\n"
                  "name: mine\n"
                  "inherits: amd\n"
                  "sources: {K: a book}\n"
                  "order:\n"
                  "  store_buffer_entries: {value: 3, source: 'K: p. 1',"
                  " unit: stores}\n"
                  "  atomic_aligned_16: {value: 1, estimate: a guess}\n");
    CU_ASSERT_PTR_NOT_NULL_FATAL(profile);
    CU_ASSERT_EQUAL(profile->order.store_buffer_entries, 3);
    CU_ASSERT_STRING_EQUAL(profile->vendor, "amd");
    CU_ASSERT_TRUE(row(profile, "atomic_aligned_16")->estimate);
    CU_ASSERT_STRING_EQUAL(row(profile, "atomic_aligned_16")->source, "a guess");
    CU_ASSERT_FALSE(row(profile, "store_buffer_entries")->estimate);
    region_release(&region);
}

static void test_broken(void)
{
    CU_ASSERT_PTR_NULL(load_text("profile: 1\n"
                                 "name: mine\n"
                                 "vendor: via\n"
                                 "inherits: amdd\n"
                                 "sources: {K: a book}\n"
                                 "order:\n"
                                 "  atomic_byte: {value: 8, source: 'K: p. 1'}\n"
                                 "  atomic_bytes: {value: -8, source: 'L: p. 1'}\n"
                                 "  atomic_aligned_16: {value: 2, source: 'K: 1'}\n"
                                 "  store_buffer_entries: {value: 1, unit: bytes, source: K}\n"
                                 "  string_stores_unordered: {value: true}\n"));
    CU_ASSERT_TRUE(said(3, 9, "found 'via'"));
    CU_ASSERT_TRUE(said(4, 11, "no profile"));
    CU_ASSERT_TRUE(said(1, 1, "no 'model'"));
    CU_ASSERT_TRUE(said(7, 3, "did you mean 'atomic_bytes'?"));
    CU_ASSERT_TRUE(said(8, 25, "0 or more"));
    CU_ASSERT_TRUE(said(8, 37, "a key of 'sources'"));
    CU_ASSERT_TRUE(said(9, 30, "true or false"));
    CU_ASSERT_TRUE(said(10, 42, "is in stores"));
    CU_ASSERT_TRUE(said(11, 28, "neither a source nor"));
    region_release(&region);
}

static void test_incomplete_cycles(void)
{
    CU_ASSERT_PTR_NULL(load_text("profile: 1\n"
                                 "name: mine\n"
                                 "inherits: amd\n"
                                 "cycles:\n"
                                 "  dispatch_width: {value: 4, estimate: a guess}\n"));
    CU_ASSERT_TRUE(said(4, 1, "'cycles' lacks "));
    region_release(&region);
    const struct profile *profile = load_text("profile: 1\n"
                                              "name: mine\n"
                                              "inherits: zen4\n"
                                              "cycles: none\n");
    CU_ASSERT_PTR_NOT_NULL_FATAL(profile);
    CU_ASSERT_FALSE(profile->has_cycles);
    region_release(&region);
}

static void test_endless_inheritance(void)
{
    char path[] = "/tmp/fencesim-profile-XXXXXX";
    int descriptor = mkstemp(path);
    CU_ASSERT_TRUE_FATAL(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    fprintf(file, "profile: 1\nname: mine\nvendor: any\nmodel: tso\ninherits: %s\n", path);
    fclose(file);
    CU_ASSERT_PTR_NULL(load(path));
    CU_ASSERT_TRUE(said(5, 11, "inherits from itself"));
    region_release(&region);
    unlink(path);
}

void add_profile_tests(void)
{
    CU_pSuite suite = CU_add_suite("profiles", NULL, NULL);
    CU_add_test(suite, "the built-in ones are whole", test_built_in);
    CU_add_test(suite, "a part has what its vendor promises", test_inheritance);
    CU_add_test(suite, "cycles of another part", test_cycles_from);
    CU_add_test(suite, "unknown names", test_unknown);
    CU_add_test(suite, "a profile of one's own", test_own_file);
    CU_add_test(suite, "a broken profile is told all", test_broken);
    CU_add_test(suite, "half a table of cycles is refused", test_incomplete_cycles);
    CU_add_test(suite, "a profile that inherits from itself", test_endless_inheritance);
}
