/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Capstone's list of operands, put right where it is known to be wrong. */
#include "sim/isa/operands.h"

static uint8_t vector_number(x86_reg reg)
{
    if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM15)
        return (uint8_t)(reg - X86_REG_XMM0);
    if (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM15)
        return (uint8_t)(reg - X86_REG_YMM0);
    return NO_REGISTER;
}

uint64_t register_bit(x86_reg reg)
{
    static const x86_reg families[16][5] = {
        {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH},
        {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH},
        {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH},
        {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH},
        {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL, X86_REG_SPL},
        {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL, X86_REG_BPL},
        {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL, X86_REG_SIL},
        {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL, X86_REG_DIL},
    };
    if (reg == X86_REG_EFLAGS)
        return REGISTER_BIT_FLAGS;
    if (reg == X86_REG_FS)
        return REGISTER_BIT_FS;
    if (reg == X86_REG_GS)
        return REGISTER_BIT_GS;
    if (vector_number(reg) != NO_REGISTER)
        return REGISTER_BIT_XMM(vector_number(reg));
    for (int bank = 0; bank < 4; bank++) {
        static const x86_reg first[4] = {X86_REG_R8, X86_REG_R8B, X86_REG_R8D, X86_REG_R8W};
        if (reg >= first[bank] && reg < first[bank] + 8)
            return UINT64_C(1) << (8 + (reg - first[bank]));
    }
    for (int n = 0; n < 8; n++)
        for (int width = 0; width < 5; width++)
            if (families[n][width] == reg)
                return UINT64_C(1) << n;
    return 0;
}

static uint8_t register_number(x86_reg reg)
{
    uint64_t bit = register_bit(reg);
    return bit && bit < REGISTER_BIT_FLAGS ? (uint8_t)__builtin_ctzll(bit) : NO_REGISTER;
}

enum direction { NEITHER, READS, WRITES, READS_AND_WRITES };

struct correction {
    uint16_t id;
    enum direction direction;
};

/* What Capstone reports otherwise, or not at all. */
static const struct correction corrections[] = {
    {X86_INS_CLFLUSH, NEITHER},
    {X86_INS_CLFLUSHOPT, NEITHER},
    {X86_INS_CLWB, NEITHER},
    {X86_INS_CMPXCHG, READS_AND_WRITES},
    {X86_INS_CMPXCHG16B, READS_AND_WRITES},
    {X86_INS_CMPXCHG8B, READS_AND_WRITES},
    {X86_INS_INVLPG, NEITHER},
    {X86_INS_LEA, NEITHER},
    {X86_INS_NOP, NEITHER},
    {X86_INS_PREFETCH, NEITHER},
    {X86_INS_PREFETCHNTA, NEITHER},
    {X86_INS_PREFETCHT0, NEITHER},
    {X86_INS_PREFETCHT1, NEITHER},
    {X86_INS_PREFETCHT2, NEITHER},
    {X86_INS_PREFETCHW, NEITHER},
    {X86_INS_RCL, READS_AND_WRITES},
    {X86_INS_RCR, READS_AND_WRITES},
    {X86_INS_ROL, READS_AND_WRITES},
    {X86_INS_ROR, READS_AND_WRITES},
    {X86_INS_TEST, READS},
};

/* Of these a memory operand that comes first is what they store to. */
static const uint16_t stores[] = {
    X86_INS_EXTRACTPS, X86_INS_MOVAPD,  X86_INS_MOVAPS,  X86_INS_MOVBE,   X86_INS_MOVD,
    X86_INS_MOVDQA,    X86_INS_MOVDQU,  X86_INS_MOVHPD,  X86_INS_MOVHPS,  X86_INS_MOVLPD,
    X86_INS_MOVLPS,    X86_INS_MOVNTDQ, X86_INS_MOVNTI,  X86_INS_MOVNTPD, X86_INS_MOVNTPS,
    X86_INS_MOVQ,      X86_INS_MOVUPD,  X86_INS_MOVUPS,  X86_INS_PEXTRB,  X86_INS_PEXTRD,
    X86_INS_PEXTRQ,    X86_INS_PEXTRW,  X86_INS_STMXCSR,
};

static bool is_store(const struct insn *insn)
{
    if (insn->id >= X86_INS_SETAE && insn->id <= X86_INS_SETS)
        return true;
    if (insn->native && insn->uses_xmm)
        return insn->id != X86_INS_VPTEST;
    for (size_t i = 0; i < sizeof stores / sizeof stores[0]; i++)
        if (stores[i] == insn->id)
            return true;
    return false;
}

