// The owner's pop and a thief of a Chase-Lev deque with two elements, 7 and 8: the thief takes both
// or one, and the last one goes to one of them. Without the fence in pop both can get it.
#include <stdatomic.h>

static atomic_long top, bottom = 2;
static int slots[4] = {7, 8};

int pop(void)
{
    long b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
#ifndef BROKEN
    atomic_thread_fence(memory_order_seq_cst);
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
    long t = atomic_load_explicit(&top, memory_order_relaxed); /* seen */
    int value = 0;
    if (t <= b) {
        value = slots[b];
        if (t == b) {
            if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst,
                                                         memory_order_relaxed))
                value = 0;
            atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
        }
    } else {
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    }
    return value;
}

static inline int steal(void)
{
    long t = atomic_load_explicit(&top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    long b = atomic_load_explicit(&bottom, memory_order_acquire); /* seen */
    if (t >= b)
        return 0;
    int value = slots[t];
    return atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst,
                                                   memory_order_relaxed)
               ? value
               : 0;
}

int steal_two(void)
{
    int first = steal();
    return first * 10 + steal();
}
