/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A routine that loads every register, runs the bytes in its middle and stores every register,
 * copied to where it may be written to. The registers are on the page behind it.
 */
#include "tests/unit/host_cpu.h"

#include <cpuid.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, SLOT_BYTES = 16 };

_Static_assert(offsetof(struct registers, rflags) == 136, "the routine below says 136");
_Static_assert(offsetof(struct registers, xmm) == 160, "the routine below says 160");
_Static_assert(offsetof(struct registers, ymm_high) == 416, "the routine below says 416");

#define NUMBERS "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"

__asm__(".pushsection .rodata\n"
        ".balign 64\n"
        "host_routine:\n"
        ".set host_page, host_routine + 4096\n"
        "push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
        ".irp n, " NUMBERS "\n"
        "vmovdqu host_page+160+16*\\n(%rip), %xmm\\n\n"
        "vinsertf128 $1, host_page+416+16*\\n(%rip), %ymm\\n, %ymm\\n\n"
        ".endr\n"
        "push host_page+136(%rip); popfq\n"
        "mov %rsp, host_page+1024(%rip)\n"
        "mov host_page+0(%rip), %rax; mov host_page+8(%rip), %rcx\n"
        "mov host_page+16(%rip), %rdx; mov host_page+24(%rip), %rbx\n"
        "mov host_page+32(%rip), %rsp; mov host_page+40(%rip), %rbp\n"
        "mov host_page+48(%rip), %rsi; mov host_page+56(%rip), %rdi\n"
        ".irp n, 8,9,10,11,12,13,14,15\n"
        "mov host_page+8*\\n(%rip), %r\\n\n"
        ".endr\n"
        "host_slot:\n"
        ".fill 16, 1, 0x90\n"
        "movl $0, host_page+1032(%rip)\n"
        "jmp 1f\n"
        "host_target:\n"
        "movl $1, host_page+1032(%rip)\n"
        "1: mov %rax, host_page+0(%rip); mov %rcx, host_page+8(%rip)\n"
        "mov %rdx, host_page+16(%rip); mov %rbx, host_page+24(%rip)\n"
        "mov %rsp, host_page+32(%rip); mov %rbp, host_page+40(%rip)\n"
        "mov %rsi, host_page+48(%rip); mov %rdi, host_page+56(%rip)\n"
        ".irp n, 8,9,10,11,12,13,14,15\n"
        "mov %r\\n, host_page+8*\\n(%rip)\n"
        ".endr\n"
        "mov host_page+1024(%rip), %rsp\n"
        "pushfq; pop host_page+136(%rip)\n"
        "cld\n"
        ".irp n, " NUMBERS "\n"
        "vmovdqu %xmm\\n, host_page+160+16*\\n(%rip)\n"
        "vextractf128 $1, %ymm\\n, host_page+416+16*\\n(%rip)\n"
        ".endr\n"
        "vzeroupper\n"
        "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
        "ret\n"
        "host_routine_end:\n"
        ".popsection\n");

extern const uint8_t host_routine[], host_slot[], host_target[], host_routine_end[];

static uint8_t *code, *data, *stack;

enum { DATA_RESERVED = 16 * PAGE };

/* Before the heap can grow to where the simulated memory is. */
__attribute__((constructor)) static void reserve(void)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    void *at = (void *)(uintptr_t)OBJECT_BASE;
    data = mmap(at, DATA_RESERVED, PROT_NONE, flags, -1, 0);
    at = (void *)(uintptr_t)STACK_BASE;
    stack = mmap(at, STACK_BYTES, PROT_NONE, flags, -1, 0);
}

bool host_open(size_t size)
{
    if (!__builtin_cpu_supports("avx") || (uintptr_t)data != OBJECT_BASE ||
        (uintptr_t)stack != STACK_BASE || size > DATA_RESERVED)
        return false;
    int access = PROT_READ | PROT_WRITE;
    void *at = mmap(NULL, 2 * PAGE, access | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED || mprotect(data, DATA_RESERVED, access) != 0 ||
        mprotect(stack, STACK_BYTES, access) != 0)
        return false;
    code = at;
    memcpy(code, host_routine, (size_t)(host_routine_end - host_routine));
    return true;
}

void host_close(void)
{
    munmap(code, 2 * PAGE);
    code = NULL;
}

static bool has_adx(void)
{
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 19 & 1);
}

static bool has_lzcnt_and_movbe(void)
{
    unsigned a, b, c, d;
    bool lzcnt = __get_cpuid(0x80000001, &a, &b, &c, &d) && (c >> 5 & 1);
    return lzcnt && __get_cpuid(1, &a, &b, &c, &d) && (c >> 22 & 1);
}

bool host_has(enum host_feature feature)
{
    switch (feature) {
    case HOST_SSE42:
        return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
    case HOST_AES:
        return __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
    case HOST_ADX:
        return has_adx();
    case HOST_BMI:
        return __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
               has_lzcnt_and_movbe();
    case HOST_AVX2:
        return __builtin_cpu_supports("avx2");
    case HOST_FMA:
        return __builtin_cpu_supports("fma");
    default:
        return true;
    }
}

static sigjmp_buf exception;

static void on_signal(int number)
{
    (void)number;
    siglongjmp(exception, 1);
}

static const int signals[] = {SIGFPE, SIGSEGV, SIGILL, SIGBUS, SIGTRAP};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

/* Calls the routine with exceptions caught, on a stack of their own since rsp is not ours. */
static bool call_routine(void)
{
    static uint8_t alternate[65536];
    stack_t own = {.ss_sp = alternate, .ss_size = sizeof alternate}, old;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK}, before[SIGNALS];
    sigaltstack(&own, &old);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, &before[i]);
    void (*routine)(void);
    memcpy(&routine, &code, sizeof routine);
    bool raised = sigsetjmp(exception, 1) != 0;
    if (!raised)
        routine();
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
    sigaltstack(&old, NULL);
    return !raised;
}

bool host_run(const struct insn *insn, struct registers *registers, bool *taken)
{
    size_t slot = (size_t)(host_slot - host_routine);
    size_t target = (size_t)(host_target - host_routine);
    uint8_t bytes[SLOT_BYTES];
    memset(bytes, 0x90, sizeof bytes);
    memcpy(bytes, insn->bytes, insn->length);
    if (insn->has_target) /* a short branch: its last byte says how far */
        bytes[insn->length - 1] = (uint8_t)(target - slot - insn->length);
    memcpy(code + slot, bytes, sizeof bytes);
    memcpy(code + PAGE, registers, sizeof *registers);
    if (!call_routine())
        return false;
    uint64_t rip = registers->rip;
    memcpy(registers, code + PAGE, sizeof *registers);
    registers->rip = rip;
    uint32_t branched;
    memcpy(&branched, code + PAGE + 1032, sizeof branched);
    *taken = branched != 0;
    return true;
}
