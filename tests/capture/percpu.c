// Per-CPU data as a kernel has it: in sections of its own, through gs, and other CPUs' areas by a
// table of their addresses.
typedef unsigned long word;

#ifdef LINKED
#define PER_CPU(name) __attribute__((section(".data..percpu")))
#else
#define PER_CPU(name) __attribute__((section(".data..percpu" name)))
#endif

struct queue {
    struct queue *self;
    word *shared;
    int counts[3];
};

word far = 9;
PER_CPU("") int counter = 5;
PER_CPU("..shared_aligned") __attribute__((aligned(64))) int mine;
PER_CPU("") struct queue queue = {&queue, &far, {1, 2, 3}};
#ifdef INSIDE
PER_CPU("..read_mostly") word this_cpu_off;
PER_CPU("..read_mostly") int cpu_number;
#else
extern word this_cpu_off;
extern int cpu_number;
#endif
#ifdef LINKED
word __per_cpu_offset[8];
#else
extern word __per_cpu_offset[];
#endif

#ifdef ABSOLUTE
#define GS() "%%gs:%c[at]"
#else
#define GS() "%%gs:%c[at](%%rip)"
#endif
#define READ(to, name)     asm volatile("mov " GS() ", %0" : "=r"(to) : [at] "i"(&name))
#define WRITE(name, value) asm volatile("movl %0, " GS()::"ri"(value), [at] "i"(&name) : "memory")

// The address of a CPU's copy.
static inline void *this_cpu(void *at)
{
    asm volatile("add " GS() ", %0" : "+r"(at) : [at] "i"(&this_cpu_off));
    return at;
}

static inline void *of_cpu(void *at, int cpu) { return (char *)at + __per_cpu_offset[cpu]; }

static inline int number(void)
{
    int own;
    READ(own, cpu_number);
    return own;
}

// Every CPU has its own.
int count(void)
{
    int value;
    asm volatile("addl $1, " GS()::[at] "i"(&counter) : "memory");
    READ(value, counter);
    return value * 10 + number();
}

// Through pointers in the data.
word walk(void)
{
    struct queue *own = this_cpu(&queue);
    return *own->shared * 100 + own->counts[2] * 10 + (own->self == &queue);
}

// Store buffering between two CPUs, each of which writes its own and reads the other's.
int exchange(void)
{
    int other = !number();
    WRITE(mine, 1);
#ifndef BROKEN
    asm volatile("lock; addl $0, -4(%%rsp)" ::: "memory", "cc");
#endif
    return *(volatile int *)of_cpu(&mine, other);
}

// The stack's guard.
word guard(void)
{
    word value;
    asm volatile("mov %%gs:40, %0" : "=r"(value));
    return value;
}

// By the "address" of per-CPU data.
int read(int *at)
{
    int value;
    asm volatile("movl %%gs:(%1), %0" : "=r"(value) : "r"(at));
    return value;
}
