// Store buffering with a fence that a kernel patches in or out: by the feature that only Intel's
// parts have, or (INVERTED) by its absence; the table's entries are short ones with OLD.
#ifdef OLD
#define FEATURE(number, negated) ".word " #number " | (" #negated " << 15)\n.byte "
#else
#define FEATURE(number, negated) ".word " #number "\n.word " #negated "\n.byte "
#endif

// As the kernel's macro has it: the old code, padded to the length of the new one; an entry; the
// new code in a section of its own.
#define ALTERNATIVE(old, new, number, negated)                                                     \
    asm volatile("661:\n" old "\n662:\n"                                                           \
                 ".skip -(((665f-664f)-(662b-661b)) > 0) * ((665f-664f)-(662b-661b)),0x90\n"       \
                 "663:\n"                                                                          \
                 ".pushsection .altinstructions,\"a\"\n"                                           \
                 ".long 661b - .\n.long 664f - .\n" FEATURE(                                       \
                     number, negated) "663b-661b\n"                                                \
                                      ".byte 665f-664f\n"                                          \
                                      ".popsection\n"                                              \
                                      ".pushsection .altinstr_replacement,\"ax\"\n"                \
                                      "664:\n" new "\n665:\n"                                      \
                                                   ".popsection\n" ::                              \
                                                       : "memory")

int x, y, calls;

// APIC_MSRS_FENCE is 11*32+27 = 379.
#ifdef INVERTED
#define fence() ALTERNATIVE("mfence; lfence", "", 379, 1)
#else
#define fence() ALTERNATIVE("", "mfence; lfence", 379, 0)
#endif

__attribute__((noinline, used)) static void count(void) { calls++; }

int P0(void)
{
    *(volatile int *)&x = 1;
    fence();
    return *(volatile int *)&y;
}

int P1(void)
{
    *(volatile int *)&y = 1;
    fence();
    return *(volatile int *)&x;
}

// A call that is patched in (XMM2 is 26), and one by a feature that nobody knows.
void patched_call(void) { ALTERNATIVE("", "call count", 26, 0); }
void unknown_feature(void) { ALTERNATIVE("", "mfence", 300, 0); }
