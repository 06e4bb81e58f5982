/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The visited set, and how accesses are cut. */
#include <CUnit/CUnit.h>

#include "sim/explore/pieces.h"
#include "sim/explore/states.h"

void add_states_tests(void);

enum { FIELDS = 5, STATES = 3000 };

/* Values that outgrow 8, 16 and 24 bits one field after the other. */
static void tuple_of(uint32_t number, uint32_t *values)
{
    for (uint32_t i = 0; i < FIELDS; i++) {
        values[i] = number * (i + 1);
        if (number > 400 * (i + 1))
            values[i] += UINT32_C(1) << (9 + 5 * i);
    }
}

static void check_all(const struct states *states, uint32_t count)
{
    uint32_t expected[FIELDS], got[FIELDS];
    for (uint32_t n = 0; n < count; n++) {
        tuple_of(n, expected);
        states_get(states, n, got);
        for (int i = 0; i < FIELDS; i++)
            CU_ASSERT_EQUAL_FATAL(got[i], expected[i]);
    }
}

static void test_repacking(void)
{
    struct region region;
    struct states states;
    uint32_t values[FIELDS];
    bool fresh;
    region_init(&region, 0);
    CU_ASSERT_EQUAL_FATAL(region_guard(&region), 0);
    states_init(&states, &region, FIELDS);
    unsigned words = states.word_count;
    for (uint32_t n = 0; n < STATES; n++) {
        tuple_of(n, values);
        CU_ASSERT_EQUAL_FATAL(states_find(&states, values), NO_STATE);
        CU_ASSERT_EQUAL_FATAL(states_add(&states, values, n / 2, &fresh), n);
        CU_ASSERT_TRUE(fresh);
        if (n % 500 == 0)
            check_all(&states, n + 1);
    }
    CU_ASSERT_TRUE(states.word_count > words); /* they did outgrow it */
    check_all(&states, STATES);
    for (uint32_t n = 0; n < STATES; n++) {
        tuple_of(n, values);
        CU_ASSERT_EQUAL(states_find(&states, values), n);
        CU_ASSERT_EQUAL(states_add(&states, values, 0, &fresh), n);
        CU_ASSERT_FALSE(fresh);
        CU_ASSERT_EQUAL(states.parents[n], n / 2);
    }
    CU_ASSERT_EQUAL(states.count, STATES);
    region_release(&region);
}

static void test_largest_values(void)
{
    struct region region;
    struct states states;
    bool fresh;
    region_init(&region, 0);
    CU_ASSERT_EQUAL_FATAL(region_guard(&region), 0);
    states_init(&states, &region, 3);
    uint32_t small[3] = {1, 2, 3}, large[3] = {UINT32_MAX, 0, UINT32_MAX}, got[3];
    states_add(&states, small, NO_STATE, &fresh);
    states_add(&states, large, 0, &fresh);
    CU_ASSERT_TRUE(fresh);
    states_get(&states, 1, got);
    CU_ASSERT_TRUE(got[0] == UINT32_MAX && got[1] == 0 && got[2] == UINT32_MAX);
    states_get(&states, 0, got);
    CU_ASSERT_TRUE(got[0] == 1 && got[1] == 2 && got[2] == 3);
    CU_ASSERT_EQUAL(states.parents[0], NO_STATE);
    region_release(&region);
}

static void check_cut(double atomic, double aligned_16, uint64_t address, unsigned size,
                      unsigned count, unsigned first, unsigned second)
{
    struct order_parameters order = {.atomic_bytes = atomic, .atomic_aligned_16 = aligned_16};
    struct piece pieces[PIECES_MAX];
    CU_ASSERT_EQUAL_FATAL(cut_access(&order, address, size, pieces), count);
    CU_ASSERT_EQUAL(pieces[0].size, first);
    CU_ASSERT_TRUE(count < 2 || pieces[1].size == second);
    for (unsigned i = 0, offset = 0; i < count; offset += pieces[i++].size) {
        CU_ASSERT_EQUAL(pieces[i].offset, offset);
        CU_ASSERT_EQUAL(pieces[i].address, address + offset);
    }
}

static void test_pieces(void)
{
    check_cut(8, 0, 0x1000, 1, 1, 1, 0);
    check_cut(8, 0, 0x1007, 1, 1, 1, 0);
    check_cut(8, 0, 0x1000, 8, 1, 8, 0);
    check_cut(8, 0, 0x1003, 4, 1, 4, 0); /* not aligned, but within the 8 bytes */
    check_cut(8, 0, 0x1004, 8, 2, 4, 4);
    check_cut(8, 0, 0x1007, 2, 2, 1, 1);
    check_cut(8, 0, 0x1005, 4, 2, 3, 1);
    check_cut(64, 0, 0x1004, 8, 1, 8, 0);
    check_cut(64, 0, 0x103c, 8, 2, 4, 4);
    check_cut(64, 0, 0x103f, 4, 2, 1, 3);
    check_cut(8, 1, 0x1010, 16, 1, 16, 0);
    check_cut(8, 0, 0x1010, 16, 2, 8, 8);
    check_cut(8, 1, 0x1008, 16, 2, 8, 8); /* not on 16 */
    check_cut(8, 1, 0x1004, 16, 4, 4, 4);
    check_cut(64, 0, 0x1038, 16, 2, 8, 8);
}

void add_states_tests(void)
{
    CU_pSuite suite = CU_add_suite("states and pieces", NULL, NULL);
    CU_add_test(suite, "fields that grow", test_repacking);
    CU_add_test(suite, "largest values", test_largest_values);
    CU_add_test(suite, "pieces of an access", test_pieces);
}
