// How a kernel waits: the state is stored, a full barrier, the condition is read; the waker does
// it the other way round. With only a compiler barrier the sleeper is not woken.
#ifdef BROKEN
#define smp_mb() asm volatile("" ::: "memory")
#define smp_store_mb(place, value)                                                                 \
    do {                                                                                           \
        *(volatile __typeof__(place) *)&(place) = (value);                                         \
        smp_mb();                                                                                  \
    } while (0)
#else
#define smp_mb() asm volatile("lock; addl $0,-4(%%rsp)" ::: "memory", "cc")
#define smp_store_mb(place, value)                                                                 \
    do {                                                                                           \
        (void)__atomic_exchange_n(&(place), (value), __ATOMIC_SEQ_CST);                            \
    } while (0)
#endif
#define READ_ONCE(place) (*(volatile __typeof__(place) *)&(place))

static int state, condition;

int waiter(void)
{
    smp_store_mb(state, 1);
    return READ_ONCE(condition); /* seen */
}

int waker(void)
{
    *(volatile int *)&condition = 1;
    smp_mb();
    return READ_ONCE(state); /* seen */
}
