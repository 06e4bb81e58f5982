// A ticket lock: fetch and add, spin, and a release by a plain store.
#include <stdatomic.h>

static struct {
    atomic_ushort next, owner;
} ticket;
static int count;

void enter(void)
{
#ifdef BROKEN
    unsigned short own = atomic_load_explicit(&ticket.next, memory_order_relaxed);
    atomic_store_explicit(&ticket.next, (unsigned short)(own + 1), memory_order_relaxed);
#else
    unsigned short own = atomic_fetch_add_explicit(&ticket.next, 1, memory_order_relaxed);
#endif
    while (atomic_load_explicit(&ticket.owner, memory_order_acquire) != own)
        __builtin_ia32_pause();
    count++; /* seen */
    atomic_store_explicit(&ticket.owner, (unsigned short)(own + 1), memory_order_release);
}
