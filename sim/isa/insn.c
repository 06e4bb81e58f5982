/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoding one instruction and remembering it per byte offset of its snippet. */
#include "sim/isa/insn.h"

#include <string.h>

#include "sim/isa/classify.h"
#include "sim/isa/operands.h"
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

/* Whether both sources are one register. */
static bool same_register(const cs_x86 *x86)
{
    if (x86->op_count != 2 && x86->op_count != 3)
        return false;
    const cs_x86_op *a = &x86->operands[x86->op_count - 2], *b = a + 1;
    return a->type == X86_OP_REG && b->type == X86_OP_REG && a->reg == b->reg;
}

static bool is_zero_idiom(const cs_insn *decoded)
{
    const cs_x86 *x86 = &decoded->detail->x86;
    if (!same_register(x86))
        return false;
    switch (decoded->id) {
    case X86_INS_XOR:
    case X86_INS_SUB:
        return x86->operands[0].size >= 4;
    case X86_INS_PXOR:
    case X86_INS_XORPS:
    case X86_INS_XORPD:
    case X86_INS_PSUBB:
    case X86_INS_PSUBW:
    case X86_INS_PSUBD:
    case X86_INS_PSUBQ:
    case X86_INS_VPXOR:
    case X86_INS_VXORPS:
    case X86_INS_VXORPD:
    case X86_INS_VPSUBB:
    case X86_INS_VPSUBW:
    case X86_INS_VPSUBD:
    case X86_INS_VPSUBQ:
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
    case X86_INS_MOVAPS:
    case X86_INS_MOVAPD:
    case X86_INS_MOVDQA:
    case X86_INS_MOVUPS:
    case X86_INS_MOVDQU:
    case X86_INS_MOVUPD:
    case X86_INS_VMOVAPS:
    case X86_INS_VMOVAPD:
    case X86_INS_VMOVDQA:
    case X86_INS_VMOVUPS:
    case X86_INS_VMOVUPD:
    case X86_INS_VMOVDQU:
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
    classify(decoded, insn);
    take_operands(decoded, insn);
    take_registers(decoder.handle, decoded, insn);
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
    if (code->program)
        insn.text = name_addresses(code->region, code->program, insn.text);
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
