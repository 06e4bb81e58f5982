// Functions of a kernel with places that it patches when it starts.
#include "kernel.h"

typedef unsigned long word;
int x, y, calls;

// ---- paravirtual operations ----

struct callee_save {
    void *func;
};
struct irq_operations {
    struct callee_save save_fl, irq_disable, irq_enable;
};
struct mmu_operations {
    void (*flush_tlb_user)(void);
    void (*exit_mmap)(void *);
    struct callee_save pte_val;
};
struct operations {
    void (*io_delay)(void);
    struct irq_operations irq;
    struct mmu_operations mmu;
};

#ifdef WITH_TABLE
word native_save_fl(void);
void native_irq_disable(void), native_irq_enable(void), paravirt_nop(void);
word paravirt_ident_64(word);
__attribute__((noinline)) void slow_delay(void) { calls++; }
void flush(void) { calls += 10; }
struct operations pv_ops = {
    .io_delay = slow_delay,
    .irq = {{native_save_fl}, {native_irq_disable}, {native_irq_enable}},
    .mmu = {flush, (void (*)(void *))paravirt_nop, {paravirt_ident_64}},
};
#else
extern struct operations pv_ops;
#endif

#ifdef LINKED
word native_save_fl(void) { return 2; }
void native_irq_disable(void) {}
void native_irq_enable(void) {}
void paravirt_nop(void) {}
word paravirt_ident_64(word value) { return value; }
void BUG_func(void) { __builtin_trap(); }
#endif

// The table of places: an address, the number of the operation, the length of the call.
#define SITE(type)                                                                                 \
    ".pushsection .parainstructions,\"a\"\n.balign 8\n.quad 771b\n"                                \
    ".byte " STRING(type) "\n.byte 772b-771b\n.popsection\n"
#ifdef ABSOLUTE
#define CALL_OPERATION "771:\ncall *%c[op]\n772:\n"
#define OPERAND(field) [op] "i"(&pv_ops.field)
#else
#define CALL_OPERATION "771:\ncall *%[op]\n772:\n"
#define OPERAND(field) [op] "m"(pv_ops.field)
#endif

static inline word save_flags(void)
{
    word flags;
    asm volatile(CALL_OPERATION SITE(1) : "=a"(flags) : OPERAND(irq.save_fl) : "memory");
    return flags;
}

static inline void disable(void)
{
    asm volatile(CALL_OPERATION SITE(2)::OPERAND(irq.irq_disable) : "memory");
}

static inline void enable(void)
{
    asm volatile(CALL_OPERATION SITE(3)::OPERAND(irq.irq_enable) : "memory");
}

// Store buffering between critical sections: turning interrupts off and on orders nothing.
int P0(void)
{
    disable();
    *(volatile int *)&x = 1;
    enable();
    return *(volatile int *)&y;
}

int P1(void)
{
    disable();
    *(volatile int *)&y = 1;
    enable();
    return *(volatile int *)&x;
}

word identity(word value)
{
    asm volatile(CALL_OPERATION SITE(6) : "=a"(value) : OPERAND(mmu.pte_val), "D"(value));
    return value;
}

void nothing(void)
{
    asm volatile(CALL_OPERATION SITE(5)::OPERAND(mmu.exit_mmap) : "memory");
    x = 1;
}

int delays(void)
{
    asm volatile(CALL_OPERATION SITE(0)::OPERAND(io_delay)
                 : "memory", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
    return calls;
}

// ---- since Linux 6.8 the table is one of alternatives ----

#if LAYOUT == 14 && !defined(ABSOLUTE)
#define ADDRESS(field) [op] "i"(&pv_ops.field)
void BUG_func(void);
int direct_call(void)
{
    asm volatile(ALTERNATIVE("call *%c[op](%%rip)", "call BUG_func",
                             CALL(FEATURE(3, 21)))::ADDRESS(mmu.flush_tlb_user)
                 : "memory", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
    return calls;
}

void off_and_on(void)
{
    asm volatile(ALTERNATIVE_2("call *%c[op](%%rip)", "call BUG_func", CALL(FEATURE(3, 21)), "cli",
                               NOT(FEATURE(8, 16)))::ADDRESS(irq.irq_disable)
                 : "memory");
    x = 1;
    asm volatile(ALTERNATIVE_2("call *%c[op](%%rip)", "call BUG_func", CALL(FEATURE(3, 21)), "sti",
                               NOT(FEATURE(8, 16)))::ADDRESS(irq.irq_enable)
                 : "memory");
}
#endif

// A replacement with an operand that counts from where it stands.
int alternative_operand(void)
{
    int value;
    asm volatile(ALTERNATIVE("movl $1, %0", "movl %1, %0", FEATURE(9, 9)) : "=r"(value) : "m"(x));
    return value;
}

// A call whose replacement calls something else.
__attribute__((noinline, used)) static void plain(void) { calls = 1; }
__attribute__((noinline, used)) static void with_feature(void) { calls = 2; }
int alternative_call(void)
{
    asm volatile(ALTERNATIVE("call plain", "call with_feature", FEATURE(9, 9))::: "memory", "rax");
    return calls;
}
