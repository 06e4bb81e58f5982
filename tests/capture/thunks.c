// Indirect calls and returns through a kernel's thunks, and calls for tracing.
int calls;

__attribute__((noinline)) void one(void) { calls += 1; }

void (*volatile pointer)(void) = one;

// Compiled with thunks by options.
int through(void)
{
    pointer();
    return calls;
}

void tail(void) { pointer(); }

// Hand-written: through a register with REX, and conditional jumps to thunks.
void written(void);
asm(".globl written\n.type written, @function\nwritten:\n"
    "endbr64\n"
    "call __fentry__\n"
    "call one\n"
    "lea one(%rip), %r11\n"
    ".byte 0x2e; call __x86_indirect_thunk_r11\n"
    "cmpl $2, calls(%rip)\n"
    "je __x86_return_thunk\n"
    "movl $10, calls(%rip)\n"
    "cmpl $10, calls(%rip)\n"
    "jne __x86_indirect_thunk_r11\n"
    "je __x86_indirect_thunk_r11\n"
    "ud2\n"
    ".size written, . - written\n");

// BUG() is a trap with an entry in a table; a warning is one that execution goes on behind.
int bug(int broken)
{
    if (broken)
        asm volatile(
            "1: ud2\n.pushsection __bug_table,\"aw\"\n.long 1b - .\n.word 1, 0\n.popsection");
    return 1;
}

// An access with an entry in the table of what to do about faults.
int guarded(int *from)
{
    int value = 0;
    asm volatile("1: movl (%1), %0\n2:\n.pushsection __ex_table,\"a\"\n"
                 ".balign 4\n.long 1b - .\n.long 2b - .\n.long 3\n.popsection"
                 : "+r"(value)
                 : "r"(from));
    return value;
}
