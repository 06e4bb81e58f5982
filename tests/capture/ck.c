// Concurrency Kit's spinlock around an increment, taken by test and set.
#include <ck_spinlock.h>

static ck_spinlock_fas_t lock = CK_SPINLOCK_FAS_INITIALIZER;
static int count;

void add(void)
{
#ifndef BROKEN
    ck_spinlock_fas_lock(&lock);
#endif
    int before = ck_pr_load_int(&count); /* seen */
    ck_pr_store_int(&count, before + 1); /* seen */
#ifndef BROKEN
    ck_spinlock_fas_unlock(&lock);
#endif
}
