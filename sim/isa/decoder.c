/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Capstone, and what it said lately: programs of one call have the same instructions at the same
 * addresses again and again, and decoding one costs more than the rest of what is done with it.
 */
#include "sim/isa/decoder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sim/isa/classify.h"
#include "sim/isa/operands.h"

enum { ENTRIES = 1 << 11 /* some 900 KiB */ };

static _Thread_local struct {
    csh handle;
    cs_insn *scratch;
    struct decoded *known; /* ENTRIES long, by what `slot_of` says */
    bool open;
} decoder;

static void release(void)
{
    if (decoder.scratch)
        cs_free(decoder.scratch, 1);
    free(decoder.known);
    cs_close(&decoder.handle);
}

/*
 * Capstone 4 sorts its table of implicit registers when it first looks one up, and sets up its
 * architectures when it is first opened, both without a lock: another thread that looks meanwhile
 * finds nothing, and TEST AL, 1 would not read AL. So the first use is over before any other
 * begins.
 */
static void warm_up(void)
{
    static const uint8_t test_al[] = {0xa8, 1};
    csh handle;
    cs_insn *decoded;
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
        return;
    cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
    size_t count = cs_disasm(handle, test_al, sizeof test_al, 0, 1, &decoded);
    if (count)
        cs_free(decoded, count);
    cs_close(&handle);
}

static bool decoder_open(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (decoder.open)
        return true;
    pthread_once(&once, warm_up);
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder.handle) != CS_ERR_OK)
        return false;
    cs_option(decoder.handle, CS_OPT_DETAIL, CS_OPT_ON);
    decoder.scratch = cs_malloc(decoder.handle);
    decoder.known = calloc(ENTRIES, sizeof *decoder.known);
    if (!decoder.scratch || !decoder.known) {
        release();
        return false;
    }
    decoder.open = true;
    return true;
}

void decoder_close(void)
{
    if (!decoder.open)
        return;
    release();
    decoder.open = false;
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
    case X86_INS_PCMPGTB:
    case X86_INS_PCMPGTW:
    case X86_INS_PCMPGTD:
    case X86_INS_VPCMPGTB:
    case X86_INS_VPCMPGTW:
    case X86_INS_VPCMPGTD:
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

static bool is_ones_idiom(const cs_insn *decoded)
{
    switch (decoded->id) {
    case X86_INS_PCMPEQB:
    case X86_INS_PCMPEQW:
    case X86_INS_PCMPEQD:
    case X86_INS_VPCMPEQB:
    case X86_INS_VPCMPEQW:
    case X86_INS_VPCMPEQD:
        return same_register(&decoded->detail->x86);
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

static void set_texts(const cs_insn *decoded, struct decoded *to)
{
    _Static_assert(sizeof to->text > sizeof decoded->mnemonic + sizeof decoded->op_str &&
                       sizeof to->mnemonic >= sizeof decoded->mnemonic,
                   "the texts have room");
    strcpy(to->mnemonic, decoded->mnemonic);
    strcpy(to->text, decoded->mnemonic);
    if (decoded->op_str[0])
        strcat(strcat(to->text, " "), decoded->op_str);
}

static bool capstone_decode(const uint8_t *bytes, size_t available, uint64_t address,
                            struct decoded *to)
{
    size_t left = available;
    uint64_t next = address;
    cs_insn *decoded = decoder.scratch;
    struct insn *insn = &to->insn;
    memset(insn, 0, sizeof *insn); /* its length too: forgotten unless all goes well */
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
    insn->ones_idiom = is_ones_idiom(decoded);
    insn->register_move = is_register_move(decoded);
    if (insn->class != INSN_STRING && insn->class != INSN_IO)
        insn->rep = insn->repne = false; /* a mandatory or ignored prefix */
    set_texts(decoded, to);
    return true;
}

/* The first bytes tell most instructions apart; what follows a shorter one only makes it miss. */
static struct decoded *slot_of(const uint8_t *bytes, size_t available, uint64_t address)
{
    uint8_t key[12] = {0};
    memcpy(key, &address, 8);
    memcpy(key + 8, bytes, available < 4 ? available : 4);
    return &decoder.known[XXH3_64bits(key, sizeof key) % ENTRIES];
}

const struct decoded *decode_bytes(const uint8_t *bytes, size_t available, uint64_t address,
                                   struct region *region)
{
    if (!decoder_open())
        region_fail(region);
    struct decoded *known = slot_of(bytes, available, address);
    const struct insn *insn = &known->insn;
    bool is_same = insn->length && insn->length <= available && insn->address == address &&
                   memcmp(insn->bytes, bytes, insn->length) == 0;
    return is_same || capstone_decode(bytes, available, address, known) ? known : NULL;
}
