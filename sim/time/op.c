/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the model knows of an instruction before it runs: which ports it needs, its
 * latencies, its rule. Reads only the decoded instruction and the profile.
 */
#include <string.h>

#include "sim/time/op.h"

static const char *base_name(const struct insn *insn)
{
    const char *name = insn->mnemonic != NULL ? insn->mnemonic : "";
    static const char *const prefixes[] = {"lock ", "xacquire ", "xrelease ", "rep ",
                                           "repe ", "repz ",     "repne ",    "repnz "};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], length) == 0) {
            name += length;
        }
    }
    /* An AVX instruction costs what its SSE namesake does. */
    return insn->native && insn->uses_xmm && name[0] == 'v' ? name + 1 : name;
}

static bool starts(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

#define IS(name, ...)                                                                              \
    is_one_of(name, (const char *const[]){__VA_ARGS__},                                            \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* ---- locked operations ---- */

static bool lock_kind_of(const char *name, enum lock_kind *kind)
{
    if (IS(name, "add", "sub", "and", "or", "xor", "inc", "dec", "not", "neg", "adc", "sbb")) {
        *kind = LOCK_ARITHMETIC;
    } else if (strcmp(name, "xchg") == 0) {
        *kind = LOCK_XCHG;
    } else if (strcmp(name, "xadd") == 0) {
        *kind = LOCK_XADD;
    } else if (IS(name, "bts", "btr", "btc")) {
        *kind = LOCK_BIT;
    } else if (strcmp(name, "cmpxchg") == 0) {
        *kind = LOCK_CMPXCHG;
    } else if (strcmp(name, "cmpxchg8b") == 0) {
        *kind = LOCK_CMPXCHG8B;
    } else if (strcmp(name, "cmpxchg16b") == 0) {
        *kind = LOCK_CMPXCHG16B;
    } else {
        return false;
    }
    return true;
}

static void locked_operation(struct op *op, const char *name, const struct timing *t)
{
    if (op->insn->class == INSN_LOCKED) {
        op->kind = OP_LOCK;
        op->known = lock_kind_of(name, &op->lock);
    } else if (t->plain_rmw_as_lock && op->insn->memory.present && op->insn->memory.read &&
               op->insn->memory.write && lock_kind_of(name, &op->lock) && op->lock >= LOCK_XADD) {
        op->kind = OP_LOCK;
    }
    if (op->kind == OP_LOCK) {
        op->slots = op->lock == LOCK_XCHG ? t->xchg_slots : t->lock_slots;
        op->unit = UNIT_NONE;
    } else if (strcmp(name, "cmpxchg8b") == 0) {
        op->slots = t->cmpxchg8b_plain;
    } else if (strcmp(name, "cmpxchg16b") == 0) {
        op->slots = t->cmpxchg16b_plain;
    }
}

/* ---- system instructions ---- */

static ticks hold_of(const struct op *op, const struct timing *t)
{
    switch (op->insn->kind) {
    case KIND_RDTSC:
        return t->rdtsc_hold;
    case KIND_RDTSCP:
        return t->rdtscp_hold;
    case KIND_PAUSE:
        return t->pause_hold;
    case KIND_RDFSBASE:
        return t->rdfsbase_hold;
    case KIND_RDGSBASE:
        return t->rdgsbase_hold;
    case KIND_WRFSBASE:
    case KIND_WRGSBASE:
        return t->wrfsbase_hold;
    case KIND_RDPID:
        return t->rdpid_hold;
    case KIND_XGETBV:
        return t->xgetbv_hold;
    case KIND_CPUID:
        return t->cpuid_hold;
    case KIND_WBINVD:
    case KIND_WBNOINVD:
    case KIND_INVD:
        return t->wbinvd_hold;
    case KIND_RDPMC:
        return t->rdmsr_hold;
    default:
        break;
    }
    switch (op->insn->class) {
    case INSN_WRMSR:
        return t->wrmsr_hold;
    case INSN_RDMSR:
        return t->rdmsr_hold;
    case INSN_SERIALIZING:
    case INSN_IRET:
        return t->serialize_hold;
    default:
        return 0;
    }
}

static void by_class(struct op *op, const char *name, const struct timing *t)
{
    const struct insn *insn = op->insn;
    switch (insn->class) {
    case INSN_MFENCE:
        op->kind = OP_MFENCE;
        break;
    case INSN_LFENCE:
        op->kind = OP_LFENCE;
        break;
    case INSN_SFENCE:
        op->kind = OP_SFENCE;
        op->stores = true;
        break;
    case INSN_FLUSH:
        op->kind = OP_FLUSH;
        op->stores = true;
        break;
    case INSN_NOTHING:
        op->kind = insn->kind == KIND_PAUSE ? OP_HOLD : OP_NOP;
        if (insn->kind == KIND_PREFETCH && insn->memory.present) {
            op->kind = OP_PREFETCH;
        }
        break;
    case INSN_ORDINARY:
    case INSN_NATIVE:
    case INSN_LOCKED:
    case INSN_NT_STORE:
    case INSN_STRING:
        op->kind = OP_PLAIN;
        if (insn->uses_xmm) {
            cost_vector(op, name, t);
        } else {
            cost_integer(op, name, t);
        }
        locked_operation(op, name, t);
        break;
    case INSN_HLT:
    case INSN_IF:
        op->kind = OP_HOLD;
        op->hold = t->cli_hold;
        break;
    case INSN_IO:
    case INSN_UNMODELLED:
        op->known = insn->kind == KIND_XGETBV;
        op->kind = op->known ? OP_HOLD : OP_PLAIN;
        break;
    default:
        op->kind = OP_HOLD;
        break;
    }
    if (strcmp(name, "cld") == 0 || strcmp(name, "std") == 0) {
        op->kind = OP_HOLD;
        op->hold = t->cld_hold;
    } else if (insn->class == INSN_NATIVE && hold_of(op, t) != 0) {
        op->kind = OP_HOLD;
    }
    if (op->kind == OP_HOLD && op->hold == 0) {
        op->hold = hold_of(op, t);
    }
    op->repeats = insn->class == INSN_STRING && (insn->rep || insn->repne);
}

static void set_memory(struct op *op, const char *name)
{
    const struct insn *insn = op->insn;
    const struct memory_operand *memory = &insn->memory;
    if (insn->class == INSN_STRING) {
        op->load_count = starts(name, "cmps") ? 2 : starts(name, "stos") ? 0 : 1;
        op->stores = starts(name, "movs") || starts(name, "stos");
    } else {
        op->load_count = (uint8_t)((memory->present && memory->read) + insn->implicit_load);
        op->stores = op->stores || (memory->present && memory->write) || insn->implicit_store;
    }
    op->indexed = memory->present && memory->index != NO_REGISTER && memory->displacement != 0;
    uint64_t vectors = ~UINT64_C(0) << 32;
    op->vector_load = insn->uses_xmm && (insn->writes & vectors) != 0;
    op->vector_store = insn->uses_xmm && (insn->reads & vectors) != 0;
    op->nt = insn->nt && op->stores;
}

/* ---- the carry ---- */

/* The conditions that read the carry, and those of them that read nothing else. */
static bool reads_carry(const char *name, bool *alone)
{
    const char *condition = starts(name, "cmov")  ? name + 4
                            : starts(name, "set") ? name + 3
                            : name[0] == 'j'      ? name + 1
                                                  : "";
    *alone = IS(condition, "b", "ae") || IS(name, "adc", "sbb", "adcx", "rcl", "rcr", "cmc");
    return *alone || IS(condition, "a", "be") || IS(name, "lahf", "pushfq");
}

/*
 * CPUs rename the carry apart from the other flags: INC, DEC and ADOX pass it on, ADCX and what
 * sets it alone pass the others on.
 */
static void split_carry(struct op *op, const char *name)
{
    bool alone;
    if (op->data_reads & REGISTER_BIT_FLAGS && reads_carry(name, &alone)) {
        op->data_reads |= REGISTER_BIT_CARRY;
        if (alone) {
            op->data_reads &= ~REGISTER_BIT_FLAGS;
        }
    }
    if (op->writes & REGISTER_BIT_FLAGS && !IS(name, "inc", "dec", "adox")) {
        op->writes |= REGISTER_BIT_CARRY;
        if (IS(name, "adcx", "stc", "clc", "cmc", "bt", "bts", "btr", "btc")) {
            op->writes &= ~REGISTER_BIT_FLAGS;
        }
    }
}

static bool is_sbb_of_itself(const struct insn *insn, const char *name)
{
    const struct operand *a = &insn->operands[0], *b = &insn->operands[1];
    return strcmp(name, "sbb") == 0 && a->kind == OPERAND_GENERAL && b->kind == OPERAND_GENERAL &&
           a->number == b->number && a->size >= 4;
}

void op_init(struct op *op, const struct insn *insn, const struct timing *timing)
{
    memset(op, 0, sizeof *op);
    op->insn = insn;
    op->known = true;
    op->operations = 1;
    op->slots = timing->slot; /* by_class knows those that take more */
    op->store_distance = UINT64_MAX;
    const char *name = base_name(insn);
    by_class(op, name, timing);
    set_memory(op, name);
    interpret_decode(&op->interpreted, insn);
    if (op->kind == OP_NOP) {
        op->slots = timing->nop_slots;
    }
    bool memory = op->load_count > 0 || op->stores;
    if (op->kind == OP_PLAIN && !memory && (insn->zero_idiom || insn->register_move)) {
        op->kind = OP_MOVE;
        op->unit = UNIT_NONE;
    }
    op->may_fault = IS(name, "div", "idiv");
    op->is_branch = insn->is_branch;
    op->is_conditional = insn->is_conditional;
    op->fuses = (timing->fuse_compare && IS(name, "cmp", "test")) ||
                (timing->fuse_arithmetic && IS(name, "add", "sub", "and", "inc", "dec"));
    op->fuses = op->fuses && op->kind == OP_PLAIN && !op->stores;
    op->address_reads = insn->address_reads & 0xffff;
    op->writes = insn->writes;
    if (IS(name, "push", "pop", "call", "ret", "pushfq", "popfq")) {
        op->writes &= ~(UINT64_C(1) << 4); /* the front end keeps rsp up to date */
    }
    op->data_reads = insn->reads & ~insn->address_reads;
    if (insn->zero_idiom || insn->ones_idiom) {
        op->data_reads = 0;
    } else if (timing->sbb_idiom && is_sbb_of_itself(insn, name)) {
        op->data_reads = REGISTER_BIT_FLAGS;
    }
    if (insn->class == INSN_ORDINARY && strcmp(name, "lea") == 0) {
        op->data_reads |= op->address_reads; /* its address is its operand */
    }
    split_carry(op, name);
    op->writes_integer = (op->writes & 0xffff) != 0 && op->kind != OP_MOVE;
}

void op_fuse(struct op *op, const struct timing *timing)
{
    if (op->fuses && op->unit == UNIT_PIPES)
        op->pipes = timing->fused_pipes;
}

void op_init_loop_end(struct op *op, const struct timing *timing)
{
    static const struct insn dec_r15 = {
        .text = "dec r15; jnz", .mnemonic = "dec", .class = INSN_ORDINARY, .is_branch = true};
    memset(op, 0, sizeof *op);
    op->insn = &dec_r15;
    op->known = true;
    op->kind = OP_PLAIN;
    op->unit = UNIT_PIPES;
    op->pipes = timing->fused_pipes;
    op->operations = 1;
    op->latency = CYCLE;
    op->slots = timing->slot;
    op->is_branch = true;
    op->data_reads = UINT64_C(1) << 15;
    op->writes = UINT64_C(1) << 15 | REGISTER_BIT_FLAGS;
    op->writes_integer = true;
}
