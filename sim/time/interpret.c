/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Execution of the commonest integer instructions; interpret_decode.c reads the bytes. */
#include "sim/time/interpret.h"

enum { CF = 1, PF = 4, AF = 0x10, ZF = 0x40, SF = 0x80, OF = 0x800 };
#define ARITHMETIC_FLAGS ((uint64_t)(CF | PF | AF | ZF | SF | OF))

static uint64_t mask_of(unsigned size)
{
    return size >= 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1;
}

static bool sign_of(uint64_t value, unsigned size) { return (value >> (8 * size - 1)) & 1; }

static uint64_t sign_extend(uint64_t value, unsigned size)
{
    if (size >= 8) {
        return value;
    }
    uint64_t sign = UINT64_C(1) << (8 * size - 1);
    value &= mask_of(size);
    return (value ^ sign) - sign;
}

uint64_t interpret_address(const struct insn *insn, const struct registers *registers)
{
    const struct memory_operand *memory = &insn->memory;
    uint64_t address = (uint64_t)memory->displacement;
    if (memory->base < 16) {
        address += registers->gpr[memory->base];
    }
    if (memory->index < 16) {
        address += registers->gpr[memory->index] * memory->scale;
    }
    if (memory->segment != 0) {
        address += memory->segment == 1 ? registers->fs_base : registers->gs_base;
    }
    return address;
}

static void write_register(struct registers *registers, unsigned index, unsigned size,
                           uint64_t value)
{
    uint64_t *target = &registers->gpr[index];
    if (size >= 4) {
        *target = value & mask_of(size); /* a 32-bit write clears the upper half */
    } else {
        *target = (*target & ~mask_of(size)) | (value & mask_of(size));
    }
}

static void set_flags(struct registers *registers, uint64_t affected, uint64_t set)
{
    registers->rflags = (registers->rflags & ~affected) | (set & affected);
}

static uint64_t result_flags(uint64_t result, unsigned size)
{
    uint64_t flags = 0;
    result &= mask_of(size);
    flags |= result == 0 ? ZF : 0;
    flags |= sign_of(result, size) ? SF : 0;
    flags |= __builtin_parity((unsigned)(result & 0xff)) ? 0 : PF;
    return flags;
}

static uint64_t add_flags(uint64_t a, uint64_t b, uint64_t carry, uint64_t result, unsigned size)
{
    uint64_t mask = mask_of(size);
    a &= mask;
    b &= mask;
    result &= mask;
    uint64_t flags = result_flags(result, size);
    flags |= (carry ? result <= a : result < a) ? CF : 0;
    flags |= ((a ^ b ^ result) & 0x10) ? AF : 0;
    flags |= sign_of((a ^ result) & (b ^ result), size) ? OF : 0;
    return flags;
}

static uint64_t sub_flags(uint64_t a, uint64_t b, uint64_t borrow, uint64_t result, unsigned size)
{
    uint64_t mask = mask_of(size);
    a &= mask;
    b &= mask;
    result &= mask;
    uint64_t flags = result_flags(result, size);
    flags |= (borrow ? a <= b : a < b) ? CF : 0;
    flags |= ((a ^ b ^ result) & 0x10) ? AF : 0;
    flags |= sign_of((a ^ b) & (a ^ result), size) ? OF : 0;
    return flags;
}

/* Two-operand arithmetic; returns the result. */
static uint64_t arithmetic(enum operation operation, uint64_t a, uint64_t b, unsigned size,
                           struct registers *registers)
{
    uint64_t carry = registers->rflags & CF, result = 0, flags = 0;
    switch (operation) {
    case OPERATION_ADD:
    case OPERATION_XADD:
        result = a + b;
        flags = add_flags(a, b, 0, result, size);
        break;
    case OPERATION_ADC:
        result = a + b + carry;
        flags = add_flags(a, b, carry, result, size);
        break;
    case OPERATION_SUB:
    case OPERATION_CMP:
    case OPERATION_CMPXCHG:
        result = a - b;
        flags = sub_flags(a, b, 0, result, size);
        break;
    case OPERATION_SBB:
        result = a - b - carry;
        flags = sub_flags(a, b, carry, result, size);
        break;
    case OPERATION_AND:
    case OPERATION_TEST:
        result = a & b;
        flags = result_flags(result, size);
        break;
    case OPERATION_OR:
        result = a | b;
        flags = result_flags(result, size);
        break;
    default: /* OPERATION_XOR */
        result = a ^ b;
        flags = result_flags(result, size);
        break;
    }
    set_flags(registers, ARITHMETIC_FLAGS, flags);
    return result;
}

