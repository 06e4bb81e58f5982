// Peterson's lock. The store of the own flag and of the turn must be visible before the other's
// flag is read: without the fence both get in, and an increment is lost.
#include <stdatomic.h>

static atomic_int flag[2], turn;
static int count;

static inline void lock(int self)
{
    atomic_store_explicit(&flag[self], 1, memory_order_relaxed);
    atomic_store_explicit(&turn, !self, memory_order_relaxed);
#ifndef BROKEN
    atomic_thread_fence(memory_order_seq_cst);
#endif
    while (atomic_load_explicit(&flag[!self], memory_order_acquire) && /* seen */
           atomic_load_explicit(&turn, memory_order_acquire) == !self)
        ;
}

void P0(void)
{
    lock(0);
    count++; /* seen */
    atomic_store_explicit(&flag[0], 0, memory_order_release);
}

void P1(void)
{
    lock(1);
    count++; /* seen */
    atomic_store_explicit(&flag[1], 0, memory_order_release);
}
