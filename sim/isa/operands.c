/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Capstone's lists of operands and registers, put right where they are known to be wrong. */
#include "sim/isa/operands.h"

static uint8_t vector_number(x86_reg reg)
{
    if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM15)
        return (uint8_t)(reg - X86_REG_XMM0);
    if (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM15)
        return (uint8_t)(reg - X86_REG_YMM0);
    return NO_REGISTER;
}

/* Register bits of a Capstone register: sub-registers count as the whole. */
static uint64_t register_bit(x86_reg reg)
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

/* Capstone reports these memory destinations as read, or not at all. */
static void correct_direction(const struct insn *insn, int position, struct memory_operand *memory)
{
    if (insn->native && insn->uses_xmm) {
        memory->write = position == 0 && insn->id != X86_INS_VPTEST;
        memory->read = !memory->write;
    }
    switch (insn->id) {
    case X86_INS_MOVNTI:
    case X86_INS_MOVNTDQ:
    case X86_INS_MOVNTPS:
    case X86_INS_MOVNTPD:
        memory->read = false;
        memory->write = true;
        break;
    case X86_INS_MOVBE:
        memory->write = position == 0;
        memory->read = !memory->write;
        break;
    case X86_INS_CMPXCHG:
    case X86_INS_CMPXCHG8B:
    case X86_INS_CMPXCHG16B:
        memory->read = memory->write = true;
        break;
    case X86_INS_LEA:
    case X86_INS_NOP:
    case X86_INS_INVLPG:
    case X86_INS_CLFLUSH:
    case X86_INS_CLFLUSHOPT:
    case X86_INS_CLWB:
    case X86_INS_PREFETCH:
    case X86_INS_PREFETCHW:
    case X86_INS_PREFETCHNTA:
    case X86_INS_PREFETCHT0:
    case X86_INS_PREFETCHT1:
    case X86_INS_PREFETCHT2:
        memory->read = memory->write = false;
        break;
    default:
        break;
    }
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
    if (position == 0 && !memory->read && !memory->write)
        memory->write = true;
    memory->size = op->size;
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

static void take_implicit(struct insn *insn)
{
    uint64_t rax = 1u << 0, rcx = 1u << 1, rdx = 1u << 2, rbx = 1u << 3, rsp = 1u << 4,
             rbp = 1u << 5;
    switch (insn->id) {
    case X86_INS_PUSH:
    case X86_INS_PUSHFQ:
    case X86_INS_CALL:
    case X86_INS_ENTER:
        insn->implicit_store = true;
        insn->reads |= rsp;
        insn->writes |= rsp;
        break;
    case X86_INS_POP:
    case X86_INS_POPFQ:
    case X86_INS_RET:
        insn->implicit_load = true;
        insn->reads |= rsp;
        insn->writes |= rsp;
        break;
    case X86_INS_LEAVE:
        insn->implicit_load = true;
        insn->reads |= rbp;
        insn->writes |= rsp | rbp;
        break;
    case X86_INS_XLATB:
        insn->implicit_load = true;
        insn->reads |= rax | rbx;
        insn->writes |= rax;
        break;
    case X86_INS_MASKMOVDQU:
        insn->implicit_store = true;
        insn->reads |= 1u << 7;
        break;
    case X86_INS_CMPXCHG:
        insn->reads |= rax;
        insn->writes |= rax | REGISTER_BIT_FLAGS;
        break;
    case X86_INS_CMPXCHG8B:
    case X86_INS_CMPXCHG16B:
        insn->reads |= rax | rcx | rdx | rbx;
        insn->writes |= rax | rdx | REGISTER_BIT_FLAGS;
        break;
    case X86_INS_CPUID:
        insn->reads |= rax | rcx;
        insn->writes |= rax | rbx | rcx | rdx;
        break;
    case X86_INS_WRMSR:
        insn->reads |= rax | rcx | rdx;
        break;
    case X86_INS_RDMSR:
    case X86_INS_RDPMC:
        insn->reads |= rcx;
        insn->writes |= rax | rdx;
        break;
    case X86_INS_RDTSC:
        insn->writes |= rax | rdx;
        break;
    case X86_INS_RDTSCP:
        insn->writes |= rax | rcx | rdx;
        break;
    default:
        break;
    }
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
    insn->uses_xmm = insn->uses_xmm || insn->id == X86_INS_VZEROUPPER;
    for (uint8_t i = 0; i < x86->op_count; i++)
        if (x86->operands[i].type == X86_OP_MEM)
            take_memory(&x86->operands[i], i, insn);
    insn->operand_size = x86->op_count ? x86->operands[0].size : 0;
}

void take_registers(csh handle, const cs_insn *decoded, struct insn *insn)
{
    cs_regs read, written;
    uint8_t read_count = 0, written_count = 0;
    if (cs_regs_access(handle, decoded, read, &read_count, written, &written_count))
        return;
    for (uint8_t i = 0; i < read_count; i++)
        insn->reads |= register_bit((x86_reg)read[i]);
    for (uint8_t i = 0; i < written_count; i++)
        insn->writes |= register_bit((x86_reg)written[i]);
    if (insn->id == X86_INS_VZEROUPPER)
        insn->writes = 0; /* renamed away: nothing waits for it, and no lower half changes */
    take_implicit(insn);
}
