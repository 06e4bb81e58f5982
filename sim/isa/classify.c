/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A whitelist: only what Unicorn 2.0.1 was seen to execute as hardware does goes to it.
 * Everything else is recognised by name here or is INSN_UNMODELLED.
 */
#include "sim/isa/classify.h"

#include <string.h>

#include "sim/isa/vex.h"

struct special {
    unsigned id;
    enum insn_class class;
    enum insn_kind kind;
};

static const struct special specials[] = {
    {X86_INS_NOP, INSN_NOTHING, KIND_NOP},
    {X86_INS_ENDBR64, INSN_NOTHING, KIND_NOP},
    {X86_INS_ENDBR32, INSN_NOTHING, KIND_NOP},
    {X86_INS_PAUSE, INSN_NOTHING, KIND_PAUSE},
    {X86_INS_PREFETCH, INSN_NOTHING, KIND_PREFETCH},
    {X86_INS_PREFETCHW, INSN_NOTHING, KIND_PREFETCH},
    {X86_INS_PREFETCHNTA, INSN_NOTHING, KIND_PREFETCH},
    {X86_INS_PREFETCHT0, INSN_NOTHING, KIND_PREFETCH},
    {X86_INS_PREFETCHT1, INSN_NOTHING, KIND_PREFETCH},
    {X86_INS_PREFETCHT2, INSN_NOTHING, KIND_PREFETCH},
    {X86_INS_MFENCE, INSN_MFENCE, KIND_NONE},
    {X86_INS_LFENCE, INSN_LFENCE, KIND_NONE},
    {X86_INS_SFENCE, INSN_SFENCE, KIND_NONE},
    {X86_INS_CLFLUSH, INSN_FLUSH, KIND_CLFLUSH},
    {X86_INS_CLFLUSHOPT, INSN_FLUSH, KIND_CLFLUSHOPT},
    {X86_INS_CLWB, INSN_FLUSH, KIND_CLWB},
    {X86_INS_CPUID, INSN_SERIALIZING, KIND_CPUID},
    {X86_INS_INVLPG, INSN_SERIALIZING, KIND_INVLPG},
    {X86_INS_WBINVD, INSN_SERIALIZING, KIND_WBINVD},
    {X86_INS_INVD, INSN_SERIALIZING, KIND_INVD},
    {X86_INS_LGDT, INSN_SERIALIZING, KIND_LGDT_CLASS},
    {X86_INS_LIDT, INSN_SERIALIZING, KIND_LGDT_CLASS},
    {X86_INS_LLDT, INSN_SERIALIZING, KIND_LGDT_CLASS},
    {X86_INS_LTR, INSN_SERIALIZING, KIND_LGDT_CLASS},
    {X86_INS_RDTSC, INSN_TSC, KIND_RDTSC},
    {X86_INS_RDTSCP, INSN_TSC, KIND_RDTSCP},
    {X86_INS_RDPMC, INSN_TSC, KIND_RDPMC},
    {X86_INS_WRMSR, INSN_WRMSR, KIND_WRMSR},
    {X86_INS_RDMSR, INSN_RDMSR, KIND_NONE},
    {X86_INS_IN, INSN_IO, KIND_NONE},
    {X86_INS_OUT, INSN_IO, KIND_NONE},
    {X86_INS_IRETQ, INSN_IRET, KIND_NONE},
    {X86_INS_CLI, INSN_IF, KIND_CLI},
    {X86_INS_STI, INSN_IF, KIND_STI},
    {X86_INS_HLT, INSN_HLT, KIND_NONE},
    {X86_INS_RDFSBASE, INSN_NATIVE, KIND_RDFSBASE},
    {X86_INS_RDGSBASE, INSN_NATIVE, KIND_RDGSBASE},
    {X86_INS_WRFSBASE, INSN_NATIVE, KIND_WRFSBASE},
    {X86_INS_WRGSBASE, INSN_NATIVE, KIND_WRGSBASE},
    {X86_INS_SWAPGS, INSN_RDMSR, KIND_SWAPGS},
    {X86_INS_POPCNT, INSN_NATIVE, KIND_POPCNT},
    {X86_INS_MOVBE, INSN_NATIVE, KIND_MOVBE},
    {X86_INS_XGETBV, INSN_NATIVE, KIND_XGETBV},
    {X86_INS_MOVNTI, INSN_NT_STORE, KIND_NONE},
    {X86_INS_MOVNTDQ, INSN_NT_STORE, KIND_NONE},
    {X86_INS_MOVNTPS, INSN_NT_STORE, KIND_NONE},
    {X86_INS_MOVNTPD, INSN_NT_STORE, KIND_NONE},
    {X86_INS_MASKMOVDQU, INSN_NT_STORE, KIND_NONE},
    {X86_INS_MOVNTDQA, INSN_ORDINARY, KIND_MOVNTDQA},
    {X86_INS_RCPPS, INSN_NATIVE, KIND_APPROXIMATION},
    {X86_INS_RCPSS, INSN_NATIVE, KIND_APPROXIMATION},
    {X86_INS_RSQRTPS, INSN_NATIVE, KIND_APPROXIMATION},
    {X86_INS_RSQRTSS, INSN_NATIVE, KIND_APPROXIMATION},
    {X86_INS_TZCNT, INSN_ORDINARY, KIND_TZCNT_CLASS},
    {X86_INS_LZCNT, INSN_ORDINARY, KIND_TZCNT_CLASS},
};

