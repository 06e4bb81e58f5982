// Branches that a kernel patches by its static keys, and calls by its static calls.
struct static_key {
    int enabled;
    void *entries;
};
struct static_key fast, slow;
static struct static_key local;
int way;

#ifdef OLD
#define TABLE(flags) ".quad 1b, %l[yes], %c0 + " #flags "\n"
#else
#define TABLE(flags) ".long 1b - ., %l[yes] - .\n.quad %c0 + " #flags " - .\n"
#endif
#define BRANCH(code, flags, key)                                                                   \
    asm goto("1:" code "\n.pushsection __jump_table,\"aw\"\n.balign 8\n" TABLE(                    \
        flags) ".popsection" ::"i"(&key)::yes)
#define NOP5 ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00"

// Compiled as off: a NOP, which becomes a jump.
int unlikely(void)
{
    BRANCH(NOP5, 0, fast);
    return 1;
yes:
    way = 7;
    return 2;
}

// Compiled as off: a jump, whose other state is a NOP.
int likely(void)
{
    BRANCH("jmp %l[yes]", 1, slow);
    return 1;
yes:
    return 2;
}

// A jump that the kernel's build turns into a NOP.
int rebuilt(void)
{
    BRANCH("jmp %l[yes]", 2, local);
    return 1;
yes:
    return 2;
}

// A place of two bytes.
int small(void)
{
    BRANCH(".byte 0x66, 0x90", 0, local);
    return 1;
yes:
    return 2;
}

// What a kernel's macro makes for a static call: a jump, and bytes by which it is known.
void chosen(void) { way = 3; }
asm(".text\n.globl __SCT__call\n.type __SCT__call, @function\n__SCT__call:\n"
    ".byte 0xe9\n.long chosen - (. + 4)\n.byte 0x0f, 0xb9, 0xcc\n.size __SCT__call, . - "
    "__SCT__call\n");
int static_call(void)
{
    asm volatile("1: call __SCT__call\n.pushsection .static_call_sites,\"aw\"\n.balign 8\n"
                 ".long 1b - ., fast - .\n.popsection" ::
                     : "memory", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
    return way;
}
