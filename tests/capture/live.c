// Two threads that run the ends of a program again and again, to be captured while they do.
// With FENCE each has a fence between its store and its load.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct flags {
    struct flags *other; // the same for both threads, with the names exchanged
    volatile int mine;
};

struct flags one, two = {&one, 0};
volatile int x, y;
_Thread_local volatile int seen;

#ifdef FENCE
#define ORDER() __sync_synchronize()
#else
#define ORDER() __asm__ volatile("" ::: "memory")
#endif

__attribute__((noinline)) int P0(void)
{
    x = 1;
    ORDER();
    return y;
}

__attribute__((noinline)) int P1(void)
{
    y = 1;
    ORDER();
    return x;
}

// Through pointers: an argument, and one in memory.
__attribute__((noinline)) int raise_flag(struct flags *flags)
{
    flags->mine = 1;
    ORDER();
    return flags->other->mine;
}

// Thread-local data, and a call.
__attribute__((noinline)) int count(int step)
{
    seen += step + P0();
    return seen;
}

__attribute__((noinline)) void never(void) { x = 7; }

static void *run(void *argument)
{
    for (;;) {
        if (argument) {
            x = 0;
            P1();
            two.mine = 0;
            raise_flag(&two);
        } else {
            y = 0;
            P0();
            one.mine = 0;
            raise_flag(&one);
        }
        count(3);
        seen = 0;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    one.other = &two;
    if (argc > 1 && atoi(argv[1]) == 7)
        return 0;
    if (argc > 1 && atoi(argv[1]) == 8)
        never();
    pthread_create(&thread, NULL, run, &two);
    run(NULL);
    return 0;
}