/* Base integer instructions that agreed with hardware on random inputs. */
static const uint16_t ordinary[] = {
    X86_INS_ADC,    X86_INS_ADCX,    X86_INS_ADD,        X86_INS_ADOX,      X86_INS_AND,
    X86_INS_BSF,    X86_INS_BSR,     X86_INS_BSWAP,      X86_INS_BT,        X86_INS_BTC,
    X86_INS_BTR,    X86_INS_BTS,     X86_INS_CALL,       X86_INS_CBW,       X86_INS_CDQ,
    X86_INS_CDQE,   X86_INS_CLC,     X86_INS_CLD,        X86_INS_CMC,       X86_INS_CMOVA,
    X86_INS_CMOVAE, X86_INS_CMOVB,   X86_INS_CMOVBE,     X86_INS_CMOVE,     X86_INS_CMOVG,
    X86_INS_CMOVGE, X86_INS_CMOVL,   X86_INS_CMOVLE,     X86_INS_CMOVNE,    X86_INS_CMOVNO,
    X86_INS_CMOVNP, X86_INS_CMOVNS,  X86_INS_CMOVO,      X86_INS_CMOVP,     X86_INS_CMOVS,
    X86_INS_CMP,    X86_INS_CMPXCHG, X86_INS_CMPXCHG16B, X86_INS_CMPXCHG8B, X86_INS_CQO,
    X86_INS_CRC32,  X86_INS_CWD,     X86_INS_CWDE,       X86_INS_DEC,       X86_INS_DIV,
    X86_INS_ENTER,  X86_INS_IDIV,    X86_INS_IMUL,       X86_INS_INC,       X86_INS_JA,
    X86_INS_JAE,    X86_INS_JB,      X86_INS_JBE,        X86_INS_JE,        X86_INS_JECXZ,
    X86_INS_JG,     X86_INS_JGE,     X86_INS_JL,         X86_INS_JLE,       X86_INS_JMP,
    X86_INS_JNE,    X86_INS_JNO,     X86_INS_JNP,        X86_INS_JNS,       X86_INS_JO,
    X86_INS_JP,     X86_INS_JRCXZ,   X86_INS_JS,         X86_INS_LAHF,      X86_INS_LEA,
    X86_INS_LEAVE,  X86_INS_LOOP,    X86_INS_LOOPE,      X86_INS_LOOPNE,    X86_INS_MOV,
    X86_INS_MOVABS, X86_INS_MOVSX,   X86_INS_MOVSXD,     X86_INS_MOVZX,     X86_INS_MUL,
    X86_INS_NEG,    X86_INS_NOT,     X86_INS_OR,         X86_INS_POP,       X86_INS_POPFQ,
    X86_INS_PUSH,   X86_INS_PUSHFQ,  X86_INS_RCL,        X86_INS_RCR,       X86_INS_RET,
    X86_INS_ROL,    X86_INS_ROR,     X86_INS_SAHF,       X86_INS_SAL,       X86_INS_SAR,
    X86_INS_SBB,    X86_INS_SETA,    X86_INS_SETAE,      X86_INS_SETB,      X86_INS_SETBE,
    X86_INS_SETE,   X86_INS_SETG,    X86_INS_SETGE,      X86_INS_SETL,      X86_INS_SETLE,
    X86_INS_SETNE,  X86_INS_SETNO,   X86_INS_SETNP,      X86_INS_SETNS,     X86_INS_SETO,
    X86_INS_SETP,   X86_INS_SETS,    X86_INS_SHL,        X86_INS_SHLD,      X86_INS_SHR,
    X86_INS_SHRD,   X86_INS_STC,     X86_INS_STD,        X86_INS_SUB,       X86_INS_TEST,
    X86_INS_UD2,    X86_INS_XADD,    X86_INS_XCHG,       X86_INS_XLATB,     X86_INS_XOR,
};

