// A message, announced by an interrupt: writing the x2APIC's ICR waits for older stores on AMD's
// parts only, so a kernel has fences there that it leaves out on those.
#include "kernel.h"

int msg, done;

static inline void weak_wrmsr_fence(void)
{
    asm volatile(ALTERNATIVE("mfence; lfence", "", NOT(FEATURE(11, 27)))::: "memory");
}

void P0(void)
{
    msg = 7;
#ifndef BROKEN
    weak_wrmsr_fence();
#endif
    asm volatile("wrmsr" ::"c"(0x830), "a"(0xf2), "d"(1) : "memory");
}

void P1(void)
{
    while (!*(volatile int *)&done)
        ;
}
