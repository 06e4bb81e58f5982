// A sequence lock: the reader sees both words of one update, or starts again. Without the second
// look at the sequence it can see the words of two updates.
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int first, second;

void P0(void)
{
    atomic_store_explicit(&sequence, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&first, 1, memory_order_relaxed);
    atomic_store_explicit(&second, 1, memory_order_relaxed);
    atomic_store_explicit(&sequence, 2, memory_order_release);
}

int P1(void)
{
    unsigned before, after;
    int a, b;
    do {
        do
            before = atomic_load_explicit(&sequence, memory_order_acquire);
        while (before & 1);
        a = atomic_load_explicit(&first, memory_order_relaxed);  /* seen */
        b = atomic_load_explicit(&second, memory_order_relaxed); /* seen */
        atomic_thread_fence(memory_order_acquire);
        after = atomic_load_explicit(&sequence, memory_order_relaxed);
#ifdef BROKEN
        after = before;
#endif
    } while (before != after);
    return a * 10 + b;
}