/* What exec/native.c knows of VEX: Unicorn takes VEX for the prefix of the SSE instruction. */
static const uint16_t vex[] = {
    X86_INS_ANDN,         X86_INS_BEXTR,          X86_INS_BLSI,         X86_INS_BLSMSK,
    X86_INS_BLSR,         X86_INS_BZHI,           X86_INS_MULX,         X86_INS_PDEP,
    X86_INS_PEXT,         X86_INS_RORX,           X86_INS_SARX,         X86_INS_SHLX,
    X86_INS_SHRX,         X86_INS_VBLENDPD,       X86_INS_VBLENDPS,     X86_INS_VBLENDVPD,
    X86_INS_VBLENDVPS,    X86_INS_VBROADCASTF128, X86_INS_VBROADCASTSD, X86_INS_VBROADCASTSS,
    X86_INS_VEXTRACTF128, X86_INS_VEXTRACTI128,   X86_INS_VINSERTF128,  X86_INS_VINSERTI128,
    X86_INS_VLDDQU,       X86_INS_VMASKMOVPD,     X86_INS_VMASKMOVPS,   X86_INS_VMOVAPD,
    X86_INS_VMOVAPS,      X86_INS_VMOVD,          X86_INS_VMOVDQA,      X86_INS_VMOVDQU,
    X86_INS_VMOVHPD,      X86_INS_VMOVHPS,        X86_INS_VMOVLPD,      X86_INS_VMOVLPS,
    X86_INS_VMOVNTDQ,     X86_INS_VMOVNTDQA,      X86_INS_VMOVNTPD,     X86_INS_VMOVNTPS,
    X86_INS_VMOVQ,        X86_INS_VMOVSD,         X86_INS_VMOVSS,       X86_INS_VMOVUPD,
    X86_INS_VMOVUPS,      X86_INS_VPADDB,         X86_INS_VPADDD,       X86_INS_VPADDQ,
    X86_INS_VPADDW,       X86_INS_VPAND,          X86_INS_VPANDN,       X86_INS_VPBLENDD,
    X86_INS_VPBLENDVB,    X86_INS_VPBROADCASTB,   X86_INS_VPBROADCASTD, X86_INS_VPBROADCASTQ,
    X86_INS_VPBROADCASTW, X86_INS_VPCLMULQDQ,     X86_INS_VPCMPEQB,     X86_INS_VPCMPEQD,
    X86_INS_VPCMPEQQ,     X86_INS_VPCMPEQW,       X86_INS_VPERM2F128,   X86_INS_VPERM2I128,
    X86_INS_VPERMD,       X86_INS_VPERMILPD,      X86_INS_VPERMILPS,    X86_INS_VPERMPD,
    X86_INS_VPERMPS,      X86_INS_VPERMQ,         X86_INS_VPMASKMOVD,   X86_INS_VPMASKMOVQ,
    X86_INS_VPMOVMSKB,    X86_INS_VPOR,           X86_INS_VPSLLVD,      X86_INS_VPSLLVQ,
    X86_INS_VPSRAVD,      X86_INS_VPSRLVD,        X86_INS_VPSRLVQ,      X86_INS_VPSUBB,
    X86_INS_VPSUBD,       X86_INS_VPSUBQ,         X86_INS_VPSUBW,       X86_INS_VPTEST,
    X86_INS_VPXOR,        X86_INS_VSHUFPD,        X86_INS_VTESTPD,      X86_INS_VTESTPS,
    X86_INS_VXORPD,       X86_INS_VXORPS,         X86_INS_VZEROALL,     X86_INS_VZEROUPPER,
};

