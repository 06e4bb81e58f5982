// liburcu's primitives: its full barrier, and its exchange, which is one.
#include <urcu/arch.h>
#include <urcu/compiler.h>
#include <urcu/system.h>
#include <urcu/uatomic.h>

static int x, y;

int P0(void)
{
    CMM_STORE_SHARED(x, 1);
#ifdef BROKEN
    cmm_smp_wmb();
#else
    cmm_smp_mb();
#endif
    return CMM_LOAD_SHARED(y); /* seen */
}

int P1(void)
{
#ifdef BROKEN
    uatomic_set(&y, 1);
#else
    uatomic_xchg(&y, 1);
#endif
    return CMM_LOAD_SHARED(x); /* seen */
}
