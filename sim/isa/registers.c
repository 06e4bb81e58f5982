/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which registers an instruction reads and writes: Capstone's lists, put right where a
 * comparison with what instructions do showed them wrong.
 */
#include <string.h>

#include "sim/isa/operands.h"

/* The register that the first operand is, 0 when it is memory. */
static uint64_t insn_destination(const struct insn *insn)
{
    const struct operand *first = &insn->operands[0];
    if (first->kind == OPERAND_VECTOR)
        return REGISTER_BIT_XMM(first->number);
    bool general = first->kind == OPERAND_GENERAL || first->kind == OPERAND_HIGH_BYTE;
    return general ? UINT64_C(1) << first->number : 0;
}

/* What Capstone leaves out, or puts in without reason. */
static void take_more(struct insn *insn)
{
    uint64_t rax = 1u << 0, rcx = 1u << 1;
    switch (insn->id) {
    case X86_INS_XADD:
        insn->writes |= REGISTER_BIT_FLAGS;
        break;
    case X86_INS_CMC:
    case X86_INS_RCL:
    case X86_INS_RCR:
        insn->reads |= REGISTER_BIT_FLAGS;
        break;
    case X86_INS_TEST:
        insn->writes = REGISTER_BIT_FLAGS;
        break;
    case X86_INS_CWD:
    case X86_INS_CDQ:
    case X86_INS_CQO:
        insn->writes &= ~rax;
        break;
    case X86_INS_STOSB:
    case X86_INS_STOSW:
    case X86_INS_STOSD:
    case X86_INS_STOSQ:
        if (!insn->rep && !insn->repne) {
            insn->reads &= ~rcx;
            insn->writes &= ~rcx;
        }
        break;
    case X86_INS_ADOX:
    case X86_INS_BSF: /* of zero leaves the destination alone */
    case X86_INS_BSR:
    case X86_INS_CVTSD2SS: /* the rest of the destination stays */
    case X86_INS_CVTSI2SD:
    case X86_INS_CVTSI2SS:
    case X86_INS_CVTSS2SD:
    case X86_INS_RCPSS:
    case X86_INS_RSQRTSS:
    case X86_INS_SQRTSD:
    case X86_INS_SQRTSS:
        if (!insn->vex) /* with VEX the rest is another register's */
            insn->reads |= insn_destination(insn);
        break;
    case X86_INS_VZEROALL:
        insn->writes = (UINT64_C(1) << 48) - REGISTER_BIT_XMM(0);
        break;
    case X86_INS_VZEROUPPER:
        insn->writes = 0; /* renamed away: nothing waits for it, and no lower half changes */
        break;
    default:
        break;
    }
}

/* Of which a write leaves the rest of the register as it was. */
static bool is_partial(csh handle, x86_reg reg)
{
    const char *name = cs_reg_name(handle, reg);
    uint64_t bit = register_bit(reg);
    if (!bit || bit >= REGISTER_BIT_FLAGS)
        return false;
    size_t length = strlen(name);
    if (name[0] == 'r' && name[1] >= '0' && name[1] <= '9')
        return name[length - 1] == 'b' || name[length - 1] == 'w';
    return name[0] != 'r' && name[0] != 'e';
}

static void take_implicit(struct insn *insn)
{
    uint64_t rax = 1u << 0, rcx = 1u << 1, rdx = 1u << 2, rbx = 1u << 3, rsp = 1u << 4,
             rbp = 1u << 5;
    switch (insn->id) {
    case X86_INS_PUSH:
    case X86_INS_PUSHFQ:
    case X86_INS_CALL:
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
    case X86_INS_ENTER:
        insn->implicit_store = true;
        insn->reads |= rsp | rbp;
        insn->writes |= rsp | rbp;
        break;
    case X86_INS_LEAVE:
        insn->implicit_load = true;
        insn->reads = rbp;
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
        insn->reads |= rax | insn_destination(insn);
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
        take_more(insn);
        break;
    }
}

void take_registers(csh handle, const cs_insn *decoded, struct insn *insn)
{
    cs_regs read, written;
    uint8_t read_count = 0, written_count = 0;
    if (cs_regs_access(handle, decoded, read, &read_count, written, &written_count))
        return;
    for (uint8_t i = 0; i < read_count; i++)
        insn->reads |= register_bit((x86_reg)read[i]);
    for (uint8_t i = 0; i < written_count; i++) {
        uint64_t bit = register_bit((x86_reg)written[i]);
        insn->writes |= bit;
        if (is_partial(handle, (x86_reg)written[i]))
            insn->reads |= bit;
    }
    take_implicit(insn);
}