static bool in_group(const cs_insn *decoded, uint8_t group)
{
    for (uint8_t i = 0; i < decoded->detail->groups_count; i++)
        if (decoded->detail->groups[i] == group)
            return true;
    return false;
}

static bool is_plain_register(x86_reg reg)
{
    switch (reg) {
    case X86_REG_CS:
    case X86_REG_DS:
    case X86_REG_ES:
    case X86_REG_FS:
    case X86_REG_GS:
    case X86_REG_SS:
        return false;
    default:
        break;
    }
    if (reg >= X86_REG_CR0 && reg <= X86_REG_DR15)
        return false;
    if ((reg >= X86_REG_FP0 && reg <= X86_REG_MM7) || (reg >= X86_REG_ST0 && reg <= X86_REG_ST7))
        return false;
    if (reg >= X86_REG_XMM16 && reg <= X86_REG_ZMM31)
        return false;
    return true;
}

/* x87, MMX, AVX, segment, control and debug registers take an instruction off the whitelist. */
static bool operands_are_plain(const cs_x86 *x86)
{
    for (uint8_t i = 0; i < x86->op_count; i++) {
        const cs_x86_op *op = &x86->operands[i];
        if (op->type == X86_OP_REG && !is_plain_register(op->reg))
            return false;
    }
    return true;
}

static bool is_sse(const cs_insn *decoded)
{
    switch (decoded->id) {
    case X86_INS_LDMXCSR:
    case X86_INS_STMXCSR:
    case X86_INS_FXSAVE:
    case X86_INS_FXRSTOR:
    case X86_INS_FXSAVE64:
    case X86_INS_FXRSTOR64:
    case X86_INS_MONITOR:
    case X86_INS_MWAIT:
    case X86_INS_MASKMOVQ:
    case X86_INS_MOVNTQ:
    case X86_INS_PCMPESTRI: /* a large length makes Unicorn read beyond its registers */
    case X86_INS_PCMPESTRM:
    case X86_INS_PCMPISTRI: /* some differ from hardware, by comparison with it */
    case X86_INS_PCMPISTRM:
    case X86_INS_DPPS: /* the order of the additions shows in NaNs */
    case X86_INS_DPPD:
        return false;
    default:
        break;
    }
    if (in_group(decoded, X86_GRP_AVX) || in_group(decoded, X86_GRP_AVX2) ||
        in_group(decoded, X86_GRP_AVX512) || in_group(decoded, X86_GRP_3DNOW))
        return false;
    return in_group(decoded, X86_GRP_SSE1) || in_group(decoded, X86_GRP_SSE2) ||
           in_group(decoded, X86_GRP_SSE3) || in_group(decoded, X86_GRP_SSSE3) ||
           in_group(decoded, X86_GRP_SSE41) || in_group(decoded, X86_GRP_SSE42) ||
           in_group(decoded, X86_GRP_AES) || in_group(decoded, X86_GRP_PCLMUL);
}

