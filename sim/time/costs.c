/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an ordinary instruction asks of the execution units: a table from names to the profile's
 * parameters, and the few instructions whose operands decide.
 */
#include <stddef.h>
#include <string.h>

#include "sim/time/op.h"

#define T(field) offsetof(struct timing, field)

struct cost {
    const char *names;                 /* a * at the end of one stands for any ending */
    size_t pipes, latency, operations; /* of struct timing; 0: none, one cycle, one */
};

static const struct cost integer_costs[] = {
    {"shl shr sar sal rol ror shlx shrx sarx rorx bt bextr bzhi", T(shift_pipes), 0, 0},
    {"bts btr btc", T(shift_pipes), T(bit_update_latency), T(bit_update_operations)},
    {"shld shrd", T(shift_pipes), T(double_shift_latency), T(double_shift_operations)},
    {"bsf bsr tzcnt lzcnt popcnt", T(scan_pipes), T(scan_latency), 0},
    {"cmov*", T(select_pipes), T(select_latency), 0},
    {"set*", T(select_pipes), 0, 0},
    {"adc sbb adcx adox", T(alu_pipes), T(carry_latency), 0},
    {"imul crc32 pdep pext", T(multiply_pipes), T(multiply_latency), 0},
    {"mul mulx", T(multiply_pipes), T(multiply_wide_latency), 0},
};

static const struct cost vector_costs[] = {
    {"movddup movshdup movsldup movhlps movlhps permil*", T(shuffle_pipes), T(vector_latency), 0},
    {"insertf128 inserti128 broadcast* pbroadcast*", T(permute_pipes), T(spread_latency), 0},
    {"permd permps permq permpd", T(permute_pipes), T(lane_permute_latency),
     T(lane_permute_operations)},
    {"psllv* psrlv* psrav*", T(vector_shift_pipes), T(vector_latency), 0},
    {"pclmulqdq", T(vector_multiply_pipes), T(pclmul_latency), T(pclmul_operations)},
    {"fmadd* fmsub* fnmadd* fnmsub*", T(fp_multiply_pipes), T(fma_latency), 0},
    {"rcp* rsqrt*", T(fp_multiply_pipes), T(approximate_latency), 0},
    {"pand pandn por pxor andps andpd andnps andnpd orps orpd xorps xorpd pblendw pblendd "
     "blendps blendpd mov*",
     T(logic_pipes), T(vector_latency), 0},
    {"padds* paddus* psubs* psubus* pabs* psign* pcmpeqq pcmpgtq", T(saturate_pipes),
     T(saturate_latency), 0},
    {"padd* psub* pcmpeq* pcmpgt* pmax* pmin* pavg*", T(vector_pipes), T(vector_latency), 0},
    {"pshufb pack* palignr pmovzx* pmovsx*", T(permute_pipes), T(permute_latency), 0},
    {"pblendvb blendvps blendvpd", T(permute_pipes), T(vector_latency), 0},
    {"pshuf* punpck* shufp* unpck* insertps", T(shuffle_pipes), T(vector_latency), 0},
    {"extract* insert* perm*", T(permute_pipes), T(cross_lane_latency), 0},
    {"pslldq psrldq", T(shuffle_pipes), T(vector_latency), 0},
    {"psll* psrl* psra*", T(vector_shift_pipes), T(vector_latency), 0},
    {"pmulld", T(vector_multiply_pipes), T(pmulld_latency), 0},
    {"pmul* pmadd* psadbw phminposuw", T(vector_multiply_pipes), T(vector_multiply_latency), 0},
    {"aes*", T(vector_multiply_pipes), T(aes_latency), 0},
    {"addp* adds* subp* subs*", T(fp_add_pipes), T(fp_latency), 0},
    {"minp* mins* maxp* maxs* cmp*", T(fp_add_pipes), T(fp_compare_latency), 0},
    {"mulp* muls*", T(fp_multiply_pipes), T(fp_multiply_latency), 0},
    {"cvt* round*", T(fp_add_pipes), T(convert_latency), 0},
};

/* Whether `name` is in the list. */
static bool listed(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; *at != '\0';) {
        size_t size = strcspn(at, " ");
        bool open = at[size - 1] == '*';
        bool fits = open ? strncmp(at, name, size - 1) == 0
                         : size == length && strncmp(at, name, size) == 0;
        if (fits)
            return true;
        at += size + (at[size] == ' ');
    }
    return false;
}

static int64_t parameter(const struct timing *timing, size_t offset, int64_t otherwise)
{
    return offset == 0 ? otherwise : *(const int64_t *)((const char *)timing + offset);
}

