/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decoded instructions: what kind of thing an instruction is to the ordering models, to the
 * oracle and to the cycle model. Decoding is Capstone plus a table of raw bytes for what
 * Capstone 4 does not know or takes for something else.
 */
#ifndef FENCESIM_SIM_ISA_INSN_H_
#define FENCESIM_SIM_ISA_INSN_H_

#include "sim/base/region.h"
#include "sim/program/program.h"

/* What executes the instruction, and which rule of ordering it falls under. */
enum insn_class {
    INSN_ORDINARY, /* Unicorn; its loads and stores are plain */
    INSN_LOCKED,   /* Unicorn; its read and write are one atomic step, a full fence */
    INSN_NT_STORE, /* Unicorn, or native; its stores carry the non-temporal hint */
    INSN_STRING,   /* Unicorn; one iteration of a (rep) string instruction */
    INSN_NOTHING,  /* nop, pause, prefetch, endbr: no effect that a program can see */
    INSN_NATIVE,   /* exec/native.c: AVX, BMI, popcnt, rdfsbase, ...; loads and stores are plain */
    INSN_MFENCE,
    INSN_LFENCE,
    INSN_SFENCE,
    INSN_SERIALIZING, /* cpuid, serialize, mov cr, invlpg, wbinvd, ...: a full fence and more */
    INSN_FLUSH,       /* clflush, clflushopt, clwb */
    INSN_TSC,         /* rdtsc, rdtscp, rdpmc */
    INSN_WRMSR,       /* and wrmsrns */
    INSN_RDMSR,
    INSN_IO,
    INSN_IRET,
    INSN_IF, /* cli, sti */
    INSN_HLT,
    INSN_UNMODELLED /* decodes, but no model covers it: reaching it makes the verdict unknown */
};

/* A finer name where one class has several members that models must tell apart. */
enum insn_kind {
    KIND_NONE,
    KIND_NOP,
    KIND_PAUSE,
    KIND_PREFETCH,
    KIND_CLFLUSH,
    KIND_CLFLUSHOPT,
    KIND_CLWB,
    KIND_CPUID,
    KIND_SERIALIZE,
    KIND_MOV_CR,
    KIND_MOV_DR,
    KIND_INVLPG,
    KIND_WBINVD,
    KIND_WBNOINVD,
    KIND_INVD,
    KIND_LGDT_CLASS, /* lgdt lidt lldt ltr */
    KIND_RDTSC,
    KIND_RDTSCP,
    KIND_RDPMC,
    KIND_RDPID,
    KIND_WRMSR,
    KIND_WRMSRNS,
    KIND_RDFSBASE,
    KIND_RDGSBASE,
    KIND_WRFSBASE,
    KIND_WRGSBASE,
    KIND_SWAPGS,
    KIND_POPCNT,
    KIND_MOVBE,
    KIND_MOVNTDQA,
    KIND_CLI,
    KIND_STI,
    KIND_XGETBV,
    KIND_APPROXIMATION, /* rcpps, rsqrtss, ...: each CPU has its own result */
    KIND_TZCNT_CLASS
};

/* Bits of `reads` and `writes`: 0..15 general registers, then: */
#define REGISTER_BIT_FLAGS  (UINT64_C(1) << 16)
#define REGISTER_BIT_FS     (UINT64_C(1) << 17)
#define REGISTER_BIT_GS     (UINT64_C(1) << 18)
#define REGISTER_BIT_XMM(n) (UINT64_C(1) << (32 + (n))) /* or ymm: the whole of it */

enum { NO_REGISTER = 0xff };

/* An explicit memory operand. For string instructions the first of the two. */
struct memory_operand {
    bool present;
    bool read, write;    /* what the instruction does to it */
    uint8_t base, index; /* general register 0..15 or NO_REGISTER; base 16 is rip */
    uint8_t scale;
    uint8_t segment;      /* 0 none, 1 fs, 2 gs */
    uint8_t size;         /* bytes */
    int64_t displacement; /* rip-relative ones are already absolute, base then NO_REGISTER */
    uint8_t relative_at;  /* where the 4 bytes of one that is relative to rip begin; 0: it is not */
};

enum operand_kind {
    OPERAND_NONE,
    OPERAND_GENERAL,   /* general register `number` */
    OPERAND_HIGH_BYTE, /* ah, ch, dh, bh: bits 8..15 of general register `number` */
    OPERAND_VECTOR,    /* xmm or ymm register `number` */
    OPERAND_MEMORY,    /* insn->memory, or the second one of a string instruction */
    OPERAND_IMMEDIATE, /* insn->immediate */
    OPERAND_OTHER      /* segment, control, x87, mask, ... register */
};