static uint64_t shift(enum operation operation, uint64_t a, uint64_t count, unsigned size,
                      struct registers *registers)
{
    unsigned bits = 8 * size;
    count &= size == 8 ? 63 : 31;
    if (count == 0) {
        return a;
    }
    uint64_t result, carry, overflow;
    a &= mask_of(size);
    if (operation == OPERATION_SHL) {
        result = count < 64 ? a << count : 0;
        carry = count <= bits ? (a >> (bits - count)) & 1 : 0;
        overflow = sign_of(result, size) ^ carry;
    } else if (operation == OPERATION_SHR) {
        result = a >> count;
        carry = (a >> (count - 1)) & 1;
        overflow = sign_of(a, size);
    } else {
        int64_t value = (int64_t)sign_extend(a, size);
        result = (uint64_t)(value >> count);
        carry = (uint64_t)(value >> (count - 1)) & 1;
        overflow = 0;
    }
    set_flags(registers, ARITHMETIC_FLAGS & ~(uint64_t)AF,
              result_flags(result, size) | (carry ? CF : 0) | (overflow ? OF : 0));
    return result;
}

static uint64_t multiply(uint64_t a, uint64_t b, unsigned size, struct registers *registers)
{
    __extension__ __int128 product =
        (__int128)(int64_t)sign_extend(a, size) * (int64_t)sign_extend(b, size);
    uint64_t result = (uint64_t)product;
    bool overflow = product != (__int128)(int64_t)sign_extend(result, size);
    set_flags(registers, CF | OF | SF | ZF | PF | AF,
              result_flags(result, size) | (overflow ? CF | OF : 0));
    return result;
}

static bool condition_holds(unsigned condition, uint64_t flags)
{
    bool holds = false;
    bool less = ((flags & SF) != 0) != ((flags & OF) != 0);
    switch (condition >> 1) {
    case 0:
        holds = flags & OF;
        break;
    case 1:
        holds = flags & CF;
        break;
    case 2:
        holds = flags & ZF;
        break;
    case 3:
        holds = flags & (CF | ZF);
        break;
    case 4:
        holds = flags & SF;
        break;
    case 5:
        holds = flags & PF;
        break;
    case 6:
        holds = less;
        break;
    default:
        holds = less || (flags & ZF);
        break;
    }
    return holds != (condition & 1);
}

static void one_operand(const struct interpreted *i, uint64_t a, uint64_t *result,
                        struct registers *registers)
{
    const uint64_t all_but_carry = ARITHMETIC_FLAGS & ~(uint64_t)CF;
    switch (i->operation) {
    case OPERATION_INC:
        *result = a + 1;
        set_flags(registers, all_but_carry, add_flags(a, 1, 0, *result, i->size));
        break;
    case OPERATION_DEC:
        *result = a - 1;
        set_flags(registers, all_but_carry, sub_flags(a, 1, 0, *result, i->size));
        break;
    case OPERATION_NEG:
        *result = 0 - a;
        set_flags(registers, ARITHMETIC_FLAGS, sub_flags(0, a, 0, *result, i->size));
        break;
    default: /* OPERATION_NOT */
        *result = ~a;
        break;
    }
}