static void compute_on(struct op *op, int64_t pipes, ticks latency)
{
    op->unit = UNIT_PIPES;
    op->pipes = pipes;
    op->latency = latency;
}

static bool take_row(struct op *op, const char *name, const struct timing *t,
                     const struct cost *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!listed(rows[i].names, name))
            continue;
        compute_on(op, parameter(t, rows[i].pipes, 0), parameter(t, rows[i].latency, CYCLE));
        op->operations = (uint8_t)parameter(t, rows[i].operations, 1);
        op->slots *= op->operations;
        return true;
    }
    return false;
}

#define TAKE_ROW(op, name, t, rows) take_row(op, name, t, rows, sizeof rows / sizeof rows[0])

/* A second operation with the result of the first. */
static void then(struct op *op, int64_t pipes, ticks latency, const struct timing *t)
{
    op->then_pipes = pipes;
    op->then_latency = latency;
    op->slots += t->slot;
}

static void divide_on(struct op *op, enum unit unit, ticks latency, ticks interval)
{
    op->unit = (uint8_t)unit;
    op->latency = latency;
    op->interval = interval;
}

/* ---- integer ---- */

static bool three_parts(const struct memory_operand *memory)
{
    return memory->base != NO_REGISTER && memory->index != NO_REGISTER && memory->displacement != 0;
}

static void lea(struct op *op, const struct timing *t)
{
    if (!three_parts(&op->insn->memory)) {
        compute_on(op, t->lea_pipes, CYCLE);
        return;
    }
    compute_on(op, t->slow_lea_pipes, t->lea_latency);
    op->operations = (uint8_t)t->lea_operations;
    op->slots *= op->operations;
}

static void divide(struct op *op, const struct timing *t)
{
    bool large = op->insn->operand_size == 8;
    divide_on(op, UNIT_DIVIDE, large ? t->divide64_latency : t->divide_latency,
              large ? t->divide64_interval : t->divide_interval);
    op->slots = t->divide_slots;
}

/* A shift by cl must leave the flags alone when cl is 0. */
static bool is_shift_by_cl(const struct insn *insn, const char *name)
{
    return listed("shl shr sar sal rol ror", name) && insn->operands[1].kind == OPERAND_GENERAL;
}

static void shift_by_cl(struct op *op, const struct timing *t)
{
    compute_on(op, t->shift_pipes, t->count_latency);
    op->operations = (uint8_t)t->count_operations;
    op->slots *= op->operations;
}

/* With one operand the other is rax, and the result has two registers. */
static bool is_wide_multiplication(const struct insn *insn, const char *name)
{
    return strcmp(name, "mul") == 0 || strcmp(name, "mulx") == 0 ||
           (strcmp(name, "imul") == 0 && insn->operands[1].kind == OPERAND_NONE);
}

void cost_integer(struct op *op, const char *name, const struct timing *t)
{
    const struct insn *insn = op->insn;
    compute_on(op, t->alu_pipes, CYCLE);
    op->multiplies = listed("mul imul mulx", name);
    if (listed("push pop pushfq popfq leave", name) ||
        (insn->memory.present && listed("mov movabs movzx movsx movsxd movnti movbe", name))) {
        op->unit = UNIT_NONE; /* the load or store port does it */
    } else if (strcmp(name, "lea") == 0) {
        lea(op, t);
    } else if (listed("div idiv", name)) {
        divide(op, t);
    } else if (is_wide_multiplication(insn, name)) {
        compute_on(op, t->multiply_pipes, t->multiply_wide_latency);
        op->low_early = later(t->multiply_wide_latency - t->multiply_latency, 0);
        op->slots += t->slot;
    } else if (is_shift_by_cl(insn, name)) {
        shift_by_cl(op, t);
    } else if (insn->is_branch) {
        op->pipes = t->branch_pipes;
    } else if (strcmp(name, "xchg") == 0) {
        op->slots = t->exchange_slots;
    } else if (listed("rcl rcr enter xlatb lahf sahf", name)) {
        op->latency = 2 * CYCLE;
    } else {
        TAKE_ROW(op, name, t, integer_costs);
    }
    op->early_done = op->multiplies && t->multiply_early;
    bool changes_memory = insn->memory.present && insn->memory.read && insn->memory.write;
    if (changes_memory && op->slots < t->rmw_slots)
        op->slots = t->rmw_slots;
}

/* ---- vector ---- */

/* Whether one of the explicit registers is a general one. */
static bool crosses_files(const struct insn *insn, uint64_t bits)
{
    return (bits & 0xffff & ~insn->address_reads) != 0;
}