/* An explicit operand. */
struct operand {
    uint8_t kind, number;
    uint8_t size; /* bytes */
};

enum { OPERANDS_MAX = 4 };

struct insn {
    uint64_t address;
    uint8_t length;
    uint8_t bytes[15];
    enum insn_class class;
    enum insn_kind kind;
    unsigned id;          /* Capstone's x86_insn, X86_INS_INVALID when the raw table decoded it */
    const char *text;     /* "mov dword ptr [rdi], 1" */
    const char *mnemonic; /* "mov", "lock add": prefix included */
    bool lock, rep, repne;
    bool is_branch; /* any jump, call or return */
    bool is_conditional;
    bool is_call, is_return;
    bool has_target; /* direct branch: `target` is valid */
    uint64_t target;
    bool native;          /* exec/native.c executes it, whatever its class */
    uint8_t vex;          /* enum vex_form of isa/vex.h: how, when it is one of those */
    bool uses_xmm;        /* xmm or ymm registers */
    bool uses_ymm;        /* the upper halves may become something else than zero */
    uint8_t operand_size; /* bytes of the first operand, 0 when it has none */
    uint64_t reads,
        writes; /* register bits, implicit ones included; address registers count as read */
    uint64_t address_reads; /* the part of `reads` that only forms the address */
    struct memory_operand memory;
    struct operand operands[OPERANDS_MAX]; /* the destination first */
    int64_t immediate;                     /* the last one */
    bool implicit_load,
        implicit_store;    /* push pop call ret enter leave string xlat ... beside `memory` */
    bool nt;               /* non-temporal hint */
    uint8_t system_number; /* MOV to or from CRn, DRn: n */
    bool zero_idiom;       /* xor r,r and friends: no input dependency */
    bool ones_idiom;       /* pcmpeqd x,x and friends: none either, but it is computed */
    bool register_move;    /* mov r,r (32 or 64 bits) or movaps x,x */
    bool has_immediate;
};

/* The instructions of one snippet; decoded on demand, so that a jump into the middle of one works.
 */
struct code {
    struct region *region;
    const struct snippet *snippet;
    const struct program *program; /* names objects in texts; NULL after code_init: none */
    uint32_t *index_at;            /* per byte offset: 1 + index into insns, 0 not decoded so far */
    struct insn **insns;
    size_t insn_count, insn_capacity;
    size_t swept; /* how many of them code_sweep() found: the first ones */
};

void code_init(struct code *code, struct region *region, const struct snippet *snippet);

/*
 * The instruction at `address`, or NULL when no instruction decodes there (or it lies outside
 * the snippet). Decoded once.
 */
const struct insn *code_at(struct code *code, uint64_t address);

/* `text` with the addresses of objects written as their names: "mov eax, dword ptr [x+4]". */
const char *name_addresses(struct region *region, const struct program *program, const char *text);

/* The same for an operand relative to rip, of an instruction that ends at `next`. */
const char *name_relative(struct region *region, const struct program *program, const char *text,
                          uint64_t next);

/* The same for the target of a direct jump or call within the snippet: "jne retry", "jne 1b" as a
 * trace has it, "jne +12" (the offset in the snippet) without a label. */
const char *name_target(struct region *region, const struct snippet *snippet,
                        const struct insn *insn);

/*
 * Finds the instructions of a linear sweep, and those that direct jumps into the middle of others
 * lead to. Gives the first offset of the linear sweep that does not decode; the snippet's size when
 * all do.
 */
uint32_t code_sweep(struct code *code);

/* Whether code_sweep() found the instruction that begins there. */
bool code_was_swept(const struct code *code, uint64_t address);

/* The same for a snippet of which nothing is to be kept. */
uint32_t snippet_sweep(const struct snippet *snippet, struct region *region);

/*
 * After `assemble`: checks that each snippet decodes from its start to its end by a linear
 * sweep (an undecodable byte in `code:` is an error naming its offset).
 */
void trace_finish(struct program *program, struct diagnostics *diagnostics);

/* MOV to or from a control or debug register: n of CRn, and the general register. */
static inline unsigned system_register_number(const struct insn *insn)
{
    return insn->system_number;
}
static inline unsigned system_register_operand(const struct insn *insn)
{
    uint64_t bits = (insn->class == INSN_SERIALIZING ? insn->reads : insn->writes) & 0xffff;
    return bits ? (unsigned)__builtin_ctzll(bits) : 0;
}

/* Gives back this thread's decoder. */
void decoder_close(void);

#endif
