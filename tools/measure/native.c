/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How it is measured: time stamps around the loop, of many and of a quarter as many iterations,
 * whose difference leaves out what is not the loop. The core's clock is that of chains of dependent
 * additions just before and after; a sample during which it changed, or in which the thread
 * lost its CPU, does not count.
 */
#include "tools/measure/native.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <x86intrin.h>

enum { PAGE = 4096, HUGE_PAGE = 2 << 20, TAIL = 32 };

/* ---- entering the code ---- */

uint64_t native_registers[16]; /* at the start, in the order of their numbers */
uint64_t native_target;
uint64_t native_stack;
extern const char native_return[];
void native_enter(void);
void native_clear_vectors(void);

__asm__(".text\n"
        ".globl native_enter, native_return\n"
        "native_enter:\n"
        "    push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
        "    mov %rsp, native_stack(%rip)\n"
        "    lea native_registers(%rip), %rax\n"
        "    mov 8(%rax), %rcx; mov 16(%rax), %rdx; mov 24(%rax), %rbx; mov 32(%rax), %rsp\n"
        "    mov 40(%rax), %rbp; mov 48(%rax), %rsi; mov 56(%rax), %rdi; mov 64(%rax), %r8\n"
        "    mov 72(%rax), %r9; mov 80(%rax), %r10; mov 88(%rax), %r11; mov 96(%rax), %r12\n"
        "    mov 104(%rax), %r13; mov 112(%rax), %r14; mov 120(%rax), %r15; mov (%rax), %rax\n"
        "    jmp *native_target(%rip)\n"
        "native_return:\n" /* keeps what the setup code left in the registers */
        "    push %rax\n"
        "    lea native_registers(%rip), %rax\n"
        "    mov %rcx, 8(%rax); mov %rdx, 16(%rax); mov %rbx, 24(%rax); mov %rbp, 40(%rax)\n"
        "    mov %rsi, 48(%rax); mov %rdi, 56(%rax); mov %r8, 64(%rax); mov %r9, 72(%rax)\n"
        "    mov %r10, 80(%rax); mov %r11, 88(%rax); mov %r12, 96(%rax); mov %r13, 104(%rax)\n"
        "    mov %r14, 112(%rax)\n"
        "    pop native_registers(%rip)\n"
        "    mov %rsp, native_registers+32(%rip)\n"
        "    mov native_stack(%rip), %rsp\n"
        "    pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
        "    cld\n"
        "    ret\n"
        ".globl native_clear_vectors\n"
        "native_clear_vectors:\n"
        ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
        "    pxor %xmm\\n, %xmm\\n\n"
        ".endr\n"
        "    ret\n");

/* ---- the program's memory ---- */

static bool map_at(uint64_t address, size_t size, int protection)
{
    void *wanted = (void *)(uintptr_t)address;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    void *got = mmap(wanted, size, protection, flags, -1, 0);
    if (got != MAP_FAILED)
        madvise(got, size, MADV_HUGEPAGE);
    return got == wanted;
}

static uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

/* Objects and stack with their contents; huge pages keep the TLB out of it. */
static bool map_memory(const struct program *program)
{
    uint64_t end = OBJECT_BASE;
    for (size_t i = 0; i < program->object_count; i++) {
        const struct object *object = &program->objects[i];
        end = object->address + object->size > end ? object->address + object->size : end;
    }
    end = round_up(end + 1, HUGE_PAGE);
    uint64_t stack = program->cpus[0].stack / HUGE_PAGE * HUGE_PAGE;
    if (!map_at(OBJECT_BASE, end - OBJECT_BASE, PROT_READ | PROT_WRITE) ||
        !map_at(stack, HUGE_PAGE, PROT_READ | PROT_WRITE))
        return false;
    for (size_t i = 0; i < program->object_count; i++) {
        const struct object *object = &program->objects[i];
        uint8_t *target = (uint8_t *)(uintptr_t)object->address;
        memset(target, 0, object->size); /* every page is there */
        if (object->init != NULL)
            memcpy(target, object->init, object->init_size);
    }
    memset((void *)(uintptr_t)stack, 0, HUGE_PAGE);
    return true;
}

/* Where the lines of objects are said to be at the start of the loop. */
static void place_lines(const struct program *program)
{
    for (int level = RESIDENT_DRAM; level >= RESIDENT_L1; level--) {
        for (size_t i = 0; i < program->object_count; i++) {
            const struct object *object = &program->objects[i];
            if (object->resident != (enum residency)level || object->parent != NO_INDEX)
                continue;
            const volatile char *bytes = (const volatile char *)(uintptr_t)object->address;
            for (uint64_t at = 0; at < object->size; at += LINE_BYTES) {
                if (level == RESIDENT_DRAM)
                    _mm_clflush((const void *)(uintptr_t)(object->address + at));
                else
                    (void)bytes[at];
            }
        }
    }
    _mm_mfence();
}

/* ---- the program's code ---- */