static void divide_vector(struct op *op, const char *name, const struct timing *t)
{
    bool single = listed("divss divps sqrtss sqrtps", name);
    if (name[0] == 's')
        divide_on(op, UNIT_FP_DIVIDE, single ? t->sqrt_single_latency : t->sqrt_latency,
                  single ? t->sqrt_single_interval : t->sqrt_interval);
    else
        divide_on(op, UNIT_FP_DIVIDE, single ? t->fp_divide_single_latency : t->fp_divide_latency,
                  single ? t->fp_divide_single_interval : t->fp_divide_interval);
}

static void move_vector(struct op *op, bool to_general, bool from_general, const struct timing *t)
{
    if (op->insn->memory.present || op->insn->implicit_store)
        op->unit = UNIT_NONE;
    else if (to_general)
        compute_on(op, t->from_vector_pipes, t->from_vector_latency);
    else if (from_general)
        compute_on(op, t->to_vector_pipes, t->to_vector_latency);
}

/* Of a value that comes from a general register first. */
static void after_move(struct op *op, const struct timing *t)
{
    int64_t pipes = op->pipes;
    ticks latency = op->latency;
    compute_on(op, t->to_vector_pipes, t->to_vector_latency);
    then(op, pipes, latency, t);
}

static void cost_crossing(struct op *op, bool to_general, const struct timing *t)
{
    if (to_general)
        then(op, t->from_vector_pipes, t->from_vector_latency, t);
    else
        after_move(op, t);
}

/* Between 16 and 32 bytes: an operation for each half; narrowed ones are put together. */
static void convert_halves(struct op *op, bool narrows, const struct timing *t)
{
    op->operations = 2;
    op->slots = 2 * t->slot;
    op->latency += narrows ? t->cross_lane_latency : CYCLE;
}

void cost_vector(struct op *op, const char *name, const struct timing *t)
{
    const struct insn *insn = op->insn;
    bool to_general = crosses_files(insn, insn->writes);
    bool from_general = crosses_files(insn, insn->reads);
    op->bank = (uint8_t)vector_bank(t);
    compute_on(op, t->vector_pipes, t->vector_latency);
    op->known = TAKE_ROW(op, name, t, vector_costs);
    if (listed("movmsk* pmovmskb", name)) {
        compute_on(op, t->from_vector_pipes, t->from_vector_latency);
        op->known = true;
    } else if (listed("div* sqrt*", name)) {
        divide_vector(op, name, t);
        op->known = true;
    } else if (listed("mov* lddqu maskmov*", name)) {
        move_vector(op, to_general, from_general, t);
        op->known = true;
    } else if (listed("ucomis* comis* ptest", name)) {
        bool integer = strcmp(name, "ptest") == 0;
        compute_on(op, integer ? t->logic_pipes : t->fp_add_pipes,
                   integer ? t->vector_latency : t->fp_compare_latency);
        then(op, t->from_vector_pipes, t->from_vector_latency, t);
        op->known = true;
    } else if (listed("pextr* pinsr* extractps", name)) {
        compute_on(op, t->shuffle_pipes, t->vector_latency);
        if (!insn->memory.present)
            cost_crossing(op, to_general, t);
        op->known = true;
    } else if (listed("cvt*", name) && (to_general || from_general)) {
        cost_crossing(op, to_general, t);
    } else if (listed("haddp* hsubp* phadd* phsub*", name)) {
        compute_on(op, t->fp_add_pipes, t->horizontal_latency);
        op->operations = 3;
        op->slots = 3 * t->slot;
        op->known = true;
    } else if (listed("vzeroupper zeroupper", name)) {
        op->unit = UNIT_NONE;
        op->known = true;
    } else if (listed("broadcast* pbroadcastd pbroadcastq", name) && insn->memory.present) {
        op->unit = UNIT_NONE; /* the load port does it */
    } else if (insn->uses_ymm && listed("cvtps2pd cvtdq2pd cvtpd2ps cvtpd2dq cvttpd2dq", name)) {
        convert_halves(op, listed("cvtpd* cvttpd*", name), t);
    } else if (listed("psllw pslld psllq psrlw psrld psrlq psraw psrad", name) &&
               !insn->has_immediate) {
        compute_on(op, t->vector_count_pipes, t->vector_count_latency);
    } else if (strcmp(name, "pmulld") == 0 && t->pmulld_latency > t->vector_multiply_latency) {
        op->operations = 2;
        op->slots = 2 * t->slot;
    }
    if (insn->uses_ymm && t->vector_bytes < 32 && op->unit == UNIT_PIPES) {
        op->operations *= 2;
        op->slots *= 2;
    }
}
