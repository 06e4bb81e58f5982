// A ring for one producer and one consumer. The consumer must not see the index before the slot.
#include <stdatomic.h>

enum { SLOTS = 2 };
struct ring {
    atomic_uint head;
    atomic_uint tail;
    int slots[SLOTS];
};

int push(struct ring *ring, int value)
{
    unsigned head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    if (head - atomic_load_explicit(&ring->tail, memory_order_acquire) == SLOTS)
        return 0;
#ifdef BROKEN
    atomic_store_explicit(&ring->head, head + 1, memory_order_release); /* seen */
    atomic_signal_fence(memory_order_seq_cst);
    ring->slots[head % SLOTS] = value;
#else
    ring->slots[head % SLOTS] = value;
    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
#endif
    return 1;
}

int pop(struct ring *ring)
{
    unsigned tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    if (atomic_load_explicit(&ring->head, memory_order_acquire) == tail)
        return -1;
    int value = ring->slots[tail % SLOTS];
    atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
    return value;
}

struct ring ring;
