// Store buffering with C11 atomics: sequentially consistent, or only release and acquire.
#include <stdatomic.h>

#ifdef BROKEN
#define STORE memory_order_release
#define LOAD  memory_order_acquire
#else
#define STORE memory_order_seq_cst
#define LOAD  memory_order_seq_cst
#endif

atomic_int x, y;

int P0(void)
{
    atomic_store_explicit(&x, 1, STORE);
    return atomic_load_explicit(&y, LOAD); /* seen */
}

int P1(void)
{
    atomic_store_explicit(&y, 1, STORE);
    return atomic_load_explicit(&x, LOAD); /* seen */
}
