// The C library's mutex around an increment. BROKEN leaves it out.
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int count;

void add(void)
{
#ifndef BROKEN
    while (pthread_mutex_trylock(&mutex))
        ;
#endif
    ++*(volatile int *)&count; /* seen */
#ifndef BROKEN
    pthread_mutex_unlock(&mutex);
#endif
}
