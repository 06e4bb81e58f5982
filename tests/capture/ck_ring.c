// Concurrency Kit's ring for one producer and one consumer. BROKEN publishes the item before it is
// in the ring.
#include <ck_ring.h>

static int none = -2;
ck_ring_t ring = {.size = 2, .mask = 1};
ck_ring_buffer_t buffer[2] = {{&none}, {&none}};
int item = 5;

int put(void)
{
#ifdef BROKEN
    ck_pr_store_uint(&ring.p_tail, 1); /* seen */
    ck_pr_store_ptr(&buffer[0].value, &item);
    return 1;
#else
    return ck_ring_enqueue_spsc(&ring, buffer, &item);
#endif
}

int take(void)
{
    void *got = NULL;
    return ck_ring_dequeue_spsc(&ring, buffer, &got) ? *(int *)got : -1;
}