static void correct_direction(const struct insn *insn, int position, struct memory_operand *memory)
{
    if (position == 0 && is_store(insn)) {
        memory->read = false;
        memory->write = true;
    }
    for (size_t i = 0; i < sizeof corrections / sizeof corrections[0]; i++) {
        if (corrections[i].id != insn->id)
            continue;
        memory->read = corrections[i].direction & READS;
        memory->write = corrections[i].direction & WRITES;
    }
}

/* Capstone says 16 bytes. */
static void correct_size(const struct insn *insn, struct memory_operand *memory)
{
    if (insn->id == X86_INS_COMISS || insn->id == X86_INS_CVTSS2SI)
        memory->size = 4;
    else if (insn->id == X86_INS_COMISD || insn->id == X86_INS_CVTSD2SI)
        memory->size = 8;
}

static void take_memory(const cs_x86_op *op, int position, struct insn *insn)
{
    struct memory_operand *memory = &insn->memory;
    uint64_t bits = register_bit(op->mem.base) | register_bit(op->mem.index);
    insn->address_reads |= bits;
    insn->reads |= bits;
    if (memory->present) { /* movs, cmps: the second one; their class tells the rest */
        insn->implicit_load = insn->implicit_load || (op->access & CS_AC_READ);
        return;
    }
    memory->present = true;
    memory->read = op->access & CS_AC_READ;
    memory->write = op->access & CS_AC_WRITE;
    if (!memory->read && !memory->write) {
        memory->write = position == 0;
        memory->read = position != 0;
    }
    memory->size = op->size;
    correct_size(insn, memory);
    memory->scale = (uint8_t)op->mem.scale;
    memory->base = register_number(op->mem.base);
    memory->index = register_number(op->mem.index);
    memory->displacement = op->mem.disp;
    if (op->mem.base == X86_REG_RIP)
        memory->displacement += (int64_t)(insn->address + insn->length);
    memory->segment = op->mem.segment == X86_REG_FS ? 1 : op->mem.segment == X86_REG_GS ? 2 : 0;
    bool sse_store =
        position == 0 && insn->uses_xmm && (insn->id == X86_INS_MOVDQA || insn->id == X86_INS_MOVQ);
    if (sse_store) {
        memory->read = false;
        memory->write = true;
    }
    correct_direction(insn, position, memory);
}

static struct operand operand_of(const cs_x86_op *op)
{
    struct operand operand = {.size = op->size};
    if (op->type == X86_OP_MEM) {
        operand.kind = OPERAND_MEMORY;
    } else if (op->type == X86_OP_IMM) {
        operand.kind = OPERAND_IMMEDIATE;
    } else if (op->type != X86_OP_REG) {
        operand.kind = OPERAND_OTHER;
    } else if (vector_number(op->reg) != NO_REGISTER) {
        operand.kind = OPERAND_VECTOR;
        operand.number = vector_number(op->reg);
    } else if (register_number(op->reg) != NO_REGISTER) {
        bool high = op->reg == X86_REG_AH || op->reg == X86_REG_CH || op->reg == X86_REG_DH ||
                    op->reg == X86_REG_BH;
        operand.kind = high ? OPERAND_HIGH_BYTE : OPERAND_GENERAL;
        operand.number = register_number(op->reg);
    } else {
        operand.kind = OPERAND_OTHER;
    }
    return operand;
}

void take_operands(const cs_insn *decoded, struct insn *insn)
{
    const cs_x86 *x86 = &decoded->detail->x86;
    for (uint8_t i = 0; i < x86->op_count; i++) {
        const cs_x86_op *op = &x86->operands[i];
        struct operand operand = operand_of(op);
        bool vector = operand.kind == OPERAND_VECTOR;
        insn->uses_xmm = insn->uses_xmm || vector;
        insn->uses_ymm = insn->uses_ymm || (vector && operand.size == 32);
        insn->has_immediate = insn->has_immediate || op->type == X86_OP_IMM;
        if (op->type == X86_OP_IMM)
            insn->immediate = op->imm;
        if (i < OPERANDS_MAX)
            insn->operands[i] = operand;
    }
    insn->uses_xmm =
        insn->uses_xmm || insn->id == X86_INS_VZEROUPPER || insn->id == X86_INS_VZEROALL;
    for (uint8_t i = 0; i < x86->op_count; i++) {
        if (x86->operands[i].type != X86_OP_MEM)
            continue;
        take_memory(&x86->operands[i], i, insn);
        if (x86->operands[i].mem.base == X86_REG_RIP)
            insn->memory.relative_at = x86->encoding.disp_offset;
    }
    insn->operand_size = x86->op_count ? x86->operands[0].size : 0;
}
