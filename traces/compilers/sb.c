/* Store buffering with C11 atomics: what do compilers make of sequential consistency? */
#include <stdatomic.h>

static atomic_int x, y;

static inline void store(atomic_int *place)
{
#ifdef FENCE
    atomic_store_explicit(place, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
#else
    atomic_store(place, 1);
#endif
}

int P0(void)
{
    store(&x);
    return atomic_load_explicit(&y, memory_order_acquire);
}

int P1(void)
{
    store(&y);
    return atomic_load_explicit(&x, memory_order_acquire);
}
