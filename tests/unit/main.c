/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the unit tests. The suites are those that a test_*.c here defines with a function
 * `void add_NAME_tests(void)`; the Makefile gathers them into suites.def.
 */
#include <CUnit/Basic.h>
#include <stdlib.h>

#define SUITE(add) void add(void);
#include "suites.def"
#undef SUITE

int main(void)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return EXIT_FAILURE;
#define SUITE(add) add();
#include "suites.def"
#undef SUITE
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_ErrorCode error = CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures() + CU_get_number_of_suites_failed();
    CU_cleanup_registry();
    return error == CUE_SUCCESS && failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