static void control(const struct interpreted *i, const struct insn *insn,
                    struct registers *registers, struct transfer *transfer)
{
    uint64_t next = insn->address + insn->length, *rsp = &registers->gpr[4];
    registers->rip = next;
    switch (i->operation) {
    case OPERATION_JUMP:
        registers->rip = i->jump;
        break;
    case OPERATION_JUMP_IF:
        if (condition_holds(i->condition, registers->rflags)) {
            registers->rip = i->jump;
        }
        break;
    case OPERATION_CALL:
        transfer->stores = true;
        transfer->stored = next;
        *rsp -= 8;
        registers->rip = i->jump;
        break;
    case OPERATION_RET:
        registers->rip = transfer->loaded;
        *rsp += 8 + i->immediate;
        break;
    case OPERATION_PUSH:
        transfer->stores = true;
        transfer->stored =
            i->source == PLACE_IMMEDIATE ? i->immediate : registers->gpr[i->source_register];
        *rsp -= 8;
        break;
    case OPERATION_POP:
        *rsp += 8;
        registers->gpr[i->target_register] = transfer->loaded;
        break;
    default:
        break;
    }
}

static uint64_t read_place(enum place_kind kind, unsigned index, const struct interpreted *i,
                           const struct registers *registers, const struct transfer *transfer)
{
    switch (kind) {
    case PLACE_REGISTER:
        return registers->gpr[index];
    case PLACE_MEMORY:
        return transfer->loaded;
    default:
        return i->immediate;
    }
}

/* Returns whether the target is written. */
static bool compute(const struct interpreted *i, const struct insn *insn, uint64_t a, uint64_t b,
                    uint64_t *result, struct registers *registers)
{
    switch (i->operation) {
    case OPERATION_MOV:
        *result = b;
        return true;
    case OPERATION_MOVZX:
        *result = b & mask_of(i->source_size);
        return true;
    case OPERATION_MOVSX:
        *result = sign_extend(b, i->source_size);
        return true;
    case OPERATION_LEA:
        *result = interpret_address(insn, registers);
        return true;
    case OPERATION_IMUL:
        *result = multiply(i->second_source ? b : a, i->second_source ? i->immediate : b, i->size,
                           registers);
        return true;
    case OPERATION_SHL:
    case OPERATION_SHR:
    case OPERATION_SAR:
        *result = shift(i->operation, a, b, i->size, registers);
        return true;
    case OPERATION_INC:
    case OPERATION_DEC:
    case OPERATION_NOT:
    case OPERATION_NEG:
        one_operand(i, a, result, registers);
        return true;
    case OPERATION_CMP:
    case OPERATION_TEST:
        (void)arithmetic(i->operation, a, b, i->size, registers);
        return false;
    default:
        *result = arithmetic(i->operation, a, b, i->size, registers);
        return true;
    }
}

/* xchg, xadd, cmpxchg: two places change. */
static uint64_t exchange(const struct interpreted *i, uint64_t a, uint64_t b,
                         struct registers *registers)
{
    if (i->operation == OPERATION_XCHG) {
        write_register(registers, i->source_register, i->size, a);
        return b;
    }
    if (i->operation == OPERATION_XADD) {
        uint64_t sum = arithmetic(OPERATION_XADD, a, b, i->size, registers);
        write_register(registers, i->source_register, i->size, a);
        return sum;
    }
    uint64_t rax = registers->gpr[0];
    (void)arithmetic(OPERATION_CMPXCHG, rax, a, i->size, registers);
    if (registers->rflags & ZF) {
        return b;
    }
    write_register(registers, 0, i->size, a);
    return a; /* the old value is written back */
}

void interpret(const struct interpreted *i, const struct insn *insn, struct registers *registers,
               struct transfer *transfer)
{
    transfer->stores = false;
    if (i->operation >= OPERATION_PUSH) {
        control(i, insn, registers, transfer);
        return;
    }
    uint64_t a = read_place(i->target, i->target_register, i, registers, transfer);
    uint64_t b = read_place(i->source, i->source_register, i, registers, transfer);
    uint64_t result = 0;
    bool writes = true;
    if (i->operation >= OPERATION_XCHG) {
        result = exchange(i, a, b, registers);
    } else {
        writes = compute(i, insn, a, b, &result, registers);
    }
    registers->rip = insn->address + insn->length;
    if (!writes) {
        return;
    }
    if (i->target == PLACE_REGISTER) {
        write_register(registers, i->target_register, i->size, result);
    } else {
        transfer->stores = true;
        transfer->stored = result & mask_of(i->size);
    }
}