static bool is_ordinary(const cs_insn *decoded)
{
    for (size_t i = 0; i < sizeof ordinary / sizeof ordinary[0]; i++)
        if (ordinary[i] == decoded->id)
            return true;
    return is_sse(decoded);
}

/* One-byte opcodes of the string instructions: Capstone calls two of them as it calls SSE ones. */
static bool string_opcode(const cs_insn *decoded, enum insn_class *class)
{
    uint8_t opcode = decoded->detail->x86.opcode[0];
    if ((opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf))
        *class = INSN_STRING;
    else if (opcode >= 0x6c && opcode <= 0x6f)
        *class = INSN_IO;
    else
        return false;
    return true;
}

static bool is_move_of_system_register(const cs_insn *decoded, struct insn *insn)
{
    const cs_x86 *x86 = &decoded->detail->x86;
    if (decoded->id != X86_INS_MOV || x86->op_count != 2)
        return false;
    for (int i = 0; i < 2; i++) {
        if (x86->operands[i].type != X86_OP_REG)
            continue;
        x86_reg reg = x86->operands[i].reg;
        bool control = reg >= X86_REG_CR0 && reg <= X86_REG_CR15;
        bool debug = reg >= X86_REG_DR0 && reg <= X86_REG_DR15;
        if (!control && !debug)
            continue;
        /* Reading one orders nothing. */
        insn->class = i == 0 ? INSN_SERIALIZING : INSN_RDMSR;
        insn->kind = control ? KIND_MOV_CR : KIND_MOV_DR;
        insn->system_number = (uint8_t)(reg - (control ? X86_REG_CR0 : X86_REG_DR0));
        return true;
    }
    return false;
}

static bool same_operands(const cs_x86 *x86)
{
    return x86->op_count == 2 && x86->operands[0].type == X86_OP_REG &&
           x86->operands[1].type == X86_OP_REG && x86->operands[0].reg == x86->operands[1].reg;
}

/* These load 16 bytes instead of 4 or 8 there: exec/native_lanes.c has them. */
static bool loads_too_much(const cs_insn *decoded)
{
    switch (decoded->id) {
    case X86_INS_CVTDQ2PD:
    case X86_INS_CVTPS2PD:
    case X86_INS_ROUNDSS:
    case X86_INS_ROUNDSD:
        return decoded->detail->x86.operands[1].type == X86_OP_MEM;
    default:
        return false;
    }
}

/* Forms of instructions that Unicorn gets wrong and exec/native does not have. */
static bool form_breaks(const cs_insn *decoded)
{
    switch (decoded->id) {
    case X86_INS_PHADDW: /* overwrites the second operand while it still needs it */
    case X86_INS_PHADDD:
    case X86_INS_PHADDSW:
    case X86_INS_PHSUBW:
    case X86_INS_PHSUBD:
    case X86_INS_PHSUBSW:
        return same_operands(&decoded->detail->x86);
    default:
        return false;
    }
}

/* What Unicorn gets wrong or refuses: exec/native has it. */
static bool goes_wrong(const cs_insn *decoded, bool lock)
{
    const cs_x86 *x86 = &decoded->detail->x86;
    const cs_x86_op *last = &x86->operands[x86->op_count ? x86->op_count - 1 : 0];
    switch (decoded->id) {
    case X86_INS_DIV:
    case X86_INS_IDIV:
        return true;
    case X86_INS_NEG:
        return lock;
    case X86_INS_PCLMULQDQ:
        return true;
    case X86_INS_SAL:
    case X86_INS_SAR:
    case X86_INS_SHL:
    case X86_INS_SHLD:
    case X86_INS_SHR:
    case X86_INS_SHRD:
        return x86->operands[0].type == X86_OP_MEM && last->type == X86_OP_REG;
    default:
        return false;
    }
}

