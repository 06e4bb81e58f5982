/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoding one instruction and remembering it per byte offset of its snippet. */
#include "sim/isa/insn.h"

#include <ctype.h>
#include <string.h>

#include "sim/isa/classify.h"
#include "sim/isa/raw.h"

static _Thread_local struct {
    csh handle;
    cs_insn *scratch;
    bool open;
} decoder;

static bool decoder_open(void)
{
    if (decoder.open)
        return true;
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder.handle) != CS_ERR_OK)
        return false;
    cs_option(decoder.handle, CS_OPT_DETAIL, CS_OPT_ON);
    decoder.scratch = cs_malloc(decoder.handle);
    if (!decoder.scratch) {
        cs_close(&decoder.handle);
        return false;
    }
    decoder.open = true;
    return true;
}

void decoder_close(void)
{
    if (!decoder.open)
        return;
    cs_free(decoder.scratch, 1);
    cs_close(&decoder.handle);
    decoder.open = false;
}

void code_init(struct code *code, struct region *region, const struct snippet *snippet)
{
    *code = (struct code){.region = region, .snippet = snippet};
    code->index_at = region_array(region, (size_t)snippet->size + 1, sizeof *code->index_at);
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
    if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM15)
        return REGISTER_BIT_XMM(reg - X86_REG_XMM0);
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
    switch (insn->id) {
    case X86_INS_MOVNTI: case X86_INS_MOVNTDQ: case X86_INS_MOVNTPS: case X86_INS_MOVNTPD:
        memory->read = false;
        memory->write = true;
        break;
    case X86_INS_MOVBE:
        memory->write = position == 0;
        memory->read = !memory->write;
        break;
    case X86_INS_CMPXCHG: case X86_INS_CMPXCHG8B: case X86_INS_CMPXCHG16B:
        memory->read = memory->write = true;
        break;
    case X86_INS_LEA: case X86_INS_NOP: case X86_INS_INVLPG: case X86_INS_CLFLUSH:
    case X86_INS_CLFLUSHOPT: case X86_INS_CLWB: case X86_INS_PREFETCH: case X86_INS_PREFETCHW:
    case X86_INS_PREFETCHNTA: case X86_INS_PREFETCHT0: case X86_INS_PREFETCHT1:
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
    bool sse_store = position == 0 && insn->uses_xmm &&
                     (insn->id == X86_INS_MOVDQA || insn->id == X86_INS_MOVQ);
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
    case X86_INS_PUSH: case X86_INS_PUSHFQ: case X86_INS_CALL: case X86_INS_ENTER:
        insn->implicit_store = true;
        insn->reads |= rsp;
        insn->writes |= rsp;
        break;
    case X86_INS_POP: case X86_INS_POPFQ: case X86_INS_RET:
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
    case X86_INS_CMPXCHG8B: case X86_INS_CMPXCHG16B:
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
    case X86_INS_RDMSR: case X86_INS_RDPMC:
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

static void take_registers(const cs_insn *decoded, struct insn *insn)
{
    cs_regs read, written;
    uint8_t read_count = 0, written_count = 0;
    if (cs_regs_access(decoder.handle, decoded, read, &read_count, written, &written_count))
        return;
    for (uint8_t i = 0; i < read_count; i++)
        insn->reads |= register_bit((x86_reg)read[i]);
    for (uint8_t i = 0; i < written_count; i++)
        insn->writes |= register_bit((x86_reg)written[i]);
}

static bool same_register(const cs_x86 *x86)
{
    return x86->op_count == 2 && x86->operands[0].type == X86_OP_REG &&
           x86->operands[1].type == X86_OP_REG && x86->operands[0].reg == x86->operands[1].reg;
}

static bool is_zero_idiom(const cs_insn *decoded)
{
    const cs_x86 *x86 = &decoded->detail->x86;
    if (!same_register(x86))
        return false;
    switch (decoded->id) {
    case X86_INS_XOR: case X86_INS_SUB:
        return x86->operands[0].size >= 4;
    case X86_INS_PXOR: case X86_INS_XORPS: case X86_INS_XORPD: case X86_INS_PSUBB:
    case X86_INS_PSUBW: case X86_INS_PSUBD: case X86_INS_PSUBQ:
        return true;
    default:
        return false;
    }
}

static bool is_register_move(const cs_insn *decoded)
{
    const cs_x86 *x86 = &decoded->detail->x86;
    if (x86->op_count != 2 || x86->operands[0].type != X86_OP_REG ||
        x86->operands[1].type != X86_OP_REG)
        return false;
    switch (decoded->id) {
    case X86_INS_MOV:
        return x86->operands[0].size >= 4;
    case X86_INS_MOVAPS: case X86_INS_MOVAPD: case X86_INS_MOVDQA: case X86_INS_MOVUPS:
    case X86_INS_MOVDQU:
        return true;
    default:
        return false;
    }
}

static void take_branch(const cs_insn *decoded, struct insn *insn)
{
    const cs_x86 *x86 = &decoded->detail->x86;
    insn->is_call = decoded->id == X86_INS_CALL;
    insn->is_return = decoded->id == X86_INS_RET;
    bool jump = false;
    for (uint8_t i = 0; i < decoded->detail->groups_count; i++)
        jump = jump || decoded->detail->groups[i] == X86_GRP_JUMP;
    jump = jump || decoded->id == X86_INS_LOOP || decoded->id == X86_INS_LOOPE ||
           decoded->id == X86_INS_LOOPNE;
    insn->is_branch = jump || insn->is_call || insn->is_return;
    insn->is_conditional = jump && decoded->id != X86_INS_JMP;
    if ((jump || insn->is_call) && x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM) {
        insn->has_target = true;
        insn->target = (uint64_t)x86->operands[0].imm;
    }
}

static void take_operands(const cs_insn *decoded, struct insn *insn)
{
    const cs_x86 *x86 = &decoded->detail->x86;
    for (uint8_t i = 0; i < x86->op_count; i++) {
        const cs_x86_op *op = &x86->operands[i];
        if (op->type == X86_OP_REG && op->reg >= X86_REG_XMM0 && op->reg <= X86_REG_XMM31)
            insn->uses_xmm = true;
        insn->has_immediate = insn->has_immediate || op->type == X86_OP_IMM;
    }
    for (uint8_t i = 0; i < x86->op_count; i++)
        if (x86->operands[i].type == X86_OP_MEM)
            take_memory(&x86->operands[i], i, insn);
    insn->operand_size = x86->op_count ? x86->operands[0].size : 0;
}

static const char *text_of(struct region *region, const cs_insn *decoded)
{
    return decoded->op_str[0] ? region_printf(region, "%s %s", decoded->mnemonic, decoded->op_str)
                              : region_strdup(region, decoded->mnemonic);
}

static bool capstone_decode(const uint8_t *bytes, size_t available, uint64_t address,
                            struct region *region, struct insn *insn)
{
    if (!decoder_open())
        region_fail(region);
    size_t left = available;
    uint64_t next = address;
    cs_insn *decoded = decoder.scratch;
    if (!cs_disasm_iter(decoder.handle, &bytes, &left, &next, decoded))
        return false;
    const cs_x86 *x86 = &decoded->detail->x86;
    insn->address = address;
    insn->length = (uint8_t)decoded->size;
    memcpy(insn->bytes, decoded->bytes, insn->length);
    insn->id = decoded->id;
    insn->lock = x86->prefix[0] == X86_PREFIX_LOCK;
    insn->rep = x86->prefix[0] == X86_PREFIX_REP;
    insn->repne = x86->prefix[0] == X86_PREFIX_REPNE;
    insn->memory.base = insn->memory.index = NO_REGISTER;
    take_operands(decoded, insn);
    take_registers(decoded, insn);
    classify(decoded, insn);
    take_implicit(insn);
    take_branch(decoded, insn);
    insn->zero_idiom = is_zero_idiom(decoded);
    insn->register_move = is_register_move(decoded);
    if (insn->class != INSN_STRING && insn->class != INSN_IO)
        insn->rep = insn->repne = false; /* a mandatory or ignored prefix */
    insn->text = text_of(region, decoded);
    insn->mnemonic = region_strdup(region, decoded->mnemonic);
    return true;
}

const struct insn *code_at(struct code *code, uint64_t address)
{
    const struct snippet *snippet = code->snippet;
    uint64_t offset = address - snippet->address;
    if (offset >= snippet->size)
        return NULL;
    if (code->index_at[offset])
        return code->insns[code->index_at[offset] - 1];
    struct insn insn = {0};
    const uint8_t *bytes = snippet->bytes + offset;
    size_t available = snippet->size - offset;
    if (!raw_decode(bytes, available, address, code->region, &insn) &&
        !capstone_decode(bytes, available, address, code->region, &insn))
        return NULL;
    code->insns = region_push(code->region, code->insns, code->insn_count, &code->insn_capacity,
                              sizeof(struct insn *));
    struct insn *kept = region_alloc(code->region, sizeof *kept);
    *kept = insn;
    code->insns[code->insn_count++] = kept;
    code->index_at[offset] = (uint32_t)code->insn_count;
    return kept;
}

uint32_t code_sweep(struct code *code)
{
    uint32_t offset = 0;
    while (offset < code->snippet->size) {
        const struct insn *insn = code_at(code, code->snippet->address + offset);
        if (!insn)
            return offset;
        offset += insn->length;
    }
    return offset;
}