/* `dec r15; jnz start` or nothing, then back to native_return. */
static size_t write_tail(uint8_t *at, const uint8_t *start, bool loops)
{
    size_t size = 0;
    if (loops) {
        static const uint8_t decrement[] = {0x49, 0xff, 0xcf, 0x0f, 0x85};
        memcpy(at, decrement, sizeof decrement);
        int32_t back = (int32_t)(start - (at + sizeof decrement + 4));
        memcpy(at + sizeof decrement, &back, 4);
        size = sizeof decrement + 4;
    }
    static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp [rip] */
    uint64_t target = (uint64_t)(uintptr_t)native_return;
    memcpy(at + size, jump, sizeof jump);
    memcpy(at + size + sizeof jump, &target, 8);
    return size + sizeof jump + 8;
}

static bool map_code(const struct snippet *snippet, bool loops)
{
    uint64_t page = snippet->address / PAGE * PAGE;
    uint64_t end = round_up(snippet->address + snippet->size + TAIL, PAGE);
    if (!map_at(page, end - page, PROT_READ | PROT_WRITE | PROT_EXEC))
        return false;
    uint8_t *start = (uint8_t *)(uintptr_t)snippet->address;
    memcpy(start, snippet->bytes, snippet->size);
    write_tail(start + snippet->size, start, loops);
    return true;
}

static void run(const struct program *program, uint64_t iterations)
{
    const struct variant *code = &program->variants[0];
    const struct snippet *setup = code->setup != NULL ? code->setup[0] : NULL;
    memcpy(native_registers, program->cpus[0].gpr, sizeof native_registers);
    native_clear_vectors(); /* nothing from here to the loop uses them but the setup code */
    if (setup != NULL && setup->size > 0) {
        native_target = setup->address;
        native_enter();
    }
    native_registers[15] = iterations;
    native_target = code->code[0]->address;
}

/* ---- clocks ---- */

static uint64_t ticks_now(void)
{
    unsigned core;
    _mm_lfence();
    uint64_t now = __rdtscp(&core);
    _mm_lfence();
    return now;
}

static uint64_t additions(uint64_t hundreds)
{
    uint64_t sum = 1, start = ticks_now();
    __asm__ volatile("1:\n .rept 100\n add $1, %0\n .endr\n dec %1\n jnz 1b"
                     : "+r"(sum), "+r"(hundreds));
    return ticks_now() - start;
}

/* Core cycles in a tick of the time stamp counter, by the fastest of some chains. */
static double cycles_a_tick(void)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 4; i++) {
        uint64_t many = additions(320), few = additions(20);
        if (many > few && many - few < least)
            least = many - few;
    }
    return 30000.0 / (double)least;
}

static long switches(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* Ticks of the loop's `iterations`. */
static double timed(const struct program *program, uint64_t iterations)
{
    place_lines(program);
    run(program, iterations);
    uint64_t start = ticks_now();
    native_enter();
    return (double)(ticks_now() - start);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double ticks_a_second(void)
{
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    uint64_t start = ticks_now();
    do {
        clock_gettime(CLOCK_MONOTONIC, &to);
    } while (to.tv_sec - from.tv_sec < 1 && to.tv_nsec - from.tv_nsec < 20000000);
    double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
    return (double)(ticks_now() - start) / seconds;
}

/* Enough iterations for a sample of half a million cycles, and more than the loop needs to settle.
 */
static uint64_t enough(const struct program *program)
{
    double each = timed(program, 400) / 400;
    double wanted = 500000 / (each < 0.25 ? 0.25 : each);
    return wanted < 400 ? 400 : (uint64_t)wanted;
}

void native_measure(const struct program *program, int samples, struct figures *figures)
{
    double cycles[SAMPLES_MAX];
    const struct variant *code = &program->variants[0];
    *figures = (struct figures){0};
    bool mapped = map_memory(program) && map_code(code->code[0], true);
    if (mapped && code->setup != NULL && code->setup[0] != NULL && code->setup[0]->size > 0)
        mapped = map_code(code->setup[0], false);
    if (!mapped) {
        snprintf(figures->problem, sizeof figures->problem,
                 "its addresses are taken in this process");
        return;
    }
    double tick_rate = ticks_a_second(), ratio = 0;
    timed(program, 200); /* everything is there and warm */
    uint64_t many = enough(program), few = many / 4;
    for (int tries = 0; figures->samples < samples && tries < 6 * samples; tries++) {
        double before = cycles_a_tick();
        long switched = switches();
        double ticks = timed(program, many) - timed(program, few);
        bool disturbed = switches() != switched;
        double after = cycles_a_tick();
        if (disturbed || fabs(after / before - 1) > 0.003 || ticks <= 0)
            continue;
        ratio = (before + after) / 2;
        cycles[figures->samples++] = ticks * ratio / (double)(many - few);
    }
    if (figures->samples < (samples + 2) / 3) {
        snprintf(figures->problem, sizeof figures->problem,
                 "only %d of %d samples were undisturbed", figures->samples, samples);
        return;
    }
    qsort(cycles, (size_t)figures->samples, sizeof cycles[0], compare);
    figures->least = cycles[0];
    figures->median = cycles[figures->samples / 2];
    figures->gigahertz = ratio * tick_rate / 1e9;
}