/* The first byte that is no legacy prefix: 0xc4 and 0xc5 are VEX, 0x62 is EVEX. */
static uint8_t leading_byte(const cs_insn *decoded)
{
    static const uint8_t prefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65,
                                       0x66, 0x67, 0xf0, 0xf2, 0xf3};
    uint16_t at = 0;
    while (at < decoded->size && memchr(prefixes, decoded->bytes[at], sizeof prefixes))
        at++;
    return at < decoded->size ? decoded->bytes[at] : 0;
}

static void classify_vex(const cs_insn *decoded, struct insn *insn)
{
    if (decoded->detail->x86.addr_size != 8) /* exec/native.c computes 64-bit addresses */
        return;
    insn->vex = (uint8_t)vex_form(decoded->mnemonic);
    insn->native = insn->vex != VEX_NONE;
    for (size_t i = 0; i < sizeof vex / sizeof vex[0]; i++)
        insn->native = insn->native || vex[i] == decoded->id;
    if (!insn->native)
        return;
    insn->nt = decoded->id == X86_INS_VMOVNTDQ || decoded->id == X86_INS_VMOVNTPS ||
               decoded->id == X86_INS_VMOVNTPD;
    insn->class = insn->nt ? INSN_NT_STORE : INSN_NATIVE;
    if (insn->vex == VEX_APPROXIMATE)
        insn->kind = KIND_APPROXIMATION;
    if (decoded->id == X86_INS_VMOVNTDQA)
        insn->kind = KIND_MOVNTDQA;
}

void classify(const cs_insn *decoded, struct insn *insn)
{
    const cs_x86 *x86 = &decoded->detail->x86;
    insn->class = INSN_UNMODELLED;
    insn->kind = KIND_NONE;
    uint8_t leading = leading_byte(decoded);
    if (leading == 0xc4 || leading == 0xc5) {
        classify_vex(decoded, insn);
        return;
    }
    if (leading == 0x62)
        return;
    if (is_move_of_system_register(decoded, insn) || string_opcode(decoded, &insn->class))
        return;
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++) {
        if (specials[i].id == decoded->id) {
            insn->class = specials[i].class;
            insn->kind = specials[i].kind;
            insn->nt = insn->class == INSN_NT_STORE;
            insn->native = insn->class == INSN_NATIVE;
            if (insn->native && x86->addr_size != 8)
                insn->class = INSN_UNMODELLED;
            return;
        }
    }
    if (!is_ordinary(decoded) || !operands_are_plain(x86) || form_breaks(decoded))
        return;
    if (loads_too_much(decoded))
        insn->vex = VEX_LANES;
    insn->native = goes_wrong(decoded, insn->lock) || insn->vex != VEX_NONE;
    if (insn->native && x86->addr_size != 8)
        return;
    bool memory_exchange = decoded->id == X86_INS_XCHG && (x86->operands[0].type == X86_OP_MEM ||
                                                           x86->operands[1].type == X86_OP_MEM);
    insn->class = insn->lock || memory_exchange ? INSN_LOCKED : INSN_ORDINARY;
}

unsigned required_alignment(const struct insn *insn)
{
    unsigned size = insn->memory.size;
    if (!insn->uses_xmm || size < 16)
        return 1;
    switch (insn->id) {
    case X86_INS_VMOVAPD:
    case X86_INS_VMOVAPS:
    case X86_INS_VMOVDQA:
    case X86_INS_VMOVNTDQ:
    case X86_INS_VMOVNTDQA:
    case X86_INS_VMOVNTPD:
    case X86_INS_VMOVNTPS:
    case X86_INS_PCLMULQDQ:
    case X86_INS_RCPPS:
    case X86_INS_RSQRTPS:
        return size;
    case X86_INS_MOVUPS:
    case X86_INS_MOVUPD:
    case X86_INS_MOVDQU:
    case X86_INS_LDDQU:
    case X86_INS_PCMPESTRI:
    case X86_INS_PCMPESTRM:
    case X86_INS_PCMPISTRI:
    case X86_INS_PCMPISTRM:
    case X86_INS_MASKMOVDQU:
        return 1;
    default:
        return insn->native || size != 16 ? 1 : 16;
    }
}
